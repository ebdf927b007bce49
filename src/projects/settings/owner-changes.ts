/** Changes to a Project, a Workspace or a quota by owners and administrators. */
import { formatBytes } from '../../core/byte-size.ts';
import { invalidField, NotFound } from '../../core/errors.ts';
import type { Data } from '../../db/data.ts';
import type { Actor } from '../../owners/actor.ts';
import { auditQueries } from '../../owners/audit-queries.ts';
import { checkDescription, checkDisplayName, checkIconUrl } from '../../owners/create-owners.ts';
import type { Owner, Project, Workspace } from '../../owners/owner.ts';
import { ownerQueries } from '../../owners/owner-queries.ts';
import { ownerTexts } from '../../owners/owner-texts.ts';
import type { Quota } from '../../owners/quota.ts';
import { quotaQueries } from '../../owners/quota-queries.ts';
import { teamQueries } from '../../owners/team-queries.ts';
import { workspaceQueries } from '../../owners/workspace-queries.ts';
import { createWorkspacePeople, type WorkspacePeople } from '../workspaces/workspace-people.ts';

export interface OwnerChanges {
  describe(by: Actor, project: Project, description: string): Promise<void>;
  /** Only users have a limit of Projects. */
  setQuota(by: Actor | 'command-line', owner: Owner, quota: Quota): Promise<void>;
  /** Counts the Project toward this user's limits from now on. Throws `invalid` if there is no such user. */
  setAccountable(by: Actor | 'command-line', project: Project, userName: string): Promise<void>;
  /** Fields that are absent from `look` stay as they are. */
  changeWorkspace(
    by: Actor,
    workspace: Workspace,
    look: { displayName?: string | undefined; iconUrl?: string | undefined },
  ): Promise<void>;
  workspacePeople: WorkspacePeople;
}

const gone = () => new NotFound();

export function createOwnerChanges(deps: { data: Data; now: () => number }): OwnerChanges {
  const { data, now } = deps;
  return {
    describe: async (by, project, text) => {
      const description = checkDescription(text);
      await data.transaction(async (tx) => {
        if (!(await quotaQueries(tx).lock(project.id))) throw gone();
        await teamQueries(tx).describe(project.id, description);
        const entry = { actor: by, action: 'project.described', ownerId: project.id, subject: project.name };
        await auditQueries(tx).record({ ...entry, at: now() });
      });
    },
    setQuota: async (by, owner, given) => {
      const quota = { ...given, maxProjects: owner.kind === 'user' ? given.maxProjects : null };
      await data.transaction(async (tx) => {
        if (!(await quotaQueries(tx).set(owner.id, quota))) throw gone();
        const entry = { actor: by, action: 'quota.set', ownerId: owner.id };
        const subject = `${owner.name}: ${describeQuota(quota)}`;
        await auditQueries(tx).record({ ...entry, at: now(), subject, details: { ...quota } });
      });
    },
    setAccountable: async (by, project, userName) => {
      const user = await ownerQueries(data).findOwner(userName);
      if (user?.kind !== 'user')
        throw invalidField('counts_for', ownerTexts.unknown.user({ name: userName }));
      await data.transaction(async (tx) => {
        if (!(await quotaQueries(tx).lock(project.id)) || !(await teamQueries(tx).lockUser(user.id)))
          throw gone();
        if ((await quotaQueries(tx).findAccountableUser(project.id))?.id === user.id) return;
        await quotaQueries(tx).setAccountable(project.id, user.id);
        const entry = { actor: by, action: 'quota.moved', ownerId: project.id };
        await auditQueries(tx).record({ ...entry, at: now(), subject: `${project.name}: ${user.name}` });
      });
    },
    ...createWorkspaceChanges(deps),
  };
}

function createWorkspaceChanges(deps: { data: Data; now: () => number }) {
  const { data, now } = deps;
  return {
    changeWorkspace: async (
      by: Actor,
      workspace: Workspace,
      look: { displayName?: string | undefined; iconUrl?: string | undefined },
    ) => {
      const displayName =
        look.displayName === undefined ? null : checkDisplayName(look.displayName.trim() || workspace.name);
      const iconUrl = look.iconUrl === undefined ? null : checkIconUrl(look.iconUrl.trim());
      await data.transaction(async (tx) => {
        const present =
          (await workspaceQueries(tx).lock(workspace.id)) &&
          (await ownerQueries(tx).findWorkspace(workspace.name));
        if (!present) throw gone();
        await workspaceQueries(tx).change(workspace.id, {
          displayName: displayName ?? present.displayName,
          iconUrl: iconUrl ?? present.iconUrl,
        });
        const entry = { actor: by, action: 'workspace.changed', ownerId: null, subject: workspace.name };
        await auditQueries(tx).record({ ...entry, at: now() });
      });
    },
    workspacePeople: createWorkspacePeople(deps),
  } satisfies Partial<OwnerChanges>;
}

function describeQuota({ maxStorageBytes, maxBuilds, maxProjects }: Quota): string {
  const storage = maxStorageBytes === null ? 'any storage' : formatBytes(maxStorageBytes);
  const projects = maxProjects === null ? '' : `, ${maxProjects} Projects`;
  return `${storage}, ${maxBuilds === null ? 'unlimited builds' : `${maxBuilds} builds`}${projects}`;
}
