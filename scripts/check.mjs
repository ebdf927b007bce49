// npm run check: dependencies, types, lint and format, unused code, architecture and docs.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { errorsOf, rangesOf } from './dependencies.mjs';
import { ensureInstalled, findNode, root, run, tool } from './workshop.mjs';

console.error('check: dependencies');
const [manifest, lock] = ['package.json', 'package-lock.json'].map((name) =>
  JSON.parse(readFileSync(join(root, name), 'utf8')),
);
const problems = [...rangesOf(manifest), ...errorsOf(lock, manifest.allowScripts)];
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exit(1);

ensureInstalled();
const node = findNode();
const steps = [
  ['types', [tool('typescript'), '-p', '.']],
  ['types of browser scripts', [tool('typescript'), '-p', 'src/web/browser']],
  ['lint and format', [tool('@biomejs/biome'), 'check', '--error-on-warnings']],
  ['regular expressions', [join(root, 'scripts/regular-expressions.mjs')]],
  ['unused code', [tool('knip')]],
  [
    'architecture, messages and docs',
    [tool('vitest'), 'run', ...['architecture', 'messages', 'docs'].map((name) => `test/${name}.test.ts`)],
  ],
];
for (const [name, args] of steps) {
  console.error(`check: ${name}`);
  run(node, args);
}
