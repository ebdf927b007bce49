/** Access rules of the routes under /users, /organizations and /enterprises. All other callers get `NotFound`. */
import type { Caller, Person } from '../accounts/authorization/identify-http.ts';
import type { PersonRule } from '../accounts/authorization/key-access-http.ts';
import type { RouteAccess } from '../accounts/authorization/route-access-http.ts';
import { secondFactorQueries } from '../accounts/second-factor/second-factor-queries.ts';
import { NotFound } from '../core/errors.ts';
import type { Data } from '../db/data.ts';
import type { Access, Role } from '../http/routes/route-facts.ts';
import { type Actor, coveredByKey, coversOwner } from '../owners/actor.ts';
import { barOf, WorkspaceBarred } from '../owners/gate/workspace-gate.ts';
import { refusalAt } from '../owners/gate/workspace-refusal.ts';
import { groupQueries } from '../owners/group-queries.ts';
import { type Owner, type User, type Workspace, type WorkspaceRole, workspaceOf } from '../owners/owner.ts';
import { admits, loadPermissions, type OwnerPermissions } from '../owners/owner-permissions.ts';
import { ownerQueries } from '../owners/owner-queries.ts';
import { workspaceQueries } from '../owners/workspace-queries.ts';
import { projectListQueries } from './lists/project-list-queries.ts';

type OwnerKind = Owner['kind'];
type OwnerOf<Kind extends OwnerKind> = Extract<Owner, { kind: Kind }>;

/** The Owner in the path, and the caller's permissions. */
export interface OwnerSubject<Known extends Owner = Owner> {
  owner: Known;
  permissions: OwnerPermissions;
}

export interface WorkspaceSubject {
  workspace: Workspace;
  /** Null for guests, and for administrators who do not belong to it. Owners may create Projects in it. */
  role: WorkspaceRole | null;
  /** Whether the caller may edit and delete it. */
  administers: boolean;
  /** Whether the caller sees the list of all of its Projects. */
  seesProjects: boolean;
}

interface GroupParams {
  owner: string;
  group: string;
}

export interface GroupSubject<Known extends Owner = Owner> extends OwnerSubject<Known> {
  /** The caller does not own the group, and may only add people and remove them. */
  isManager: boolean;
}

type OwnerRule<Who extends Caller, Kind extends OwnerKind> = Access<
  { owner: string },
  Who,
  OwnerSubject<OwnerOf<Kind>>
>;

type OwnerPersonRule<Kind extends OwnerKind> = PersonRule<
  { owner: string },
  OwnerSubject<OwnerOf<Kind>>,
  Caller
>;

/** A Workspace, also for an owner whose session may not use it. */
export interface RecoverableWorkspace {
  workspace: Workspace;
  /** Whether the session may not use the Workspace otherwise. */
  isBarred: boolean;
  /** Whether the person could get here in a barred session. */
  canRecover: boolean;
}

export interface OwnerAccess {
  /** Anyone with an account, by session or key. */
  user: Access<unknown, Caller, User>;
  /** Callers with access to the Owner's apps, by session or key. The path of a User also accepts the name of a Project. */
  viewer<Kind extends OwnerKind>(...kinds: Kind[]): OwnerRule<Caller, Kind>;
  /** Like `viewer`, for callers who may also upload. */
  uploader<Kind extends OwnerKind>(...kinds: Kind[]): OwnerRule<Caller, Kind>;
  uploadingPerson<Kind extends OwnerKind>(...kinds: Kind[]): OwnerPersonRule<Kind>;
  /** The User in the path, or the owner team of the Project: people who administer the Owner and see its apps. */
  owner<Kind extends OwnerKind>(...kinds: Kind[]): OwnerPersonRule<Kind>;
  /** Like `owner`, and managers of the group in the path, who see `isManager`. */
  groupManager<Kind extends OwnerKind>(
    ...kinds: Kind[]
  ): PersonRule<GroupParams, GroupSubject<OwnerOf<Kind>>, Caller>;
  /** Members of any team of the Project. */
  member: OwnerPersonRule<'project'>;
  memberOrAdministrator: OwnerPersonRule<'project'>;
  /** The User in the path, the owner team of the Project, or administrators. */
  ownerOrAdministrator<Kind extends OwnerKind>(...kinds: Kind[]): OwnerPersonRule<Kind>;
  administrator<Kind extends OwnerKind>(...kinds: Kind[]): OwnerPersonRule<Kind>;
  /** Its guests, members and owners, administrators, and keys of its Projects. */
  workspaceViewer: Access<{ workspace: string }, Caller, WorkspaceSubject>;
  /** Its members and owners. */
  workspaceMember: PersonRule<{ workspace: string }, Workspace>;
  /** Its owners and administrators. */
  workspaceOwnerOrAdministrator: PersonRule<{ workspace: string }, Workspace>;
  /**
   * Also its owners with a second factor in a session that may not use it, so that a failing provider locks nobody out. The only
   * routes that such a session reaches have this rule.
   */
  workspaceRecovery: Access<{ workspace: string }, Person, RecoverableWorkspace>;
  /** The same people, but no policy of the Workspace refuses administrators, who can correct it. */
  workspacePolicies: PersonRule<{ workspace: string }, Workspace>;
}

