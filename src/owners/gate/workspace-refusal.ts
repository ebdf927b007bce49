/**
 * Decides whether a caller may use a Workspace now. Every access rule asks here: web, API, uploads, streams and downloads, because
 * they all load permissions.
 */
import { PolicyRefused } from '../../core/errors.ts';
import { snakeName } from '../../core/json-shapes.ts';
import type { Connection } from '../../db/data.ts';
import type { Actor } from '../actor.ts';
import type { AuditEntry } from '../audit-queries.ts';
import { workspaceOf } from '../owner.ts';
import {
  admitsSecrets,
  isAllowedAddress,
  isAllowedPerson,
  type PolicyName,
  type PolicyValues,
  policies,
  refusingPolicy,
} from '../policies/policies.ts';
import { policyQueries } from '../policies/policy-queries.ts';
import { policyTexts } from '../policies/policy-texts.ts';
import { barOf, WorkspaceBarred } from './workspace-gate.ts';

/** Returns the policy that refuses the caller; null if all admit them. A job that acts for a person has no credential. */
export function workspaceRefusal(values: PolicyValues, actor: Actor): PolicyName | null {
  const { credential } = actor;
  if (credential) return refusingPolicy(values, { ...actor, credential });
  return actor.kind === 'user' && !isAllowedPerson(values.emailDomains, actor.user) ? 'emailDomains' : null;
}

export const policyRefusal = (policy: PolicyName, values: PolicyValues) =>
  new PolicyRefused(snakeName(policy), refusalText(policy, values));

/** Says what the person must do. */
function refusalText(policy: PolicyName, values: PolicyValues): string {
  const { refusals } = policyTexts;
  switch (policy) {
    case 'sessionHours':
      return refusals.sessionHours({ hours: values.sessionHours ?? 0 });
    case 'keyDays':
      return refusals.keyDays({ days: values.keyDays ?? 0 });
    case 'emailDomains':
      return refusals.emailDomains({ domains: values.emailDomains.join(', ') });
    case 'retentionDays':
      return refusals.retentionDays({ days: values.retentionDays ?? 0 });
    default:
      return refusals[policy];
  }
}

/** Returns the error for a caller who may not use the Workspace now. Call it only for callers who may know the Workspace. */
export async function refusalAt(
  connection: Connection,
  actor: Actor,
  workspace: { id: string },
): Promise<PolicyRefused | null> {
  const bar = barOf(actor, workspace.id);
  if (bar) return new WorkspaceBarred(bar);
  const values = await policyQueries(connection).ofWorkspace(workspace.id);
  const policy = workspaceRefusal(values, actor);
  return policy && policyRefusal(policy, values);
}

/**
 * Call it where a session gives its person a key. The length of sessions does not limit keys, so a session that is too old for a
 * Workspace would outlast it. Its other policies, and a required sign-on, refuse the key as they refuse the session. Throws
 * `PolicyRefused`.
 */
export async function requireSessionForKeys(
  connection: Connection,
  by: AuditEntry['actor'] | Actor,
): Promise<void> {
  if (typeof by !== 'object' || by.kind !== 'user' || !('credential' in by)) return;
  const { credential } = by;
  if (credential?.kind !== 'session') return;
  for (const values of await policyQueries(connection).ofPerson(by.user.id))
    if (policies.sessionHours.refuses?.(values.sessionHours, { ...by, credential }))
      throw policyRefusal('sessionHours', values);
}

/**
 * Whether a link to the owner's apps admits everyone who has it. Throws `PolicyRefused` for an address in a network that the Workspace
 * does not allow.
 */
export async function admitsLinks(
  connection: Connection,
  owner: Parameters<typeof workspaceOf>[0],
  address: string,
): Promise<boolean> {
  const workspace = workspaceOf(owner);
  if (workspace === null) return true;
  const values = await policyQueries(connection).ofWorkspace(workspace.id);
  if (!isAllowedAddress(values.networks, address)) throw policyRefusal('networks', values);
  return admitsSecrets(values);
}

/** Leaves out what is in Workspaces that refuse the caller, for lists across Workspaces. */
export async function inOpenWorkspaces<Item extends { workspace: { id: string } | null }>(
  connection: Connection,
  actor: Actor,
  items: readonly Item[],
): Promise<Item[]> {
  const open = new Map<string, boolean>();
  for (const { workspace } of items) {
    if (workspace === null || open.has(workspace.id)) continue;
    open.set(workspace.id, (await refusalAt(connection, actor, workspace)) === null);
  }
  return items.filter(({ workspace }) => workspace === null || open.get(workspace.id));
}
