export interface RepeatedTask {
  /** Runs after the given time, or as soon as the current run has ended. */
  start(afterMs: number): void;
  pause(): void;
  /** Prevents further runs. */
  stop(): void;
}

/** Repeats `work` while it returns true, at most `maxRuns` times after each start. */
export function createRepeatedTask(
  { everyMs, maxRuns = Number.POSITIVE_INFINITY }: { everyMs: number; maxRuns?: number },
  work: () => Promise<boolean>,
): RepeatedTask {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let runsLeft = maxRuns;
  let isRunning = false;
  let isStartedAgain = false;
  let isStopped = false;

  const wait = (ms: number) => {
    clearTimeout(timer);
    if (!isStopped) timer = setTimeout(run, ms);
  };
  const run = async () => {
    if (isRunning) {
      isStartedAgain = true;
      return;
    }
    isRunning = true;
    isStartedAgain = false;
    runsLeft--;
    const continues = await work();
    isRunning = false;
    if (isStartedAgain) wait(0);
    else if (continues && runsLeft > 0 && !document.hidden) wait(everyMs);
  };
  return {
    start: (afterMs) => {
      runsLeft = maxRuns;
      wait(afterMs);
    },
    pause: () => clearTimeout(timer),
    stop: () => {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}
