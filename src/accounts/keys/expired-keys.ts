/**
 * Revokes keys and replaced secrets when they expire, because no request marks that moment: every app that the key
 * could see gets a new secret.
 */
import type { Data } from '../../db/data.ts';
import { keyQueries } from './key-queries.ts';

export interface ExpiredKeysWatch {
  /** Resolves after the first check. */
  done: Promise<void>;
  stop(): Promise<void>;
}

const checkEveryMs = 60_000;

/** Checks now and every minute. Safe on any number of nodes: each key is handled once. */
export function watchExpiredKeys(deps: {
  data: Data;
  now: () => number;
  log: { error(fields: object, message: string): void };
}): ExpiredKeysWatch {
  const look = () =>
    keyQueries(deps.data)
      .noticeExpiredKeys(deps.now())
      .catch((error) => deps.log.error({ err: error }, 'could not rotate the app secrets of expired keys'));
  const done = look();
  let looking = done;
  const timer = setInterval(() => {
    looking = looking.then(look);
  }, checkEveryMs);
  timer.unref();
  return {
    done,
    stop: () => {
      clearInterval(timer);
      return looking;
    },
  };
}
