/** The last step of every way to sign in, after all required proofs. */

import { conflict, Forbidden } from '../../core/errors.ts';
import type { Connection, Data } from '../../db/data.ts';
import { type RedirectResponse, redirect } from '../../http/routes/answer.ts';
import type { Client } from '../../http/routes/client.ts';
import { readSessionCookie, sessionCookie } from '../../http/session-cookie.ts';
import { localPath } from '../../web/components/safe-address.ts';
import { stampOf } from '../access/account-state.ts';
import { accountStateQueries } from '../access/account-state-queries.ts';
import { accountTexts } from '../account-texts.ts';
import { securityPath, welcomePath } from '../profile/account-paths.ts';
import { notifyNewSignIn } from '../profile/notice.ts';
import { mustSetUpFactor, type RequiredFactor } from '../second-factor/required-factor.ts';
import type { KnownBrowsers } from '../sign-in/known-browser-http.ts';
import type { SignInLog, SignInMethod } from '../sign-in/sign-in-log-http.ts';
import {
  hashSessionToken,
  maxSessionsOfUser,
  newSessionToken,
  type StoredSession,
  sessionEndsAt,
  sessionLifetimeMs,
  shortUserAgent,
} from './session.ts';
import { sessionQueries } from './session-queries.ts';
import { isStillProof, type SignInProof } from './sign-in-proof.ts';

/**
 * Starts a session with a new token, regardless of the cookie that the browser sent. Redirects to `to` if it is a path on this
 * server, otherwise to the start page. Users with a temporary password must replace it first, and users without a required second
 * factor must set one up. Throws `Forbidden` if the account is disabled, which is revealed only after a correct proof, and
 * `conflict` if the account's credentials have changed since the proof. Marks the browser as known to the account; a sign-in from
 * an unknown browser is emailed to the person.
 */
export type StartSession = (client: Client, start: SessionStart) => Promise<RedirectResponse>;

export interface SessionStart {
  userId: string;
  to: string | null;
  /** Null for an additional session of a person who is already signed in. */
  way: SignInMethod | null;
  proof: SignInProof;
  /** Called in the transaction that creates the session, with its ID. */
  record?: ((tx: Connection, sessionId: string) => Promise<void>) | undefined;
}

export function createStartSession(deps: {
  data: Data;
  /** Whether people sign in with a password of this server. */
  passwords: boolean;
  requiredFactor: RequiredFactor;
  sessionIdleMs: number;
  signIns: SignInLog;
  knownBrowsers: KnownBrowsers;
  wakeOutbox: () => void;
  now: () => number;
  /** Called after each sign-in; the first one deletes the file with the initial credentials. */
  onSignedIn: () => Promise<void>;
}): StartSession {
  const { data, now, signIns, knownBrowsers } = deps;
  return async (client, { userId, to, way, proof, record }) => {
    const token = newSessionToken();
    const createdAt = now();
    const earlier = readSessionCookie(client.cookies, () => client.origin);
    const known = await data.transaction(async (tx) => {
      const account = await accountStateQueries(tx).lock(userId);
      if (!account || account.isDisabled) return 'disabled';
      const state = await accountStateQueries(tx).find(userId);
      if (!state || !(await isStillProof(tx, userId, proof))) return 'changed';
      const { lastSeenAt } = account;
      const browser = { id: userId, stamp: stampOf(state) };
      if (way && lastSeenAt !== null && !knownBrowsers.isKnown(client, browser)) {
        const { address, userAgent } = client;
        await notifyNewSignIn(tx, { userId, at: createdAt, address, userAgent: shortUserAgent(userAgent) });
      }
      if (earlier) await sessionQueries(tx).deleteSession(hashSessionToken(earlier));
      await sessionQueries(tx).deleteExpiredSessions(createdAt);
      await sessionQueries(tx).deleteSurplusSessions(userId, maxSessionsOfUser - 1);
      await sessionQueries(tx).insertSession({
        userId,
        tokenHash: hashSessionToken(token),
        userAgent: shortUserAgent(client.userAgent),
        address: client.address,
        createdAt,
        authenticatedAt: way === 'single sign-on' ? null : createdAt,
        expiresAt: sessionEndsAt({ createdAt }, createdAt, deps.sessionIdleMs),
      });
      const made = await sessionQueries(tx).findSession(hashSessionToken(token), createdAt);
      if (made && way) await signIns.recordAccepted(tx, client, { user: made.user, way });
      if (made) await record?.(tx, made.id);
      return made ? { ...made, browser } : 'changed';
    });
    if (known === 'disabled' || known === 'changed') {
      if (way) signIns.refused(client, { way, why: known, claimed: { userId } });
      throw known === 'disabled'
        ? new Forbidden(accountTexts.signIn.disabled)
        : conflict(accountTexts.signIn.changed);
    }
    if (way) signIns.logAccepted(client, { user: known.user, way });
    deps.wakeOutbox();
    await deps.onSignedIn();
    const cookies = [
      sessionCookie(client.origin, token, sessionLifetimeMs),
      knownBrowsers.remember(client, known.browser),
    ];
    return redirect(nextPage(deps, known, localPath(to)), { cookies });
  };
}

function nextPage(
  { passwords, requiredFactor }: { passwords: boolean; requiredFactor: RequiredFactor },
  known: StoredSession,
  to: string | null,
): string {
  if (passwords && known.mustChangePassword) return welcomePath(to);
  return mustSetUpFactor(requiredFactor, known) ? securityPath(to) : (to ?? '/');
}
