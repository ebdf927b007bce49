import { type Selectable, sql } from 'kysely';
import { type Claim, leaseMs } from '../../claims/claim.ts';
import { defineQueries } from '../../db/data.ts';
import type { Database, Queries } from '../../db/database.ts';
import { databaseTime } from '../../db/database-time.ts';
import type { Tables } from '../../db/tables.ts';
import type { ResumableUpload, UploadProgress, UploadResult } from './resumable-upload.ts';

export const resumableUploadQueries = defineQueries(createResumableUploadQueries);

type Row = Selectable<Tables['resumable_uploads']>;

const uploadOf = (row: Row): ResumableUpload => ({
  id: row.id,
  ownerId: row.owner_id,
  senderId: row.sender_id,
  keyId: row.key_id,
  idempotencyKey: row.idempotency_key,
  fields: JSON.parse(row.fields),
  sizeBytes: row.size_bytes,
  receivedBytes: row.received_bytes,
  pieces: JSON.parse(row.pieces),
  sessions: row.sessions,
  unfinishedBlob: row.unfinished_blob,
  state: row.state as ResumableUpload['state'],
  result: row.result === null ? null : JSON.parse(row.result),
  expiresAt: row.expires_at,
});

const unclaimed = { leased_until: null, held_by: null, claim_number: null };
const end = { ...unclaimed, state: 'ended' };

