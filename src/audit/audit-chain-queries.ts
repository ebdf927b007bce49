import { sql } from 'kysely';
import { identifierTime } from '../core/identifier.ts';
import { defineQueries } from '../db/data.ts';
import type { Queries } from '../db/database.ts';
import type { Seal, StoredEntry } from './audit-chain.ts';

export const auditChainQueries = defineQueries(createAuditChainQueries);

/** Facts that are stored once: the newest seal, the last removed one, the encrypted key, and what the receiver of the stream has. */
export type ChainFact = 'audit-head' | 'audit-start' | 'audit-key' | 'audit-stream';

export interface SealedEntry extends Seal {
  /** Null if the row is missing. */
  entry: StoredEntry | null;
  isMarked: boolean;
}

/** Selects expired entries: all, or those with these actions. */
export interface ExpiredEntries {
  actions: readonly string[] | null;
  /** Epoch milliseconds. */
  before: number;
}

/** A literal, for the index of entries without a seal. */
const unsealed = sql.lit(0);

const sealColumns = [
  's.seq',
  's.entry_id',
  's.salt',
  's.entry_hash',
  's.hash',
  's.waiver',
  'r.sealed',
] as const;

const entryColumns = [
  'r.id',
  'r.at',
  'r.actor_kind as actorKind',
  'r.actor_id as actorId',
  'r.actor_name as actorName',
  'r.action',
  'r.owner_id as ownerId',
  'r.subject',
  'r.details',
] as const;

