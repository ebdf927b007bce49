/** The last step of every way to sign in: who came so far has proven all that is asked for. */

import { Forbidden } from '../../core/errors.ts';
import type { Data } from '../../db/data.ts';
import { type RedirectAnswer, redirect } from '../../http/routes/answer.ts';
import type { Client } from '../../http/routes/client.ts';
import { readSessionCookie, sessionCookie } from '../../http/session-cookie.ts';
import { localPath } from '../../web/components/safe-address.ts';
import { securityPath, welcomePath } from '../profile/account-addresses.ts';
import { tellNewSignIn } from '../profile/notice.ts';
import { mustSetUpFactor, type RequiredFactor } from '../second-factor/required-factor.ts';
import type { KnownBrowsers } from '../sign-in/known-browser-http.ts';
import type { SignInLog, SignInWay } from '../sign-in/sign-in-log-http.ts';
import {
  hashSessionToken,
  type KnownSession,
  maxSessionsOfUser,
  newSessionToken,
  sessionEndsAt,
  sessionLifetimeMs,
  shortUserAgent,
} from './session.ts';
import { sessionQueries } from './session-queries.ts';

/**
 * Starts a session with a new token, whatever cookie the browser sent, and redirects: to `to` when that is a path on this
 * server, else to the start page; somebody with a temporary password first to replace it, somebody who must enroll a second
 * factor to do that. Throws `Forbidden` when the account is disabled, after its owner has been proven. The browser is known to
 * the account from then on; a sign-in from a browser that was not is emailed to the person.
 */
export type StartSession = (client: Client, start: SessionStart) => Promise<RedirectAnswer>;

export interface SessionStart {
  userId: string;
  to: string | null;
  /** Null: somebody who is signed in gets another session. */
  way: SignInWay | null;
}

export function createStartSession(parts: {
  data: Data;
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
  return async (client, { userId, to, way }) => {
    const token = newSessionToken();
    const createdAt = now();
    const earlier = readSessionCookie(client.cookies, () => client.origin);
    const known = await data.transaction(async (inside) => {
      const account = await sessionQueries(inside).holdForSession(userId);
      if (!account) return null;
      const { passwordHash, lastSeenAt } = account;
      const browser = { id: userId, passwordHash };
      if (way && lastSeenAt !== null && !knownBrowsers.isKnown(client, browser)) {
        const { address, userAgent } = client;
        await tellNewSignIn(inside, { userId, at: createdAt, address, userAgent: shortUserAgent(userAgent) });
      }
      if (earlier) await sessionQueries(inside).deleteSession(hashSessionToken(earlier));
      await sessionQueries(inside).deleteExpiredSessions(createdAt);
      await sessionQueries(inside).deleteSurplusSessions(userId, maxSessionsOfUser - 1);
      await sessionQueries(inside).insertSession({
        userId,
        tokenHash: hashSessionToken(token),
        userAgent: shortUserAgent(client.userAgent),
        address: client.address,
        createdAt,
        provenAt: way === 'single sign-on' ? null : createdAt,
        expiresAt: sessionEndsAt({ createdAt }, createdAt, parts.sessionIdleMs),
      });
      const made = await sessionQueries(inside).findSession(hashSessionToken(token), createdAt);
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
    const cookies = [
      sessionCookie(client.origin, token, sessionLifetimeMs),
      knownBrowsers.remember(client, known.browser),
    ];
    return redirect(nextPage(parts, known, localPath(to)), { cookies });
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
