/**
 * How much memory V8 gives to young objects, measured both ways: its own limit of 32 MiB lets the garbage of received bytes,
 * which it does not count, pile up to 100 MiB more at work; its first size of 1 MiB costs a small request a fifth of its time.
 */
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const servingYoungBytes = 8 * 1024 * 1024;

/** The space is let grow while so many objects, made at once, survive. */
const survivors = 20_000;
const mostRounds = 100;

/** Of a large body, so much may lie about received and used up. */
const collectEveryBytes = 4 * 1024 * 1024;

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

/**
 * Answers what wants to be told of received bytes: it collects young objects after every `collectEveryBytes` of them, in one to
 * two milliseconds. V8 alone would wait until its few objects fill the space, with hundreds of buffers behind them; collected
 * early, their memory is used again while the processor still has it near, which saves it a third of an upload's work.
 */
export function createReceivedCollector(): (bytes: number) => void {
  let sinceBytes = 0;
  return (bytes) => {
    sinceBytes += bytes;
    if (sinceBytes < collectEveryBytes) return;
    sinceBytes = 0;
    collectYoung ??= openCollector();
    collectYoung({ type: 'minor' });
  };
}

let collectYoung: NodeJS.GCFunction | null = null;

/** V8 gives its collector to contexts that are made while this flag is set. */
function openCollector(): NodeJS.GCFunction {
  setFlagsFromString('--expose-gc');
  const collect: NodeJS.GCFunction = runInNewContext('gc');
  setFlagsFromString('--no-expose-gc');
  return collect;
}
