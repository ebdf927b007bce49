/**
 * Adds people to Projects and Workspaces, and removes them. All such changes use these functions: web, command line, invitations
 * and account deletion. Call them in a transaction that has locked the Project or Workspace, so that if two owners leave at once,
 * the second one is refused.
 */
import { conflict, NotFound, PolicyRefused } from '../core/errors.ts';
import type { Connection } from '../db/data.ts';
import { eventQueries } from '../jobs/event-queries.ts';
import type { NoticeKind } from '../jobs/outbox.ts';
import { outboxQueries } from '../jobs/outbox-queries.ts';
import { appTesterQueries } from './app-tester-queries.ts';
import { auditQueries, nameOfActor } from './audit-queries.ts';
import { refusalAt } from './gate/workspace-refusal.ts';
import { groupQueries } from './group-queries.ts';
import {
  type Project,
  type Team,
  type User,
  type Workspace,
  type WorkspaceRole,
  workspaceRoles,
} from './owner.ts';
import { loadPermissions } from './owner-permissions.ts';
import { ownerQueries } from './owner-queries.ts';
import { ownerTexts } from './owner-texts.ts';
import { requireAllowedEmail } from './policies/enforce-policies.ts';
import { quotaQueries } from './quota-queries.ts';
import { endAccess, type MembershipActor, type MembershipChange, supersedeInvitations } from './removals.ts';
import { teamQueries } from './team-queries.ts';
import { workspaceQueries } from './workspace-queries.ts';

export type { MembershipActor };

/** The email to a person who was added without an invitation is dropped if it cannot be sent within a day. */
const noticeLifetimeMs = 24 * 60 * 60_000;

/** Locks the Project until the transaction ends. Throws `NotFound` if it no longer exists. */
export async function lockProject(tx: Connection, project: Project): Promise<void> {
  if (!(await quotaQueries(tx).lock(project.id))) {
    throw new NotFound(ownerTexts.gone.project({ name: project.name }));
  }
}

/** Throws `NotFound` unless `by` manages the Project now, because permissions may have changed since the page was opened. */
export async function requireProjectManager(
  tx: Connection,
  by: MembershipActor,
  project: Project,
): Promise<void> {
  if (await isAdministrator(tx, by)) return;
  if (typeof by === 'string' || by.kind !== 'user') throw new NotFound();
  if (!(await loadPermissions(tx, by, project)).manages) throw new NotFound();
}

/** Whether a change takes effect immediately, as for the operator and administrators. */
export async function isAdministrator(tx: Connection, by: MembershipActor): Promise<boolean> {
  if (by === 'command-line') return true;
  // The key of an administrator counts only if it has the scope `admin`.
  if (typeof by === 'string' || by.kind !== 'user' || !by.user.administrator) return false;
  const user = await ownerQueries(tx).findOwnerById(by.user.id);
  return user?.kind === 'user' && user.administrator;
}

/**
 * Throws `PolicyRefused` if the Workspace does not admit the email address of the person. What adds people by rules, such as a
 * directory, leaves such a person out instead.
 */
async function mayJoin(
  tx: Connection,
  { by, user, isByRule = false }: MembershipChange,
  place: { kind: 'project' | 'workspace'; id: string },
): Promise<boolean> {
  try {
    await requireAllowedEmail(tx, place, user);
    return true;
  } catch (error) {
    const isAsked = typeof by === 'string' ? by === 'command-line' : by.kind !== 'directory';
    if ((isAsked && !isByRule) || !(error instanceof PolicyRefused)) throw error;
    return false;
  }
}

/** Adds a person to a team of a Project. Returns whether anything changed. */
export async function addMember(
  tx: Connection,
  change: MembershipChange & {
    project: Pick<Project, 'id' | 'name'>;
    team: Team;
    /** Notifies the person by email. */
    notify: boolean;
    /** The person has left another team in the same transaction. */
    moves?: boolean;
    details?: Record<string, unknown>;
  },
): Promise<boolean> {
  const { by, project, user, team, at } = change;
  const before = await ownerQueries(tx).teamsOf(project.id, user.id);
  if (!(await mayJoin(tx, change, { kind: 'project', id: project.id }))) return false;
  if (!(await ownerQueries(tx).addTeamMember(project.id, team, user.id, at, addedByOf(change)))) return false;
  await supersedeInvitations(tx, { kind: 'project', id: project.id }, user, at);
  if (team === 'owner') await quotaQueries(tx).claimProject(project.id, user.id);
  await auditQueries(tx).record({
    at,
    actor: by,
    action: 'team.joined',
    ownerId: project.id,
    subject: `${user.name} ${team} team`,
    details: change.details ?? {},
  });
  const isNew = before.length === 0 && !change.moves;
  await dispatchMembership(tx, isNew ? 'member.added' : 'member.changed', change);
  if (change.notify) await notifyAdded(tx, 'team-added', user, project, at);
  return true;
}

