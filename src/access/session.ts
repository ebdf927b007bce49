/** Web sessions: a random token in a cookie, its SHA-256 in the database, revocable, good on every node. */
import { createHash, randomBytes } from 'node:crypto';

export const sessionCookie = 'slipway_session';
export const sessionLifetimeMs = 30 * 24 * 60 * 60_000;

export function newSessionToken(): string {
  return randomBytes(32).toString('base64url');
}

export function hashSessionToken(token: string): string {
  return createHash('sha256').update('session\0').update(token).digest('hex');
}

/** Ties a form to its session, so that another site cannot post it: nobody else knows the cookie's token. */
export function formTokenOf(sessionToken: string): string {
  return createHash('sha256').update('form\0').update(sessionToken).digest('base64url');
}
