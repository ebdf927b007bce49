/** Adds people who accepted an invitation. */
import { conflict, NotFound } from '../../core/errors.ts';
import type { Connection } from '../../db/data.ts';
import { appTesterQueries } from '../../owners/app-tester-queries.ts';
import { auditQueries } from '../../owners/audit-queries.ts';
import { addMember, addWorkspacePerson } from '../../owners/members.ts';
import type { User } from '../../owners/owner.ts';
import { quotaQueries } from '../../owners/quota-queries.ts';
import { supersedeInvitations } from '../../owners/removals.ts';
import { workspaceQueries } from '../../owners/workspace-queries.ts';
import { accountTexts } from '../account-texts.ts';
import type { InvitationPlace, PersonalInvitation } from './invitation.ts';

export const maxTestersOfApp = 500;

/** Locks the place until the transaction ends. Throws `NotFound` if it no longer exists. */
export async function lockPlace(tx: Connection, place: InvitationPlace): Promise<void> {
  if (place.kind === 'project' && !(await quotaQueries(tx).lock(place.id))) throw new NotFound();
  if (place.kind === 'workspace' && !(await workspaceQueries(tx).lock(place.id))) throw new NotFound();
  if (place.kind === 'app' && !(await appTesterQueries(tx).lockApp(place.id))) throw new NotFound();
}

/** Adds the person to the team, Workspace or app, and records it. */
export async function joinPlace(
  tx: Connection,
  user: User,
  { id, place, invitedBy }: Pick<PersonalInvitation, 'id' | 'place' | 'invitedBy'>,
  at: number,
): Promise<void> {
  const change = { by: { kind: 'user', user } as const, user, at, notify: false, addedBy: invitedBy };
  const details = { invitation: id, invitedBy };
  if (place.kind === 'project') {
    await addMember(tx, { ...change, project: place, team: place.team, details });
  } else if (place.kind === 'workspace') {
    await addWorkspacePerson(tx, { ...change, workspace: place, role: place.role });
  } else {
    const tester = { appId: place.id, userId: user.id, limit: maxTestersOfApp, now: at, addedBy: invitedBy };
    const outcome = await appTesterQueries(tx).add(tester);
    await supersedeInvitations(tx, place, user, at);
    if (outcome === 'full' || outcome === 'unknown') throw conflict(accountTexts.invitation.goneTitle);
    const entry = { at, actor: change.by, action: 'access.given', ownerId: place.ownerId };
    await auditQueries(tx).record({ ...entry, subject: `${user.name}: ${place.name}`, details });
  }
}

/** The owner whose audit log records it. */
export function ownerIdOf(place: InvitationPlace): string | null {
  if (place.kind === 'app') return place.ownerId;
  return place.kind === 'project' ? place.id : null;
}
