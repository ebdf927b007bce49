import { sql } from 'kysely';
import { defineQueries } from '../../db/data.ts';
import type { Database, Queries } from '../../db/database.ts';
import {
  type Coverage,
  directoryKey,
  type ListRequest,
  type ListResult,
  type ScimUser,
  type UserAttributes,
} from './scim.ts';
import { type FilterColumns, filterCondition, sortColumn } from './scim-filter-queries.ts';

const columns: FilterColumns = {
  id: { kind: 'exact', column: 's.user_id' },
  externalid: { kind: 'exact', column: 's.external_id' },
  username: { kind: 'folded', column: 's.user_name_key' },
  displayname: { kind: 'folded', column: 's.display_key' },
  'name.givenname': { kind: 'folded', column: 's.given_key' },
  'name.familyname': { kind: 'folded', column: 's.family_key' },
  emails: { kind: 'folded', column: 's.email_key' },
  'emails.value': { kind: 'folded', column: 's.email_key' },
  'emails.type': { kind: 'folded', column: 's.email_type' },
  active: { kind: 'flag', column: 's.active' },
  'meta.created': { kind: 'time', column: 's.created_at' },
  'meta.lastmodified': { kind: 'time', column: 's.updated_at' },
};

/** A User whom a directory may find by the address. */
export const scimUserQueries = defineQueries(createScimUserQueries);

