/** Generates identifiers and secrets. */
import { randomBytes } from 'node:crypto';

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';

/** The last identifier of each of the latest milliseconds: a transaction gives its rows the time when it began, while others go on. */
const latest = new Map<string, string>();
const maxLatest = 1000;

/**
 * Returns 26 characters that sort by time: 48 bits of milliseconds and 80 random bits in Crockford's base 32. Identifiers created
 * by this process in the same millisecond sort in the order of creation, so rows created at one time keep their order.
 */
export function newIdentifier(now: number): string {
  const time = identifierTime(now);
  const last = latest.get(time);
  const identifier = last === undefined ? time + randomDigits() : successorOf(last);
  latest.delete(time);
  latest.set(time, identifier);
  if (latest.size > maxLatest) latest.delete(latest.keys().next().value ?? '');
  return identifier;
}

const randomDigits = () => Array.from(randomBytes(16), (byte) => alphabet.charAt(byte % 32)).join('');

const successorOf = (identifier: string) =>
  identifier.replace(
    /([^z])(z*)$/,
    (_, digit: string, highest: string) =>
      `${alphabet.charAt(alphabet.indexOf(digit) + 1)}${'0'.repeat(highest.length)}`,
  );

/** Returns the prefix of identifiers created at that millisecond. Identifiers created then or later sort after it, earlier ones before. */
export function identifierTime(epochMilliseconds: number): string {
  let time = '';
  let rest = epochMilliseconds;
  for (let digit = 0; digit < 10; digit++) {
    time = alphabet.charAt(rest % 32) + time;
    rest = Math.floor(rest / 32);
  }
  return time;
}

/** 40 hexadecimal digits: the form of an App's secret and of a distribution page's key. */
export function newHexKey(): string {
  return randomBytes(20).toString('hex');
}
