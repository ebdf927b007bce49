import { defineQueries } from '../db/data.ts';
import type { Database, Queries } from '../db/database.ts';

export const teamQueries = defineQueries(createTeamQueries);

function createTeamQueries(db: Queries, database: Pick<Database, 'dialect'>) {
  const locksRows = database.dialect === 'postgres';

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

    /** Whether the Project has another owner whose account is active. */
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

    /** Deletes the User's open invitations to the place. */
    async deleteOpenInvitations(
      { kind, id }: { kind: 'project' | 'workspace' | 'app'; id: string },
      userId: string,
    ): Promise<void> {
      await db
        .deleteFrom('invitations')
        .where('user_id', '=', userId)
        .where(`${kind}_id`, '=', id)
        .where('used_at', 'is', null)
        .execute();
    },

    async describe(projectId: string, description: string): Promise<void> {
      await db.updateTable('projects').set({ description }).where('owner_id', '=', projectId).execute();
    },
  };
}
