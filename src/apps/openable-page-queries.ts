/**
 * Selects the distribution pages that a viewer may see: those that would open for them. The SQL form of
 * `distributions/access/page-rules.ts`.
 */
import { type RawBuilder, sql } from 'kysely';
import { isInGroupOfPage } from '../owners/group-queries.ts';
import { uploadingTeams } from '../owners/permissions.ts';
import type { PageViewer } from './listed-page.ts';

/**
 * Condition on `distribution_pages as p`, for viewers with access to the app of the page. Ignores networks, which limit where a
 * page can be opened, not by whom.
 */
export function isOpenable(viewer: PageViewer): RawBuilder<boolean> {
  if (viewer.kind === 'manager') return sql<boolean>`1 = 1`;
  const open = sql<boolean>`(p.active = 1 and (p.expires_at is null or p.expires_at > ${viewer.now}))`;
  if (viewer.kind === 'guest') return sql<boolean>`(${open} and p.access = 'unlisted')`;
  if (viewer.kind === 'member') return sql<boolean>`(${open} and p.access <> 'groups')`;
  const { actor } = viewer;
  if (actor.kind === 'project') {
    // As in `canUpload`, a Project's own key manages nothing in a Workspace.
    const manages = actor.project.workspace === null;
    return isOpenable(manages ? { kind: 'manager' } : { kind: 'member', now: viewer.now });
  }
  const userId = sql.val(actor.user.id);
  return sql<boolean>`((${open} and (p.access <> 'groups' or ${isInGroupOfPage(sql.ref('p.id'), userId)}))
    or exists (select 1 from apps as pa where pa.id = p.app_id and (pa.owner_id = ${userId} or exists (
      select 1 from team_members as pt where pt.project_id = pa.owner_id and pt.user_id = ${userId}
        and pt.team in (${sql.join(uploadingTeams)})))))`;
}
