import { newIdentifier } from '../../core/identifier.ts';
import { isKeyScope, type KeyScope, keyScopes } from '../../core/key-scope.ts';
import { defineQueries } from '../../db/data.ts';
import type { Database, Queries } from '../../db/database.ts';
import { prepareQuery } from '../../db/prepared-query.ts';
import type { Actor, KeyRestriction } from '../../owners/actor.ts';
import type { BuildSource } from '../../owners/build-source.ts';
import { isGated } from '../../owners/gate/workspace-gate-queries.ts';
import { ownerColumns, toOwner } from '../../owners/owner-queries.ts';
import { hasPasswordAlone } from '../second-factor/password-alone-queries.ts';
import type { ApiKey, NewKey } from './api-key.ts';

export interface StoredKey {
  id: string;
  /** Whether the operator issued it. */
  isOperators: boolean;
  /** Whether a Workspace of this server has conditions for sessions and keys. */
  isGated: boolean;
  /** Has administrator rights only if the key has the scope `admin`. */
  actor: Actor;
  scopes: readonly KeyScope[];
  /** When the secret stops working. A secret replaced by a rotation ends before its key. */
  expiresAt: number | null;
  revokedAt: number | null;
  lastUsedAt: number | null;
  /** When the secret was created. */
  secretAt: number;
  /** The account of the key's User has a password but no second factor. */
  passwordAlone: boolean;
}

export const keyQueries = defineQueries(createKeyQueries);

