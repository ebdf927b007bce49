/** Signatures in tokens: HMAC-SHA-256 with the server's secret, each for a single purpose. */
import { createHmac, timingSafeEqual } from 'node:crypto';

/** A string if no previous secret is accepted. */
export type ServerSecret = string | { current: string; previous: string };

/** Shorter secrets could be found by brute force from a signed link. */
export const minimumSecretBytes = 32;

export interface Signer {
  /** 43 characters of base64url. */
  sign(message: string): string;
  /** Compares in constant time. Accepts only the exact text that `sign` returns, no other encoding of the same bytes. */
  verify(message: string, signature: string): boolean;
  /** Returns every valid signature: that of `sign` and, while a previous secret is accepted, the one with that secret. */
  accepted(message: string): readonly string[];
}

/** Distinguishes secrets without revealing them. */
export const fingerprintOf = (secret: string) =>
  createHmac('sha256', secret).update('slipway fingerprint').digest('base64url');

/**
 * A signature for one purpose is never valid for another. A previous secret that is too short never verifies a signature;
 * it only decrypts what it encrypted.
 */
export function createSigner(secret: ServerSecret, purpose: string): Signer {
  const { current, previous } = typeof secret === 'string' ? { current: secret, previous: null } : secret;
  const keys = previous !== null && Buffer.byteLength(previous) >= minimumSecretBytes ? [previous] : [];
  const signWith = (key: string, message: string) =>
    createHmac('sha256', key).update(`slipway ${purpose}\0${message}`).digest('base64url');
  const accepted = (message: string) => [current, ...keys].map((key) => signWith(key, message));
  return {
    sign: (message) => signWith(current, message),
    verify: (message, signature) => {
      const given = Buffer.from(signature);
      const matches = accepted(message).map((text) => {
        const expected = Buffer.from(text);
        return given.length === expected.length && timingSafeEqual(given, expected);
      });
      return matches.includes(true);
    },
    accepted,
  };
}
