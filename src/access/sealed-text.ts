/**
 * Secrets that the service itself must read again, as they lie in the database: `1.` and base64url of a nonce (12 bytes),
 * the tag (16) and what AES-256-GCM makes of the secret. Key: HKDF-SHA-256 of the server's secret, one for each purpose.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const version = '1.';
const nonceBytes = 12;
const tagBytes = 16;

export interface Seal {
  /** `of`: whom it belongs to; it opens for nobody else. */
  close(secret: Uint8Array, of: string): string;
  /** Null for what was closed under another secret of the server, or changed since. */
  open(sealed: string, of: string): Uint8Array | null;
}

export function createSeal(serverSecret: string, purpose: string): Seal {
  const key = new Uint8Array(hkdfSync('sha256', serverSecret, '', `slipway ${purpose}`, 32));
  return {
    close: (secret, of) => {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(of));
      const body = Buffer.concat([cipher.update(secret), cipher.final()]);
      return version + Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url');
    },
    open: (sealed, of) => {
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
    },
  };
}
