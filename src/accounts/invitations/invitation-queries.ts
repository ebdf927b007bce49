import { sql } from 'kysely';
import { newIdentifier } from '../../core/identifier.ts';
import { defineQueries } from '../../db/data.ts';
import type { Database, Queries } from '../../db/database.ts';
import { canonicalEmail, type InvitedAs, type Team } from '../../owners/owner.ts';
import type { Invitation, InvitedTo } from './invitation.ts';

export const invitationQueries = defineQueries(createInvitationQueries);

/** Selects unused invitations of inviters who may still invite, with names. */
export const openInvitations = (db: Queries) =>
  db
    .selectFrom('invitations as i')
    .leftJoin('owners as p', 'p.id', 'i.project_id')
    .leftJoin('owners as o', 'o.id', 'i.invited_by')
    .select(['i.id', 'i.email', 'i.project_id', 'i.team', 'i.created_at', 'i.expires_at'])
    .select(['p.name as project_name', 'o.name as inviter_name', 'i.max_people', 'i.group_id'])
    .where('i.used_at', 'is', null)
    .where(isInviterActive('i'));

/** A null `projectId` stands for invitations to the installation. */
function createInvitationQueries(db: Queries, { canSkipLocked: locksRows }: Pick<Database, 'canSkipLocked'>) {
  /** Selects invite links, with the app for links to an app. */
  const shared = () =>
    openInvitations(db)
      .leftJoin('apps as a', 'a.id', 'i.app_id')
      .select(['a.id as app_id', 'a.package_name', 'a.platform', 'a.owner_id as app_owner_id'])
      .where('i.user_id', 'is', null)
      .where((where) =>
        where.or([where('i.max_people', 'is', null), where('i.people', '<', where.ref('i.max_people'))]),
      );
  return {
    async insertInvitation(invitation: {
      tokenHash: string;
      email: string | null;
      /** Null: the installation. */
      into: InvitedTo | null;
      /** The only person who may use it; null for anyone with the link. */
      userId?: string | null;
      invitedBy: string;
      createdAt: number;
      expiresAt: number;
    }): Promise<string> {
      const { into } = invitation;
      const id = newIdentifier(invitation.createdAt);
      await db
        .insertInto('invitations')
        .values({
          id,
          token_hash: invitation.tokenHash,
          email: invitation.email === null ? null : canonicalEmail(invitation.email),
          project_id: into?.kind === 'project' ? into.id : null,
          team: invitedAs(into),
          invited_by: invitation.invitedBy,
          created_at: invitation.createdAt,
          expires_at: invitation.expiresAt,
          used_at: null,
          user_id: invitation.userId ?? null,
          workspace_id: into?.kind === 'workspace' ? into.id : null,
          app_id: into?.kind === 'app' ? into.id : null,
        })
        .execute();
      return id;
    },

    /** Finds a valid invitation by its token. */
    async findInvitation(tokenHash: string, now: number): Promise<Invitation | null> {
      const row = await shared()
        .where('i.token_hash', '=', tokenHash)
        .where('i.expires_at', '>', now)
        .executeTakeFirst();
      return row ? toInvitation(row) : null;
    },

    async findInvitationById(id: string, now: number): Promise<Invitation | null> {
      const row = await shared().where('i.id', '=', id).where('i.expires_at', '>', now).executeTakeFirst();
      return row ? toInvitation(row) : null;
    },

    /** Lists invitations for one person each, newest first. */
    async listInvitations(projectId: string | null, now: number, limit: number): Promise<Invitation[]> {
      const rows = await shared()
        .where('i.project_id', projectId === null ? 'is' : '=', projectId)
        .where('i.app_id', 'is', null)
        .where('i.max_people', 'is', null)
        .where('i.expires_at', '>', now)
        .orderBy('i.id', 'desc')
        .limit(limit)
        .execute();
      return rows.map(toInvitation);
    },

    /** Locks the Project's invitations: no other transaction can add one until this one ends. */
    async countInvitations(projectId: string | null, now: number): Promise<number> {
      if (locksRows && projectId !== null) {
        await db
          .selectFrom('projects')
          .select('owner_id')
          .where('owner_id', '=', projectId)
          .forNoKeyUpdate()
          .execute();
      }
      const row = await db
        .selectFrom('invitations')
        .select((select) => select.fn.countAll<number>().as('count'))
        .where('project_id', projectId === null ? 'is' : '=', projectId)
        .where('app_id', 'is', null)
        .where('user_id', 'is', null)
        .where('max_people', 'is', null)
        .where('used_at', 'is', null)
        .where('expires_at', '>', now)
        .executeTakeFirstOrThrow();
      return Number(row.count);
    },

    /** Replaces the token of the link. Returns whether the invitation is still valid. */
    async setInvitationToken(id: string, tokenHash: string, now: number): Promise<boolean> {
      const row = await db
        .updateTable('invitations')
        .set({ token_hash: tokenHash })
        .where('id', '=', id)
        .where('used_at', 'is', null)
        .where('expires_at', '>', now)
        .returning('id')
        .executeTakeFirst();
      return row !== undefined;
    },

    /** Uses up the invitation and returns whether it was valid. Concurrent calls never exceed its number of uses. */
    async useInvitation(id: string, now: number): Promise<boolean> {
      const row = await db
        .updateTable('invitations')
        .set((set) => ({
          people: set('people', '+', 1),
          used_at: set.case().when('max_people', 'is', null).then(now).end(),
        }))
        .where('id', '=', id)
        .where('people', '<', (where) => where.fn.coalesce('max_people', sql.lit(1)))
        .where(isInviterActive('invitations'))
        .where('used_at', 'is', null)
        .where('expires_at', '>', now)
        .returning('id')
        .executeTakeFirst();
      return row !== undefined;
    },

    /** Returns the addresses of those invitations that are still stored, by id. */
    async addressesOf(ids: readonly string[]): Promise<Map<string, string>> {
      if (ids.length === 0) return new Map();
      const rows = await db
        .selectFrom('invitations')
        .select(['id', 'email'])
        .where('id', 'in', [...new Set(ids)])
        .where('email', 'is not', null)
        .execute();
      return new Map(rows.map(({ id, email }) => [id, email ?? '']));
    },

    /** Returns the deleted invitation; null if there was no unused one. */
    async deleteInvitation(
      projectId: string | null,
      id: string,
    ): Promise<{ team: Team | null; email: string | null } | null> {
      const row = await db
        .deleteFrom('invitations')
        .where('id', '=', id)
        .where('project_id', projectId === null ? 'is' : '=', projectId)
        .where('app_id', 'is', null)
        .where('user_id', 'is', null)
        .where('max_people', 'is', null)
        .where('used_at', 'is', null)
        .returning(['team', 'email'])
        .executeTakeFirst();
      return row ? { team: row.team as Team | null, email: row.email } : null;
    },

    /**
     * Whether the person was removed from the place or the group while the link was open, or the directory of the Workspace has
     * deactivated them: anyone may have the link.
     */
    async isExcluded(id: string, userId: string): Promise<boolean> {
      const row = await db
        .selectFrom('invitation_exclusions')
        .select('user_id')
        .where('invitation_id', '=', id)
        .where('user_id', '=', userId)
        .union(
          db
            .selectFrom('scim_users as s')
            .innerJoin('projects as p', 'p.workspace_id', 's.workspace_id')
            .innerJoin('invitations as i', 'i.project_id', 'p.owner_id')
            .select('s.user_id')
            .where('i.id', '=', id)
            .where('s.user_id', '=', userId)
            .where('s.active', '=', 0),
        )
        .executeTakeFirst();
      return row !== undefined;
    },

    async deleteOldInvitations(projectId: string | null, before: number): Promise<void> {
      await db
        .deleteFrom('invitations')
        .where('project_id', projectId === null ? 'is' : '=', projectId)
        .where('expires_at', '<', before)
        .execute();
    },
  };
}

