/** Deletes a Project, User or Workspace permanently. The caller confirms by typing the name. */
import { brandQueries } from '../../branding/brand-queries.ts';
import { NotFound } from '../../core/errors.ts';
import type { Connection, Data } from '../../db/data.ts';
import type { DeletedOwner } from '../../events/events.ts';
import { outboxQueries } from '../../jobs/outbox-queries.ts';
import { type Actor, actorName } from '../../owners/actor.ts';
import { auditQueries } from '../../owners/audit-queries.ts';
import { removeMember, removeWorkspacePerson } from '../../owners/members.ts';
import type { Owner, User, Workspace } from '../../owners/owner.ts';
import { requireDeletable } from '../../owners/policies/enforce-policies.ts';
import { policyQueries } from '../../owners/policies/policy-queries.ts';
import { quotaQueries } from '../../owners/quota-queries.ts';
import { teamQueries } from '../../owners/team-queries.ts';
import { workspaceQueries } from '../../owners/workspace-queries.ts';
import { ownerDeletionQueries } from './owner-deletion-queries.ts';

/** Contents that are deleted with an Owner. */
export interface OwnerContents {
  apps: number;
  builds: number;
  bytes: number;
  pages: number;
  devices: number;
  keys: number;
  /** For a Project: its members. For a User: the Projects they are in. */
  memberships: number;
}

/** The reason why a User cannot be deleted yet. */
export interface DeletionBlocker {
  lastAdministrator: boolean;
  /** Names of the Projects and Workspaces that have no other owner. */
  projects: string[];
  workspaces: string[];
}

export type OwnerDeleted = 'deleted' | 'unconfirmed' | 'hindered';

export interface OwnerDeletion {
  contentsOf(owner: Owner): Promise<OwnerContents>;
  /** Null if the Owner can be deleted. */
  findDeletionBlocker(owner: Owner): Promise<DeletionBlocker | null>;
  deleteOwner(by: Actor, owner: Owner, confirmation: string): Promise<OwnerDeleted>;
  /** `hindered`: the Workspace still contains Projects. */
  deleteWorkspace(by: Actor, workspace: Workspace, confirmation: string): Promise<OwnerDeleted>;
}

/** How many jobs are inserted per statement. */
const jobsAtOnce = 500;

const gone = () => new NotFound();

export function createOwnerDeletion(deps: {
  data: Data;
  now: () => number;
  /** Called after the commit, when the outbox contains jobs. */
  wakeOutbox: () => void;
}): OwnerDeletion {
  const { data } = deps;
  return {
    contentsOf: (owner) => contentsOf(data, owner),
    findDeletionBlocker: async (owner) => (owner.kind === 'user' ? findDeletionBlocker(data, owner) : null),
    deleteOwner: async (by, owner, confirmation) => {
      if (confirmation.trim() !== owner.name) return 'unconfirmed';
      const now = deps.now();
      const outcome = await data.transaction((tx) => removeOwner(tx, by, owner, now));
      if (outcome === 'deleted') deps.wakeOutbox();
      return outcome;
    },
    deleteWorkspace: async (by, workspace, confirmation) => {
      if (confirmation.trim() !== workspace.name) return 'unconfirmed';
      const at = deps.now();
      return data.transaction(async (tx) => {
        if (!(await workspaceQueries(tx).lock(workspace.id))) throw gone();
        if ((await workspaceQueries(tx).countProjects(workspace.id)) > 0) return 'hindered';
        await workspaceQueries(tx).remove(workspace.id, at);
        await brandQueries(tx).removeOfWorkspace(workspace.id);
        const entry = { at, actor: by, action: 'workspace.deleted', ownerId: null, subject: workspace.name };
        await auditQueries(tx).record(entry);
        return 'deleted';
      });
    },
  };
}

async function contentsOf(data: Connection, owner: Owner): Promise<OwnerContents> {
  const { apps, builds, bytes } = await quotaQueries(data).usageOf(owner.id);
  return { apps, builds, bytes, ...(await ownerDeletionQueries(data).contentsOf(owner.id, owner.kind)) };
}

