/** Limits concurrency; waiting calls run in order. */
export function createSemaphore(limit: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running >= limit) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      // The slot passes directly to the next one, so that no new call can take it.
      if (next) next();
      else running -= 1;
    }
  };
}
