/** The last step of every way to sign in: who came so far has proven all that is asked for. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Data } from '../data.ts';
import { forbidden } from '../errors.ts';
import type { OriginOf } from '../http/request-origin.ts';
import { localPath } from '../web/safe-address.ts';
import { securityPath, welcomePath } from './account-addresses.ts';
import { mustSetUpFactor, type RequiredFactor } from './required-factor.ts';
import {
  hashSessionToken,
  type KnownSession,
  maxSessionsOfUser,
  newSessionToken,
  sessionLifetimeMs,
  shortUserAgent,
} from './session.ts';
import { readSessionCookie, setSessionCookie } from './session-cookie-http.ts';

/**
 * Gives the browser a session with a token of its own, whatever cookie it came with, and leads it on: to `to` when that is
 * a path here, else to the start page; a newcomer first to choosing a password, who has to have a second factor to
 * setting one up. Throws `forbidden` when the account is disabled, which only those come to read who have proven that it is
 * theirs.
 */
export type StartSession = (
  request: FastifyRequest,
  reply: FastifyReply,
  start: { userId: string; to: string | null },
) => Promise<FastifyReply>;

export function createStartSession(parts: {
  data: Data;
  originOf: OriginOf;
  /** Where there are none, nobody has to choose one. */
  passwords: boolean;
  requiredFactor: RequiredFactor;
  now: () => number;
  /** Called after each sign-in: the file with the first passwords goes away with the first one. */
  onSignedIn: () => Promise<void>;
}): StartSession {
  const { data, now } = parts;
  return async (request, reply, { userId, to }) => {
    const token = newSessionToken();
    const createdAt = now();
    const earlier = readSessionCookie(parts.originOf, request);
    await data.transaction(async (inside) => {
      if (!(await inside.access.holdForSession(userId)))
        throw forbidden('this account does not work: ask an administrator');
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
    const known = await data.access.findSession(hashSessionToken(token), createdAt);
    const next = known ? nextPage(parts, known, localPath(to)) : '/';
    return setSessionCookie(parts.originOf, request, reply, token).redirect(next, 303);
  };
}

function nextPage(
  { passwords, requiredFactor }: { passwords: boolean; requiredFactor: RequiredFactor },
  known: KnownSession,
  to: string | null,
): string {
  if (passwords && known.mustChangePassword) return welcomePath(to);
  return mustSetUpFactor(requiredFactor, known) ? securityPath(to) : (to ?? '/');
}
