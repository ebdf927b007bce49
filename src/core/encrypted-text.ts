/**
 * Encrypts secrets in the database that must stay readable: `1.` and base64url of a nonce (12 bytes), the tag (16) and the
 * AES-256-GCM ciphertext. Key: HKDF-SHA-256 of the server's secret, one per purpose.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { ServerSecret } from './signature.ts';

const version = '1.';
const nonceBytes = 12;
const tagBytes = 16;

export interface Encryption {
  /** `owner` identifies the record; the text can be decrypted only with the same value. */
  encrypt(secret: Uint8Array, owner: string): string;
  /** Returns null if the text was modified or encrypted with a secret that is no longer accepted. */
  decrypt(encrypted: string, owner: string): Uint8Array | null;
  /** Re-encrypts with the current secret. Returns null if it already is, or if it cannot be decrypted. */
  reencrypt(encrypted: string, owner: string): string | null;
}

export function createEncryption(secret: ServerSecret, purpose: string): Encryption {
  const { current, previous } = typeof secret === 'string' ? { current: secret, previous: null } : secret;
  const key = keyFor(current, purpose);
  const previousKey = previous === null ? null : keyFor(previous, purpose);
  const decryptPrevious = (encrypted: string, owner: string) =>
    previousKey && decryptWith(previousKey, encrypted, owner);
  const encrypt = (plain: Uint8Array, owner: string) => encryptWith(key, plain, owner);
  return {
    encrypt,
    decrypt: (encrypted, owner) => decryptWith(key, encrypted, owner) ?? decryptPrevious(encrypted, owner),
    reencrypt: (encrypted, owner) => {
      if (decryptWith(key, encrypted, owner)) return null;
      const plain = decryptPrevious(encrypted, owner);
      return plain && encrypt(plain, owner);
    },
  };
}

function keyFor(secret: string, purpose: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, '', `slipway ${purpose}`, 32));
}

function encryptWith(key: Uint8Array, plain: Uint8Array, owner: string): string {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(owner));
  const body = Buffer.concat([cipher.update(plain), cipher.final()]);
  return version + Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url');
}

function decryptWith(key: Uint8Array, encrypted: string, owner: string): Uint8Array | null {
  const bytes = Buffer.from(encrypted.slice(version.length), 'base64url');
  if (!encrypted.startsWith(version) || bytes.length <= nonceBytes + tagBytes) return null;
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, nonceBytes))
    .setAAD(Buffer.from(owner))
    .setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes));
  try {
    return Buffer.concat([decipher.update(bytes.subarray(nonceBytes + tagBytes)), decipher.final()]);
  } catch {
    return null;
  }
}
