import type { GroupSource } from '../accounts/single-sign-on/group-claims.ts';
import { newIdentifier } from '../core/identifier.ts';
import { defineQueries } from '../db/data.ts';
import type { Queries } from '../db/database.ts';
import type { Team } from '../owners/owner.ts';
import type { DirectoryGroup, GroupMapping, MappingTarget } from './mapping-target.ts';

export const groupMappingQueries = defineQueries(createGroupMappingQueries);

function createGroupMappingQueries(db: Queries) {
  const mappings = () =>
    db
      .selectFrom('group_mappings as m')
      .leftJoin('scim_groups as s', 's.id', 'm.scim_group_id')
      .leftJoin('claimed_groups as c', 'c.id', 'm.claimed_group_id')
      .leftJoin('owners as o', 'o.id', 'm.project_id')
      .leftJoin('groups as g', 'g.id', 'm.group_id')
      .select([
        'm.id',
        'm.workspace_id',
        'm.scim_group_id',
        'm.claimed_group_id',
        'm.project_id',
        'm.team',
        'm.group_id',
      ])
      .select([
        'm.created_by',
        'm.created_at',
        's.display_name',
        'c.name as claimed_name',
        'c.source',
        'o.name as project',
        'g.name as group',
      ]);
  return {
    /** Lists the mappings of the Workspace, the oldest first. */
    async list(workspaceId: string): Promise<GroupMapping[]> {
      const rows = await mappings().where('m.workspace_id', '=', workspaceId).orderBy('m.id').execute();
      return rows.map(toMapping);
    },

    async listOfGroup(groupId: string): Promise<GroupMapping[]> {
      const rows = await mappings()
        .where((or) => or.or([or('m.scim_group_id', '=', groupId), or('m.claimed_group_id', '=', groupId)]))
        .orderBy('m.id')
        .execute();
      return rows.map(toMapping);
    },

    /** Lists the mappings of the groups that the person is in. */
    async listOfMember(workspaceId: string, userId: string): Promise<GroupMapping[]> {
      const rows = await mappings()
        .leftJoin('scim_group_members as p', (join) =>
          join.onRef('p.group_id', '=', 'm.scim_group_id').on('p.user_id', '=', userId),
        )
        .leftJoin('claimed_group_members as q', (join) =>
          join.onRef('q.group_id', '=', 'm.claimed_group_id').on('q.user_id', '=', userId),
        )
        .where('m.workspace_id', '=', workspaceId)
        .where((or) => or.or([or('p.user_id', 'is not', null), or('q.user_id', 'is not', null)]))
        .orderBy('m.id')
        .execute();
      return rows.map(toMapping);
    },

    async find(workspaceId: string, id: string): Promise<GroupMapping | null> {
      const row = await mappings()
        .where('m.id', '=', id)
        .where('m.workspace_id', '=', workspaceId)
        .executeTakeFirst();
      return row ? toMapping(row) : null;
    },

    async insert(
      workspaceId: string,
      {
        group,
        target,
        createdBy,
        now,
      }: {
        group: Pick<DirectoryGroup, 'id' | 'source'>;
        target: MappingTarget;
        createdBy: string;
        now: number;
      },
    ): Promise<string> {
      const id = newIdentifier(now);
      await db
        .insertInto('group_mappings')
        .values({
          id,
          workspace_id: workspaceId,
          scim_group_id: group.source === 'scim' ? group.id : null,
          claimed_group_id: group.source === 'scim' ? null : group.id,
          project_id: 'project' in target ? target.project.id : null,
          team: target.kind === 'team' ? target.team : target.kind === 'members' ? 'member' : null,
          group_id: target.kind === 'testers' ? target.group.id : null,
          created_by: createdBy,
          created_at: now,
        })
        .execute();
      return id;
    },

    async delete(id: string): Promise<void> {
      await db.deleteFrom('group_mappings').where('id', '=', id).execute();
    },

    /** `joinedTeam`: the person also joined the tester team for it. */
    async recordGrant(
      mappingId: string,
      userId: string,
      { joinedTeam, now }: { joinedTeam: boolean; now: number },
    ): Promise<void> {
      await db
        .insertInto('granted_memberships')
        .values({
          mapping_id: mappingId,
          user_id: userId,
          joined_team: joinedTeam ? 1 : 0,
          created_at: now,
        })
        .onConflict((conflict) =>
          joinedTeam
            ? conflict.columns(['mapping_id', 'user_id']).doUpdateSet({ joined_team: 1 })
            : conflict.doNothing(),
        )
        .execute();
    },

    /** Null unless the mapping had added the person. */
    async deleteGrant(mappingId: string, userId: string): Promise<{ joinedTeam: boolean } | null> {
      const row = await db
        .deleteFrom('granted_memberships')
        .where('mapping_id', '=', mappingId)
        .where('user_id', '=', userId)
        .returning('joined_team')
        .executeTakeFirst();
      return row ? { joinedTeam: row.joined_team === 1 } : null;
    },

    /** Returns the ids of the people whom the mapping added. */
    async grantedUsers(mappingId: string): Promise<string[]> {
      const rows = await db
        .selectFrom('granted_memberships')
        .select('user_id')
        .where('mapping_id', '=', mappingId)
        .orderBy('user_id')
        .execute();
      return rows.map((row) => row.user_id);
    },

    /** Lists the mappings of the Workspace that added the person. */
    async grantsOf(workspaceId: string, userId: string): Promise<GroupMapping[]> {
      const rows = await mappings()
        .innerJoin('granted_memberships as r', 'r.mapping_id', 'm.id')
        .where('r.user_id', '=', userId)
        .where('m.workspace_id', '=', workspaceId)
        .orderBy('m.id')
        .execute();
      return rows.map(toMapping);
    },
  };
}

function toMapping(row: {
  id: string;
  workspace_id: string;
  scim_group_id: string | null;
  claimed_group_id: string | null;
  project_id: string | null;
  team: string | null;
  group_id: string | null;
  created_by: string;
  created_at: number;
  display_name: string | null;
  claimed_name: string | null;
  source: string | null;
  project: string | null;
  group: string | null;
}): GroupMapping {
  return {
    id: row.id,
    group: {
      id: row.scim_group_id ?? row.claimed_group_id ?? '',
      displayName: row.display_name ?? row.claimed_name ?? '',
      source: (row.source as GroupSource | null) ?? 'scim',
    },
    target: targetOf(row),
    createdBy: row.created_by,
    createdAt: row.created_at,
  };
}

function targetOf(row: {
  project_id: string | null;
  team: string | null;
  group_id: string | null;
  project: string | null;
  group: string | null;
}): MappingTarget {
  if (row.project_id === null) return { kind: row.team === 'member' ? 'members' : 'owners' };
  const project = { id: row.project_id, name: row.project ?? '' };
  return row.group_id === null
    ? { kind: 'team', project, team: row.team as Team }
    : { kind: 'testers', project, group: { id: row.group_id, name: row.group ?? '' } };
}
