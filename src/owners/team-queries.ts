import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely';
import { defineQueries } from '../db/data.ts';
import type { Database, Queries } from '../db/database.ts';
import type { Tables } from '../db/tables.ts';
import { emailKey, type InvitedAs, type PlaceOfPeople, type Team } from './owner.ts';

export const teamQueries = defineQueries(createTeamQueries);

/** The person that an invitation is for: an account with its address, or an address alone. */
type Invitee = { userId: string } | { address: string };

/**
 * Returns the key of an invited address, in the same form as `emailKey`: with other collations, PostgreSQL folds more letters
 * than A to Z.
 */
export const invitedKey = ({ dialect }: Pick<Database, 'dialect'>, email: 'email' | 'i.email' = 'email') =>
  dialect === 'postgres'
    ? sql<string>`lower(${sql.ref(email)} collate "C")`
    : sql<string>`lower(${sql.ref(email)})`;

/**
 * Call it where memberships end, so that no group rule that added one removes it later, when a person added it again. `where`: the
 * mappings of the place.
 */
export async function forgetGrants(
  db: Queries,
  userId: string,
  where: (mapping: ExpressionBuilder<Tables, 'group_mappings'>) => Expression<SqlBool>,
): Promise<void> {
  await db
    .deleteFrom('granted_memberships')
    .where('user_id', '=', userId)
    .where('mapping_id', 'in', (inner) => inner.selectFrom('group_mappings').select('id').where(where))
    .execute();
}

function createTeamQueries(db: Queries, database: Pick<Database, 'dialect'>) {
  const locksRows = database.dialect === 'postgres';
  const isFor = (whose: Invitee) =>
    'address' in whose
      ? sql<boolean>`user_id is null and ${invitedKey(database)} = ${emailKey(whose.address)}`
      : sql<boolean>`(user_id = ${whose.userId} or user_id is null
          and ${invitedKey(database)} = (select email_key from users where owner_id = ${whose.userId}))`;

  const openLinks = (userId: string) =>
    db
      .selectFrom('invitations as i')
      .select(['i.id', sql<string>`cast(${userId} as text)`.as('user_id')])
      .where('i.user_id', 'is', null)
      .where('i.used_at', 'is', null);
  type Links = ReturnType<typeof openLinks>;
  const exclude = async (userId: string, select: (links: Links) => Links): Promise<void> => {
    await db
      .insertInto('invitation_exclusions')
      .columns(['invitation_id', 'user_id'])
      .expression(select(openLinks(userId)))
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  };

  return {
    /** Locks the User until the transaction ends. Returns whether it exists. */
    async lockUser(userId: string): Promise<boolean> {
      const row = await db
        .selectFrom('users')
        .select('owner_id')
        .where('owner_id', '=', userId)
        .$if(locksRows, (query) => query.forKeyShare())
        .executeTakeFirst();
      return row !== undefined;
    },

    /** Whether the Project has another owner with an active account. */
    async hasOtherOwner(projectId: string, userId: string): Promise<boolean> {
      const row = await db
        .selectFrom('team_members as t')
        .innerJoin('users as u', 'u.owner_id', 't.user_id')
        .select('t.user_id')
        .where('t.project_id', '=', projectId)
        .where('t.team', '=', 'owner')
        .where('t.user_id', '!=', userId)
        .where('u.disabled_at', 'is', null)
        .limit(1)
        .executeTakeFirst();
      return row !== undefined;
    },

    /**
     * Deletes unused invitations of a person to a place, except those to teams other than `teams`. Returns the ones that had not
     * expired.
     */
    async withdrawInvitations(
      { kind, id }: PlaceOfPeople,
      whose: Invitee,
      { teams, now }: { teams: readonly InvitedAs[] | null; now: number },
    ): Promise<{ id: string; team: Team | null; email: string | null }[]> {
      const rows = await db
        .deleteFrom('invitations')
        .where(`${kind}_id`, '=', id)
        .where('used_at', 'is', null)
        .where(isFor(whose))
        .$if(teams !== null, (query) => query.where('team', 'in', teams ?? []))
        .returning(['id', 'team', 'email', 'expires_at'])
        .execute();
      return rows
        .filter((row) => row.expires_at > now)
        .map((row) => ({ id: row.id, team: row.team as Team | null, email: row.email }));
    },

    /** Returns ids, in order, of the Projects in the Workspace that the person is in or was invited to. */
    async projectsInWorkspace(
      workspaceId: string,
      whose: { id: string } | { address: string },
    ): Promise<string[]> {
      const invitee = 'id' in whose ? { userId: whose.id } : whose;
      const rows = await db
        .selectFrom('projects')
        .select('owner_id')
        .where('workspace_id', '=', workspaceId)
        .where((where) =>
          where.or([
            where(
              'owner_id',
              'in',
              db
                .selectFrom('invitations')
                .select('project_id')
                .where('used_at', 'is', null)
                .where(isFor(invitee)),
            ),
            ...('id' in whose
              ? [
                  where(
                    'owner_id',
                    'in',
                    db.selectFrom('team_members').select('project_id').where('user_id', '=', whose.id),
                  ),
                  where(
                    'owner_id',
                    'in',
                    db
                      .selectFrom('group_managers as m')
                      .innerJoin('groups as g', 'g.id', 'm.group_id')
                      .select('g.owner_id')
                      .where('m.user_id', '=', whose.id),
                  ),
                ]
              : []),
          ]),
        )
        .orderBy('owner_id')
        .execute();
      return rows.map((row) => row.owner_id);
    },

    /** Changes the team of open invitations to a Project, and returns them. */
    async moveInvitations(
      projectId: string,
      whose: Invitee,
      { from, to, now }: { from: readonly Team[]; to: Team; now: number },
    ): Promise<{ id: string; email: string | null }[]> {
      return db
        .updateTable('invitations')
        .set({ team: to })
        .where('project_id', '=', projectId)
        .where('used_at', 'is', null)
        .where('expires_at', '>', now)
        .where('team', 'in', from)
        .where(isFor(whose))
        .returning(['id', 'email'])
        .execute();
    },

    /** Prevents links to the place, or to a group in it, from admitting the User again. */
    excludeFromLinks: ({ kind, id }: PlaceOfPeople | { kind: 'group'; id: string }, userId: string) =>
      exclude(userId, (links) => links.where(`i.${kind}_id`, '=', id)),

    /** The same for all Projects of the Workspace, also those that the User was never in. */
    excludeFromWorkspaceLinks: (workspaceId: string, userId: string) =>
      exclude(userId, (links) =>
        links.where('i.project_id', 'in', (inner) =>
          inner.selectFrom('projects').select('owner_id').where('workspace_id', '=', workspaceId),
        ),
      ),

    async describe(projectId: string, description: string): Promise<void> {
      await db.updateTable('projects').set({ description }).where('owner_id', '=', projectId).execute();
    },
  };
}
