/** Finds what a session or key may not use, and what is left. */
import type { Connection } from '../../db/data.ts';
import type { UserActor } from '../actor.ts';
import type { Project, User } from '../owner.ts';
import { ownerQueries } from '../owner-queries.ts';
import { findBars, type GateEvidence, type WorkspaceGate, workspaceIssuer } from './workspace-gate.ts';
import { workspaceGateQueries } from './workspace-gate-queries.ts';
import { inOpenWorkspaces } from './workspace-refusal.ts';

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

/** The IDs of their other Projects. */
export async function findRefusedProjects(connection: Connection, actor: UserActor): Promise<Set<string>> {
  const refused = new Set(
    (await ownerQueries(connection).listProjectsOfUser(actor.user.id)).map(({ id }) => id),
  );
  for (const { id } of await listUsableProjects(connection, actor)) refused.delete(id);
  return refused;
}
