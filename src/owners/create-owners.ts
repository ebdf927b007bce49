/** Creates Users, Projects and Workspaces, and changes team memberships. */

import { conflict, conflictingField, invalid, invalidField, NotFound } from '../core/errors.ts';
import { isVisibleName, normalizeName } from '../core/name-text.ts';
import type { Connection, Data } from '../db/data.ts';
import type { AuditEntry } from './audit-queries.ts';
import { auditQueries, nameOfActor } from './audit-queries.ts';
import { addMember, lockProject, removeMember, requireWorkspaceManager } from './members.ts';
import {
  canonicalEmail,
  checkName,
  maxDescriptionLength,
  maxNameLength,
  type Project,
  type Team,
  teams,
  type User,
  type Workspace,
} from './owner.ts';
import { ownerQueries } from './owner-queries.ts';
import { ownerTexts } from './owner-texts.ts';
import { quotaQueries } from './quota-queries.ts';
import { findPerson, withdrawInvitations } from './removals.ts';
import { teamQueries } from './team-queries.ts';
import { workspaceQueries } from './workspace-queries.ts';

type By = AuditEntry['actor'];

export interface OwnerOperations {
  createUser(user: {
    name: string;
    email: string | null;
    passwordHash: string | null;
    /** Slipway generated the password, so the user must change it at the first sign-in. */
    mustChangePassword?: boolean;
    administrator: boolean;
    by: By;
  }): Promise<User>;
  /** `ownerName`: name of the User who will own it; null for the first administrator. */
  createWorkspace(workspace: {
    name: string;
    displayName: string | null;
    iconUrl: string | null;
    ownerName: string | null;
    by: By;
  }): Promise<Workspace>;
  /** In a Workspace, throws `NotFound` unless `by` owns it or is an administrator. */
  createProject(project: {
    name: string;
    description: string;
    workspaceName: string | null;
    ownerName: string | null;
    by: By;
  }): Promise<Project>;
  /** Takes effect immediately, and notifies the person by email. Returns whether anything changed. */
  addToTeam(change: TeamChange & { notify?: boolean }): Promise<boolean>;
  /** Also withdraws open invitations to the team. Returns whether anything changed. Throws `conflict` if nobody else owns the Project. */
  removeFromTeam(change: TeamChange): Promise<boolean>;
}

export interface TeamChange {
  projectName: string;
  team: string;
  /** For a removal, may also be the email address. */
  userName: string;
  by: By;
}

export const defaultWorkspaceIcon = '/assets/favicon.svg';
export const maxIconUrlLength = 2048;
export const maxDisplayNameLength = 120;

