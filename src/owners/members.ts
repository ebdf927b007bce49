/**
 * Adds people to and removes them from Projects and Workspaces. Every such change goes through here: web, command line,
 * invitations and the deletion of accounts. Call each function in a transaction that holds the Project or Workspace, so that
 * of two owners who leave at once the second is refused.
 */
import { conflict, NotFound } from '../core/errors.ts';
import type { Connection } from '../db/data.ts';
import type { NoticeKind } from '../jobs/outbox.ts';
import { outboxQueries } from '../jobs/outbox-queries.ts';
import type { AuditEntry } from './audit-queries.ts';
import { auditQueries } from './audit-queries.ts';
import type { Project, Team, User, Workspace } from './owner.ts';
import { ownerQueries } from './owner-queries.ts';
import { canManage } from './permissions.ts';
import { quotaQueries } from './quota-queries.ts';
import { teamQueries } from './team-queries.ts';
import { workspaceQueries } from './workspace-queries.ts';

export type MembershipActor = AuditEntry['actor'];

type Person = Pick<User, 'id' | 'name'>;

interface MembershipChange {
  by: MembershipActor;
  user: Person;
  at: number;
}

/** The email to a person who was added without an invitation is sent within a day or not at all. */
const noticeLifetimeMs = 24 * 60 * 60_000;

/** Throws `not_found` when the Project is gone. Holds it until the transaction ends. */
export async function holdProject(inside: Connection, project: Project): Promise<void> {
  if (!(await quotaQueries(inside).hold(project.id))) {
    throw new NotFound(`the Project ${project.name} no longer exists`);
  }
}

/** Throws `not_found` unless `by` manages the Project now: rights may have changed since the page was opened. */
export async function requireProjectManager(
  inside: Connection,
  by: MembershipActor,
  project: Project,
): Promise<void> {
  if (await isAdministrator(inside, by)) return;
  if (typeof by === 'string' || by.kind !== 'user') throw new NotFound();
  if (!canManage(by, project, await ownerQueries(inside).teamsOf(project.id, by.user.id)))
    throw new NotFound();
}

/** Whether a change takes effect at once: for the operator and for administrators. */
export async function isAdministrator(inside: Connection, by: MembershipActor): Promise<boolean> {
  if (by === 'command-line') return true;
  if (typeof by === 'string' || by.kind !== 'user') return false;
  const user = await ownerQueries(inside).findOwnerById(by.user.id);
  return user?.kind === 'user' && user.administrator;
}

/** Adds a person to a team of a Project. Returns whether something changed. */
export async function addMember(
  inside: Connection,
  change: MembershipChange & {
    project: Pick<Project, 'id' | 'name'>;
    team: Team;
    /** Notifies the person by email. */
    notify: boolean;
    details?: Record<string, unknown>;
  },
): Promise<boolean> {
  const { by, project, user, team, at } = change;
  if (!(await ownerQueries(inside).addTeamMember(project.id, team, user.id, at))) return false;
  // Otherwise, a person who is later removed could accept an old invitation.
  await teamQueries(inside).deleteOpenInvitations({ kind: 'project', id: project.id }, user.id);
  if (team === 'owner') await quotaQueries(inside).claimProject(project.id, user.id);
  await auditQueries(inside).record({
    ...{ at, actor: by, action: 'team.joined', ownerId: project.id },
    ...{ subject: `${user.name} ${team} team`, details: change.details ?? {} },
  });
  if (change.notify) await tellAdded(inside, 'team-added', user, project.name, at);
  return true;
}

/**
 * Removes a person from teams of a Project, from all of them unless `leaves` names some. The only way out of a team.
 * Returns the teams that the person left. Throws `conflict` when nobody else owns the Project.
 */
export async function removeMember(
  inside: Connection,
  change: MembershipChange & { project: Pick<Project, 'id'>; leaves?: readonly Team[] },
): Promise<Team[]> {
  const { by, project, user, at } = change;
  const teams = await ownerQueries(inside).teamsOf(project.id, user.id);
  const left = teams.filter((team) => change.leaves?.includes(team) ?? true);
  if (left.includes('owner') && !(await teamQueries(inside).hasOtherOwner(project.id, user.id))) {
    throw conflict('A Project must have at least one owner. Make someone else an owner first.');
  }
  for (const team of left) {
    await ownerQueries(inside).removeTeamMember(project.id, team, user.id);
    const subject = `${user.name} ${team} team`;
    await auditQueries(inside).record({ at, actor: by, action: 'team.left', ownerId: project.id, subject });
  }
  if (left.includes('owner')) await quotaQueries(inside).passOn(user.id, project.id);
  return left;
}

/** Throws `not_found` when the Workspace is gone. Holds it until the transaction ends. */
export async function holdWorkspace(inside: Connection, workspace: Workspace): Promise<void> {
  if (!(await workspaceQueries(inside).hold(workspace.id))) throw new NotFound();
}

/** Throws `not_found` unless `by` owns the Workspace or is an administrator now. */
export async function requireWorkspaceManager(
  inside: Connection,
  by: MembershipActor,
  workspace: Workspace,
): Promise<void> {
  if (await isAdministrator(inside, by)) return;
  if (typeof by === 'string' || by.kind !== 'user') throw new NotFound();
  if (!(await ownerQueries(inside).isWorkspaceOwner(workspace.id, by.user.id))) throw new NotFound();
}

/** Returns whether something changed. */
export async function addWorkspaceOwner(
  inside: Connection,
  change: MembershipChange & { workspace: Pick<Workspace, 'id' | 'name'>; notify: boolean },
): Promise<boolean> {
  const { by, workspace, user, at } = change;
  if (await ownerQueries(inside).isWorkspaceOwner(workspace.id, user.id)) return false;
  await ownerQueries(inside).addWorkspaceOwner(workspace.id, user.id);
  await teamQueries(inside).deleteOpenInvitations({ kind: 'workspace', id: workspace.id }, user.id);
  const subject = `${user.name}: ${workspace.name}`;
  await auditQueries(inside).record({
    at,
    actor: by,
    action: 'workspace.owner-added',
    ownerId: null,
    subject,
  });
  if (change.notify) await tellAdded(inside, 'workspace-added', user, workspace.name, at);
  return true;
}

/** Returns whether something changed. Throws `conflict` when nobody else owns the Workspace. */
export async function removeWorkspaceOwner(
  inside: Connection,
  change: MembershipChange & { workspace: Pick<Workspace, 'id' | 'name'> },
): Promise<boolean> {
  const { by, workspace, user, at } = change;
  if (!(await ownerQueries(inside).isWorkspaceOwner(workspace.id, user.id))) return false;
  if (!(await workspaceQueries(inside).hasOtherOwner(workspace.id, user.id))) {
    throw conflict('A Workspace must have at least one owner. Add another owner first.');
  }
  await workspaceQueries(inside).removeOwner(workspace.id, user.id);
  const subject = `${user.name}: ${workspace.name}`;
  await auditQueries(inside).record({
    at,
    actor: by,
    action: 'workspace.owner-removed',
    ownerId: null,
    subject,
  });
  return true;
}

async function tellAdded(
  inside: Connection,
  notice: Extract<NoticeKind, 'team-added' | 'workspace-added'>,
  user: Person,
  project: string,
  at: number,
): Promise<void> {
  const letter = { about: 'notice', notice, userId: user.id, at, project } as const;
  await outboxQueries(inside).add({ kind: 'send-letter', letter, until: at + noticeLifetimeMs }, at);
}
