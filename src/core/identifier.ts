/** Generates identifiers and secrets. */
import { randomBytes } from 'node:crypto';

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';

let last = '';

/**
 * Returns 26 characters that sort by time: 48 bits of milliseconds and 80 random bits in Crockford's base 32. Identifiers created
 * by this process in the same millisecond sort in the order of creation, so rows created at one time keep their order.
 */
export function newIdentifier(now: number): string {
  const time = identifierTime(now);
  if (last.startsWith(time)) last = successorOf(last);
  else {
    last = time;
    for (const byte of randomBytes(16)) last += alphabet.charAt(byte % 32);
  }
  return last;
}

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
