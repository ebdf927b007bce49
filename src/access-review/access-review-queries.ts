import { type RawBuilder, sql } from 'kysely';
import { defineQueries } from '../db/data.ts';
import type { Queries } from '../db/database.ts';
import { pageSettingsOfRow } from '../distributions/distribution-page.ts';
import type { User, WorkspaceRole } from '../owners/owner.ts';
import { ownerColumns, toOwner } from '../owners/owner-queries.ts';
import { peopleOfWorkspace } from '../owners/workspace-queries.ts';
import type {
  GrantingRule,
  LastUsed,
  OwnerContent,
  ReviewedApp,
  ReviewedPage,
  ReviewedPlace,
  ReviewScope,
  Way,
} from './access-review.ts';

export const accessReviewQueries = defineQueries(createAccessReviewQueries);

/** A way with the person and the place that it leads into. */
export interface Membership {
  userId: string;
  placeId: string;
  way: Way;
}

export type ListedPerson = { user: User; disabled: boolean; seenAt: number | null; keyUsedAt: number | null };

function createAccessReviewQueries(db: Queries) {
  const people = () =>
    db
      .selectFrom('owners as o')
      .innerJoin('users as u', 'u.owner_id', 'o.id')
      .leftJoin('projects as p', 'p.owner_id', 'o.id')
      .leftJoin('workspaces as w', 'w.id', 'p.workspace_id')
      .select([...ownerColumns, 'o.name_key', 'u.disabled_at', 'u.last_seen_at'])
      .select((query) =>
        query
          .selectFrom('api_keys as k')
          .whereRef('k.owner_id', '=', 'u.owner_id')
          .select(({ fn }) => fn.max('k.last_used_at').as('at'))
          .as('key_used_at'),
      )
      .where('o.deleted_at', 'is', null);
  type PersonRow = Awaited<ReturnType<ReturnType<typeof people>['execute']>>[number];
  const toPerson = (row: PersonRow): ListedPerson => ({
    user: toOwner(row) as User,
    disabled: row.disabled_at !== null,
    seenAt: row.last_seen_at,
    keyUsedAt: row.key_used_at,
  });
  /** The teams, groups, Workspaces and shared apps of the people, within the scope. */
  const rows = {
    team: (userIds: readonly string[], scope: ReviewScope) =>
      db
        .selectFrom('team_members as t')
        .innerJoin('owners as o', 'o.id', 't.project_id')
        .select([
          't.user_id',
          't.project_id as place_id',
          't.team as name',
          't.created_at as since',
          't.added_by',
        ])
        .where('t.user_id', 'in', userIds)
        .where('o.deleted_at', 'is', null)
        .where(within(scope, sql.ref('t.project_id')))
        .orderBy('t.project_id')
        .orderBy('t.team'),
    group: (userIds: readonly string[], scope: ReviewScope) =>
      db
        .selectFrom('group_members as m')
        .innerJoin('groups as g', 'g.id', 'm.group_id')
        .select([
          'm.user_id',
          'g.owner_id as place_id',
          'g.name',
          'g.id',
          'm.created_at as since',
          'm.added_by',
        ])
        .where('m.user_id', 'in', userIds)
        .where(within(scope, ownerOfGroup))
        .orderBy('g.name_key'),
    'group-manager': (userIds: readonly string[], scope: ReviewScope) =>
      db
        .selectFrom('group_managers as m')
        .innerJoin('groups as g', 'g.id', 'm.group_id')
        .innerJoin('owners as o', 'o.id', 'g.owner_id')
        .select(['m.user_id', 'g.owner_id as place_id', 'g.name', 'g.id', 'm.created_at as since'])
        .select(sql<null>`null`.as('added_by'))
        .where('m.user_id', 'in', userIds)
        .where('o.deleted_at', 'is', null)
        .where(within(scope, ownerOfGroup))
        .orderBy('g.name_key'),
    app: (userIds: readonly string[]) =>
      db
        .selectFrom('app_testers as t')
        .innerJoin('apps as a', 'a.id', 't.app_id')
        .innerJoin('users as u', 'u.owner_id', 'a.owner_id')
        .select(['t.user_id', 'a.owner_id as place_id', 'a.package_name as name', 'a.id'])
        .select(['t.created_at as since', 't.added_by'])
        .where('t.user_id', 'in', userIds)
        .where('a.deleted_at', 'is', null)
        .orderBy('a.id'),
    workspace: (role: WorkspaceRole, userIds: readonly string[], scope: ReviewScope) =>
      db
        .selectFrom(`workspace_${role}s as m`)
        .innerJoin('workspaces as w', 'w.id', 'm.workspace_id')
        .select(['m.user_id', 'm.workspace_id as place_id', 'm.created_at as since', 'm.added_by'])
        .where('m.user_id', 'in', userIds)
        .where('w.deleted_at', 'is', null)
        // Owners who are also members have the rights of owners.
        .$if(role === 'member', (query) =>
          query.where(
            sql<boolean>`not exists (select 1 from workspace_owners o
              where o.workspace_id = m.workspace_id and o.user_id = m.user_id)`,
          ),
        )
        .$if(scope.kind === 'workspace', (query) =>
          query.where('w.id', '=', scope.kind === 'workspace' ? scope.workspace.id : ''),
        )
        .orderBy('w.id'),
  };
  return {
    /** Lists people with access to something in the scope, by name. Disabled accounts are included. */
    async listPeople(
      scope: ReviewScope,
      { after, limit, query = '' }: { after: string | undefined; limit: number; query?: string },
    ): Promise<(ListedPerson & { key: string })[]> {
      const found = await people()
        .where('o.kind', '=', 'user')
        .$if(after !== undefined, (select) => select.where('o.name_key', '>', after ?? ''))
        .$if(query !== '', (select) =>
          select.where(sql<boolean>`o.name_key like ${startOf(query)} escape '!'`),
        )
        .where(memberIn(scope))
        .orderBy('o.name_key')
        .limit(limit)
        .execute();
      return found.map((row) => ({ ...toPerson(row), key: row.name_key }));
    },

    async findPerson(id: string): Promise<ListedPerson | null> {
      const row = await people().where('o.id', '=', id).executeTakeFirst();
      return row ? toPerson(row) : null;
    },

    /** The memberships of the people in the scope, and the rules that added them. */
    async listMemberships(userIds: readonly string[], scope: ReviewScope): Promise<Membership[]> {
      if (userIds.length === 0) return [];
      const ofKind = async (
        kind: Way['kind'],
        query: {
          execute(): Promise<
            {
              user_id: string;
              place_id: string;
              since: number | null;
              added_by: string | null;
              name?: string;
              id?: string;
            }[]
          >;
        },
      ): Promise<Membership[]> =>
        (await query.execute()).map((row) => ({
          userId: row.user_id,
          placeId: row.place_id,
          way: {
            kind,
            name: row.name ?? null,
            id: row.id ?? null,
            since: row.since,
            addedBy: row.added_by,
            rules: [],
          },
        }));
      const isInstallation = scope.kind === 'installation';
      const [grants, ...kinds] = await Promise.all([
        this.listGrants(userIds),
        scope.kind === 'project' ? [] : ofKind('workspace-owner', rows.workspace('owner', userIds, scope)),
        scope.kind === 'project' ? [] : ofKind('workspace-member', rows.workspace('member', userIds, scope)),
        ofKind('team', rows.team(userIds, scope)),
        isInstallation ? ofKind('app', rows.app(userIds)) : [],
        ofKind('group', rows.group(userIds, scope)),
        ofKind('group-manager', rows['group-manager'](userIds, scope)),
      ]);
      const grantsOf = Map.groupBy(grants, ({ userId }) => userId);
      return kinds.flat().map((one) => ({
        ...one,
        way: {
          ...one.way,
          rules: (grantsOf.get(one.userId) ?? [])
            .filter(({ leadsTo }) => leadsTo(one))
            .map(({ rule }) => rule),
        },
      }));
    },

    async listGrants(
      userIds: readonly string[],
    ): Promise<{ userId: string; rule: GrantingRule; leadsTo: (one: Membership) => boolean }[]> {
      const found = await db
        .selectFrom('granted_memberships as r')
        .innerJoin('group_mappings as m', 'm.id', 'r.mapping_id')
        .leftJoin('scim_groups as s', 's.id', 'm.scim_group_id')
        .leftJoin('claimed_groups as c', 'c.id', 'm.claimed_group_id')
        .select(['r.user_id', 'r.joined_team', 'm.workspace_id', 'm.project_id', 'm.team', 'm.group_id'])
        .select(['m.created_by', 'm.created_at', 's.display_name', 'c.name as claimed_name'])
        .where('r.user_id', 'in', userIds)
        .orderBy('m.id')
        .execute();
      return found.map((row) => ({
        userId: row.user_id,
        rule: {
          directoryGroup: row.display_name ?? row.claimed_name ?? '',
          createdBy: row.created_by,
          createdAt: row.created_at,
        },
        leadsTo: ({ placeId, way }) => {
          if (row.project_id === null)
            return way.kind === `workspace-${row.team ?? 'owner'}` && placeId === row.workspace_id;
          if (placeId !== row.project_id) return false;
          if (row.group_id === null) return way.kind === 'team' && way.name === row.team;
          const isJoinedTeam = row.joined_team === 1 && way.kind === 'team' && way.name === 'tester';
          return isJoinedTeam || (way.kind === 'group' && way.id === row.group_id);
        },
      }));
    },

    async findPlaces(ids: readonly string[]): Promise<Map<string, ReviewedPlace>> {
      if (ids.length === 0) return new Map();
      const owners = await db
        .selectFrom('owners as o')
        .leftJoin('users as u', 'u.owner_id', 'o.id')
        .leftJoin('projects as p', 'p.owner_id', 'o.id')
        .leftJoin('workspaces as w', 'w.id', 'p.workspace_id')
        .select(ownerColumns)
        .where('o.id', 'in', ids)
        .where('o.deleted_at', 'is', null)
        .execute();
      const workspaces = await db
        .selectFrom('workspaces')
        .select(['id', 'name', 'display_name', 'icon_url'])
        .where('id', 'in', ids)
        .execute();
      return new Map<string, ReviewedPlace>([
        ...owners.map((row) => [row.id, toOwner(row)] as const),
        ...workspaces.map(
          ({ display_name: displayName, icon_url: iconUrl, ...row }) =>
            [row.id, { kind: 'workspace', ...row, displayName, iconUrl }] as const,
        ),
      ]);
    },

    /** The apps and pages of the owners. */
    async contentOf(ownerIds: readonly string[]): Promise<Map<string, OwnerContent>> {
      if (ownerIds.length === 0) return new Map();
      const apps = await db
        .selectFrom('apps')
        .select(['id', 'owner_id', 'platform', 'package_name'])
        .where('owner_id', 'in', ownerIds)
        .where('deleted_at', 'is', null)
        .orderBy('package_name')
        .orderBy('platform')
        .execute();
      const pages = await db
        .selectFrom('distribution_pages as d')
        .innerJoin('apps as a', 'a.id', 'd.app_id')
        .selectAll('d')
        .where('a.owner_id', 'in', ownerIds)
        .where('a.deleted_at', 'is', null)
        .orderBy('d.name')
        .orderBy('a.package_name')
        .orderBy('a.platform')
        .execute();
      const groups = await db
        .selectFrom('page_groups as g')
        .innerJoin('groups as n', 'n.id', 'g.group_id')
        .select(['g.page_id', 'g.group_id'])
        .where('n.owner_id', 'in', ownerIds)
        .execute();
      const groupsOf = Map.groupBy(groups, (row) => row.page_id);
      const shown = new Map<string, ReviewedApp>(
        apps.map((row) => [
          row.id,
          { id: row.id, platform: row.platform as ReviewedApp['platform'], packageName: row.package_name },
        ]),
      );
      const content = new Map(
        ownerIds.map((id): [string, { apps: ReviewedApp[]; pages: ReviewedPage[] }] => [
          id,
          { apps: [], pages: [] },
        ]),
      );
      const ownerOf = new Map(apps.map((row) => [row.id, row.owner_id]));
      for (const [id, app] of shown) content.get(ownerOf.get(id) ?? '')?.apps.push(app);
      for (const row of pages) {
        const app = shown.get(row.app_id);
        if (!app) continue;
        content.get(ownerOf.get(app.id) ?? '')?.pages.push({
          ...pageSettingsOfRow(row),
          id: row.id,
          app,
          passcodeHash: row.passcode_hash,
          groups: (groupsOf.get(row.id) ?? []).map((one) => one.group_id),
        });
      }
      return content;
    },

    /** When the people last opened and installed something of the owners in the scope. */
    async lastVisits(
      userIds: readonly string[],
      scope: ReviewScope,
    ): Promise<Map<string, Pick<LastUsed, 'visit' | 'install'>>> {
      if (userIds.length === 0) return new Map();
      const found = await db
        .selectFrom('member_activity as m')
        .innerJoin('apps as a', 'a.id', 'm.app_id')
        .select([
          'm.user_id',
          sql<number | null>`max(m.opened_at)`.as('visit'),
          sql<number | null>`max(m.installed_at)`.as('install'),
        ])
        .where('m.user_id', 'in', userIds)
        .where(within(scope, sql.ref('a.owner_id')))
        .groupBy('m.user_id')
        .execute();
      return new Map(found.map(({ user_id: id, ...times }) => [id, times]));
    },
  };
}

