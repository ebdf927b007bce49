/**
 * Ends the access of an account: its sessions, keys and pending sign-ins. Every feature that ends access calls this, so that
 * nothing is forgotten.
 */
import type { Connection } from '../../db/data.ts';
import type { AuditEntry } from '../../owners/audit-queries.ts';
import { revokeKeysOf } from '../keys/key-changes.ts';
import { accountQueries } from '../profile/account-queries.ts';
import { sessionQueries } from '../sessions/session-queries.ts';
import { deviceCodeQueries } from '../terminal-sign-in/device-code-queries.ts';
import { deletePublishersOf } from '../trusted-publishing/trusted-publisher-changes.ts';
import { accountStateQueries } from './account-state-queries.ts';

export interface AccessEnd {
  /**
   * `all`: also forgets remembered browsers, pending second steps and password reset links. `except`: the hash of the session to
   * keep. `only`: the id of the session to end.
   */
  sessions?: 'all' | { except: string } | { only: string };
  /** Revokes the API keys and deletes the trusted publishers, which receive keys, as this actor. */
  keys?: AuditEntry['actor'];
  at: number;
}

export interface EndedAccess {
  sessions: number;
  /** Only those that were still usable. */
  keys: number;
}

/**
 * Disables an account: nobody can sign in to it, and its keys do not work until it is enabled. Administrators and directories call
 * this in a transaction.
 */
export async function disableAccount(
  tx: Connection,
  userId: string,
  end: { keys?: AuditEntry['actor']; at: number },
): Promise<EndedAccess> {
  await accountStateQueries(tx).setDisabled(userId, end.at);
  return endAccess(tx, userId, { ...end, sessions: 'all' });
}

/** Approved device codes always end, because they would become keys. Call it in a transaction. */
export async function endAccess(
  tx: Connection,
  userId: string,
  { sessions, keys, at }: AccessEnd,
): Promise<EndedAccess> {
  await accountStateQueries(tx).lock(userId);
  await deviceCodeQueries(tx).denyApproved(userId);
  if (keys !== undefined) await deletePublishersOf(tx, userId, keys, at);
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