export function createOwnerOperations(deps: { data: Data; now: () => number }): OwnerOperations {
  const { data, now } = deps;
  const nameTaken = (name: string) => () => conflictingField('name', ownerTexts.nameTaken({ name }));
  return {
    createUser: (user) => {
      const name = checkName('user', user.name);
      const email = user.email === null ? null : checkEmail(user.email);
      const createdAt = now();
      const made = () =>
        data.transaction(async (tx) => {
          const row = {
            name,
            email,
            passwordHash: user.passwordHash,
            mustChangePassword: user.mustChangePassword ?? false,
            // The operator of the server is trusted to enter a correct address.
            emailConfirmed: user.by === 'command-line' || user.by === 'first-start',
            administrator: user.administrator,
            createdAt,
          };
          const result = await ownerQueries(tx).insertUser(row);
          await auditQueries(tx).record({
            at: createdAt,
            actor: user.by,
            action: 'user.made',
            ownerId: result.id,
            subject: name,
          });
          return result;
        });
      return data.refuseDuplicate(made, () =>
        conflict(email ? ownerTexts.nameOrAddressTaken({ name, email }) : ownerTexts.nameTaken({ name })),
      );
    },
    createWorkspace: async (workspace) => {
      const name = checkName('workspace', workspace.name);
      const owner = await findUserOrAdministrator(data, workspace.ownerName);
      const createdAt = now();
      const made = () =>
        data.transaction(async (tx) => {
          const displayName = checkDisplayName(workspace.displayName ?? name);
          const iconUrl = checkIconUrl(workspace.iconUrl ?? defaultWorkspaceIcon);
          const result = await ownerQueries(tx).insertWorkspace({ name, displayName, iconUrl, createdAt });
          if (owner)
            await workspaceQueries(tx).addPerson(result.id, owner.id, 'owner', {
              at: createdAt,
              by: nameOfActor(workspace.by),
            });
          await auditQueries(tx).record({
            at: createdAt,
            actor: workspace.by,
            action: 'workspace.made',
            ownerId: null,
            subject: name,
          });
          return result;
        });
      return data.refuseDuplicate(made, nameTaken(name));
    },
    createProject: async (project) => {
      const name = checkName('project', project.name);
      const description = checkDescription(project.description);
      const workspace =
        project.workspaceName === null ? null : await ownerQueries(data).findWorkspace(project.workspaceName);
      if (project.workspaceName !== null && !workspace)
        throw new NotFound(ownerTexts.unknown.workspace({ name: project.workspaceName }));
      const owner = await findUserOrAdministrator(data, project.ownerName);
      const createdAt = now();
      const made = () =>
        data.transaction(async (tx) => {
          if (workspace && !(await workspaceQueries(tx).lock(workspace.id))) {
            throw new NotFound(ownerTexts.unknown.workspace({ name: workspace.name }));
          }
          if (workspace) await requireWorkspaceManager(tx, project.by, workspace);
          const result = await ownerQueries(tx).insertProject({ name, description, workspace, createdAt });
          if (owner) {
            if (project.by !== 'command-line') await requireProjectQuota(tx, owner);
            await ownerQueries(tx).addTeamMember(
              result.id,
              'owner',
              owner.id,
              createdAt,
              nameOfActor(project.by),
            );
            await quotaQueries(tx).claimProject(result.id, owner.id);
          }
          await auditQueries(tx).record({
            at: createdAt,
            actor: project.by,
            action: 'project.made',
            ownerId: result.id,
            subject: name,
          });
          return result;
        });
      return data.refuseDuplicate(made, nameTaken(name));
    },
    addToTeam: async (change) => {
      const { by, userName: name, notify = true } = change;
      const { project, team } = await findTeam(data, change);
      const user = await ownerQueries(data).findOwner(name);
      if (user?.kind !== 'user') throw new NotFound(ownerTexts.unknown.user({ name }));
      return data.transaction(async (tx) => {
        await lockProject(tx, project);
        if (!(await teamQueries(tx).lockUser(user.id))) throw new NotFound(ownerTexts.gone.user({ name }));
        return addMember(tx, { by, project, team, user, at: now(), notify });
      });
    },
    removeFromTeam: async (change) => {
      const { by, userName: login } = change;
      const { project, team } = await findTeam(data, change);
      const unknown = () => new NotFound(ownerTexts.unknown.user({ name: login }));
      return data.transaction(async (tx) => {
        await lockProject(tx, project);
        const at = now();
        const whose = await findPerson(tx, { login });
        if (!whose) throw unknown();
        if ('id' in whose) return removeMember(tx, { by, project, user: whose, at, leaves: [team] });
        const place = { kind: 'project', id: project.id, name: project.name, ownerId: project.id } as const;
        if (await withdrawInvitations(tx, { by, at, place, teams: [team], whose })) return true;
        throw unknown();
      });
    },
  };
}

/**
 * Throws `conflict` if the user has reached their Project limit. Locks the user, so that parallel requests are counted one after
 * another.
 */
async function requireProjectQuota(tx: Connection, owner: User): Promise<void> {
  const limit = (await quotaQueries(tx).lock(owner.id))?.maxProjects ?? null;
  if (limit !== null && (await quotaQueries(tx).countProjectsOf(owner.id)) >= limit) {
    throw conflictingField('name', ownerTexts.tooManyProjects({ limit }));
  }
}

async function findTeam(data: Data, change: TeamChange): Promise<{ project: Project; team: Team }> {
  const team = teams.find((name) => name === change.team);
  if (!team) throw invalid(ownerTexts.unknown.team({ teams: teams.join(', '), team: change.team }));
  const project = await ownerQueries(data).findOwner(change.projectName);
  if (project?.kind !== 'project')
    throw new NotFound(ownerTexts.unknown.project({ name: change.projectName }));
  return { project, team };
}

async function findUserOrAdministrator(data: Data, name: string | null): Promise<User | null> {
  if (name === null) return ownerQueries(data).findFirstAdministrator();
  const owner = await ownerQueries(data).findOwner(name);
  if (owner?.kind !== 'user') throw new NotFound(ownerTexts.unknown.user({ name }));
  return owner;
}

const maxEmailLength = 254;

/** Returns the address in its stored form. Throws `invalid`. */
export function checkEmail(text: string): string {
  const email = canonicalEmail(text);
  const isPlain = /^[^\s@<>()[\]\\,;:"]+@[\w.-]+$/.test(email);
  if (email.length > maxEmailLength || !isPlain || !isVisibleName(email)) {
    throw invalid(ownerTexts.email({ email: text.slice(0, maxNameLength) }));
  }
  return email;
}

export function checkDescription(text: string): string {
  if (text.length > maxDescriptionLength) {
    throw invalidField('description', ownerTexts.description({ limit: maxDescriptionLength }));
  }
  return text;
}

export function checkDisplayName(text: string): string {
  const name = normalizeName(text);
  if (name.length > maxDisplayNameLength || !isVisibleName(name)) {
    throw invalidField('display_name', ownerTexts.displayName({ limit: maxDisplayNameLength }));
  }
  return name;
}

export function checkIconUrl(address: string): string {
  const relative = /^\/(?!\/)/.test(address);
  const url = URL.parse(address);
  if (address.length <= maxIconUrlLength && (relative || (url && /^https?:$/.test(url.protocol))))
    return address;
  throw invalid(ownerTexts.icon);
}
