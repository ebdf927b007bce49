/** Removes every second factor of a person who lost their phone and recovery codes. */
import type { Connection, Data } from '../../db/data.ts';
import { type AuditEntry, auditQueries } from '../../owners/audit-queries.ts';
import { accountStateQueries } from '../access/account-state-queries.ts';
import { endAccess } from '../access/end-access.ts';
import { notifyPerson } from '../profile/notice.ts';
import { type Factors, factorsOf } from './second-factor.ts';
import { secondFactorQueries } from './second-factor-queries.ts';

/** Ends all sessions of the person and emails them. Returns what was removed. */
export async function resetFactors(
  deps: { data: Data; now: () => number },
  user: { id: string; name: string },
  by: AuditEntry['actor'],
): Promise<Factors> {
  return deps.data.transaction((tx) => resetFactorsInTransaction(tx, user, by, deps.now()));
}

/** Like `resetFactors`, as part of a transaction. */
export async function resetFactorsInTransaction(
  tx: Connection,
  user: { id: string; name: string },
  by: AuditEntry['actor'],
  at: number,
): Promise<Factors> {
  await accountStateQueries(tx).lock(user.id);
  const before = await factorsOf(tx, user.id);
  await secondFactorQueries(tx).deleteTotp(user.id);
  await secondFactorQueries(tx).deletePasskeysOf(user.id);
  await secondFactorQueries(tx).replaceRecoveryCodes(user.id, []);
  const { sessions } = await endAccess(tx, user.id, { sessions: 'all', at });
  const { app, passkeys } = before;
  const entry = { at, actor: by, action: 'second-factor.reset', ownerId: user.id, subject: user.name };
  await auditQueries(tx).record({ ...entry, details: { app, passkeys, sessions } });
  if (before.any) await notifyPerson(tx, 'factors-reset', { userId: user.id, at });
  return before;
}
