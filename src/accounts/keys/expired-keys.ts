/**
 * No request marks the moment when a key, or the replaced secret of one, expires, so the server checks: every app that it could
 * see gets a new secret.
 */
import type { Data } from '../../db/data.ts';
import { keyQueries } from './key-queries.ts';

export interface ExpiredKeysWatch {
  /** Resolves after the first check. */
  done: Promise<void>;
  stop(): Promise<void>;
}

const lookEveryMs = 60_000;

/** Checks now and every minute. Any number of nodes may do so: each key is handled once. */
export function watchExpiredKeys(parts: {
  data: Data;
  now: () => number;
  log: { error(fields: object, message: string): void };
}): ExpiredKeysWatch {
  const look = () =>
    keyQueries(parts.data)
      .noticeExpiredKeys(parts.now())
      .catch((error) => parts.log.error({ err: error }, 'could not rotate the app secrets of expired keys'));
  const done = look();
  let looking = done;
  const timer = setInterval(() => {
    looking = looking.then(look);
  }, lookEveryMs);
  timer.unref();
  return {
    done,
    stop: () => {
      clearInterval(timer);
      return looking;
    },
  };
}
