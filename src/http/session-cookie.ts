/** The cookie with a session's token. */

import type { CookieChange } from './routes/answer.ts';
import type { Client } from './routes/client.ts';
import { clearSiteCookie, readSiteCookie, siteCookie } from './secure-cookies.ts';

const name = 'slipway_session';

/** Returns the token from the cookie. */
export function readSessionCookie(cookies: Client['cookies'], originOf: () => string): string | undefined {
  return readSiteCookie(cookies, name, originOf);
}

export function sessionCookie(origin: string, token: string, lifetimeMs: number): CookieChange {
  return siteCookie(origin, { name, value: token, sameSite: 'lax', lifetimeMs });
}

export function clearSessionCookie(origin: string): CookieChange {
  return clearSiteCookie(origin, name);
}
