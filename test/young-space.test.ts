/** In processes of their own: V8 has one space of young objects, and the one of the tests has grown already. */
import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';

const mebibyte = 1024 * 1024;
const moduleUrl = new URL('../src/young-space.ts', import.meta.url).href;

/** What `youngBytes` says after `steps`, and after many more objects have lived for a while. */
function measure(steps: string): { before: number; after: number } {
  const script = `import { growYoungSpace, holdYoungSpace, youngBytes } from '${moduleUrl}';
    ${steps}
    const before = youngBytes();
    let kept = [];
    for (let round = 0; round < 60; round++) kept = Array.from({ length: 20_000 }, (_, at) => ({ at, last: kept[at] === null }));
    console.log(JSON.stringify({ before, after: youngBytes() }));`;
  const printed = execFileSync(process.execPath, ['--input-type=module', '--eval', script], {
    encoding: 'utf8',
  });
  return JSON.parse(printed);
}

describe('the space of young objects', () => {
  it('grows by itself when nobody holds it', () => {
    const { before, after } = measure('');
    expect(after).toBeGreaterThan(Math.max(before, 8 * mebibyte));
  });

  it('stays as small as it is when held', () => {
    expect(measure('holdYoungSpace();').after).toBeLessThanOrEqual(2 * mebibyte);
  });

  it('grows to eight mebibytes for serving, and no further', () => {
    expect(measure('holdYoungSpace(); growYoungSpace();')).toEqual({
      before: 8 * mebibyte,
      after: 8 * mebibyte,
    });
  });
});
