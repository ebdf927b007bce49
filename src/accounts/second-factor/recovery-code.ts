/** Recovery codes for people who lost their phone: 80 random bits each, valid once, stored as hashes. */
import { createHash, randomBytes } from 'node:crypto';

export const recoveryCodeCount = 10;

/** Crockford's base 32: no I, L, O and U. */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';
const length = 16;

/** Each as `xxxx-xxxx-xxxx-xxxx`. */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: recoveryCodeCount }, () => {
    let code = '';
    for (const byte of randomBytes(length)) code += alphabet.charAt(byte % 32);
    return code.replace(/(.{4})(?=.)/g, '$1-');
  });
}

/** Normalizes an entered code for hashing; null if its form is wrong. Letters that look like digits are read as digits. */
export function readRecoveryCode(submitted: string): string | null {
  if (submitted.length > 64) return null;
  const code = submitted.toLowerCase().replace(/[\s-]/g, '').replace(/[il]/g, '1').replaceAll('o', '0');
  return code.length === length && [...code].every((letter) => alphabet.includes(letter)) ? code : null;
}

/** `code`: as returned by `readRecoveryCode`. */
export function hashRecoveryCode(userId: string, code: string): string {
  return createHash('sha256').update(`recovery code\0${userId}\0${code}`).digest('hex');
}
