/** The last step of every way to sign in: who came so far has proven all that is asked for. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Data } from '../data.ts';
import type { OriginOf } from '../http/request-origin.ts';
import { localPath } from '../web/safe-address.ts';
import { welcomePath } from './account-addresses.ts';
import {
  hashSessionToken,
  maxSessionsOfUser,
  newSessionToken,
  sessionCookie,
  sessionLifetimeMs,
  shortUserAgent,
} from './session.ts';

/**
 * Gives the browser a session with a token of its own, whatever cookie it came with, and leads it on: to `to` when that is
 * a path here, else to the start page; a newcomer first to choosing a password.
 */
export type StartSession = (
  request: FastifyRequest,
  reply: FastifyReply,
  start: { userId: string; to: string | null },
) => Promise<FastifyReply>;

export function createStartSession(parts: {
  data: Data;
  originOf: OriginOf;
  now: () => number;
  /** Called after each sign-in: the file with the first passwords goes away with the first one. */
  onSignedIn: () => Promise<void>;
}): StartSession {
  const { data, now } = parts;
  return async (request, reply, { userId, to }) => {
    const token = newSessionToken();
    const createdAt = now();
    const earlier = request.cookies[sessionCookie];
    await data.transaction(async (inside) => {
      if (earlier) await inside.access.deleteSession(hashSessionToken(earlier));
      await inside.access.deleteExpiredSessions(createdAt);
      await inside.access.deleteSurplusSessions(userId, maxSessionsOfUser - 1);
      await inside.access.insertSession({
        userId,
        tokenHash: hashSessionToken(token),
        userAgent: shortUserAgent(request.headers['user-agent']),
        address: request.ip,
        createdAt,
        expiresAt: createdAt + sessionLifetimeMs,
      });
    });
    await parts.onSignedIn();
    const account = await data.accounts.findAccount(userId);
    const target = localPath(to);
    return reply
      .setCookie(sessionCookie, token, {
        path: '/',
        httpOnly: true,
        sameSite: 'lax',
        secure: parts.originOf(request).startsWith('https:'),
        maxAge: sessionLifetimeMs / 1000,
      })
      .redirect(account?.mustChangePassword ? welcomePath(target) : (target ?? '/'), 303);
  };
}