function createKeyQueries(db: Queries, { canSkipLocked: locksRows }: Pick<Database, 'canSkipLocked'>) {
  const keysWithOwner = () =>
    db
      .selectFrom('api_keys as k')
      .innerJoin('owners as o', 'o.id', 'k.owner_id')
      .leftJoin('users as u', 'u.owner_id', 'o.id')
      .leftJoin('projects as p', 'p.owner_id', 'o.id')
      .leftJoin('workspaces as w', 'w.id', 'p.workspace_id')
      .select(['k.id as key_id', 'k.expires_at', 'k.revoked_at', 'k.last_used_at', 'k.scopes'])
      .select(['k.restricted_to', 'k.previous_until', 'k.name as key_name', 'k.source', ...ownerColumns])
      .select(['k.created_at as key_created_at', 'k.created_by', 'k.rotated_at'])
      .select([isGated, hasPasswordAlone.as('password_alone')])
      .where('u.disabled_at', 'is', null)
      .where('o.deleted_at', 'is', null);
  const keyByHash = prepareQuery(db, ['keyHash'], (keyHash) =>
    keysWithOwner().where('k.key_hash', '=', keyHash),
  );
  const keyByPreviousHash = prepareQuery(db, ['keyHash'], (keyHash) =>
    keysWithOwner().where('k.previous_hash', '=', keyHash),
  );
  const findKey = async (keyHash: string, now: number): Promise<StoredKey | null> => {
    const [current] = await keyByHash(keyHash);
    const [previous] = current ? [] : await keyByPreviousHash(keyHash);
    const found = current ?? ((previous?.previous_until ?? 0) > now ? previous : undefined);
    if (!found) return null;
    const ends = [found.expires_at, current ? null : found.previous_until].filter((at) => at !== null);
    const owner = toOwner(found);
    const scopes = toScopes(found.scopes);
    const known = reachOf(found.restricted_to);
    const used = {
      key: {
        id: found.key_id,
        name: found.key_name,
        ...(found.source === null ? {} : { source: JSON.parse(found.source) as BuildSource }),
      },
      ...(known ? { restriction: known } : {}),
    };
    const actor: Actor =
      owner.kind === 'user'
        ? {
            kind: 'user',
            user: { ...owner, administrator: owner.administrator && scopes.includes('admin') },
            ...used,
          }
        : { kind: 'project', project: owner, ...used };
    return {
      id: found.key_id,
      // A rotation by a person gives the secret to that person.
      isOperators: found.created_by === null && found.rotated_at === null,
      isGated: Boolean(found.is_gated),
      actor,
      scopes,
      expiresAt: ends.length === 0 ? null : Math.min(...ends),
      revokedAt: found.revoked_at,
      lastUsedAt: found.last_used_at,
      secretAt: (current ? found.rotated_at : null) ?? found.key_created_at,
      passwordAlone: Number(found.password_alone) === 1,
    };
  };

  const keys = () =>
    db
      .selectFrom('api_keys as k')
      .select(['k.id', 'k.owner_id', 'k.name', 'k.hint', 'k.created_at', 'k.expires_at', 'k.last_used_at'])
      .select(['k.revoked_at', 'k.scopes', 'k.restricted_to', 'k.created_by_name', 'k.last_used_network'])
      .select(['k.previous_until', 'k.rotated_at', 'k.client'])
      .select((select) => select('k.created_by', '=', select.ref('k.owner_id')).as('is_own'))
      .select((select) =>
        select
          .selectFrom('team_members as t')
          .select((one) => one.fn.countAll<number>().as('teams'))
          .whereRef('t.project_id', '=', 'k.owner_id')
          .whereRef('t.user_id', '=', 'k.created_by')
          .as('creator_teams'),
      );

  return {
    /**
     * Finds the key with that SHA-256 and its owner. A secret replaced by a rotation is found while it still works. Null if the
     * key was never issued, or its owner's account is disabled.
     */
    findKey,

    /** Like `findKey`, but locks the key: no other transaction can revoke or rotate it until this one ends. */
    async lockKey(keyHash: string, now: number): Promise<StoredKey | null> {
      if (locksRows)
        await db
          .selectFrom('api_keys')
          .select('id')
          .where((where) => where.or([where('key_hash', '=', keyHash), where('previous_hash', '=', keyHash)]))
          .forShare()
          .execute();
      return findKey(keyHash, now);
    },

    async insertKey(key: NewKey): Promise<ApiKey> {
      const id = newIdentifier(key.createdAt);
      const { scopes = keyScopes, restriction = null, createdBy = null } = key;
      await db
        .insertInto('api_keys')
        .values({
          id,
          owner_id: key.ownerId,
          name: key.name,
          key_hash: key.keyHash,
          hint: key.hint,
          created_at: key.createdAt,
          expires_at: key.expiresAt,
          last_used_at: null,
          revoked_at: null,
          scopes: scopes.join(' '),
          restricted_to: restriction && JSON.stringify(restriction),
          created_by: createdBy?.id ?? null,
          created_by_name: createdBy?.name ?? null,
          last_used_network: null,
          previous_hash: null,
          previous_until: null,
          rotated_at: null,
          client: key.client ?? null,
          trusted_publisher_id: key.trusted?.publisherId ?? null,
          source: key.trusted ? JSON.stringify(key.trusted.source) : null,
        })
        .execute();
      return {
        id,
        ownerId: key.ownerId,
        name: key.name,
        hint: key.hint,
        createdAt: key.createdAt,
        expiresAt: key.expiresAt,
        lastUsedAt: null,
        lastUsedNetwork: null,
        revokedAt: null,
        scopes,
        restriction,
        createdBy: createdBy && createdBy.id !== key.ownerId ? { name: createdBy.name, left: false } : null,
        rotatedAt: null,
        previousUntil: null,
        client: key.client ?? null,
      };
    },

    /** Counts the Owner's usable keys, without those of trusted publishers, and prevents other transactions from adding one until this one ends. */
    async countUsableKeys(ownerId: string, now: number): Promise<number> {
      await db
        .selectFrom('owners')
        .select('id')
        .where('id', '=', ownerId)
        .$if(locksRows, (query) => query.forNoKeyUpdate())
        .execute();
      const row = await db
        .selectFrom('api_keys')
        .select((select) => select.fn.countAll<number>().as('count'))
        .where('owner_id', '=', ownerId)
        .where('trusted_publisher_id', 'is', null)
        .where('revoked_at', 'is', null)
        .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', now)]))
        .executeTakeFirstOrThrow();
      return Number(row.count);
    },

    /** Without those of trusted publishers, which end by themselves, unless `trusted` is set. */
    async listKeys(ownerId: string, { trusted = false } = {}): Promise<ApiKey[]> {
      const rows = await keys()
        .where('k.owner_id', '=', ownerId)
        .$if(!trusted, (query) => query.where('k.trusted_publisher_id', 'is', null))
        .orderBy('k.id')
        .execute();
      return rows.map(toApiKey);
    },

    async findKeyById(keyId: string): Promise<ApiKey | null> {
      const row = await keys().where('k.id', '=', keyId).executeTakeFirst();
      return row ? toApiKey(row) : null;
    },

    /**
     * Gives an active key a new secret; the old one works until the given time (null: ends at once). Returns false if
     * another transaction has rotated or revoked the key.
     */
    async rotateKey(
      { id, hint }: Pick<ApiKey, 'id' | 'hint'>,
      next: {
        keyHash: string;
        hint: string;
        expiresAt: number | null;
        now: number;
        previousUntil: number | null;
      },
    ): Promise<boolean> {
      const row = await db
        .updateTable('api_keys')
        .set((set) => ({
          key_hash: next.keyHash,
          hint: next.hint,
          expires_at: next.expiresAt,
          rotated_at: next.now,
          previous_hash: next.previousUntil === null ? null : set.ref('key_hash'),
          previous_until: next.previousUntil,
        }))
        .where('id', '=', id)
        .where('hint', '=', hint)
        .where('revoked_at', 'is', null)
        .returning('id')
        .executeTakeFirst();
      return row !== undefined;
    },

    /** Returns whether the replaced secret still worked. */
    async endPreviousSecret(ownerId: string, keyId: string, now: number): Promise<boolean> {
      const row = await db
        .updateTable('api_keys')
        .set({ previous_hash: null, previous_until: null })
        .where('id', '=', keyId)
        .where('owner_id', '=', ownerId)
        .where('previous_until', '>', now)
        .returning('id')
        .executeTakeFirst();
      return row !== undefined;
    },

    /** Returns the key's id if it was revoked by this call. */
    async revokeKey(ownerId: string, keyId: string, now: number): Promise<string | null> {
      const row = await db
        .updateTable('api_keys')
        .set({ revoked_at: now })
        .where('id', '=', keyId)
        .where('owner_id', '=', ownerId)
        .where('revoked_at', 'is', null)
        .returning('id')
        .executeTakeFirst();
      return row?.id ?? null;
    },

    /** Lists keys that have expired but are not revoked yet. */
    async listExpiredKeys(now: number): Promise<Pick<ApiKey, 'id' | 'ownerId'>[]> {
      const rows = await db
        .selectFrom('api_keys')
        .select(['id', 'owner_id'])
        .where('expires_at', '<=', now)
        .where('revoked_at', 'is', null)
        .where('trusted_publisher_id', 'is', null)
        .execute();
      return rows.map((row) => ({ id: row.id, ownerId: row.owner_id }));
    },

    /** A trigger then rotates the secrets of all apps that a replaced secret gave access to. */
    async endReplacedSecrets(now: number): Promise<void> {
      await db
        .updateTable('api_keys')
        .set({ previous_hash: null, previous_until: null })
        .where('previous_until', '<=', now)
        .execute();
    },

    /** Skips a key that another transaction has locked, so that requests do not wait for it. */
    async touchKey(keyId: string, now: number, network: string): Promise<void> {
      const free = db
        .selectFrom('api_keys')
        .select('id')
        .where('id', '=', keyId)
        .$if(locksRows, (query) => query.forNoKeyUpdate().skipLocked());
      await db
        .updateTable('api_keys')
        .set({ last_used_at: now, last_used_network: network })
        .where('id', '=', free)
        .execute();
    },
  };
}

