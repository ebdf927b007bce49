/** The cookie that holds a session's token. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { OriginOf } from '../http/request-origin.ts';
import { sessionLifetimeMs } from './session.ts';

const plainName = 'slipway_session';
/** A name that browsers take over https alone, and from this very host: RFC 6265bis, section 4.1.3.2. */
const boundName = '__Host-slipway_session';

const isSecure = (origin: string) => origin.startsWith('https:');
const nameAt = (origin: string) => (isSecure(origin) ? boundName : plainName);

/** The token that the browser shows; where the address is https, none that another host has planted. */
export function readSessionCookie(originOf: OriginOf, request: FastifyRequest): string | undefined {
  const { cookies } = request;
  if (cookies[plainName] === undefined && cookies[boundName] === undefined) return undefined;
  return cookies[nameAt(originOf(request))];
}

export function setSessionCookie(
  originOf: OriginOf,
  request: FastifyRequest,
  reply: FastifyReply,
  token: string,
): FastifyReply {
  const origin = originOf(request);
  return reply.setCookie(nameAt(origin), token, {
    path: '/',
    httpOnly: true,
    sameSite: 'lax',
    secure: isSecure(origin),
    maxAge: sessionLifetimeMs / 1000,
  });
}

export function clearSessionCookie(
  originOf: OriginOf,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const origin = originOf(request);
  return reply.clearCookie(nameAt(origin), { path: '/', secure: isSecure(origin) });
}
