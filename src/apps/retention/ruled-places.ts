/** The scopes of retention rules: an app, an owner or a Workspace, with the rules in force there. */
import { NotFound } from '../../core/errors.ts';
import type { Data } from '../../db/data.ts';
import type { Owner, Workspace } from '../../owners/owner.ts';
import { policyQueries } from '../../owners/policies/policy-queries.ts';
import type { RetentionTarget } from '../../owners/retention/change-retention.ts';
import type { RetentionRules } from '../../owners/retention/retention.ts';
import { retentionQueries } from '../../owners/retention/retention-queries.ts';
import type { App } from '../app.ts';

export interface RuledPlace {
  target: RetentionTarget;
  rules: RetentionRules;
}

export async function ruledApp(data: Data, app: App): Promise<RuledPlace> {
  const ruled = await retentionQueries(data).findApp(app.id);
  if (!ruled) throw new NotFound();
  const name = `${app.packageName} (${app.platform})`;
  return { target: { place: 'app', id: app.id, name, ownerId: app.owner.id }, rules: ruled.rules };
}

/** The rules are those of apps that have none of their own. */
export async function ruledOwner(data: Data, owner: Owner): Promise<RuledPlace> {
  const { id, name } = owner;
  const workspace = owner.kind === 'project' ? owner.workspace : null;
  const rules = {
    app: null,
    owner: await retentionQueries(data).ruleOf('owner', id),
    workspace: workspace && (await retentionQueries(data).ruleOf('workspace', workspace.id)),
    minDays: (await policyQueries(data).ofOwner(id)).retentionDays,
  };
  return { target: { place: 'owner', id, name, ownerId: id }, rules };
}

export async function ruledWorkspace(data: Data, { id, name }: Workspace): Promise<RuledPlace> {
  const rules = {
    app: null,
    owner: null,
    workspace: await retentionQueries(data).ruleOf('workspace', id),
    minDays: (await policyQueries(data).ofWorkspace(id)).retentionDays,
  };
  return { target: { place: 'workspace', id, name, ownerId: null }, rules };
}