function invitedAs(into: InvitedTo | null): InvitedAs | null {
  if (into?.kind === 'project') return into.team;
  return into?.kind === 'workspace' && into.role === 'member' ? into.role : null;
}

/** An invitation is valid only while its inviter may invite: their account is active, and they own the place or are an administrator. */
export function isInviterActive(table: 'i' | 'invitations') {
  const inviter = sql.ref(`${table}.invited_by`);
  const project = sql.ref(`${table}.project_id`);
  const workspace = sql.ref(`${table}.workspace_id`);
  const app = sql.ref(`${table}.app_id`);
  return sql<boolean>`case
    when ${workspace} is not null then exists (select 1 from workspace_owners m
      join users u on u.owner_id = m.user_id
      where m.workspace_id = ${workspace} and m.user_id = ${inviter} and u.disabled_at is null)
    when ${app} is not null then exists (select 1 from apps a join users u on u.owner_id = a.owner_id
      where a.id = ${app} and a.owner_id = ${inviter} and a.deleted_at is null and u.disabled_at is null)
    when ${project} is null
    then exists (select 1 from users u
      where u.owner_id = ${inviter} and u.administrator = 1 and u.disabled_at is null)
    else exists (select 1 from team_members t join users u on u.owner_id = t.user_id
      where t.project_id = ${project} and t.user_id = ${inviter} and t.team = 'owner'
        and u.disabled_at is null) end`;
}

export interface InvitationRow {
  id: string;
  email: string | null;
  project_id: string | null;
  project_name: string | null;
  team: string | null;
  inviter_name: string | null;
  created_at: number;
  expires_at: number;
  max_people: number | null;
  group_id: string | null;
  app_id: string | null;
  package_name: string | null;
  platform: string | null;
  app_owner_id: string | null;
}

export function toAppOrProject(row: InvitationRow): NonNullable<Invitation['into']> {
  return row.app_id === null
    ? {
        kind: 'project',
        id: row.project_id ?? '',
        name: row.project_name ?? '',
        team: row.team as Team,
      }
    : {
        kind: 'app',
        id: row.app_id,
        name: `${row.package_name} (${row.platform})`,
        ownerId: row.app_owner_id ?? '',
      };
}

function toInvitation(row: InvitationRow): Invitation {
  return {
    id: row.id,
    email: row.email,
    into: row.project_id === null && row.app_id === null ? null : toAppOrProject(row),
    link: row.max_people === null ? null : { groupId: row.group_id, maxPeople: Number(row.max_people) },
    invitedBy: row.inviter_name,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  };
}
