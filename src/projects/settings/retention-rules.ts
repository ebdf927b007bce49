import type { Data } from '../../db/data.ts';
import type { Owner } from '../../owners/owner.ts';
import type { RetentionRules } from '../../owners/retention/retention.ts';
import { retentionQueries } from '../../owners/retention/retention-queries.ts';

/** Returns the rules that apply to Apps of an Owner without rules of their own. */
export async function rulesOf(data: Data, owner: Owner): Promise<RetentionRules> {
  const workspace = owner.kind === 'project' ? owner.workspace : null;
  return {
    app: null,
    owner: await retentionQueries(data).ruleOf('owner', owner.id),
    workspace: workspace && (await retentionQueries(data).ruleOf('workspace', workspace.id)),
  };
}
