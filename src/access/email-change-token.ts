/**
 * Tokens in letters that ask whether an address is right: base64url of JSON, a dot, and an HMAC-SHA-256 over it. Nothing is
 * stored: a token is good once, because it names the address that it replaces.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';

export interface EmailChange {
  userId: string;
  /** The address that the account has until then; null for none. */
  from: string | null;
  to: string;
}

export interface EmailChangeTokens {
  sign(change: EmailChange, expiresAt: number): string;
  /** Null for what was not signed here, and for what has run out. */
  read(token: string, now: number): EmailChange | null;
}

export function createEmailChangeTokens(secret: string): EmailChangeTokens {
  const digest = (text: string) =>
    createHmac('sha256', secret).update(`slipway e-mail change\0${text}`).digest();
  return {
    sign: (change, expiresAt) => {
      const text = Buffer.from(JSON.stringify([change.userId, change.from, change.to, expiresAt])).toString(
        'base64url',
      );
      return `${text}.${digest(text).toString('base64url')}`;
    },
    read: (token, now) => {
      const [text = '', signature = '', ...more] = token.split('.');
      const given = Buffer.from(signature, 'base64url');
      const expected = digest(text);
      if (more.length > 0 || given.length !== expected.length || !timingSafeEqual(given, expected))
        return null;
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
