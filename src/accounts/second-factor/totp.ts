/** Time-based one-time passwords: RFC 6238 with SHA-1, six digits and steps of 30 seconds. */
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

const stepMs = 30_000;
const digits = 6;
/** RFC 4226, section 4, R6: the shared secret has 160 bits. */
const secretBytes = 20;
/** RFC 4648, section 6. */
const base32Alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

export function newTotpSecret(): Uint8Array {
  return randomBytes(secretBytes);
}

/** Returns the six digits of a step, with leading zeros (RFC 4226, section 5.3). */
export function totpCode(secret: Uint8Array, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const digest = createHmac('sha1', secret).update(counter).digest();
  const offset = digest.readUInt8(digest.length - 1) & 0x0f;
  const number = digest.readUInt32BE(offset) & 0x7fffffff;
  return String(number % 10 ** digits).padStart(digits, '0');
}

/**
 * Returns the step of a code: the current one, or an adjacent one to allow for clock skew and slow typing. Null for a
 * wrong code.
 */
export function stepOfCode(secret: Uint8Array, code: string, now: number): number | null {
  const given = Buffer.from(code);
  const present = Math.floor(now / stepMs);
  let found: number | null = null;
  for (const step of [present - 1, present, present + 1]) {
    const expected = Buffer.from(totpCode(secret, step));
    if (given.length === expected.length && timingSafeEqual(given, expected)) found = step;
  }
  return found;
}

/** Normalizes an entered code by removing the spaces that apps show; null if its form is wrong. */
export function readTotpCode(submitted: string): string | null {
  const code = submitted.replace(/\s/g, '');
  return /^\d{6}$/.test(code) ? code : null;
}

/** Without padding, as authenticator apps expect. */
export function base32(bytes: Uint8Array): string {
  let text = '';
  let bits = 0;
  let held = 0;
  for (const byte of bytes) {
    held = (held << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text += base32Alphabet.charAt((held >>> bits) & 31);
    }
    held &= (1 << bits) - 1;
  }
  return bits > 0 ? text + base32Alphabet.charAt((held << (5 - bits)) & 31) : text;
}

/**
 * Returns the otpauth URI of the QR code: https://github.com/google/google-authenticator/wiki/Key-Uri-Format. A colon
 * separates issuer and account, so neither may contain one.
 */
export function totpAddress(secret: Uint8Array, names: { issuer: string; account: string }): string {
  const plain = (name: string) => encodeURIComponent(name.replaceAll(':', ' '));
  const issuer = plain(names.issuer);
  return `otpauth://totp/${issuer}:${plain(names.account)}?secret=${base32(secret)}&issuer=${issuer}`;
}