export function createOwnerAccess({ data, access }: { data: Data; access: RouteAccess }): OwnerAccess {
  const byPerson = { credentials: ['session'], others: 'missing', identify: access.person } as const;
  const byCaller = { credentials: ['session', 'key'], others: 'missing', identify: access.caller } as const;
  const admit =
    <Kind extends OwnerKind>(
      kinds: readonly Kind[],
      may: (permissions: OwnerPermissions) => boolean,
      /** Who may send the forms of the page. */
      mayChange = may,
    ) =>
    async ({ actor }: Caller, { owner: name }: { owner: string }): Promise<OwnerSubject<OwnerOf<Kind>>> => {
      const owner = await ownerQueries(data).findOwner(name);
      if (!owner || !isOneOf(owner, kinds)) throw new NotFound();
      const permissions = await loadPermissions(data, actor, owner);
      if (!admits(actor, permissions, may, mayChange)) throw new NotFound();
      return { owner, permissions };
    };
  const administering: readonly Role[] = ['owner team', 'administrator'];
  return {
    user: {
      ...byCaller,
      roles: ['signed in'],
      authorize: async ({ actor }) => {
        if (actor.kind !== 'user') throw new NotFound();
        return actor.user;
      },
    },
    viewer: (...kinds) => ({
      ...byCaller,
      roles: ['tester'],
      authorize: admit(kinds, ({ views }) => views),
    }),
    uploader: (...kinds) => ({
      ...byCaller,
      roles: ['developer'],
      authorize: admit(kinds, canUploadAndView),
    }),
    uploadingPerson: (...kinds) => ({
      ...byPerson,
      roles: ['developer'],
      authorize: admit(kinds, canUploadAndView),
    }),
    owner: (...kinds) => ({
      ...byPerson,
      roles: ['owner team'],
      authorize: admit(kinds, administersAndViews),
    }),
    groupManager: (...kinds) => ({
      ...byPerson,
      roles: ['owner team', 'group manager'],
      authorize: async ({ actor }, { owner: name, group }) => {
        const owner = await ownerQueries(data).findOwner(name);
        if (!owner || !isOneOf(owner, kinds)) throw new NotFound();
        const permissions = await loadPermissions(data, actor, owner);
        if (admits(actor, permissions, administersAndViews)) return { owner, permissions, isManager: false };
        const isManager =
          actor.kind === 'user' &&
          coversOwner(actor, owner.id) &&
          (await groupQueries(data).isManager(owner.id, group, actor.user.id));
        if (!isManager) throw new NotFound();
        const workspace = workspaceOf(owner);
        if (workspace) await requireOpen(data, actor, workspace);
        return { owner, permissions, isManager };
      },
    }),
    member: { ...byPerson, roles: ['tester'], authorize: admit(['project'], ({ views }) => views) },
    memberOrAdministrator: {
      ...byPerson,
      roles: ['tester', 'administrator'],
      authorize: admit(
        ['project'],
        ({ views, administers }) => views || administers,
        ({ administers }) => administers,
      ),
    },
    ownerOrAdministrator: (...kinds) => ({
      ...byPerson,
      roles: administering,
      authorize: admit(kinds, ({ administers }) => administers),
    }),
    administrator: (...kinds) => ({
      ...byPerson,
      roles: ['administrator'],
      authorize: admit(kinds, ({ administrator }) => administrator),
    }),
    workspaceViewer: {
      ...byCaller,
      roles: ['workspace guest', 'workspace member', 'workspace owner', 'administrator'],
      authorize: async ({ actor }, { workspace: name }) => {
        const known = await findWorkspace(data, actor, name);
        if (!known.seesProjects && !(await isInside(data, actor, known.workspace))) throw new NotFound();
        await requireOpen(data, actor, known.workspace);
        return known;
      },
    },
    workspaceMember: {
      ...byPerson,
      roles: ['workspace member', 'workspace owner'],
      authorize: async ({ actor }, { workspace: name }) => {
        const { workspace, role } = await findWorkspace(data, actor, name);
        if (role === null) throw new NotFound();
        await requireOpen(data, actor, workspace);
        return workspace;
      },
    },
    workspaceOwnerOrAdministrator: {
      ...byPerson,
      roles: ['workspace owner', 'administrator'],
      authorize: async ({ actor }, { workspace: name }) => {
        const { workspace, administers } = await findWorkspace(data, actor, name);
        if (!administers) throw new NotFound();
        await requireOpen(data, actor, workspace);
        return workspace;
      },
    },
    workspacePolicies: {
      ...byPerson,
      roles: ['workspace owner', 'administrator'],
      authorize: async ({ actor }, { workspace: name }) => {
        const { workspace, administers } = await findWorkspace(data, actor, name);
        if (!administers) throw new NotFound();
        if (!actor.user.administrator) await requireOpen(data, actor, workspace);
        return workspace;
      },
    },
    workspaceRecovery: {
      ...byPerson,
      roles: ['workspace owner', 'administrator'],
      authorize: async ({ actor }, { workspace: name }) => {
        const { workspace, administers, role } = await findWorkspace(data, actor, name);
        if (!administers) throw new NotFound();
        const { gate: _, ...ungated } = actor;
        if (!actor.user.administrator) await requireOpen(data, ungated, workspace);
        const bar = barOf(actor, workspace.id);
        const factors = role === 'owner' ? await secondFactorQueries(data).findFactors(actor.user.id) : null;
        const hasFactor = factors !== null && (factors.encryptedTotp !== null || factors.passkeys > 0);
        if (bar && !hasFactor) throw new WorkspaceBarred(bar);
        return { workspace, isBarred: bar !== null, canRecover: hasFactor || actor.user.administrator };
      },
    },
  };
}

