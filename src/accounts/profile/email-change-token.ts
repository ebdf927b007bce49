/**
 * Tokens in emails that confirm an address: base64url of JSON, a dot, and an HMAC-SHA-256 over it. Nothing is stored: a
 * token works once, because it contains the address that it replaces.
 */
import { createSigner, type ServerSecret } from '../../core/signature.ts';

export interface EmailChange {
  userId: string;
  /** The current address of the account; null for none. */
  from: string | null;
  to: string;
}

export interface EmailChangeTokens {
  sign(change: EmailChange, expiresAt: number): string;
  /** Null if the signature is wrong or the token has expired. */
  read(token: string, now: number): EmailChange | null;
}

export function createEmailChangeTokens(secret: ServerSecret): EmailChangeTokens {
  const signer = createSigner(secret, 'e-mail change');
  return {
    sign: (change, expiresAt) => {
      const text = Buffer.from(JSON.stringify([change.userId, change.from, change.to, expiresAt])).toString(
        'base64url',
      );
      return `${text}.${signer.sign(text)}`;
    },
    read: (token, now) => {
      const [text = '', signature = '', ...more] = token.split('.');
      if (more.length > 0 || !signer.holds(text, signature)) return null;
      const [userId, from, to, expiresAt] = JSON.parse(Buffer.from(text, 'base64url').toString()) as [
        string,
        string | null,
        string,
        number,
      ];
      return expiresAt > now ? { userId, from, to } : null;
    },
  };
}
