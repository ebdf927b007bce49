// npm run check: verifies that every regular expression runs in linear time (eslint-plugin-regexp).
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

/** Returns every problem in a source file as a sentence. */
export function regularExpressionErrors(path, source) {
  return linter
    .verify(literalsAlone(path, source), [{ plugins: { regexp }, rules }], { filename: 'literals.js' })
    .map(({ line, column, message }) => `${path}:${line}:${column} ${message.replace(/\s+/g, ' ')}`);
}

/** Checks all files of a folder. */
function problemsInFolder(folder) {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(?:tsx?|m?js)$/.test(name))
    .sort()
    .flatMap((name) => regularExpressionErrors(join(folder, name), readFileSync(join(folder, name), 'utf8')));
}

/**
 * The rules check only literals, which the TypeScript parser finds; everything else is blanked, so that positions
 * stay correct.
 */
function literalsAlone(path, source) {
  const kept = [];
  const keep = ({ start, end }) => kept.push({ start, end });
  new Visitor({
    Literal: (node) => node.regex && keep(node),
    // Patterns in strings: `new RegExp('…')`.
    NewExpression: (node) =>
      node.callee.name === 'RegExp' && node.arguments.every(({ type }) => type === 'Literal') && keep(node),
  }).visit(parseSync(path, source).program);
  let text = '';
  for (const { start, end } of kept.sort((one, other) => one.start - other.start)) {
    if (start < text.length) continue;
    text += source.slice(text.length, start).replace(/[^\n]/g, ' ');
    // A literal after a blank would be parsed as a division.
    text = `${text.slice(0, -1)}${text.endsWith('\n') ? '\n' : ';'}${source.slice(start, end)}`;
  }
  return text;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const faults = problemsInFolder(fileURLToPath(new URL('../src', import.meta.url)));
  for (const fault of faults) console.error(fault);
  if (faults.length > 0) process.exitCode = 1;
}
