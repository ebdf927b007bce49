/** In processes of their own: V8 has one space of young objects, and the one of the tests has grown already. */
import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';

const mebibyte = 1024 * 1024;
const moduleUrl = new URL('../src/young-space.ts', import.meta.url).href;

/** Bytes of the space after many objects have lived for a while. */
function measure(steps: string): number {
  const script = `import { getHeapSpaceStatistics } from 'node:v8';
    import { holdYoungSpace, releaseYoungSpace } from '${moduleUrl}';
    ${steps}
    let kept = [];
    for (let round = 0; round < 60; round++) kept = Array.from({ length: 20_000 }, (_, at) => ({ at, last: kept[at] === null }));
    console.log(getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space').space_size);`;
  const printed = execFileSync(process.execPath, ['--input-type=module', '--eval', script], {
    encoding: 'utf8',
  });
  return Number(printed);
}

describe('the space of young objects', () => {
  it('grows by itself when nobody holds it', () => {
    expect(measure('')).toBeGreaterThan(8 * mebibyte);
  });

  it('stays as small as it is when held', () => {
    expect(measure('holdYoungSpace();')).toBeLessThanOrEqual(2 * mebibyte);
  });

  it('grows again when it is let', () => {
    expect(measure('holdYoungSpace(); releaseYoungSpace();')).toBeGreaterThan(8 * mebibyte);
  });
});

describe('the collector of what was received', () => {
  const buffers = 32;
  const bufferBytes = 64 * 1024;
  /** Bytes in buffers that nobody has any more, before and after the collector is told of received bytes. */
  const garbage = (...told: number[]) => {
    const script = `import { createReceivedCollector, holdYoungSpace } from '${moduleUrl}';
      holdYoungSpace();
      const received = createReceivedCollector();
      let kept = Array.from({ length: ${buffers} }, () => Buffer.allocUnsafeSlow(${bufferBytes}));
      kept = null;
      const before = process.memoryUsage().arrayBuffers;
      for (const bytes of ${JSON.stringify(told)}) received(bytes);
      console.log(JSON.stringify(before - process.memoryUsage().arrayBuffers));`;
    return JSON.parse(
      execFileSync(process.execPath, ['--input-type=module', '--eval', script], { encoding: 'utf8' }),
    );
  };

  it('gives it back after every four mebibytes', () => {
    // A thread of V8 gives buffers back; the next collection waits until it is through with those of the last.
    expect(garbage(3 * mebibyte, mebibyte, 4 * mebibyte)).toBeGreaterThanOrEqual(buffers * bufferBytes);
  });

  it('lets it be until then', () => {
    expect(garbage(3 * mebibyte, mebibyte - 1)).toBe(0);
  });
});
