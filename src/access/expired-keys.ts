/** Nobody does anything when a key, or the old secret of one, expires, so the server looks: what it could see gets a new secret. */
import type { Data } from '../data.ts';

export interface ExpiredKeysWatch {
  /** Resolves after the first look. */
  done: Promise<void>;
  stop(): Promise<void>;
}

const lookEveryMs = 60_000;

/** Looks now and every minute. Any number of nodes may look: each key is noticed once. */
export function watchExpiredKeys(parts: {
  data: Data;
  now: () => number;
  log: { error(fields: object, message: string): void };
}): ExpiredKeysWatch {
  const look = () =>
    parts.data.access
      .noticeExpiredKeys(parts.now())
      .catch((error) => parts.log.error({ err: error }, 'secrets of expired keys were not rotated'));
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
