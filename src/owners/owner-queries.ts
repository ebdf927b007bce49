import { newIdentifier } from '../core/identifier.ts';
import { type Language, parseLanguage } from '../core/language/languages.ts';
import { defineQueries } from '../db/data.ts';
import type { Queries } from '../db/database.ts';
import { prepareQuery } from '../db/prepared-query.ts';
import {
  canonicalEmail,
  emailKey,
  nameKey,
  type Owner,
  type Project,
  type ProjectMember,
  reservedNameKey,
  type Team,
  type User,
  type Workspace,
} from './owner.ts';
import { forgetGrants } from './team-queries.ts';

/** The columns that `toOwner` reads. Table aliases: o, u, p and w. */
export const ownerColumns = [
  'o.id',
  'o.kind',
  'o.name',
  'u.email',
  'u.email_confirmed',
  'u.administrator',
  'p.description',
  'w.id as workspace_id',
  'w.name as workspace_name',
  'w.display_name as workspace_display_name',
  'w.icon_url as workspace_icon_url',
] as const;

export const ownerQueries = defineQueries(createOwnerQueries);

function createOwnerQueries(db: Queries) {
  const owners = () =>
    db
      .selectFrom('owners as o')
      .leftJoin('users as u', 'u.owner_id', 'o.id')
      .leftJoin('projects as p', 'p.owner_id', 'o.id')
      .leftJoin('workspaces as w', 'w.id', 'p.workspace_id')
      .select(ownerColumns)
      .where('o.deleted_at', 'is', null);

  const usersNamed = (login: string) =>
    owners()
      .where('o.kind', '=', 'user')
      // Every email address contains an @, and no name does. Querying both with `or` would scan all owners.
      .$if(login.includes('@'), (query) => query.where('u.email_key', '=', emailKey(login)))
      .$if(!login.includes('@'), (query) => query.where('o.name_key', '=', nameKey(login)));

  const projectsOfUser = prepareQuery(db, ['userId'], (userId) =>
    owners().where('o.id', 'in', (inner) =>
      inner.selectFrom('team_members').select('project_id').where('user_id', '=', userId),
    ),
  );

  return {
    /** Ignores case; null if no Owner has the name. */
    async findOwner(name: string): Promise<Owner | null> {
      const row = await owners().where('o.name_key', '=', nameKey(name)).executeTakeFirst();
      return row ? toOwner(row) : null;
    },

    async findOwnerById(id: string): Promise<Owner | null> {
      const row = await owners().where('o.id', '=', id).executeTakeFirst();
      return row ? toOwner(row) : null;
    },

    async findActiveUser(id: string): Promise<User | null> {
      const row = await owners().where('o.id', '=', id).where('u.disabled_at', 'is', null).executeTakeFirst();
      const owner = row ? toOwner(row) : null;
      return owner?.kind === 'user' ? owner : null;
    },

    /** The language that a User has chosen; null if none. */
    async findLanguage(userId: string): Promise<Language | null> {
      const row = await db
        .selectFrom('users')
        .select('language')
        .where('owner_id', '=', userId)
        .executeTakeFirst();
      return parseLanguage(row?.language ?? null);
    },

    /** Finds an active User by name or email address, with the password hash. */
    async findUserForSignIn(login: string): Promise<{ user: User; passwordHash: string | null } | null> {
      const row = await usersNamed(login)
        .select('u.password_hash')
        .where('u.disabled_at', 'is', null)
        .executeTakeFirst();
      const owner = row ? toOwner(row) : null;
      return row && owner?.kind === 'user' ? { user: owner, passwordHash: row.password_hash } : null;
    },

    /**
     * Finds an active User whom someone names to give them access: by an address only if it is confirmed, because an address that
     * anyone could claim may belong to somebody else.
     */
    async findAddressee(login: string): Promise<User | null> {
      const row = await usersNamed(login)
        .where('u.disabled_at', 'is', null)
        .$if(login.includes('@'), (query) => query.where('u.email_confirmed', '=', 1))
        .executeTakeFirst();
      const owner = row ? toOwner(row) : null;
      return owner?.kind === 'user' ? owner : null;
    },

    /** Finds an active or disabled User by name or email address. */
    async findUser(login: string): Promise<User | null> {
      const row = await usersNamed(login).executeTakeFirst();
      const owner = row ? toOwner(row) : null;
      return owner?.kind === 'user' ? owner : null;
    },

    async hasUsers(): Promise<boolean> {
      return (await db.selectFrom('users').select('owner_id').limit(1).executeTakeFirst()) !== undefined;
    },

    async findFirstAdministrator(): Promise<User | null> {
      const row = await owners()
        .where('u.administrator', '=', 1)
        .where('u.disabled_at', 'is', null)
        .orderBy('o.id')
        .limit(1)
        .executeTakeFirst();
      const owner = row ? toOwner(row) : null;
      return owner?.kind === 'user' ? owner : null;
    },

    async insertUser(
      user: Omit<User, 'kind' | 'id' | 'emailConfirmed'> & {
        passwordHash: string | null;
        mustChangePassword?: boolean;
        emailConfirmed?: boolean;
        createdAt: number;
      },
    ): Promise<User> {
      const id = await insertOwner(db, 'user', user.name, user.createdAt);
      const email = user.email === null ? null : canonicalEmail(user.email);
      await db
        .insertInto('users')
        .values({
          owner_id: id,
          email,
          email_key: email === null ? null : emailKey(email),
          password_hash: user.passwordHash,
          administrator: user.administrator ? 1 : 0,
          must_change_password: user.mustChangePassword ? 1 : 0,
          email_confirmed: user.emailConfirmed ? 1 : 0,
        })
        .execute();
      const { name, emailConfirmed = false, administrator } = user;
      return { kind: 'user', id, name, email, emailConfirmed, administrator };
    },

    async insertProject(project: {
      name: string;
      description: string;
      workspace: Workspace | null;
      createdAt: number;
    }): Promise<Project> {
      const id = await insertOwner(db, 'project', project.name, project.createdAt);
      await db
        .insertInto('projects')
        .values({
          owner_id: id,
          description: project.description,
          workspace_id: project.workspace?.id ?? null,
        })
        .execute();
      return {
        kind: 'project',
        id,
        name: project.name,
        description: project.description,
        workspace: project.workspace,
      };
    },

    async insertWorkspace(workspace: Omit<Workspace, 'id'> & { createdAt: number }): Promise<Workspace> {
      const id = newIdentifier(workspace.createdAt);
      await db
        .insertInto('workspaces')
        .values({
          id,
          name: workspace.name,
          name_key: nameKey(workspace.name),
          display_name: workspace.displayName,
          icon_url: workspace.iconUrl,
          created_at: workspace.createdAt,
        })
        .execute();
      return { id, name: workspace.name, displayName: workspace.displayName, iconUrl: workspace.iconUrl };
    },

    async findWorkspace(name: string): Promise<Workspace | null> {
      const row = await db
        .selectFrom('workspaces')
        .select(['id', 'name', 'display_name', 'icon_url'])
        .where('name_key', '=', nameKey(name))
        .where('deleted_at', 'is', null)
        .executeTakeFirst();
      return row
        ? { id: row.id, name: row.name, displayName: row.display_name, iconUrl: row.icon_url }
        : null;
    },

    /** Returns whether anything changed. */
    async addTeamMember(
      projectId: string,
      team: Team,
      userId: string,
      now: number,
      addedBy: string | null = null,
    ): Promise<boolean> {
      const row = await db
        .insertInto('team_members')
        .values({ project_id: projectId, user_id: userId, team, created_at: now, added_by: addedBy })
        .onConflict((conflict) => conflict.doNothing())
        .returning('user_id')
        .executeTakeFirst();
      return row !== undefined;
    },

    async removeTeamMember(projectId: string, team: Team, userId: string): Promise<boolean> {
      const row = await db
        .deleteFrom('team_members')
        .where('project_id', '=', projectId)
        .where('user_id', '=', userId)
        .where('team', '=', team)
        .returning('user_id')
        .executeTakeFirst();
      await forgetGrants(db, userId, (mapping) =>
        mapping.and([mapping('project_id', '=', projectId), mapping('team', '=', team)]),
      );
      return row !== undefined;
    },

    async teamsOf(projectId: string, userId: string): Promise<Team[]> {
      const rows = await db
        .selectFrom('team_members')
        .select('team')
        .where('project_id', '=', projectId)
        .where('user_id', '=', userId)
        .execute();
      return rows.map((row) => row.team as Team);
    },

    async listMembers(projectId: string): Promise<ProjectMember[]> {
      const rows = await db
        .selectFrom('team_members as t')
        .innerJoin('owners as o', 'o.id', 't.user_id')
        .select(['o.id', 'o.name', 't.team'])
        .where('t.project_id', '=', projectId)
        .orderBy('o.name_key')
        .execute();
      const members = new Map<string, ProjectMember>();
      for (const row of rows) {
        const member = members.get(row.id) ?? { user: { id: row.id, name: row.name }, teams: [] };
        member.teams.push(row.team as Team);
        members.set(row.id, member);
      }
      return [...members.values()];
    },

    /** Lists every Project with the User in a team, in any order. */
    async listProjectsOfUser(userId: string): Promise<Project[]> {
      return (await projectsOfUser(userId)).map(toOwner).filter((owner) => owner.kind === 'project');
    },
  };
}

