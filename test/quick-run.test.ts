/** The list of `npm test`: what it may contain, and that a run is exactly that. */
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { dearInQuickRun, quickRun } from './quick-run.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const testFiles = globSync('test/**/*.test.{ts,tsx}', { cwd: root });

/** What makes a file too dear for `npm test`, as its own text shows. */
const dear: Readonly<Record<keyof typeof dearInQuickRun, RegExp>> = {
  browser: /launchChromium|support\/chromium/,
  postgres: /'postgres'/,
  s3: /'s3'|'s3-streamed'|createS3Scratch/,
  program: /process: true|\.serve\(|builtProgram|currentBuild/,
  java: /apksigner|keytool/,
};

describe('the list of npm test', () => {
  it('names existing files, once each, in order', () => {
    expect(quickRun.filter((file) => !testFiles.includes(file))).toEqual([]);
    expect([...new Set(quickRun)].sort()).toEqual([...quickRun]);
  });

  it.each(Object.entries(dear))('has no file with a %s, except those it may have', (kind, pattern) => {
    const found = quickRun.filter((file) => pattern.test(readFileSync(`${root}${file}`, 'utf8')));
    expect(found).toEqual([...dearInQuickRun[kind as keyof typeof dear]].sort());
  });
});
