/** Slows down guessing of passwords: so many failures for one login from one address, then a pause. */
import { AppError } from '../errors.ts';

export const pauseSeconds = 15 * 60;
const windowMs = pauseSeconds * 1000;
const maxFailures = 10;
const maxRemembered = 10_000;

export interface SignInAttempts {
  /** Throws `too_many` while the pause lasts. */
  check(login: string, address: string, now: number): void;
  failed(login: string, address: string, now: number): void;
  succeeded(login: string, address: string): void;
}

export function createSignInAttempts(): SignInAttempts {
  const failures = new Map<string, { count: number; since: number }>();
  const keyOf = (login: string, address: string) => `${address} ${login.toLowerCase().slice(0, 128)}`;
  return {
    check: (login, address, now) => {
      const known = failures.get(keyOf(login, address));
      if (known && now - known.since < windowMs && known.count >= maxFailures) {
        throw new AppError('too_many', 'too many failed sign-ins: try again in a quarter of an hour');
      }
    },
    failed: (login, address, now) => {
      const key = keyOf(login, address);
      const known = failures.get(key);
      const current = known && now - known.since < windowMs ? known : { count: 0, since: now };
      failures.delete(key);
      failures.set(key, { count: current.count + 1, since: current.since });
      const oldest = failures.keys().next().value;
      if (failures.size > maxRemembered && oldest !== undefined) failures.delete(oldest);
    },
    succeeded: (login, address) => {
      failures.delete(keyOf(login, address));
    },
  };
}
