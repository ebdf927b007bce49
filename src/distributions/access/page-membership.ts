/** The facts about a person that the access rules of a page use. */
import type { ViewAccess } from '../../apps/view-access.ts';
import type { Data } from '../../db/data.ts';
import type { Actor } from '../../owners/actor.ts';
import { WorkspaceBarred } from '../../owners/gate/workspace-gate.ts';
import { groupQueries } from '../../owners/group-queries.ts';
import type { PageWithApp } from '../distribution-queries.ts';

export interface PageMembership {
  /** They are the owner, or in the Project's owner or developer team. */
  mayManage: boolean;
  /** They have access to the app without the page. */
  member: boolean;
  /** They manage the app, or are in a group that the page admits. */
  inGroup: boolean;
  /** Why they count as a visitor although they have access; null otherwise. */
  barred: WorkspaceBarred | null;
}

/** A null `actor` means that nobody is signed in. */
export async function membershipOf(
  { data, viewAccess }: { data: Data; viewAccess: ViewAccess },
  { page, app }: PageWithApp,
  actor: Actor | null,
): Promise<PageMembership> {
  const visitor = { mayManage: false, member: false, inGroup: false, barred: null };
  if (actor === null) return visitor;
  const managing = await viewAccess.manages(actor, app).catch((error: unknown) => {
    if (error instanceof WorkspaceBarred) return error;
    throw error;
  });
  if (managing instanceof WorkspaceBarred) return { ...visitor, barred: managing };
  const mayManage = managing;
  const member = mayManage || (await viewAccess.app(actor, app));
  const asksGroups = member && page.access === 'groups' && actor.kind === 'user';
  const inGroup =
    mayManage || (asksGroups && (await groupQueries(data).isInGroupOfPage(page.id, actor.user.id)));
  return { mayManage, member, inGroup, barred: null };
}
