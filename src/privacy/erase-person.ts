/**
 * Erases a person whose account was deleted: their name becomes a pseudonym everywhere, including the audit log, whose
 * hash chain stays valid. The account and its data were deleted before.
 */
import type { StoredEntry } from '../audit/audit-chain.ts';
import { auditChainQueries } from '../audit/audit-chain-queries.ts';
import { type AuditChain, sealAll } from '../audit/seal-entries.ts';
import { conflict } from '../core/errors.ts';
import type { Data } from '../db/data.ts';
import { auditQueries } from '../owners/audit-queries.ts';
import { reservedNameKey } from '../owners/owner.ts';
import { ownerQueries } from '../owners/owner-queries.ts';
import { personalTables } from './personal-data.ts';
import { type PersonalValues, personalDataQueries } from './personal-data-queries.ts';

const entriesAtOnce = 500;
const pseudonymLength = 8;

/** Returns the same pseudonym for all traces of a person, so that they stay connected. */
export const pseudonymOf = ({ id }: Pick<PersonalValues, 'id'>) => `deleted-${id.slice(-pseudonymLength)}`;

/** May be repeated after an interruption. Throws `conflict` if the account still exists. */
export async function erasePerson(
  data: Data,
  chain: AuditChain,
  person: PersonalValues,
  { actor, at }: { actor: 'system' | 'command-line'; at: number },
): Promise<void> {
  if (await ownerQueries(data).findOwnerById(person.id))
    throw conflict(`the account ${person.name} exists: delete it first`);
  const pseudonym = pseudonymOf(person);
  await sealAll(data, chain);
  const erase = createEraseEntry(person, pseudonym);
  for (let after: string | null = ''; after !== null; ) {
    const entries = await auditChainQueries(data).listEntries(after, entriesAtOnce);
    const changes = entries.flatMap((sealed) => {
      const entry = sealed.entry && erase(sealed.entry);
      return entry ? [{ sealed, entry }] : [];
    });
    if (changes.length > 0) await data.transaction((tx) => chain.rewrite(tx, changes));
    after = entries.length < entriesAtOnce ? null : (entries.at(-1)?.entryId ?? null);
  }
  // Last, because the name of the owner shows that the person has not been erased yet.
  await data.transaction(async (tx) => {
    for (const [name, table] of Object.entries(personalTables))
      if (name !== 'audit_rows')
        await personalDataQueries(tx).replaceNames(name, table, person.name, pseudonym);
    await personalDataQueries(tx).eraseOwner(person.id, pseudonym, reservedNameKey(person.name));
    await auditQueries(tx).record({
      at,
      actor,
      action: 'user.erased',
      ownerId: person.id,
      subject: pseudonym,
    });
  });
}

/** Returns the entry without the person; null if it does not name them. Exported for tests. */
export function createEraseEntry({ id, name }: PersonalValues, pseudonym: string) {
  // Periods and hyphens are the only characters of names that have a meaning in expressions.
  const escaped = name.replaceAll(/[.-]/g, '\\$&');
  // A name is at the start, or where subjects name a second thing. A team is not a person, even if a person has the same name.
  const inSubject = new RegExp(`(^|: | to | for )${escaped}(?=$|[: ])(?! team$)`, 'gu');
  return (entry: StoredEntry): StoredEntry | null => {
    const isOwn = entry.actorId === id || entry.ownerId === id;
    const subject = entry.subject.replaceAll(inSubject, (_, before: string) => `${before}${pseudonym}`);
    const details = JSON.stringify(eraseValue(JSON.parse(entry.details), name, pseudonym, isOwn));
    const actorName = entry.actorId === id || entry.actorName === name ? pseudonym : entry.actorName;
    const isSame = subject === entry.subject && details === entry.details && actorName === entry.actorName;
    return isSame ? null : { ...entry, actorName, subject, details };
  };
}

/** Fields of the details that are about the person who acted, and do not name them. */
const ownFields = ['network', 'to'];

function eraseValue(value: unknown, name: string, pseudonym: string, isOwn: boolean): unknown {
  if (value === name) return pseudonym;
  if (Array.isArray(value)) return value.map((one) => eraseValue(one, name, pseudonym, isOwn));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([field]) => !isOwn || !ownFields.includes(field))
      .map(([field, one]) => [field, eraseValue(one, name, pseudonym, isOwn)]),
  );
}
