/** Finds what a session or key may not use, and what is left. */

import type { PolicyRefused } from '../../core/errors.ts';
import type { Connection } from '../../db/data.ts';
import { type Actor, coveredOwners, type UserActor } from '../actor.ts';
import { nameKey, type Project, type User } from '../owner.ts';
import { ownerQueries } from '../owner-queries.ts';
import { policyQueries } from '../policies/policy-queries.ts';
import { findBars, type GateEvidence, type WorkspaceGate, workspaceIssuer } from './workspace-gate.ts';
import { workspaceGateQueries } from './workspace-gate-queries.ts';
import { inOpenWorkspaces, refusalAt, workspaceRefusal } from './workspace-refusal.ts';

/** Returns null if there is nothing to remember or refuse, as on servers where no Workspace has a provider. */
export async function findWorkspaceGate(
  connection: Connection,
  user: User,
  evidence: GateEvidence,
): Promise<WorkspaceGate | null> {
  const providers = await workspaceGateQueries(connection).listProvidersOf(user.id, evidence);
  if (providers.length === 0) return null;
  const signOns = providers.filter(({ isSignedOn }) => isSignedOn);
  const bars = findBars(providers, evidence);
  const projects = bars.size === 0 ? [] : await ownerQueries(connection).listProjectsOfUser(user.id);
  const isBarred = ({ workspace }: Project) => workspace !== null && bars.has(workspace.id);
  return {
    signOns: signOns.map(({ workspace, entityId }) => workspaceIssuer(workspace.id, entityId)),
    bars,
    barredProjects: new Set(projects.filter(isBarred).map(({ id }) => id)),
    otherProjects: projects.filter((project) => !isBarred(project)).map(({ id }) => id),
  };
}

/** Lists the Projects of the person that the session or key may use, for lists of what is in them. */
export async function listUsableProjects(connection: Connection, actor: UserActor): Promise<Project[]> {
  const projects = await ownerQueries(connection).listProjectsOfUser(actor.user.id);
  return inOpenWorkspaces(connection, actor, projects);
}

/**
 * Like `coveredOwners`, without the Projects of Workspaces whose policies refuse the caller: lists name none of what a session or key
 * may not use.
 */
export async function listedOwners(connection: Connection, actor: Actor): Promise<string[] | null> {
  const covered = coveredOwners(actor);
  if (actor.kind !== 'user') return covered;
  const policies = await policyQueries(connection).ofPerson(actor.user.id);
  if (policies.every((values) => workspaceRefusal(values, actor) === null)) return covered;
  const usable = [actor.user.id, ...(await listUsableProjects(connection, actor)).map(({ id }) => id)];
  return covered === null ? usable : covered.filter((id) => usable.includes(id));
}

export interface RefusingWorkspace {
  name: string;
  refusal: PolicyRefused;
}

/** Lists the Workspaces of the Projects that refuse the caller, by name, and why. */
export async function listRefusingWorkspaces(
  connection: Connection,
  actor: UserActor,
  projects: readonly Project[],
): Promise<RefusingWorkspace[]> {
  const refusing = new Map<string, RefusingWorkspace | null>();
  for (const { workspace } of projects) {
    if (workspace === null || refusing.has(workspace.id)) continue;
    const refusal = await refusalAt(connection, actor, workspace);
    refusing.set(workspace.id, refusal && { name: workspace.name, refusal });
  }
  const found = [...refusing.values()].filter((one) => one !== null);
  return found.sort((one, other) => (nameKey(one.name) < nameKey(other.name) ? -1 : 1));
}

/** The IDs of their other Projects. */
export async function findRefusedProjects(connection: Connection, actor: UserActor): Promise<Set<string>> {
  const refused = new Set(
    (await ownerQueries(connection).listProjectsOfUser(actor.user.id)).map(({ id }) => id),
  );
  for (const { id } of await listUsableProjects(connection, actor)) refused.delete(id);
  return refused;
}
