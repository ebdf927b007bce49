/** The cookie that holds a session's token. */
import type { CookieChange } from '../http/routes/answer.ts';
import type { Client } from '../http/routes/client.ts';
import { sessionLifetimeMs } from './session.ts';

const plainName = 'slipway_session';
/** A name that browsers take over https alone, and from this very host: RFC 6265bis, section 4.1.3.2. */
const boundName = '__Host-slipway_session';

const isSecure = (origin: string) => origin.startsWith('https:');
const nameAt = (origin: string) => (isSecure(origin) ? boundName : plainName);

/**
 * The token that the browser shows; where the address is https, none that another host has planted. `originOf` is asked
 * only where there is such a cookie: it throws for a wrong Host header.
 */
export function readSessionCookie(cookies: Client['cookies'], originOf: () => string): string | undefined {
  if (cookies[plainName] === undefined && cookies[boundName] === undefined) return undefined;
  return cookies[nameAt(originOf())];
}

export function sessionCookie(origin: string, token: string): CookieChange {
  return {
    ...{ name: nameAt(origin), value: token, path: '/', sameSite: 'lax', secure: isSecure(origin) },
    maxAgeSeconds: sessionLifetimeMs / 1000,
  };
}

export function clearSessionCookie(origin: string): CookieChange {
  return { name: nameAt(origin), value: null, path: '/', sameSite: 'lax', secure: isSecure(origin) };
}
