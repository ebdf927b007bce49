/**
 * Cookies for a part of this site. On https, their names begin with `__Secure-`, which browsers accept only over https (RFC
 * 6265bis, section 4.1.3.1). `__Host-` would require the path `/`, so the cookies would be sent with every request.
 */
import type { FastifyReply } from 'fastify';
import type { CookieChange } from './routes/answer.ts';
import type { Client } from './routes/client.ts';

export interface PathCookie {
  /** Without the prefix. */
  name: string;
  path: string;
  sameSite: 'lax' | 'strict';
  /** Absent for a cookie that lasts until the browser is closed. */
  lifetimeMs?: number;
}

type Cookies = Client['cookies'];

const isSecure = (origin: string) => origin.startsWith('https:');
const nameAt = (origin: string, name: string) => (isSecure(origin) ? `__Secure-${name}` : name);

/** On an https origin, ignores cookies that were set over http. */
export function readPathCookie(
  origin: string,
  cookies: Cookies,
  { name }: Pick<PathCookie, 'name'>,
): string | undefined {
  return cookies[nameAt(origin, name)];
}

export function pathCookie(origin: string, cookie: PathCookie & { value: string }): CookieChange {
  const { name, value, path, sameSite, lifetimeMs } = cookie;
  return {
    name: nameAt(origin, name),
    value,
    path,
    sameSite,
    secure: isSecure(origin),
    ...(lifetimeMs === undefined ? {} : { maxAgeSeconds: lifetimeMs / 1000 }),
  };
}

export function clearPathCookie(
  origin: string,
  { name, path }: Pick<PathCookie, 'name' | 'path'>,
): CookieChange {
  return { name: nameAt(origin, name), value: null, path, sameSite: 'lax', secure: isSecure(origin) };
}

const siteNameAt = (origin: string, name: string) => (isSecure(origin) ? `__Host-${name}` : name);

/** A cookie for the whole site. On https, browsers accept it only over https and only from this host (section 4.1.3.2). */
export function siteCookie(
  origin: string,
  cookie: Omit<PathCookie, 'path'> & { value: string },
): CookieChange {
  const { name, value, sameSite, lifetimeMs } = cookie;
  return {
    name: siteNameAt(origin, name),
    value,
    path: '/',
    sameSite,
    secure: isSecure(origin),
    ...(lifetimeMs === undefined ? {} : { maxAgeSeconds: lifetimeMs / 1000 }),
  };
}

export function clearSiteCookie(origin: string, name: string): CookieChange {
  return { ...siteCookie(origin, { name, value: '', sameSite: 'lax' }), value: null };
}

/**
 * On an https origin, ignores cookies that another host has set. Only calls `originOf` if there is such a cookie, because it
 * throws for an invalid Host header.
 */
export function readSiteCookie(cookies: Cookies, name: string, originOf: () => string): string | undefined {
  if (cookies[name] === undefined && cookies[`__Host-${name}`] === undefined) return undefined;
  return cookies[siteNameAt(originOf(), name)];
}

export function setCookies(reply: FastifyReply, cookies: readonly CookieChange[]): FastifyReply {
  for (const { name, value, maxAgeSeconds, ...options } of cookies) {
    if (value === null) reply.clearCookie(name, { ...options, httpOnly: true });
    else
      reply.setCookie(name, value, {
        ...options,
        httpOnly: true,
        ...(maxAgeSeconds === undefined ? {} : { maxAge: maxAgeSeconds }),
      });
  }
  return reply;
}
