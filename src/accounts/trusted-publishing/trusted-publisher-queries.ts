import type { Selectable } from 'kysely';
import { newIdentifier } from '../../core/identifier.ts';
import { defineQueries } from '../../db/data.ts';
import type { Database, Queries } from '../../db/database.ts';
import type { Tables } from '../../db/tables.ts';
import { parseProvider } from '../../owners/build-source.ts';
import type { PinnedIds, Refusal, TrustedPublisher } from './trusted-publisher.ts';

/** What its owner decides about a publisher. */
export type TrustedPublisherSettings = Pick<
  TrustedPublisher,
  'name' | 'app' | 'pageNamePattern' | 'provider' | 'issuer' | 'rules' | 'pinned' | 'allowsSelfHosted'
>;

export const trustedPublisherQueries = defineQueries(createTrustedPublisherQueries);

/** How often refusals of the same publisher are written. */
const refusalIntervalMs = 10_000;

function createTrustedPublisherQueries(
  db: Queries,
  { canSkipLocked: locksRows }: Pick<Database, 'canSkipLocked'>,
) {
  const publishers = () =>
    db
      .selectFrom('trusted_publishers as t')
      .leftJoin('owners as c', 'c.id', 't.created_by')
      .selectAll('t')
      .select('c.name as creator')
      .select((select) =>
        select
          .selectFrom('team_members as m')
          .select((one) => one.fn.countAll<number>().as('teams'))
          .whereRef('m.project_id', '=', 't.owner_id')
          .whereRef('m.user_id', '=', 't.created_by')
          .as('creator_teams'),
      );
  return {
    /** Lists the publishers of an owner, the oldest first. */
    async list(ownerId: string): Promise<TrustedPublisher[]> {
      const rows = await publishers().where('t.owner_id', '=', ownerId).orderBy('t.id').execute();
      return rows.map(toPublisher);
    },

    async find(ownerId: string, id: string): Promise<TrustedPublisher | null> {
      const row = await publishers()
        .where('t.id', '=', id)
        .where('t.owner_id', '=', ownerId)
        .executeTakeFirst();
      return row ? toPublisher(row) : null;
    },

    /** Lists the publishers with that issuer of active owners, or of one of them. */
    async listByIssuer(issuer: string, ownerId: string | null): Promise<TrustedPublisher[]> {
      const rows = await publishers()
        .innerJoin('owners as o', 'o.id', 't.owner_id')
        .leftJoin('users as u', 'u.owner_id', 'o.id')
        .where('t.issuer', '=', issuer)
        .$if(ownerId !== null, (query) => query.where('t.owner_id', '=', ownerId ?? ''))
        .where('o.deleted_at', 'is', null)
        .where('u.disabled_at', 'is', null)
        .orderBy('t.id')
        .execute();
      return rows.map(toPublisher);
    },

    /** Locks the publisher until the transaction ends. Null if it was deleted. */
    async lock({ id, ownerId }: Pick<TrustedPublisher, 'id' | 'ownerId'>): Promise<TrustedPublisher | null> {
      if (locksRows)
        await db
          .selectFrom('trusted_publishers')
          .select('id')
          .where('id', '=', id)
          .forNoKeyUpdate()
          .execute();
      return this.find(ownerId, id);
    },

    async insert(
      ownerId: string,
      settings: TrustedPublisherSettings,
      by: { id: string } | null,
      now: number,
    ): Promise<string> {
      const id = newIdentifier(now);
      const row = { id, owner_id: ownerId, created_by: by?.id ?? null, created_at: now };
      await db
        .insertInto('trusted_publishers')
        .values({ ...row, ...toColumns(settings) })
        .execute();
      return id;
    },

    async save(id: string, settings: TrustedPublisherSettings): Promise<void> {
      await db.updateTable('trusted_publishers').set(toColumns(settings)).where('id', '=', id).execute();
    },

    /** Its keys end with it. */
    async delete(id: string): Promise<void> {
      await db.deleteFrom('trusted_publishers').where('id', '=', id).execute();
    },

    /** Records an exchange. */
    async recordUse(id: string, pinned: PinnedIds, now: number): Promise<void> {
      await db
        .updateTable('trusted_publishers')
        .set({ last_used_at: now, pinned: JSON.stringify(pinned) })
        .where('id', '=', id)
        .execute();
    },

    async recordRefusal(id: string, refusal: Refusal, now: number): Promise<void> {
      await db
        .updateTable('trusted_publishers')
        .set({ last_refused_at: now, last_refusal: JSON.stringify(refusal) })
        .where('id', '=', id)
        .where((where) =>
          where.or([
            where('last_refused_at', 'is', null),
            where('last_refused_at', '<', now - refusalIntervalMs),
          ]),
        )
        .execute();
    },

    async isTokenUsed(issuer: string, tokenId: string): Promise<boolean> {
      const row = await db
        .selectFrom('used_id_tokens')
        .select('token_id')
        .where('issuer', '=', issuer)
        .where('token_id', '=', tokenId)
        .executeTakeFirst();
      return row !== undefined;
    },

    /** Returns false if the token was used before. */
    async useToken(issuer: string, tokenId: string, expiresAt: number): Promise<boolean> {
      const row = await db
        .insertInto('used_id_tokens')
        .values({ issuer, token_id: tokenId, expires_at: expiresAt })
        .onConflict((conflict) => conflict.doNothing())
        .returning('token_id')
        .executeTakeFirst();
      return row !== undefined;
    },

    /** Revokes the keys that a publisher has received. */
    async endKeys(publisherId: string, now: number): Promise<void> {
      await db
        .updateTable('api_keys')
        .set({ revoked_at: now })
        .where('trusted_publisher_id', '=', publisherId)
        .where('revoked_at', 'is', null)
        .where('expires_at', '>', now)
        .execute();
    },

    /**
     * Deletes keys of publishers that have expired. They are not revoked, because that would give the app a new secret after
     * each upload.
     */
    async deleteExpiredKeys(now: number): Promise<void> {
      await db
        .deleteFrom('api_keys')
        .where('trusted_publisher_id', 'is not', null)
        .where('expires_at', '<=', now)
        .execute();
    },

    /** Ends the key of a publisher. The links in its uploads keep working, which a revocation would end. */
    async deleteKey(id: string): Promise<void> {
      await db
        .deleteFrom('api_keys')
        .where('id', '=', id)
        .where('trusted_publisher_id', 'is not', null)
        .execute();
    },

    /** A token that has expired is refused for that reason. */
    async forgetExpiredTokens(now: number): Promise<void> {
      await db.deleteFrom('used_id_tokens').where('expires_at', '<', now).execute();
    },
  };
}