/**
 * Removes a person from the teams in `leaves`, or from all teams of the Project, and withdraws open invitations to these teams.
 * Returns whether anything changed. Throws `conflict` if nobody else owns the Project.
 */
export async function removeMember(
  tx: Connection,
  change: MembershipChange & {
    project: Pick<Project, 'id' | 'name'>;
    leaves?: readonly Team[];
    /** The person joins another team in the same transaction. */
    moves?: boolean;
  },
): Promise<boolean> {
  const { by, project, user, at } = change;
  const teams = await ownerQueries(tx).teamsOf(project.id, user.id);
  const left = teams.filter((team) => change.leaves?.includes(team) ?? true);
  if (left.includes('owner') && !(await teamQueries(tx).hasOtherOwner(project.id, user.id))) {
    throw conflict(ownerTexts.lastProjectOwner);
  }
  for (const team of left) {
    await ownerQueries(tx).removeTeamMember(project.id, team, user.id);
    const subject = `${user.name} ${team} team`;
    await auditQueries(tx).record({ at, actor: by, action: 'team.left', ownerId: project.id, subject });
  }
  const isOut = left.length === teams.length;
  if (left.length > 0 && !change.moves)
    await dispatchMembership(tx, isOut ? 'member.removed' : 'member.changed', change);
  if (isOut && !change.moves) await groupQueries(tx).removeFromOwner(project.id, user.id);
  if (left.includes('owner')) await quotaQueries(tx).transferProjects(user.id, project.id);
  const hasLeft = left.length > 0;
  return endAccess(tx, {
    ...change,
    place: { kind: 'project', id: project.id, name: project.name, ownerId: project.id },
    hasLeft,
    stays: !isOut || (change.moves ?? false),
    teams: hasLeft && isOut ? null : (change.leaves ?? null),
  });
}

const addedByOf = ({ by, addedBy }: MembershipChange) => addedBy ?? nameOfActor(by);

async function dispatchMembership(
  tx: Connection,
  type: `member.${'added' | 'changed' | 'removed'}`,
  { project, user, at }: MembershipChange & { project: Pick<Project, 'id'> },
): Promise<void> {
  const person = { name: user.name, teams: await ownerQueries(tx).teamsOf(project.id, user.id) };
  await eventQueries(tx).dispatch(project.id, { type, ownerId: project.id, person }, at);
}

/** Locks the Workspace until the transaction ends. Throws `NotFound` if it no longer exists. */
export async function lockWorkspace(tx: Connection, workspace: Pick<Workspace, 'id'>): Promise<void> {
  if (!(await workspaceQueries(tx).lock(workspace.id))) throw new NotFound();
}

/** Locks the Workspace until the transaction ends. Throws `NotFound` if it no longer exists, and unless `by` manages it. */
export async function lockManagedWorkspace(
  tx: Connection,
  by: MembershipActor,
  workspace: Workspace,
): Promise<void> {
  await lockWorkspace(tx, workspace);
  await requireWorkspaceManager(tx, by, workspace);
}

/** Throws `NotFound` unless `by` owns the Workspace or is an administrator. */
export async function requireWorkspaceManager(
  tx: Connection,
  by: MembershipActor,
  workspace: Workspace,
): Promise<void> {
  if (await isAdministrator(tx, by)) return;
  if (typeof by === 'string' || by.kind !== 'user') throw new NotFound();
  if (!(await workspaceQueries(tx).rolesOf(workspace.id, by.user.id)).includes('owner')) throw new NotFound();
  const refusal = await refusalAt(tx, by, workspace);
  if (refusal) throw refusal;
}