const administersAndViews = ({ administers, views }: OwnerPermissions) => administers && views;
const canUploadAndView = ({ uploads, views }: OwnerPermissions) => uploads && views;

const isOneOf = <Kind extends OwnerKind>(owner: Owner, kinds: readonly Kind[]): owner is OwnerOf<Kind> =>
  (kinds as readonly OwnerKind[]).includes(owner.kind);

/** Throws `NotFound` if the Workspace does not exist. */
async function findWorkspace(data: Data, actor: Actor, name: string): Promise<WorkspaceSubject> {
  const workspace = await ownerQueries(data).findWorkspace(name);
  if (!workspace) throw new NotFound();
  if (actor.kind === 'project') return { workspace, role: null, administers: false, seesProjects: false };
  // A restricted key can only give access to Projects of the Workspace.
  const isRestricted = actor.restriction !== undefined;
  const [role = null] = isRestricted ? [] : await workspaceQueries(data).rolesOf(workspace.id, actor.user.id);
  const administers = role === 'owner' || (!isRestricted && actor.user.administrator);
  return { workspace, role, administers, seesProjects: administers || role !== null };
}

async function requireOpen(data: Data, actor: Actor, workspace: { id: string }): Promise<void> {
  const refusal = await refusalAt(data, actor, workspace);
  if (refusal) throw refusal;
}

async function isInside(data: Data, actor: Actor, { id }: Workspace): Promise<boolean> {
  if (actor.kind === 'project') return actor.project.workspace?.id === id;
  const scope = { workspaceId: id, memberId: actor.user.id, within: coveredByKey(actor) };
  return (await projectListQueries(data).listProjects(scope, [], { limit: 1 })).length > 0;
}
