import { sql } from 'kysely';
import { defineQueries } from '../../db/data.ts';
import type { Database, Queries } from '../../db/database.ts';
import type { PlaceOfPeople } from '../../owners/owner.ts';
import { invitedKey } from '../../owners/team-queries.ts';
import type { ListedInvitation, NamedInvitation, PersonalInvitation } from './invitation.ts';
import { type InvitationRow, openInvitations, toAppOrProject } from './invitation-queries.ts';

export const namedInvitationQueries = defineQueries(createNamedInvitationQueries);

/** Invitations for one person each, with a known name or address. */
function createNamedInvitationQueries(db: Queries, database: Pick<Database, 'dialect'>) {
  const named = (now: number) =>
    openInvitations(db)
      .leftJoin('owners as me', 'me.id', 'i.user_id')
      .leftJoin('workspaces as w', 'w.id', 'i.workspace_id')
      .leftJoin('apps as a', 'a.id', 'i.app_id')
      .select([
        'me.id as user_id',
        'me.name as user_name',
        'w.id as workspace_id',
        'w.name as workspace_name',
      ])
      .select(['a.id as app_id', 'a.package_name', 'a.platform', 'a.owner_id as app_owner_id'])
      .where('i.max_people', 'is', null)
      .where('i.expires_at', '>', now);
  const personal = (now: number) => named(now).where('i.user_id', 'is not', null);
  return {
    /** Newest first. */
    async listOfPlace({ kind, id }: PlaceOfPeople, now: number, limit: number): Promise<ListedInvitation[]> {
      const rows = await named(now)
        .where(`i.${kind}_id`, '=', id)
        .where((where) => where.or([where('i.user_id', 'is not', null), where('i.email', 'is not', null)]))
        .orderBy('i.id', 'desc')
        .limit(limit)
        .execute();
      return rows.map((row) => ({ ...toNamed(row), createdAt: row.created_at }));
    },

    /** Lists invitations to a Workspace and its Projects, newest first. */
    async listInWorkspace(workspaceId: string, now: number, limit: number): Promise<NamedInvitation[]> {
      const rows = await named(now)
        .where((where) => where.or([where('i.user_id', 'is not', null), where('i.email', 'is not', null)]))
        .where((where) =>
          where.or([
            where('i.workspace_id', '=', workspaceId),
            where(
              'i.project_id',
              'in',
              db.selectFrom('projects').select('owner_id').where('workspace_id', '=', workspaceId),
            ),
          ]),
        )
        .orderBy('i.id', 'desc')
        .limit(limit)
        .execute();
      return rows.map(toNamed);
    },

    /** Lists the invitations that the User can accept, newest first. */
    async listOfUser(userId: string, now: number, limit: number): Promise<PersonalInvitation[]> {
      const rows = await personal(now)
        .where('i.user_id', '=', userId)
        .orderBy('i.id', 'desc')
        .limit(limit)
        .execute();
      return rows.flatMap(toPersonal);
    },

    async findOfUser(userId: string, id: string, now: number): Promise<PersonalInvitation | null> {
      const row = await personal(now)
        .where('i.user_id', '=', userId)
        .where('i.id', '=', id)
        .executeTakeFirst();
      return (row && toPersonal(row)[0]) ?? null;
    },

    /** Returns an open invitation with its recipient, for the email. */
    async findPersonal(id: string, now: number): Promise<PersonalInvitation | null> {
      const row = await personal(now).where('i.id', '=', id).executeTakeFirst();
      return (row && toPersonal(row)[0]) ?? null;
    },

    /** Lists invitations to places that were emailed to the address of the User, newest first. */
    async listMailed(userId: string, now: number, limit: number): Promise<NamedInvitation[]> {
      const rows = await named(now)
        .where('i.user_id', 'is', null)
        .where((where) =>
          where.or([where('i.project_id', 'is not', null), where('i.app_id', 'is not', null)]),
        )
        .where(
          sql<boolean>`${invitedKey(database, 'i.email')} = (select email_key from users where owner_id = ${userId})`,
        )
        .orderBy('i.id', 'desc')
        .limit(limit)
        .execute();
      return rows.map(toNamed);
    },

    /** Returns whether there was an unused invitation. */
    async deleteOfPlace({ kind, id: placeId }: PlaceOfPeople, id: string): Promise<boolean> {
      const row = await db
        .deleteFrom('invitations')
        .where('id', '=', id)
        .where((where) => where.or([where('user_id', 'is not', null), where('email', 'is not', null)]))
        .where(`${kind}_id`, '=', placeId)
        .where('used_at', 'is', null)
        .returning('id')
        .executeTakeFirst();
      return row !== undefined;
    },

    /** Deletes old invitations: addresses of people without an account are not kept longer than necessary. */
    async deleteOldOfPlace({ kind, id }: PlaceOfPeople, before: number): Promise<void> {
      await db
        .deleteFrom('invitations')
        .where(`${kind}_id`, '=', id)
        .where('expires_at', '<', before)
        .execute();
    },
  };
}

type NamedRow = InvitationRow & {
  user_id: string | null;
  user_name: string | null;
  workspace_id: string | null;
  workspace_name: string | null;
};

function toNamed(row: NamedRow): NamedInvitation {
  const { workspace_id: workspaceId } = row;
  const invitation = {
    id: row.id,
    place:
      workspaceId === null
        ? toAppOrProject(row)
        : ({
            kind: 'workspace',
            id: workspaceId,
            name: row.workspace_name ?? '',
            role: row.team === 'member' ? 'member' : 'owner',
          } as const),
    invitedBy: row.inviter_name,
    expiresAt: row.expires_at,
  };
  return row.user_id === null
    ? { ...invitation, user: null, email: row.email ?? '' }
    : { ...invitation, user: { id: row.user_id, name: row.user_name ?? '' } };
}

const toPersonal = (row: NamedRow): PersonalInvitation[] => {
  const invitation = toNamed(row);
  return invitation.user ? [invitation] : [];
};
