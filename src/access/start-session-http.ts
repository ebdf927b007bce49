/** The last step of every way to sign in: who came so far has proven all that is asked for. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Data } from '../data.ts';
import { Forbidden } from '../errors.ts';
import type { OriginOf } from '../http/request-origin.ts';
import { type RedirectAnswer, redirect } from '../http/routes/answer.ts';
import { type Client, clientOf } from '../http/routes/client.ts';
import { setCookies } from '../http/secure-cookies.ts';
import { localPath } from '../web/safe-address.ts';
import { securityPath, welcomePath } from './account-addresses.ts';
import type { KnownBrowsers } from './known-browser-http.ts';
import { tellNewSignIn } from './notice.ts';
import { mustSetUpFactor, type RequiredFactor } from './required-factor.ts';
import {
  hashSessionToken,
  type KnownSession,
  maxSessionsOfUser,
  newSessionToken,
  sessionEndsAt,
  shortUserAgent,
} from './session.ts';
import { readSessionCookie, sessionCookie } from './session-cookie-http.ts';
import type { SignInLog, SignInWay } from './sign-in-log-http.ts';

/**
 * Gives the browser a session with a token of its own, whatever cookie it came with, and leads it on: to `to` when that is
 * a path here, else to the start page; a newcomer first to choosing a password, who has to have a second factor to
 * setting one up. Throws `forbidden` when the account is disabled, which only those come to read who have proven that it is
 * theirs. The browser is known to the account from then on; where it was not before, the person is told by mail.
 */
export type AnswerWithSession = (client: Client, start: SessionStart) => Promise<RedirectAnswer>;

export interface StartSession extends AnswerWithSession {
  /** Transitional: for routes that are not declared yet. */
  (request: FastifyRequest, reply: FastifyReply, start: SessionStart): Promise<FastifyReply>;
}

export interface SessionStart {
  userId: string;
  to: string | null;
  /** Null: somebody who is signed in gets another session. */
  way: SignInWay | null;
}

export function createStartSession(parts: {
  data: Data;
  originOf: OriginOf;
  /** Where there are none, nobody has to choose one. */
  passwords: boolean;
  requiredFactor: RequiredFactor;
  sessionIdleMs: number;
  signIns: SignInLog;
  knownBrowsers: KnownBrowsers;
  wakeOutbox: () => void;
  now: () => number;
  /** Called after each sign-in: the file with the first passwords goes away with the first one. */
  onSignedIn: () => Promise<void>;
}): StartSession {
  const { data, now, signIns, knownBrowsers } = parts;
  const start: AnswerWithSession = async (client, { userId, to, way }) => {
    const token = newSessionToken();
    const createdAt = now();
    const earlier = readSessionCookie(client.cookies, () => client.origin);
    const known = await data.transaction(async (inside) => {
      const account = await inside.access.holdForSession(userId);
      if (!account) return null;
      const { passwordHash, lastSeenAt } = account;
      const browser = { id: userId, passwordHash };
      if (way && lastSeenAt !== null && !knownBrowsers.isKnown(client, browser)) {
        const { address, userAgent } = client;
        await tellNewSignIn(inside, { userId, at: createdAt, address, userAgent: shortUserAgent(userAgent) });
      }
      if (earlier) await inside.access.deleteSession(hashSessionToken(earlier));
      await inside.access.deleteExpiredSessions(createdAt);
      await inside.access.deleteSurplusSessions(userId, maxSessionsOfUser - 1);
      await inside.access.insertSession({
        userId,
        tokenHash: hashSessionToken(token),
        userAgent: shortUserAgent(client.userAgent),
        address: client.address,
        createdAt,
        provenAt: way === 'single sign-on' ? null : createdAt,
        expiresAt: sessionEndsAt({ createdAt }, createdAt, parts.sessionIdleMs),
      });
      const made = await inside.access.findSession(hashSessionToken(token), createdAt);
      if (made && way) await signIns.keepAccepted(inside, client, { user: made.user, way });
      return made && { ...made, browser };
    });
    if (!known) {
      if (way) signIns.refused(client, { way, why: 'disabled', meant: { userId } });
      throw new Forbidden('this account does not work: ask an administrator');
    }
    if (way) signIns.tellAccepted(client, { user: known.user, way });
    parts.wakeOutbox();
    await parts.onSignedIn();
    const cookies = [sessionCookie(client.origin, token), knownBrowsers.remember(client, known.browser)];
    return redirect(nextPage(parts, known, localPath(to)), { cookies });
  };
  return withReplies(parts.originOf, start);
}

function nextPage(
  { passwords, requiredFactor }: { passwords: boolean; requiredFactor: RequiredFactor },
  known: KnownSession,
  to: string | null,
): string {
  if (passwords && known.mustChangePassword) return welcomePath(to);
  return mustSetUpFactor(requiredFactor, known) ? securityPath(to) : (to ?? '/');
}

/** Transitional: for routes that are not declared yet. */
function withReplies(originOf: OriginOf, start: AnswerWithSession): StartSession {
  return (async (
    source: FastifyRequest | Client,
    ...given: [SessionStart] | [FastifyReply, SessionStart]
  ) => {
    if (given.length === 1) return start(source as Client, given[0]);
    const [reply, session] = given;
    const { location, cookies = [] } = await start(clientOf(source as FastifyRequest, originOf), session);
    return setCookies(reply, cookies).redirect(location, 303);
  }) as StartSession;
}
