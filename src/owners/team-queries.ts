import type { Database, Queries } from '../db/database.ts';
import type { Team } from './owner.ts';

export type TeamQueries = ReturnType<typeof createTeamQueries>;

export function createTeamQueries(db: Queries, database: Pick<Database, 'dialect'>) {
  const locksRows = database.dialect === 'postgres';

  return {
    /** Answers whether the User is there, and keeps it there until the transaction ends. */
    async holdUser(userId: string): Promise<boolean> {
      const row = await db
        .selectFrom('users')
        .select('owner_id')
        .where('owner_id', '=', userId)
        .$if(locksRows, (query) => query.forKeyShare())
        .executeTakeFirst();
      return row !== undefined;
    },

    /** Whether somebody but this User is in the Project's owner team. */
    async hasOtherOwner(projectId: string, userId: string): Promise<boolean> {
      const row = await db
        .selectFrom('team_members')
        .select('user_id')
        .where('project_id', '=', projectId)
        .where('team', '=', 'owner')
        .where('user_id', '!=', userId)
        .limit(1)
        .executeTakeFirst();
      return row !== undefined;
    },

    /** Takes the User out of every team of the Project; answers which those were. */
    async removeMember(projectId: string, userId: string): Promise<Team[]> {
      const rows = await db
        .deleteFrom('team_members')
        .where('project_id', '=', projectId)
        .where('user_id', '=', userId)
        .returning('team')
        .execute();
      return rows.map((row) => row.team as Team);
    },

    async describe(projectId: string, description: string): Promise<void> {
      await db.updateTable('projects').set({ description }).where('owner_id', '=', projectId).execute();
    },
  };
}
