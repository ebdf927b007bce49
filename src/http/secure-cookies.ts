/**
 * Cookies for a part of this site. On https their names begin with `__Secure-`, which browsers take over https alone (RFC
 * 6265bis, section 4.1.3.1); `__Host-` would want the path `/`, and so send them with every request.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { OriginOf } from './request-origin.ts';

export interface PartCookie {
  /** Without the prefix. */
  name: string;
  path: string;
  sameSite: 'lax' | 'strict';
  /** Absent: until the browser is closed. */
  lifetimeMs?: number;
}

const isSecure = (origin: string) => origin.startsWith('https:');
const nameAt = (origin: string, name: string) => (isSecure(origin) ? `__Secure-${name}` : name);

/** Where the address is https, none that came over http. */
export function readPartCookie(
  originOf: OriginOf,
  request: FastifyRequest,
  { name }: Pick<PartCookie, 'name'>,
): string | undefined {
  return request.cookies[nameAt(originOf(request), name)];
}

export function setPartCookie(
  originOf: OriginOf,
  request: FastifyRequest,
  reply: FastifyReply,
  cookie: PartCookie & { value: string },
): FastifyReply {
  const origin = originOf(request);
  const { name, value, path, sameSite, lifetimeMs } = cookie;
  return reply.setCookie(nameAt(origin, name), value, {
    ...{ path, sameSite, httpOnly: true, secure: isSecure(origin) },
    ...(lifetimeMs === undefined ? {} : { maxAge: lifetimeMs / 1000 }),
  });
}

export function clearPartCookie(
  originOf: OriginOf,
  request: FastifyRequest,
  reply: FastifyReply,
  { name, path }: Pick<PartCookie, 'name' | 'path'>,
): FastifyReply {
  const origin = originOf(request);
  return reply.clearCookie(nameAt(origin, name), { path, secure: isSecure(origin) });
}