function createResumableUploadQueries(db: Queries, { dialect }: Pick<Database, 'dialect'>) {
  const time = databaseTime(dialect);
  const held = (id: string, { nodeId, number }: Claim) =>
    db
      .updateTable('resumable_uploads')
      .where('id', '=', id)
      .where('state', '=', 'open')
      .where('held_by', '=', nodeId)
      .where('claim_number', '=', number);
  const change = async (query: ReturnType<typeof held>, set: Partial<Row>): Promise<boolean> =>
    (await query.set(set).returning('id').executeTakeFirst()) !== undefined;
  const isUnheld = sql<boolean>`(held_by is null or leased_until < ${time})`;

  return {
    async insert(
      upload: Omit<ResumableUpload, 'state' | 'result' | 'sessions' | keyof UploadProgress> & {
        createdAt: number;
      },
    ): Promise<ResumableUpload> {
      const row = await db
        .insertInto('resumable_uploads')
        .values({
          id: upload.id,
          owner_id: upload.ownerId,
          sender_id: upload.senderId,
          key_id: upload.keyId,
          idempotency_key: upload.idempotencyKey,
          fields: JSON.stringify(upload.fields),
          size_bytes: upload.sizeBytes,
          received_bytes: 0,
          pieces: '[]',
          sessions: 0,
          unfinished_blob: null,
          state: 'open',
          result: null,
          created_at: upload.createdAt,
          expires_at: upload.expiresAt,
        })
        .returningAll()
        .executeTakeFirstOrThrow();
      return uploadOf(row);
    },

    async find(id: string): Promise<ResumableUpload | null> {
      const row = await db
        .selectFrom('resumable_uploads')
        .selectAll()
        .where('id', '=', id)
        .executeTakeFirst();
      return row ? uploadOf(row) : null;
    },

    /** Finds the upload that this key or person has begun with the `Idempotency-Key`. */
    async findByKey(
      keyId: string,
      idempotencyKey: string,
      now: number,
      which?: 'with refused',
    ): Promise<ResumableUpload | null> {
      const row = await db
        .selectFrom('resumable_uploads')
        .selectAll()
        .where('key_id', '=', keyId)
        .where('idempotency_key', '=', idempotencyKey)
        .where('state', 'in', which ? ['open', 'built', 'refused'] : ['open', 'built'])
        .where('expires_at', '>', now)
        .executeTakeFirst();
      return row ? uploadOf(row) : null;
    },

    async replaceFields(id: string, fields: ResumableUpload['fields']): Promise<void> {
      await db
        .updateTable('resumable_uploads')
        .set({ fields: JSON.stringify(fields) })
        .where('id', '=', id)
        .where('state', '=', 'open')
        .execute();
    },

    async countOpen(ownerId: string, keyId: string): Promise<{ ofOwner: number; ofKey: number }> {
      const rows = await db
        .selectFrom('resumable_uploads')
        .select('key_id')
        .where('owner_id', '=', ownerId)
        .where('state', '=', 'open')
        .execute();
      return { ofOwner: rows.length, ofKey: rows.filter((row) => row.key_id === keyId).length };
    },

    /** Claims the open upload for one writer. Returns null while another has it, and if it has expired or ended. */
    async claim(id: string, claim: Claim, now: number): Promise<ResumableUpload | null> {
      const row = await db
        .updateTable('resumable_uploads')
        .set({
          leased_until: sql<number>`${time} + ${leaseMs}`,
          held_by: claim.nodeId,
          claim_number: claim.number,
        })
        .where('id', '=', id)
        .where('state', '=', 'open')
        .where('expires_at', '>', now)
        .where((where) =>
          where.or([
            where('held_by', 'is', null),
            ...(claim.takesOver ? [where('leased_until', '<', time)] : []),
          ]),
        )
        .returningAll()
        .executeTakeFirst();
      return row ? uploadOf(row) : null;
    },

    /** This and the following change nothing, and return false, if the claim no longer holds the upload. */
    beginSession: (id: string, claim: Claim, sessions: number) => change(held(id, claim), { sessions }),

    saveProgress: (id: string, claim: Claim, progress: UploadProgress) =>
      change(held(id, claim), {
        received_bytes: progress.receivedBytes,
        pieces: JSON.stringify(progress.pieces),
        unfinished_blob: progress.unfinishedBlob,
      }),

    saveResult: (id: string, claim: Claim, state: 'built' | 'refused', result: UploadResult) =>
      change(held(id, claim), { ...unclaimed, state, result: JSON.stringify(result) }),

    async release({ nodeId, number }: Claim): Promise<void> {
      await db
        .updateTable('resumable_uploads')
        .set(unclaimed)
        .where('held_by', '=', nodeId)
        .where('claim_number', '=', number)
        .execute();
    },

    /** Ends an upload, even while a request is writing. Returns false if it was not open. */
    end: (id: string) =>
      change(db.updateTable('resumable_uploads').where('id', '=', id).where('state', '=', 'open'), end),

    /** Ends the uploads that nobody can continue: expired, or their owner or person is deleted, or their key revoked. */
    async endAbandoned(now: number, ownerId?: string): Promise<void> {
      const ids = await db
        .selectFrom('resumable_uploads as r')
        .leftJoin('owners as o', 'o.id', 'r.owner_id')
        .leftJoin('api_keys as k', 'k.id', 'r.key_id')
        .leftJoin('owners as u', 'u.id', 'r.key_id')
        .select('r.id')
        .where('r.state', '=', 'open')
        .where(isUnheld)
        .$if(ownerId !== undefined, (query) => query.where('r.owner_id', '=', ownerId ?? ''))
        .where((where) =>
          where.or([
            where('r.expires_at', '<=', now),
            where('o.id', 'is', null),
            where('o.deleted_at', 'is not', null),
            where.and([
              where('k.id', 'is', null),
              where.or([where('u.id', 'is', null), where('u.deleted_at', 'is not', null)]),
            ]),
            // A key that expires is marked as revoked later; another key may continue.
            where.and([
              where('k.revoked_at', 'is not', null),
              where.or([
                where('k.expires_at', 'is', null),
                where('k.expires_at', '>', where.ref('k.revoked_at')),
              ]),
            ]),
          ]),
        )
        .execute();
      if (ids.length === 0) return;
      await db
        .updateTable('resumable_uploads')
        .set(end)
        .where('state', '=', 'open')
        .where(isUnheld)
        .where(
          'id',
          'in',
          ids.map(({ id }) => id),
        )
        .execute();
    },

    /** Uploads that are over and may have bytes left. */
    async listLeftovers(): Promise<ResumableUpload[]> {
      const rows = await db
        .selectFrom('resumable_uploads')
        .selectAll()
        .where('state', '!=', 'open')
        .where('sessions', '>', 0)
        .limit(100)
        .execute();
      return rows.map(uploadOf);
    },

    async markRemoved(id: string): Promise<void> {
      await db
        .updateTable('resumable_uploads')
        .set({ pieces: '[]', sessions: 0, unfinished_blob: null })
        .where('id', '=', id)
        .where('state', '!=', 'open')
        .execute();
    },

    async deleteOld(now: number): Promise<void> {
      await db
        .deleteFrom('resumable_uploads')
        .where('expires_at', '<=', now)
        .where('state', '!=', 'open')
        .where('sessions', '=', 0)
        .execute();
    },
  };
}
