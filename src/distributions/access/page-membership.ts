/** What the access rules of a page ask about a person. */
import type { ViewAccess } from '../../apps/view-access.ts';
import type { Data } from '../../db/data.ts';
import type { Actor } from '../../owners/actor.ts';
import { groupQueries } from '../../owners/group-queries.ts';
import type { PageWithApp } from '../distribution-queries.ts';

export interface PageMembership {
  /** Its owner, or a member of the Project's owner or developer team. */
  mayManage: boolean;
  /** Sees the app without the page. */
  member: boolean;
  /** Manages the app, or is in a group that the page admits. */
  inGroup: boolean;
}

/** `actor` null: nobody is signed in. */
export async function membershipOf(
  { data, viewAccess }: { data: Data; viewAccess: ViewAccess },
  { page, app }: PageWithApp,
  actor: Actor | null,
): Promise<PageMembership> {
  if (actor === null) return { mayManage: false, member: false, inGroup: false };
  const mayManage = await viewAccess.manages(actor, app);
  const member = mayManage || (await viewAccess.app(actor, app));
  const asksGroups = member && page.access === 'groups' && actor.kind === 'user';
  const inGroup =
    mayManage || (asksGroups && (await groupQueries(data).isInGroupOfPage(page.id, actor.user.id)));
  return { mayManage, member, inGroup };
}
