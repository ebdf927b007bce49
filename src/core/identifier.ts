/** Generates identifiers and secrets. */
import { randomBytes } from 'node:crypto';

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';

/** 26 characters that sort by time: 48 bits of milliseconds and 80 random bits in Crockford's base 32. */
export function newIdentifier(now: number): string {
  let random = '';
  for (const byte of randomBytes(16)) random += alphabet.charAt(byte % 32);
  return identifierTime(now) + random;
}

/** Returns the prefix of identifiers created at that millisecond: these and later ones sort after it, earlier ones before. */
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
