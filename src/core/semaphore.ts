/** Limits concurrent work. */

export interface Semaphore {
  /** Runs the work when a permit is free, in the order of the calls. */
  run<T>(work: () => Promise<T>): Promise<T>;
}

export function createSemaphore(permits: number): Semaphore {
  const waiting: (() => void)[] = [];
  let running = 0;
  const acquire = async () => {
    if (running >= permits) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
  };
  const release = () => {
    const next = waiting.shift();
    // Passes the permit directly to the next caller, so that no later caller overtakes it.
    if (next) next();
    else running -= 1;
  };
  return {
    run: async (work) => {
      await acquire();
      try {
        return await work();
      } finally {
        release();
      }
    },
  };
}

/**
 * Processes `concurrency` items at a time. After the first failure, starts no further items, aborts the signal, and rejects with
 * that failure once all running items have ended.
 */
export async function forEachConcurrently<T>(
  items: AsyncIterable<T> | Iterable<T>,
  concurrency: number,
  work: (item: T, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const iterator = Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]();
  const stop = new AbortController();
  const runWorker = async (): Promise<void> => {
    try {
      while (!stop.signal.aborted) {
        const next = await iterator.next();
        if (next.done || stop.signal.aborted) return;
        await work(next.value, stop.signal);
      }
    } catch (error) {
      stop.abort(error);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, runWorker));
  stop.signal.throwIfAborted();
}
