import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openCompiledCode } from '../src/compiled-code.ts';

let folder: string;
let cache: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'slipway-compiled-'));
  cache = join(folder, 'cache');
  writeFileSync(join(folder, 'part.cjs'), 'exports.word = () => "one";');
  writeFileSync(join(folder, 'whole.cjs'), 'exports.say = () => require("./part.cjs").word();');
});
afterEach(() => rmSync(folder, { recursive: true }));

const open = (purpose = 'serve') => openCompiledCode(cache, purpose, process.pid);

/** Loads the modules, stores what was compiled, and returns their answer. */
function run(code = open()) {
  const whole = code.load(join(folder, 'whole.cjs')) as { say: () => string };
  const answer = whole.say();
  code.store();
  return answer;
}

it('stores the code of every module, with the functions that ran', () => {
  const idle = open('idle');
  idle.load(join(folder, 'whole.cjs'));
  idle.store();
  expect(run()).toBe('one');
  const [idleFolder = '', served = ''] = readdirSync(cache).sort();
  expect(readdirSync(join(cache, idleFolder))).toHaveLength(1);
  expect(readdirSync(join(cache, served))).toHaveLength(2);
  const [name = ''] = readdirSync(join(cache, idleFolder));
  expect(readFileSync(join(cache, served, name)).length).toBeGreaterThan(
    readFileSync(join(cache, idleFolder, name)).length,
  );
});

it('stores nothing again that an earlier process stored', () => {
  run();
  const code = open();
  code.load(join(folder, 'whole.cjs'));
  code.load(join(folder, 'part.cjs'));
  rmSync(cache, { recursive: true });
  run(code);
  expect(existsSync(cache)).toBe(false);
});

it('replaces code that was cut off', () => {
  run();
  const [name = ''] = readdirSync(cache);
  const files = readdirSync(join(cache, name)).map((file) => join(cache, name, file));
  for (const file of files) truncateSync(file, 100);
  expect(run()).toBe('one');
  expect(files.map((file) => readFileSync(file).length > 100)).toEqual([true, true]);
});

it('runs a changed module of the same length', () => {
  run();
  writeFileSync(join(folder, 'part.cjs'), 'exports.word = () => "two";');
  expect(run()).toBe('two');
});

it('removes the code of other versions of Node for the same purpose', () => {
  for (const name of ['serve-1', 'commands-1']) mkdirSync(join(cache, name), { recursive: true });
  run();
  expect(readdirSync(cache).filter((name) => name.endsWith('-1'))).toEqual(['commands-1']);
});

it('runs without a folder that it can write', () => {
  writeFileSync(cache, 'a file');
  expect(run()).toBe('one');
});