const toScopes = (text: string): KeyScope[] => text.split(' ').filter(isKeyScope);
const reachOf = (json: string | null) => (json === null ? null : (JSON.parse(json) as KeyRestriction));

function toApiKey(row: {
  id: string;
  owner_id: string;
  name: string;
  hint: string;
  created_at: number;
  expires_at: number | null;
  last_used_at: number | null;
  last_used_network: string | null;
  revoked_at: number | null;
  scopes: string;
  restricted_to: string | null;
  created_by_name: string | null;
  creator_teams: number | null;
  is_own: unknown;
  rotated_at: number | null;
  previous_until: number | null;
  client: string | null;
}): ApiKey {
  return {
    id: row.id,
    ownerId: row.owner_id,
    name: row.name,
    hint: row.hint,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    lastUsedAt: row.last_used_at,
    lastUsedNetwork: row.last_used_network,
    revokedAt: row.revoked_at,
    scopes: toScopes(row.scopes),
    restriction: reachOf(row.restricted_to),
    // A user's own keys are always created by that user.
    createdBy:
      row.created_by_name === null || row.is_own
        ? null
        : { name: row.created_by_name, left: Number(row.creator_teams) === 0 },
    rotatedAt: row.rotated_at,
    previousUntil: row.previous_until,
    client: row.client,
  };
}