/** Gives a person a role in the Workspace. Returns whether anything changed. */
export async function addWorkspacePerson(
  tx: Connection,
  change: MembershipChange & {
    workspace: Pick<Workspace, 'id' | 'name'>;
    role: WorkspaceRole;
    notify: boolean;
  },
): Promise<boolean> {
  const { workspace, user, role, at } = change;
  const place = { kind: 'workspace', id: workspace.id } as const;
  const queries = workspaceQueries(tx);
  if ((await queries.rolesOf(workspace.id, user.id)).includes(role)) return false;
  if (!(await mayJoin(tx, change, place))) return false;
  await queries.addPerson(workspace.id, user.id, role, { at, by: addedByOf(change) });
  // Members can still be invited to own it.
  await supersedeInvitations(tx, place, user, at, role === 'owner' ? null : [role]);
  await recordRole(tx, change, role, 'added');
  if (change.notify)
    await notifyAdded(tx, role === 'owner' ? 'workspace-added' : 'workspace-joined', user, workspace, at);
  return true;
}

/**
 * Ends the roles in `leaves`, or all roles of a person in the Workspace, and withdraws open invitations to it. Returns whether
 * anything changed. Throws `conflict` if nobody else owns it.
 */
export async function removeWorkspacePerson(
  tx: Connection,
  change: MembershipChange & {
    workspace: Pick<Workspace, 'id' | 'name'>;
    leaves?: readonly WorkspaceRole[];
  },
): Promise<boolean> {
  const { workspace, user, leaves = workspaceRoles } = change;
  const roles = await workspaceQueries(tx).rolesOf(workspace.id, user.id);
  const left = roles.filter((role) => leaves.includes(role));
  if (left.includes('owner') && !(await workspaceQueries(tx).hasOtherOwner(workspace.id, user.id)))
    throw conflict(ownerTexts.lastWorkspaceOwner);
  for (const role of left) {
    await workspaceQueries(tx).removePerson(workspace.id, user.id, role);
    await recordRole(tx, change, role, 'removed');
  }
  const place = { kind: 'workspace', id: workspace.id, name: workspace.name, ownerId: null } as const;
  return endAccess(tx, { ...change, place, hasLeft: left.length > 0 });
}

const roleActions = {
  owner: { added: 'workspace.owner-added', removed: 'workspace.owner-removed' },
  member: { added: 'workspace.member-added', removed: 'workspace.member-removed' },
} as const;

const recordRole = (
  tx: Connection,
  { at, by, user, workspace }: MembershipChange & { workspace: Pick<Workspace, 'name'> },
  role: WorkspaceRole,
  change: 'added' | 'removed',
) =>
  auditQueries(tx).record({
    at,
    actor: by,
    action: roleActions[role][change],
    ownerId: null,
    subject: `${user.name}: ${workspace.name}`,
  });

/** Removes a person's access to an app of a User, and withdraws open invitations to it. Locks the app. Returns whether anything changed. */
export async function removeTester(
  tx: Connection,
  change: MembershipChange & {
    /** `name`: package name and platform. */
    app: { id: string; name: string; ownerId: string };
  },
): Promise<boolean> {
  const { by, user, at, app } = change;
  await appTesterQueries(tx).lockApp(app.id);
  const hadAccess = await appTesterQueries(tx).remove(app.id, user.id);
  if (hadAccess) {
    const hasAccess = await groupQueries(tx).hasAccess({ id: app.ownerId, kind: 'user' }, user.id);
    if (!hasAccess) await groupQueries(tx).removeFromOwner(app.ownerId, user.id);
    const entry = { at, actor: by, action: 'access.taken', ownerId: app.ownerId };
    const subject = `${user.name}: ${app.name}`;
    await auditQueries(tx).record({ ...entry, subject, details: { app: app.id } });
  }
  return endAccess(tx, { ...change, place: { kind: 'app', ...app }, hasLeft: hadAccess });
}

async function notifyAdded(
  tx: Connection,
  notice: Extract<NoticeKind, 'team-added' | `workspace-${string}`>,
  user: Pick<User, 'id'>,
  place: { id: string; name: string },
  at: number,
): Promise<void> {
  const accountEmail = { about: 'notice', notice, userId: user.id, at, project: place.name } as const;
  await outboxQueries(tx).add(
    place.id,
    { kind: 'send-account-email', accountEmail, until: at + noticeLifetimeMs },
    at,
  );
}
