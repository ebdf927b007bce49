/**
 * How much memory V8 gives to young objects, measured both ways: its own limit of 32 MiB lets the garbage of received bytes,
 * which it does not count, pile up to 100 MiB more at work; its first size of 1 MiB costs a small request a fifth of its time.
 */
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

const servingYoungBytes = 8 * 1024 * 1024;

/** The space is let grow while so many objects, made at once, survive. */
const survivors = 20_000;
const mostRounds = 100;

/** The space stays as large as it is. */
export function holdYoungSpace(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
}

/** Lets it grow to `servingYoungBytes`, in a few milliseconds, and holds it there. */
export function growYoungSpace(): void {
  setFlagsFromString('--semi-space-growth-factor=2');
  let kept: object[] = [];
  for (let round = 0; round < mostRounds && youngBytes() < servingYoungBytes; round++) {
    kept = Array.from({ length: survivors }, (_, index) => ({ index, before: kept[index] === undefined }));
  }
  holdYoungSpace();
}

/** What the space has taken, of both halves. */
export function youngBytes(): number {
  return getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space')?.space_size ?? 0;
}
