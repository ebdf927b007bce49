/** The cookie that holds a session's token. */
import type { CookieChange } from '../../http/routes/answer.ts';
import type { Client } from '../../http/routes/client.ts';
import { clearSiteCookie, readSiteCookie, siteCookie } from '../../http/secure-cookies.ts';
import { sessionLifetimeMs } from './session.ts';

const name = 'slipway_session';

/** The token that the browser shows. */
export function readSessionCookie(cookies: Client['cookies'], originOf: () => string): string | undefined {
  return readSiteCookie(cookies, name, originOf);
}

export function sessionCookie(origin: string, token: string): CookieChange {
  return siteCookie(origin, { name, value: token, sameSite: 'lax', lifetimeMs: sessionLifetimeMs });
}

export function clearSessionCookie(origin: string): CookieChange {
  return clearSiteCookie(origin, name);
}
