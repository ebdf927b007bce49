import type { Data } from '../data.ts';
import type { Owner } from '../owners/owner.ts';
import type { RetentionRules } from '../owners/retention.ts';

/** What holds for the Apps of an Owner that have no rule of their own. */
export async function rulesOf(data: Data, owner: Owner): Promise<RetentionRules> {
  const workspace = owner.kind === 'project' ? owner.workspace : null;
  return {
    app: null,
    owner: await data.retention.ruleOf('owner', owner.id),
    workspace: workspace && (await data.retention.ruleOf('workspace', workspace.id)),
  };
}
