/** Lets so many pieces of work run at once; the others wait, first come, first served. */
export function createTurns(atOnce: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    if (running >= atOnce) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      // The turn goes to the next one, so that nobody comes between.
      if (next) next();
      else running -= 1;
    }
  };
}
