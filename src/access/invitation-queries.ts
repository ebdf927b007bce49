import { sql } from 'kysely';
import type { Database, Queries } from '../db/database.ts';
import { newIdentifier } from '../identifier.ts';
import type { Team } from '../owners/owner.ts';
import type { Invitation } from './invitation.ts';

export type InvitationQueries = ReturnType<typeof createInvitationQueries>;

/** `projectId` null: invitations into the installation. */
export function createInvitationQueries(
  db: Queries,
  { canSkipLocked: locksRows }: Pick<Database, 'canSkipLocked'>,
) {
  /** An invitation is as good as the right of who made it: that person still owns the Project, or administers, and may sign in. */
  const inviterStands = (table: 'i' | 'invitations') => {
    const inviter = sql.ref(`${table}.invited_by`);
    const project = sql.ref(`${table}.project_id`);
    return sql<boolean>`case when ${project} is null
      then exists (select 1 from users u
        where u.owner_id = ${inviter} and u.administrator = 1 and u.disabled_at is null)
      else exists (select 1 from team_members t join users u on u.owner_id = t.user_id
        where t.project_id = ${project} and t.user_id = ${inviter} and t.team = 'owner'
          and u.disabled_at is null) end`;
  };
  const invitations = () =>
    db
      .selectFrom('invitations as i')
      .leftJoin('owners as p', 'p.id', 'i.project_id')
      .leftJoin('owners as o', 'o.id', 'i.invited_by')
      .select(['i.id', 'i.email', 'i.project_id', 'i.team', 'i.created_at', 'i.expires_at'])
      .select(['p.name as project_name', 'o.name as inviter_name'])
      .where('i.used_at', 'is', null)
      .where(inviterStands('i'));
  return {
    async insertInvitation(invitation: {
      tokenHash: string;
      email: string | null;
      into: { projectId: string; team: Team } | null;
      /** Id of the User. */
      invitedBy: string;
      createdAt: number;
      expiresAt: number;
    }): Promise<string> {
      const id = newIdentifier(invitation.createdAt);
      await db
        .insertInto('invitations')
        .values({
          id,
          token_hash: invitation.tokenHash,
          email: invitation.email,
          project_id: invitation.into?.projectId ?? null,
          team: invitation.into?.team ?? null,
          invited_by: invitation.invitedBy,
          created_at: invitation.createdAt,
          expires_at: invitation.expiresAt,
          used_at: null,
        })
        .execute();
      return id;
    },

    /** A good one by its token; null when there is none. */
    async findInvitation(tokenHash: string, now: number): Promise<Invitation | null> {
      const row = await invitations()
        .where('i.token_hash', '=', tokenHash)
        .where('i.expires_at', '>', now)
        .executeTakeFirst();
      return row ? toInvitation(row) : null;
    },

    async findInvitationById(id: string, now: number): Promise<Invitation | null> {
      const row = await invitations()
        .where('i.id', '=', id)
        .where('i.expires_at', '>', now)
        .executeTakeFirst();
      return row ? toInvitation(row) : null;
    },

    /** Newest first. */
    async listInvitations(projectId: string | null, now: number, most: number): Promise<Invitation[]> {
      const rows = await invitations()
        .where('i.project_id', projectId === null ? 'is' : '=', projectId)
        .where('i.expires_at', '>', now)
        .orderBy('i.id', 'desc')
        .limit(most)
        .execute();
      return rows.map(toInvitation);
    },

    /** No other transaction adds one to the same Project until this has ended. */
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
        .where('used_at', 'is', null)
        .where('expires_at', '>', now)
        .executeTakeFirstOrThrow();
      return Number(row.count);
    },

    /** The link gets another token; the earlier one is void. Answers whether the invitation is still good. */
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

    /** Answers whether it was good until now: of several who take it at once one has it. */
    async takeInvitation(id: string, now: number): Promise<boolean> {
      const row = await db
        .updateTable('invitations')
        .set({ used_at: now })
        .where('id', '=', id)
        .where(inviterStands('invitations'))
        .where('used_at', 'is', null)
        .where('expires_at', '>', now)
        .returning('id')
        .executeTakeFirst();
      return row !== undefined;
    },

    /** Answers what it was; null when there was none that was not used. */
    async deleteInvitation(
      projectId: string | null,
      id: string,
    ): Promise<{ team: Team | null; mailed: boolean } | null> {
      const row = await db
        .deleteFrom('invitations')
        .where('id', '=', id)
        .where('project_id', projectId === null ? 'is' : '=', projectId)
        .where('used_at', 'is', null)
        .returning(['team', 'email'])
        .executeTakeFirst();
      return row ? { team: row.team as Team | null, mailed: row.email !== null } : null;
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

interface InvitationRow {
  id: string;
  email: string | null;
  project_id: string | null;
  project_name: string | null;
  team: string | null;
  inviter_name: string | null;
  created_at: number;
  expires_at: number;
}

function toInvitation(row: InvitationRow): Invitation {
  return {
    id: row.id,
    email: row.email,
    into:
      row.project_id === null
        ? null
        : { projectId: row.project_id, projectName: row.project_name ?? '', team: row.team as Team },
    invitedBy: row.inviter_name,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  };
}
