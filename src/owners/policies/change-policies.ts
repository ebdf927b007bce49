/** Changes the policies of a Workspace. */
import { NotFound, PolicyRefused, toSentence } from '../../core/errors.ts';
import { snakeName } from '../../core/json-shapes.ts';
import type { Data } from '../../db/data.ts';
import type { Actor } from '../actor.ts';
import { auditQueries } from '../audit-queries.ts';
import { policyRefusal, workspaceRefusal } from '../gate/workspace-refusal.ts';
import { isAdministrator, lockManagedWorkspace } from '../members.ts';
import type { Workspace } from '../owner.ts';
import {
  changedPolicies,
  mapPolicies,
  noPolicies,
  type PolicyValues,
  pageAccessFloors,
  readPolicies,
} from './policies.ts';
import { policyQueries } from './policy-queries.ts';
import { policyTexts } from './policy-texts.ts';

/**
 * Changes the policies in `given`, by their names in the API, and returns all of them. Throws `invalid`, and `PolicyRefused` if a new
 * policy would refuse the request itself, unless an administrator sent it, who can correct the policies in any case.
 */
export type ChangePolicies = (
  by: Actor,
  workspace: Workspace,
  given: Readonly<Record<string, unknown>>,
) => Promise<PolicyValues>;

export function createChangePolicies(deps: { data: Data; now: () => number }): ChangePolicies {
  return (by, workspace, given) =>
    deps.data.transaction(async (tx) => {
      await lockManagedWorkspace(tx, by, workspace);
      if (by.kind !== 'user') throw new NotFound();
      const before = await policyQueries(tx).ofWorkspace(workspace.id);
      const after = readPolicies(given, before);
      const changed = changedPolicies(before, after);
      if (changed.length === 0) return after;
      if (!(await isAdministrator(tx, by))) requireOwnAccess(by, after, changed);
      await policyQueries(tx).set(workspace.id, after);
      const below = pageAccessFloors.slice(0, pageAccessFloors.indexOf(after.pageAccess));
      const pages =
        below.length === 0 ? 0 : await policyQueries(tx).raisePageAccess(workspace.id, below, 'members');
      await auditQueries(tx).record({
        at: deps.now(),
        actor: by,
        action: 'workspace.policies-changed',
        ownerId: null,
        subject: workspace.name,
        details: {
          changes: Object.fromEntries(changed.map((name) => [snakeName(name), [before[name], after[name]]])),
          pages,
        },
      });
      return after;
    });
}

function requireOwnAccess(by: Actor, after: PolicyValues, changed: readonly string[]): void {
  const added = mapPolicies((name) => (changed.includes(name) ? after : noPolicies)[name]);
  const policy = workspaceRefusal(added, by);
  if (policy === null) return;
  const reason = toSentence(policyRefusal(policy, after).message);
  const field = snakeName(policy);
  throw new PolicyRefused(field, policyTexts.lockedOut({ reason }), { field });
}
