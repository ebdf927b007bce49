/** Checks again, in the transaction of a change that outlives the session, that the session is still valid. */
import { unauthenticated } from '../../core/errors.ts';
import type { Connection } from '../../db/data.ts';
import { sessionQueries } from './session-queries.ts';

/** `tokenHash`: the result of `hashSessionToken`. */
export async function hasSession(tx: Connection, tokenHash: string, now: number): Promise<boolean> {
  return (await sessionQueries(tx).findSession(tokenHash, now)) !== null;
}

/** Throws `unauthenticated`. */
export async function requireSession(tx: Connection, tokenHash: string, now: number): Promise<void> {
  if (!(await hasSession(tx, tokenHash, now))) throw unauthenticated();
}
