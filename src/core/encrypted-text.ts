/**
 * Encrypts secrets that are stored in the database and must be readable: `1.` and base64url of a nonce (12 bytes), the
 * tag (16) and the AES-256-GCM ciphertext. Key: HKDF-SHA-256 of the server's secret, one per purpose.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { ServerSecret } from './signature.ts';

const version = '1.';
const nonceBytes = 12;
const tagBytes = 16;

export interface Seal {
  /** `of` identifies the owner; the text can be opened only with the same value. */
  close(secret: Uint8Array, of: string): string;
  /** Returns null if the text was modified or sealed with a secret that is no longer accepted. */
  open(sealed: string, of: string): Uint8Array | null;
  /** Reseals with the current secret; returns null when it already is, or when it cannot be opened. */
  renewed(sealed: string, of: string): string | null;
}

export function createSeal(secret: ServerSecret, purpose: string): Seal {
  const { current, previous } = typeof secret === 'string' ? { current: secret, previous: null } : secret;
  const key = keyFor(current, purpose);
  const previousKey = previous === null ? null : keyFor(previous, purpose);
  const openPrevious = (sealed: string, of: string) => previousKey && openWith(previousKey, sealed, of);
  const close = (plain: Uint8Array, of: string) => closeWith(key, plain, of);
  return {
    close,
    open: (sealed, of) => openWith(key, sealed, of) ?? openPrevious(sealed, of),
    renewed: (sealed, of) => {
      if (openWith(key, sealed, of)) return null;
      const plain = openPrevious(sealed, of);
      return plain && close(plain, of);
    },
  };
}

function keyFor(secret: string, purpose: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, '', `slipway ${purpose}`, 32));
}

function closeWith(key: Uint8Array, plain: Uint8Array, of: string): string {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(of));
  const body = Buffer.concat([cipher.update(plain), cipher.final()]);
  return version + Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url');
}

function openWith(key: Uint8Array, sealed: string, of: string): Uint8Array | null {
  const bytes = Buffer.from(sealed.slice(version.length), 'base64url');
  if (!sealed.startsWith(version) || bytes.length <= nonceBytes + tagBytes) return null;
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, nonceBytes))
    .setAAD(Buffer.from(of))
    .setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(nonceBytes + tagBytes)), decipher.final()]);
  } catch {
    return null;
  }
}