async function insertOwner(
  db: Queries,
  kind: Owner['kind'],
  name: string,
  createdAt: number,
): Promise<string> {
  const id = newIdentifier(createdAt);
  await db
    .insertInto('owners')
    .values((values) => ({
      id,
      kind,
      name,
      // Violates the same constraint if an erased account had the name.
      name_key: values.fn.coalesce(
        values.selectFrom('owners').select('name_key').where('name_key', '=', reservedNameKey(name)),
        values.val(nameKey(name)),
      ),
      created_at: createdAt,
    }))
    .execute();
  return id;
}

interface OwnerRow {
  id: string;
  kind: 'user' | 'project';
  name: string;
  email: string | null;
  email_confirmed: number | null;
  administrator: number | null;
  description: string | null;
  workspace_id: string | null;
  workspace_name: string | null;
  workspace_display_name: string | null;
  workspace_icon_url: string | null;
}

export function toOwner(row: OwnerRow): Owner {
  if (row.kind === 'user') {
    return {
      kind: 'user',
      id: row.id,
      name: row.name,
      email: row.email,
      emailConfirmed: row.email_confirmed === 1,
      administrator: row.administrator === 1,
    };
  }
  const workspace: Workspace | null = row.workspace_id
    ? {
        id: row.workspace_id,
        name: row.workspace_name ?? '',
        displayName: row.workspace_display_name ?? '',
        iconUrl: row.workspace_icon_url ?? '',
      }
    : null;
  return { kind: 'project', id: row.id, name: row.name, description: row.description ?? '', workspace };
}