function createAuditChainQueries(db: Queries) {
  const readFact = async (name: ChainFact): Promise<string | null> => {
    const row = await db
      .selectFrom('installation_facts')
      .select('value')
      .where('name', '=', name)
      .executeTakeFirst();
    return row?.value || null;
  };
  const sealed = () =>
    db
      .selectFrom('audit_seals as s')
      .leftJoin('audit_rows as r', 'r.id', 's.entry_id')
      .select([...sealColumns, ...entryColumns]);
  const present = () =>
    db
      .selectFrom('audit_seals as s')
      .innerJoin('audit_rows as r', 'r.id', 's.entry_id')
      .select([...sealColumns, ...entryColumns]);
  type SealedRow = Awaited<ReturnType<ReturnType<typeof sealed>['execute']>>[number];
  const toSealed = (row: SealedRow): SealedEntry => {
    const { id, at, actorKind, actorId, actorName, action, ownerId, subject, details } = row;
    return {
      seq: row.seq,
      entryId: row.entry_id,
      salt: row.salt,
      entryHash: row.entry_hash,
      hash: row.hash,
      waiver: row.waiver,
      isMarked: row.sealed === 1,
      entry:
        id === null
          ? null
          : ({ id, at, actorKind, actorId, actorName, action, ownerId, subject, details } as StoredEntry),
    };
  };
  return {
    readFact,

    /** Returns the value for update: others wait until the transaction ends. */
    async lockFact(name: ChainFact): Promise<string | null> {
      await db
        .insertInto('installation_facts')
        .values({ name, value: '' })
        .onConflict((conflict) => conflict.column('name').doNothing())
        .execute();
      const row = await db
        .updateTable('installation_facts')
        .set((set) => ({ value: set.ref('value') }))
        .where('name', '=', name)
        .returning('value')
        .executeTakeFirstOrThrow();
      return row.value || null;
    },

    async setFact(name: ChainFact, value: string): Promise<void> {
      await db.updateTable('installation_facts').set({ value }).where('name', '=', name).execute();
    },

    async hasUnsealed(): Promise<boolean> {
      const row = await db
        .selectFrom('audit_rows')
        .select('id')
        .where('sealed', '=', unsealed)
        .limit(1)
        .executeTakeFirst();
      return row !== undefined;
    },

    /** Returns the oldest entries without a seal. Ids are not in the order of commits, so they are found by their mark. */
    async listUnsealed(limit: number): Promise<StoredEntry[]> {
      return db
        .selectFrom('audit_rows as r')
        .select(entryColumns)
        .where('r.sealed', '=', unsealed)
        .orderBy('r.id')
        .limit(limit)
        .execute();
    },

    async addSeals(seals: readonly Seal[]): Promise<void> {
      await db
        .insertInto('audit_seals')
        .values(
          seals.map((seal) => ({
            seq: seal.seq,
            entry_id: seal.entryId,
            salt: seal.salt,
            entry_hash: seal.entryHash,
            hash: seal.hash,
            waiver: seal.waiver,
          })),
        )
        .execute();
      const ids = seals.map(({ entryId }) => entryId);
      await db.updateTable('audit_rows').set({ sealed: 1 }).where('id', 'in', ids).execute();
    },

    /** Returns seals after the number `after`, in order, with their entries. */
    async listSealed(after: number, limit: number): Promise<SealedEntry[]> {
      const rows = await sealed().where('s.seq', '>', after).orderBy('s.seq').limit(limit).execute();
      return rows.map(toSealed);
    },

    async findSeal(seq: number): Promise<SealedEntry | null> {
      const row = await sealed().where('s.seq', '=', seq).executeTakeFirst();
      return row ? toSealed(row) : null;
    },

    /** Returns expired sealed entries, oldest first. */
    async listExpired({ actions, before }: ExpiredEntries, limit: number): Promise<SealedEntry[]> {
      const rows = await present()
        .where('r.id', '<', identifierTime(before))
        .$if(actions !== null, (query) => query.where('r.action', 'in', [...(actions ?? [])]))
        .orderBy('r.id')
        .limit(limit)
        .execute();
      return rows.map(toSealed);
    },

    /** Returns sealed entries after the id `after`, in order. */
    async listEntries(after: string, limit: number): Promise<SealedEntry[]> {
      const rows = await present().where('r.id', '>', after).orderBy('r.id').limit(limit).execute();
      return rows.map(toSealed);
    },

    async waive(seq: number, waiver: string): Promise<void> {
      await db.updateTable('audit_seals').set({ salt: null, waiver }).where('seq', '=', seq).execute();
    },

    async removeEntries(ids: readonly string[]): Promise<void> {
      await db
        .deleteFrom('audit_rows')
        .where('id', 'in', [...ids])
        .execute();
    },

    async replaceEntry({ id, actorName, subject, details }: StoredEntry): Promise<void> {
      await db
        .updateTable('audit_rows')
        .set({ actor_name: actorName, subject, details })
        .where('id', '=', id)
        .execute();
    },

    async removeSeals(until: number): Promise<void> {
      await db.deleteFrom('audit_seals').where('seq', '<=', until).execute();
    },

    /** Returns ids of entries that are marked as sealed, without a seal. Reads the whole log. */
    async listMarkedWithoutSeal(limit: number): Promise<string[]> {
      const rows = await db
        .selectFrom('audit_rows as r')
        .leftJoin('audit_seals as s', 's.entry_id', 'r.id')
        .select('r.id')
        .where('r.sealed', '=', 1)
        .where('s.seq', 'is', null)
        .limit(limit)
        .execute();
      return rows.map(({ id }) => id);
    },

    async countUnsealed(): Promise<number> {
      const row = await db
        .selectFrom('audit_rows')
        .select((select) => select.fn.countAll<number>().as('count'))
        .where('sealed', '=', unsealed)
        .executeTakeFirstOrThrow();
      return Number(row.count);
    },

    /** Deletes all seals, so that every entry is sealed again. */
    async forgetChain(): Promise<void> {
      await db.deleteFrom('audit_seals').execute();
      await db.updateTable('audit_rows').set({ sealed: 0 }).where('sealed', '=', 1).execute();
      await db
        .deleteFrom('installation_facts')
        .where('name', 'in', ['audit-head', 'audit-start', 'audit-key', 'audit-stream'])
        .execute();
    },
  };
}
