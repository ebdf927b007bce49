/** The list of `npm test`, which the reporter enforces: a run of any other file fails. */
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { quickRun } from './quick-run.ts';
import { longest } from './support/longest-first.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const testFiles = globSync('test/**/*.test.{ts,tsx}', { cwd: root });
/** Each costs a quarter of a second of processor time or more; `npm test` has 240 seconds on two cores for everything. */
const mostFiles = 320;

describe('npm test', () => {
  it('lists existing files, once each, in order', () => {
    expect(quickRun.filter((file) => !testFiles.includes(file))).toEqual([]);
    expect([...new Set(quickRun)].sort()).toEqual([...quickRun]);
    expect(quickRun.length).toBeLessThanOrEqual(mostFiles);
  });

  it('starts with existing files', () => {
    expect(longest.filter((name) => !testFiles.includes(`test/${name}.test.ts`))).toEqual([]);
  });

  it('starts Chromium for the ten tasks and the install of a tester only, and no proxy', () => {
    const dear = quickRun.filter(
      (file) =>
        file.startsWith('test/proxy/') ||
        /from '[^']*support\/chromium\.ts'/.test(readFileSync(`${root}${file}`, 'utf8')),
    );
    expect(dear).toEqual(['test/browser/ten-tasks.test.ts', 'test/browser/tester-install.test.ts']);
  });
});
