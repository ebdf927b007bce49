/** Checks the access to answers that stay open again and again, so that nobody receives them for longer than they may. */
import { AppError } from '../../core/errors.ts';

export interface WatchedAnswer {
  /** Rejects if the caller may not receive the rest. */
  reauthorize(): Promise<void>;
  /** Called with what `reauthorize` rejected with. */
  refuse(error: unknown): void;
}

/** Returns a function that ends the watch. */
export type WatchAccess = (answer: WatchedAnswer) => () => void;

/** False if access could not be checked, as when the database does not respond. */
export const isRefusal = (error: unknown) => error instanceof AppError && error.kind !== 'unavailable';

/** Limited, to leave the database to requests: of 1,000 answers, each is checked every ten rounds. */
const checksPerRound = 100;

export function createAccessWatch(roundMs: number): WatchAccess {
  /** Those that have waited the longest come first. */
  const watched = new Set<WatchedAnswer>();
  const checking = new Set<WatchedAnswer>();
  let timer: ReturnType<typeof setInterval> | undefined;

  const check = async (answer: WatchedAnswer) => {
    checking.add(answer);
    try {
      await answer.reauthorize();
    } catch (error) {
      if (watched.has(answer)) answer.refuse(error);
    } finally {
      checking.delete(answer);
    }
  };
  const round = () => {
    for (const answer of [...watched].slice(0, checksPerRound)) {
      watched.delete(answer);
      watched.add(answer);
      if (!checking.has(answer)) void check(answer);
    }
  };
  return (answer) => {
    watched.add(answer);
    timer ??= setInterval(round, roundMs);
    timer.unref();
    return () => {
      watched.delete(answer);
      if (watched.size > 0) return;
      clearInterval(timer);
      timer = undefined;
    };
  };
}