async function findDeletionBlocker(data: Connection, user: User): Promise<DeletionBlocker | null> {
  const projects: string[] = [];
  for (const { id, name } of await ownerDeletionQueries(data).projectsOf(user.id, 'owner')) {
    if (!(await teamQueries(data).hasOtherOwner(id, user.id))) projects.push(name);
  }
  const workspaces: string[] = [];
  for (const workspace of await workspaceQueries(data).listOf(user.id, ['owner'])) {
    if (!(await workspaceQueries(data).hasOtherOwner(workspace.id, user.id))) workspaces.push(workspace.name);
  }
  // Checked again, because administrator rights may have changed since the page was opened.
  const administrators = await ownerDeletionQueries(data).lockAdministrators();
  const lastAdministrator = administrators.length === 1 && administrators[0] === user.id;
  if (!lastAdministrator && projects.length + workspaces.length === 0) return null;
  return { lastAdministrator, projects, workspaces };
}

async function removeOwner(
  data: Connection,
  by: Actor,
  owner: Owner,
  now: number,
): Promise<'deleted' | 'hindered'> {
  if (!(await quotaQueries(data).lock(owner.id))) throw gone();
  let contents: OwnerContents | null = null;
  if (owner.kind === 'user') {
    // Locked in a fixed order and including the user, to prevent deadlocks between administrators who delete their accounts at
    // the same time.
    await ownerDeletionQueries(data).lockAdministrators();
    await ownerDeletionQueries(data).lockUser(owner.id);
    // Locks the Projects, so that a concurrent change of owners cannot leave one without an owner.
    const projects = await ownerDeletionQueries(data).projectsOf(owner.id);
    const workspaces = await workspaceQueries(data).listOf(owner.id);
    for (const { id } of projects) await quotaQueries(data).lock(id);
    for (const { id } of workspaces) await workspaceQueries(data).lock(id);
    if (await findDeletionBlocker(data, owner)) return 'hindered';
    contents = await contentsOf(data, owner);
    const change = { by, user: owner, at: now };
    for (const project of projects) await removeMember(data, { ...change, project });
    await quotaQueries(data).transferProjects(owner.id);
    for (const workspace of workspaces) await removeWorkspacePerson(data, { ...change, workspace });
  }
  if (owner.kind === 'project') {
    const newestAt = await policyQueries(data).newestBuildAt({ ownerId: owner.id });
    await requireDeletable(data, owner.id, newestAt, now);
  }
  contents ??= await contentsOf(data, owner);
  const { kind, name } = owner;
  const goneOwner = { kind, name, apps: contents.apps, builds: contents.builds, by: actorName(by) };
  await notifyWebhooks(data, owner.id, goneOwner, now);
  const apps = await ownerDeletionQueries(data).hideApps(owner.id, now);
  for (let at = 0; at < apps.length; at += jobsAtOnce) {
    const jobs = apps.slice(at, at + jobsAtOnce).map((appId) => ({ kind: 'remove-app', appId }) as const);
    await outboxQueries(data).addAll(owner.id, jobs, now);
  }
  const email = owner.kind === 'user' ? owner.email : null;
  await ownerDeletionQueries(data).remove({ id: owner.id, kind: owner.kind, email }, now);
  await auditQueries(data).record({
    at: now,
    actor: by,
    action: owner.kind === 'user' ? 'user.deleted' : 'project.deleted',
    ownerId: owner.id,
    subject: owner.name,
    details: { ...contents },
  });
  return 'deleted';
}

/** Sends each webhook one last message, because this transaction also deletes the webhooks. */
async function notifyWebhooks(
  data: Connection,
  ownerId: string,
  owner: DeletedOwner,
  at: number,
): Promise<void> {
  for (let after: string | null = ''; after !== null; ) {
    const page = { after, limit: jobsAtOnce };
    const { webhooks, next } = await ownerDeletionQueries(data).listSubscribedWebhooks(ownerId, page);
    const jobs = webhooks.map((hook) => ({ kind: 'send-last-webhook', at, hook, owner }) as const);
    await outboxQueries(data).addAll(ownerId, jobs, at);
    after = next;
  }
}