function createScimUserQueries(db: Queries, database: Pick<Database, 'dialect'>) {
  const users = (workspaceId: string) =>
    db
      .selectFrom('scim_users as s')
      .where('s.workspace_id', '=', workspaceId)
      .where('s.deleted_at', 'is', null);
  return {
    async find(workspaceId: string, id: string): Promise<ScimUser | null> {
      const row = await users(workspaceId).selectAll('s').where('s.user_id', '=', id).executeTakeFirst();
      return row ? toScimUser(row) : null;
    },

    /** Throws `invalidFilter`. */
    async list(workspaceId: string, request: ListRequest): Promise<ListResult<ScimUser>> {
      let found = users(workspaceId);
      if (request.filter) found = found.where(filterCondition(request.filter, columns, database));
      const counted = await found
        .select((select) => select.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow();
      const order = request.sortBy === null ? 's.user_id' : sortColumn(request.sortBy, columns);
      if (request.count === 0) return { total: Number(counted.count), resources: [] };
      const rows = await found
        .selectAll('s')
        .orderBy(sql.ref(order), request.descending ? 'desc' : 'asc')
        .orderBy('s.user_id')
        .limit(request.count)
        .offset(request.startIndex - 1)
        .execute();
      return { total: Number(counted.count), resources: rows.map(toScimUser) };
    },

    async count(workspaceId: string): Promise<number> {
      const row = await users(workspaceId)
        .select((select) => select.fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow();
      return Number(row.count);
    },

    async hasUserName(workspaceId: string, userName: string, exceptId: string | null): Promise<boolean> {
      const row = await users(workspaceId)
        .select('s.user_id')
        .where('s.user_name_key', '=', directoryKey(userName))
        .$if(exceptId !== null, (query) => query.where('s.user_id', '!=', exceptId ?? ''))
        .executeTakeFirst();
      return row !== undefined;
    },

    /** Whether anyone has ever signed in to the account. */
    async wasSeen(userId: string): Promise<boolean> {
      const row = await db
        .selectFrom('users')
        .select('last_seen_at')
        .where('owner_id', '=', userId)
        .executeTakeFirst();
      return (row?.last_seen_at ?? null) !== null;
    },

    /** Also of a deleted entry. Null if the account was never in the directory. */
    async findEntry(
      workspaceId: string,
      userId: string,
    ): Promise<{ covers: Coverage; disabledAccount: boolean; deleted: boolean } | null> {
      const row = await db
        .selectFrom('scim_users')
        .select(['covers', 'disabled_account', 'deleted_at'])
        .where('workspace_id', '=', workspaceId)
        .where('user_id', '=', userId)
        .executeTakeFirst();
      return row
        ? {
            covers: row.covers as Coverage,
            disabledAccount: row.disabled_account === 1,
            deleted: row.deleted_at !== null,
          }
        : null;
    },

    /** Whether the directory of the Workspace deactivated or deleted the person. */
    async isDeactivated(workspaceId: string, userId: string): Promise<boolean> {
      const row = await db
        .selectFrom('scim_users')
        .select('user_id')
        .where('workspace_id', '=', workspaceId)
        .where('user_id', '=', userId)
        .where('active', '=', 0)
        .executeTakeFirst();
      return row !== undefined;
    },

    /** Whether the directory of some Workspace covers the whole account. */
    async isAccountCovered(userId: string): Promise<boolean> {
      const row = await db
        .selectFrom('scim_users')
        .select('user_id')
        .where('user_id', '=', userId)
        .where('covers', '=', sql.lit('account'))
        .where('deleted_at', 'is', null)
        .executeTakeFirst();
      return row !== undefined;
    },

    /** Replaces a deleted entry of the same account. Violates the unique constraint if the `userName` is taken. */
    async insert(
      workspaceId: string,
      userId: string,
      attributes: UserAttributes,
      { covers, disabledAccount, now }: { covers: Coverage; disabledAccount: boolean; now: number },
    ): Promise<void> {
      const row = {
        ...rowOf(attributes),
        covers,
        disabled_account: disabledAccount ? 1 : 0,
        version: 1,
        created_at: now,
        updated_at: now,
        deleted_at: null,
      };
      await db
        .insertInto('scim_users')
        .values({ workspace_id: workspaceId, user_id: userId, ...row })
        .onConflict((conflict) => conflict.columns(['workspace_id', 'user_id']).doUpdateSet(row))
        .execute();
    },

    /** Violates the unique constraint if the `userName` is taken. */
    async update(
      workspaceId: string,
      userId: string,
      attributes: UserAttributes,
      { disabledAccount, now }: { disabledAccount: boolean; now: number },
    ): Promise<void> {
      await db
        .updateTable('scim_users')
        .set((set) => ({
          ...rowOf(attributes),
          disabled_account: disabledAccount ? 1 : 0,
          version: set('version', '+', 1),
          updated_at: now,
        }))
        .where('workspace_id', '=', workspaceId)
        .where('user_id', '=', userId)
        .execute();
    },

    /** Keeps the entry without its attributes, so that the same account is found again. */
    async remove(workspaceId: string, userId: string, disabledAccount: boolean, now: number): Promise<void> {
      await db
        .updateTable('scim_users')
        .set({
          ...rowOf({ ...nobody, userName: userId }),
          disabled_account: disabledAccount ? 1 : 0,
          deleted_at: now,
        })
        .where('workspace_id', '=', workspaceId)
        .where('user_id', '=', userId)
        .execute();
    },
  };
}

const nobody: Omit<UserAttributes, 'userName'> = {
  externalId: null,
  displayName: null,
  formattedName: null,
  givenName: null,
  familyName: null,
  email: null,
  active: false,
};

const keyOf = (text: string | null) => (text === null ? null : directoryKey(text));

function rowOf(user: UserAttributes) {
  return {
    user_name: user.userName,
    user_name_key: directoryKey(user.userName),
    external_id: user.externalId,
    display_name: user.displayName,
    display_key: keyOf(user.displayName),
    formatted_name: user.formattedName,
    given_name: user.givenName,
    given_key: keyOf(user.givenName),
    family_name: user.familyName,
    family_key: keyOf(user.familyName),
    email: user.email?.value ?? null,
    email_key: keyOf(user.email?.value ?? null),
    email_type: user.email?.type ?? null,
    active: user.active ? 1 : 0,
  };
}

function toScimUser(row: {
  user_id: string;
  user_name: string;
  external_id: string | null;
  display_name: string | null;
  formatted_name: string | null;
  given_name: string | null;
  family_name: string | null;
  email: string | null;
  email_type: string | null;
  active: number;
  covers: string;
  disabled_account: number;
  version: number;
  created_at: number;
  updated_at: number;
}): ScimUser {
  return {
    id: row.user_id,
    userName: row.user_name,
    externalId: row.external_id,
    displayName: row.display_name,
    formattedName: row.formatted_name,
    givenName: row.given_name,
    familyName: row.family_name,
    email: row.email === null ? null : { value: row.email, type: row.email_type },
    active: row.active === 1,
    covers: row.covers === 'account' ? 'account' : 'workspace',
    disabledAccount: row.disabled_account === 1,
    version: row.version,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
