import type { Selectable } from 'kysely';
import { defineQueries } from '../../db/data.ts';
import type { Database, Queries } from '../../db/database.ts';
import type { Tables } from '../../db/tables.ts';
import type { Team } from '../../owners/owner.ts';
import type { InviteLink, InviteLinkPlace } from './invitation.ts';
import { isInviterActive } from './invitation-queries.ts';

export const inviteLinkQueries = defineQueries(createInviteLinkQueries);

/** Invitations that several people may use. */
function createInviteLinkQueries(db: Queries, _database: Pick<Database, 'canSkipLocked'>) {
  const links = ({ kind, id }: InviteLinkPlace, now: number) =>
    db
      .selectFrom('invitations as i')
      .leftJoin('groups as g', 'g.id', 'i.group_id')
      .leftJoin('owners as o', 'o.id', 'i.invited_by')
      .select(['i.id', 'i.token_hash', 'i.label', 'i.team', 'i.people', 'i.max_people', 'i.expires_at'])
      .select(['g.id as group_id', 'g.name as group_name', 'o.name as inviter_name'])
      .select(isInviterActive('i').as('active'))
      .where(`i.${kind}_id`, '=', id)
      .where('i.max_people', 'is not', null)
      .where('i.used_at', 'is', null)
      .where('i.expires_at', '>', now);
  return {
    async insert(link: {
      id: string;
      tokenHash: string;
      into: InviteLinkPlace;
      name: string;
      groupId: string | null;
      maxPeople: number;
      invitedBy: string;
      createdAt: number;
      expiresAt: number;
    }): Promise<void> {
      const { into } = link;
      await db
        .insertInto('invitations')
        .values({
          id: link.id,
          token_hash: link.tokenHash,
          email: null,
          project_id: into.kind === 'project' ? into.id : null,
          team: into.kind === 'project' ? into.team : null,
          app_id: into.kind === 'app' ? into.id : null,
          invited_by: link.invitedBy,
          created_at: link.createdAt,
          expires_at: link.expiresAt,
          used_at: null,
          label: link.name,
          max_people: link.maxPeople,
          group_id: link.groupId,
        })
        .execute();
    },

    /** Newest first. */
    async list(into: InviteLinkPlace, now: number, limit: number): Promise<InviteLink[]> {
      const rows = await links(into, now).orderBy('i.id', 'desc').limit(limit).execute();
      return rows.map((row) => toLink(into, row));
    },

    async find(
      into: InviteLinkPlace,
      id: string,
      now: number,
    ): Promise<(InviteLink & { tokenHash: string }) | null> {
      const row = await links(into, now).where('i.id', '=', id).executeTakeFirst();
      return row ? { ...toLink(into, row), tokenHash: row.token_hash } : null;
    },

    /** Returns the name of the deleted link; null if there was none. */
    async delete({ kind, id: placeId }: InviteLinkPlace, id: string): Promise<string | null> {
      const row = await db
        .deleteFrom('invitations')
        .where('id', '=', id)
        .where(`${kind}_id`, '=', placeId)
        .where('max_people', 'is not', null)
        .returning('label')
        .executeTakeFirst();
      return row ? (row.label ?? '') : null;
    },

    async deleteExpired({ kind, id }: InviteLinkPlace, before: number): Promise<void> {
      await db
        .deleteFrom('invitations')
        .where(`${kind}_id`, '=', id)
        .where('max_people', 'is not', null)
        .where('expires_at', '<', before)
        .execute();
    },
  };
}

type LinkRow = Pick<
  Selectable<Tables['invitations']>,
  'id' | 'label' | 'team' | 'people' | 'max_people' | 'expires_at'
> & {
  group_id: string | null;
  group_name: string | null;
  inviter_name: string | null;
  active: boolean | number;
};

function toLink(into: InviteLinkPlace, row: LinkRow): InviteLink {
  return {
    id: row.id,
    name: row.label ?? '',
    into: into.kind === 'project' ? { ...into, team: row.team as Team } : into,
    group: row.group_id === null ? null : { id: row.group_id, name: row.group_name ?? '' },
    people: Number(row.people),
    maxPeople: Number(row.max_people),
    invitedBy: row.inviter_name,
    isActive: Boolean(row.active),
    expiresAt: row.expires_at,
  };
}
