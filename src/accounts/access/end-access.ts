/** Ends what an account holds. Every way to do so calls this, so that nothing is forgotten. */
import type { Connection } from '../../db/data.ts';
import type { AuditEntry } from '../../owners/audit-queries.ts';
import { revokeKeysOf } from '../keys/key-changes.ts';
import { accountQueries } from '../profile/account-queries.ts';
import { sessionQueries } from '../sessions/session-queries.ts';
import { deviceCodeQueries } from '../terminal-sign-in/device-code-queries.ts';
import { accountStateQueries } from './account-state-queries.ts';

export interface AccessEnd {
  /**
   * `all`: also every browser that is remembered, every second step that is open, and every password reset link. `except`: the hash
   * of the session that stays. `only`: the id of the session that ends.
   */
  sessions?: 'all' | { except: string } | { only: string };
  /** Revokes the API keys, as this actor. */
  keys?: AuditEntry['actor'];
  at: number;
}

/** How many of each have ended. */
export interface EndedAccess {
  sessions: number;
  /** Usable ones. */
  keys: number;
}

/** Approved codes of terminals end in each case, because they become keys. Call it in a transaction. */
export async function endAccess(
  tx: Connection,
  userId: string,
  { sessions, keys, at }: AccessEnd,
): Promise<EndedAccess> {
  await accountStateQueries(tx).hold(userId);
  await deviceCodeQueries(tx).denyApproved(userId);
  const ended = {
    sessions: sessions === undefined ? 0 : await endSessions(tx, userId, sessions),
    keys: keys === undefined ? 0 : await revokeKeysOf(tx, userId, keys, at),
  };
  if (sessions !== undefined) {
    await accountQueries(tx).deleteResetsOf(userId);
    await accountStateQueries(tx).beginEpoch(userId);
  }
  return ended;
}

async function endSessions(
  tx: Connection,
  userId: string,
  which: Exclude<AccessEnd['sessions'], undefined>,
): Promise<number> {
  if (which === 'all') return sessionQueries(tx).deleteSessionsOf(userId, null);
  if ('except' in which) return sessionQueries(tx).deleteSessionsOf(userId, which.except);
  return Number(await sessionQueries(tx).deleteSessionOf(userId, which.only));
}
