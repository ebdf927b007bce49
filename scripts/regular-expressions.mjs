// What `npm run check` asks of regular expressions: that each takes time linear in its input (eslint-plugin-regexp).
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Linter } from 'eslint';
import regexp from 'eslint-plugin-regexp';
import { parseSync, Visitor } from 'oxc-parser';

const rules = {
  'regexp/no-dupe-disjunctions': 'error',
  'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
  'regexp/no-super-linear-move': ['error', { report: 'certain', ignoreSticky: true, ignorePartial: false }],
};
const linter = new Linter();

/** Every fault in a source file, as one sentence each. */
export function regularExpressionFaults(path, source) {
  return linter
    .verify(literalsAlone(path, source), [{ plugins: { regexp }, rules }], { filename: 'literals.js' })
    .map(({ line, column, message }) => `${path}:${line}:${column} ${message.replace(/\s+/g, ' ')}`);
}

/** The same of all files of a folder. */
function faultsInFolder(folder) {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(?:tsx?|m?js)$/.test(name))
    .sort()
    .flatMap((name) => regularExpressionFaults(join(folder, name), readFileSync(join(folder, name), 'utf8')));
}

/** The rules look at literals alone, which a parser for TypeScript finds; all else becomes blank, so that places stay right. */
function literalsAlone(path, source) {
  const kept = [];
  const keep = ({ start, end }) => kept.push({ start, end });
  new Visitor({
    Literal: (node) => node.regex && keep(node),
    // Patterns out of texts: `new RegExp('…')`.
    NewExpression: (node) =>
      node.callee.name === 'RegExp' && node.arguments.every(({ type }) => type === 'Literal') && keep(node),
  }).visit(parseSync(path, source).program);
  let text = '';
  for (const { start, end } of kept.sort((one, other) => one.start - other.start)) {
    if (start < text.length) continue;
    text += source.slice(text.length, start).replace(/[^\n]/g, ' ');
    // A literal after a blank would be a division after another one.
    text = `${text.slice(0, -1)}${text.endsWith('\n') ? '\n' : ';'}${source.slice(start, end)}`;
  }
  return text;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const faults = faultsInFolder(fileURLToPath(new URL('../src', import.meta.url)));
  for (const fault of faults) console.error(fault);
  if (faults.length > 0) process.exitCode = 1;
}
