/** The facts about a person that the access rules of a page use. */
import type { ViewAccess } from '../../apps/view-access.ts';
import type { Data } from '../../db/data.ts';
import type { Actor } from '../../owners/actor.ts';
import { groupQueries } from '../../owners/group-queries.ts';
import type { PageWithApp } from '../distribution-queries.ts';

export interface PageMembership {
  /** They are the owner, or in the Project's owner or developer team. */
  mayManage: boolean;
  /** They have access to the app without the page. */
  member: boolean;
  /** They manage the app, or are in a group that the page admits. */
  inGroup: boolean;
}

/** A null `actor` means that nobody is signed in. */
export async function membershipOf(
  { data, viewAccess }: { data: Data; viewAccess: ViewAccess },
  { page, app }: PageWithApp,
  actor: Actor | null,
): Promise<PageMembership> {
  const visitor = { mayManage: false, member: false, inGroup: false };
  if (actor === null) return visitor;
  const mayManage = await viewAccess.manages(actor, app);
  const member = mayManage || (await viewAccess.app(actor, app));
  const asksGroups = member && page.access === 'groups' && actor.kind === 'user';
  const inGroup =
    mayManage || (asksGroups && (await groupQueries(data).isInGroupOfPage(page.id, actor.user.id)));
  return { mayManage, member, inGroup };
}