function toColumns(settings: TrustedPublisherSettings) {
  return {
    name: settings.name,
    platform: settings.app?.platform ?? null,
    package_name: settings.app?.packageName ?? null,
    page_name_pattern: settings.pageNamePattern,
    provider: settings.provider,
    issuer: settings.issuer,
    rules: JSON.stringify(settings.rules),
    pinned: JSON.stringify(settings.pinned),
    allow_self_hosted: settings.allowsSelfHosted ? 1 : 0,
  };
}

function toPublisher(
  row: Selectable<Tables['trusted_publishers']> & { creator: string | null; creator_teams: number | null },
): TrustedPublisher {
  const platform = row.platform === 'ios' ? 'ios' : 'android';
  return {
    id: row.id,
    ownerId: row.owner_id,
    name: row.name,
    app: row.package_name === null ? null : { platform, packageName: row.package_name },
    pageNamePattern: row.page_name_pattern,
    provider: parseProvider(row.provider),
    issuer: row.issuer,
    rules: JSON.parse(row.rules),
    pinned: JSON.parse(row.pinned),
    allowsSelfHosted: row.allow_self_hosted === 1,
    createdAt: row.created_at,
    createdBy: row.creator,
    creatorLeft: row.creator !== null && row.created_by !== row.owner_id && Number(row.creator_teams) === 0,
    lastUsedAt: row.last_used_at,
    lastRefusedAt: row.last_refused_at,
    lastRefusal: row.last_refusal === null ? null : JSON.parse(row.last_refusal),
  };
}
