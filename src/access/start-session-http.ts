/** The last step of every way to sign in: who came so far has proven all that is asked for. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Data } from '../data.ts';
import { Forbidden } from '../errors.ts';
import type { OriginOf } from '../http/request-origin.ts';
import { localPath } from '../web/safe-address.ts';
import { securityPath, welcomePath } from './account-addresses.ts';
import { mustSetUpFactor, type RequiredFactor } from './required-factor.ts';
import {
  hashSessionToken,
  type KnownSession,
  maxSessionsOfUser,
  newSessionToken,
  sessionEndsAt,
  shortUserAgent,
} from './session.ts';
import { readSessionCookie, setSessionCookie } from './session-cookie-http.ts';
import type { SignInLog, SignInWay } from './sign-in-log-http.ts';

/**
 * Gives the browser a session with a token of its own, whatever cookie it came with, and leads it on: to `to` when that is
 * a path here, else to the start page; a newcomer first to choosing a password, who has to have a second factor to
 * setting one up. Throws `forbidden` when the account is disabled, which only those come to read who have proven that it is
 * theirs.
 */
export type StartSession = (
  request: FastifyRequest,
  reply: FastifyReply,
  /** `way` null: somebody who is signed in gets another session. */
  start: { userId: string; to: string | null; way: SignInWay | null },
) => Promise<FastifyReply>;

export function createStartSession(parts: {
  data: Data;
  originOf: OriginOf;
  /** Where there are none, nobody has to choose one. */
  passwords: boolean;
  requiredFactor: RequiredFactor;
  sessionIdleMs: number;
  signIns: SignInLog;
  now: () => number;
  /** Called after each sign-in: the file with the first passwords goes away with the first one. */
  onSignedIn: () => Promise<void>;
}): StartSession {
  const { data, now, signIns } = parts;
  return async (request, reply, { userId, to, way }) => {
    const token = newSessionToken();
    const createdAt = now();
    const earlier = readSessionCookie(parts.originOf, request);
    const known = await data.transaction(async (inside) => {
      if (!(await inside.access.holdForSession(userId))) return null;
      if (earlier) await inside.access.deleteSession(hashSessionToken(earlier));
      await inside.access.deleteExpiredSessions(createdAt);
      await inside.access.deleteSurplusSessions(userId, maxSessionsOfUser - 1);
      await inside.access.insertSession({
        userId,
        tokenHash: hashSessionToken(token),
        userAgent: shortUserAgent(request.headers['user-agent']),
        address: request.ip,
        createdAt,
        provenAt: way === 'single sign-on' ? null : createdAt,
        expiresAt: sessionEndsAt({ createdAt }, createdAt, parts.sessionIdleMs),
      });
      const made = await inside.access.findSession(hashSessionToken(token), createdAt);
      if (made && way) await signIns.keepAccepted(inside, request, { user: made.user, way });
      return made;
    });
    if (!known) {
      if (way) signIns.refused(request, { way, why: 'disabled', meant: { userId } });
      throw new Forbidden('this account does not work: ask an administrator');
    }
    if (way) signIns.tellAccepted(request, { user: known.user, way });
    await parts.onSignedIn();
    const next = nextPage(parts, known, localPath(to));
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