/** An expression, so that SQLite looks up the groups of the people instead of all people in every group. */
const ownerOfGroup = sql`(g.owner_id || '')`;

const startOf = (query: string) => `${query.toLowerCase().replace(/[!%_]/g, '!$&')}%`;

/** Whether the owner in the column is in the scope. */
export function within(scope: ReviewScope, ownerId: RawBuilder<unknown>) {
  if (scope.kind === 'installation') return sql<boolean>`1 = 1`;
  if (scope.kind === 'project') return sql<boolean>`${ownerId} = ${scope.project.id}`;
  return sql<boolean>`${ownerId} in (select owner_id from projects where workspace_id = ${scope.workspace.id})`;
}

function memberIn(scope: ReviewScope) {
  if (scope.kind === 'installation') return sql<boolean>`1 = 1`;
  if (scope.kind === 'project')
    return sql<boolean>`o.id in (select user_id from team_members where project_id = ${scope.project.id} union
      select m.user_id from "groups" g join group_managers m on m.group_id = g.id where g.owner_id = ${scope.project.id})`;
  return sql<boolean>`(o.id in ${peopleOfWorkspace(scope.workspace.id)} or o.id in (
    select m.user_id from projects p join "groups" g on g.owner_id = p.owner_id
      join group_managers m on m.group_id = g.id where p.workspace_id = ${scope.workspace.id}))`;
}
