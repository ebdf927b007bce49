/** Takes every second factor of a person away: the phone is lost, and the codes on paper too. */
import type { Connection, Data } from '../../db/data.ts';
import type { AuditEntry } from '../../owners/audit-queries.ts';
import { auditQueries } from '../../owners/audit-queries.ts';
import { tellPerson } from '../profile/notice.ts';
import { sessionQueries } from '../sessions/session-queries.ts';
import { type Factors, factorsOf } from './second-factor.ts';
import { secondFactorQueries } from './second-factor-queries.ts';

/** All sessions of the person end, and an email tells them. Answers what there was. */
export async function resetFactors(
  parts: { data: Data; now: () => number },
  user: { id: string; name: string },
  by: AuditEntry['actor'],
): Promise<Factors> {
  return parts.data.transaction((inside) => resetFactorsInside(inside, user, by, parts.now()));
}

/** The same as a part of a transaction. */
export async function resetFactorsInside(
  inside: Connection,
  user: { id: string; name: string },
  by: AuditEntry['actor'],
  at: number,
): Promise<Factors> {
  await secondFactorQueries(inside).holdFactors(user.id);
  const before = await factorsOf(inside, user.id);
  await secondFactorQueries(inside).deleteTotp(user.id);
  await secondFactorQueries(inside).deletePasskeysOf(user.id);
  await secondFactorQueries(inside).replaceRecoveryCodes(user.id, []);
  const sessions = await sessionQueries(inside).deleteSessionsOf(user.id, null);
  const { app, passkeys } = before;
  const entry = { at, actor: by, action: 'second-factor.reset', ownerId: user.id, subject: user.name };
  await auditQueries(inside).record({ ...entry, details: { app, passkeys, sessions } });
  if (before.any) await tellPerson(inside, 'factors-reset', { userId: user.id, at });
  return before;
}
