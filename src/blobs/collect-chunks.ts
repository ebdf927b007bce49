import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Chunks of files on their way are garbage once they are copied or sent, but V8 does not count their buffers and lets hundreds of
 * MiB accumulate. After this many bytes, a minor collection runs in 1 to 2 ms. An upload then takes a third less processor time and
 * 80 MiB less memory; four at once to S3, 60 MiB less.
 */
const collectionIntervalBytes = 4 * 1024 * 1024;

/** Shared by all files, because each collection frees the chunks of all. */
let sinceCollectedBytes = 0;
let collect: NodeJS.GCFunction | null = null;

/** Counts the bytes of chunks that are garbage soon, and collects them after every few MiB. */
export function collectAfter(bytes: number): void {
  sinceCollectedBytes += bytes;
  if (sinceCollectedBytes < collectionIntervalBytes) return;
  sinceCollectedBytes = 0;
  collect ??= exposeCollector();
  void collect({ type: 'minor' });
}

/** With `--expose-gc` for the whole process, V8 refuses compiled code that was made without, such as Node's: a sixth of a start. */
function exposeCollector(): NodeJS.GCFunction {
  setFlagsFromString('--expose-gc');
  try {
    return runInNewContext('gc');
  } finally {
    setFlagsFromString('--no-expose-gc');
  }
}
