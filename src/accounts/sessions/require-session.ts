import { unauthenticated } from '../../core/errors.ts';
import type { Connection } from '../../db/data.ts';
import { hashSessionToken } from './session.ts';
import { sessionQueries } from './session-queries.ts';

/**
 * Checks again, in the transaction of a change that outlives the session, that the session has not ended since the request began.
 * Throws `unauthenticated`.
 */
export async function requireSession(
  tx: Connection,
  { sessionToken }: { sessionToken: string },
  now: number,
): Promise<void> {
  if (!(await sessionQueries(tx).findSession(hashSessionToken(sessionToken), now))) throw unauthenticated();
}
