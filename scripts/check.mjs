// npm run check: types, lint and format, unused code, architecture and docs.
import { ensureInstalled, findNode, run, tool } from './workshop.mjs';

ensureInstalled();
const node = findNode();
const steps = [
  ['types', [tool('typescript'), '-p', '.']],
  ['lint and format', [tool('@biomejs/biome'), 'check', '--error-on-warnings']],
  ['unused code', [tool('knip')]],
  [
    'architecture and docs',
    [tool('vitest'), 'run', '--project', 'units', 'test/architecture.test.ts', 'test/docs.test.ts'],
  ],
];
for (const [name, args] of steps) {
  console.error(`check: ${name}`);
  run(node, args);
}
