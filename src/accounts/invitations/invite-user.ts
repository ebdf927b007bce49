/**
 * Invites someone who has an account, to a Project, a Workspace or an app. Nothing happens before they accept: no access, and no
 * email except the invitation. Like other invitations, but for one person instead of anyone with the link.
 */

import { conflict, NotFound, TooManyRequests } from '../../core/errors.ts';
import type { Connection, Data } from '../../db/data.ts';
import { outboxQueries } from '../../jobs/outbox-queries.ts';
import { attemptQueries } from '../../limits/attempt-queries.ts';
import { hashSubject, secondsUntilOver } from '../../limits/attempts.ts';
import { appTesterQueries } from '../../owners/app-tester-queries.ts';
import { auditQueries } from '../../owners/audit-queries.ts';
import { addMember, addWorkspaceOwner } from '../../owners/members.ts';
import type { User } from '../../owners/owner.ts';
import { quotaQueries } from '../../owners/quota-queries.ts';
import { teamQueries } from '../../owners/team-queries.ts';
import { workspaceQueries } from '../../owners/workspace-queries.ts';
import { accountTexts } from '../account-texts.ts';
import {
  hashInvitationToken,
  type InvitationPlace,
  type InvitationTarget,
  invitationLifetimeMs,
  maxOpenInvitations,
  newInvitationToken,
  type PersonalInvitation,
} from './invitation.ts';
import { invitationQueries } from './invitation-queries.ts';

export const maxTestersOfApp = 500;
const dayMs = 24 * 60 * 60_000;
/** Per inviter, for all places together: each invitation may send an email. */
const invitationsPerDay = 100;
/** A second one to the same person within a day is shown to them but not emailed. */
const emailsPerPersonPerDay = 1;

/**
 * Call it in the transaction that has locked the place. Returns whether the invitation is new; throws `conflict` if too
 * many are open and `TooManyRequests` if `by` has invited too many people today.
 */
export async function inviteUser(
  tx: Connection,
  inviting: { by: User; user: Pick<User, 'id' | 'name'>; place: InvitationPlace; at: number },
): Promise<boolean> {
  const { by, user, place, at } = inviting;
  const pending = await invitationQueries(tx).listOfPlace(place, at, maxOpenInvitations);
  if (pending.some((one) => one.user.id === user.id)) return false;
  if (pending.length >= maxOpenInvitations) throw conflict(accountTexts.invitations.full(maxOpenInvitations));
  const count = async (...subject: string[]) => {
    const [tries] = await attemptQueries(tx).countAttempts([hashSubject(subject)], at, dayMs);
    return tries ?? { count: 0, since: at };
  };
  const today = await count('invitations by', by.id);
  if (today.count > invitationsPerDay) {
    throw new TooManyRequests(accountTexts.invitations.tooMany, secondsUntilOver(today.since, dayMs, at));
  }
  const expiresAt = at + invitationLifetimeMs;
  const id = await invitationQueries(tx).insertInvitation({
    tokenHash: hashInvitationToken(newInvitationToken()),
    email: null,
    into: place.kind === 'project' ? { projectId: place.id, team: place.team } : null,
    personal: {
      userId: user.id,
      workspaceId: place.kind === 'workspace' ? place.id : null,
      appId: place.kind === 'app' ? place.id : null,
    },
    invitedBy: by.id,
    createdAt: at,
    expiresAt,
  });
  await auditQueries(tx).record({
    at,
    actor: { kind: 'user', user: by },
    action: 'invitation.made',
    ownerId: ownerIdOf(place),
    subject: `${user.name}: ${place.name}`,
    details: { invitation: id },
  });
  const mails = await count('invitation mail', by.id, user.id);
  if (mails.count <= emailsPerPersonPerDay) {
    const letter = { about: 'invitation', invitationId: id } as const;
    await outboxQueries(tx).add({ kind: 'send-letter', letter, until: expiresAt }, at);
  }
  return true;
}

export interface PersonalInvitations {
  /** Throws `NotFound` if it is not theirs, has expired, or the inviter no longer has the right to invite. */
  accept(user: User, invitationId: string): Promise<InvitationPlace>;
  decline(user: User, invitationId: string): Promise<void>;
}

export function createPersonalInvitations(deps: { data: Data; now: () => number }): PersonalInvitations {
  const { data, now } = deps;
  const gone = () => new NotFound(accountTexts.invitation.goneTitle);
  return {
    accept: (user, invitationId) =>
      data.transaction(async (tx) => {
        const at = now();
        const found = await invitationQueries(tx).findOfUser(user.id, invitationId, at);
        if (!found) throw gone();
        await hold(tx, found.place);
        if (!(await teamQueries(tx).lockUser(user.id))) throw gone();
        if (!(await invitationQueries(tx).useInvitation(invitationId, at))) throw gone();
        await join(tx, user, found, at);
        return found.place;
      }),
    decline: (user, invitationId) =>
      data.transaction(async (tx) => {
        const found = await invitationQueries(tx).findOfUser(user.id, invitationId, now());
        if (!found) throw gone();
        await invitationQueries(tx).deleteOfPlace(found.place, invitationId);
        await recordInvitationEnd(tx, 'invitation.declined', { by: user, invitation: found, at: now() });
      }),
  };
}

/** Cancels an open invitation to the place. Throws `NotFound`. */
export async function cancelInvitation(
  { data, now }: { data: Data; now: () => number },
  by: User,
  target: InvitationTarget,
  invitationId: string,
): Promise<void> {
  await data.transaction(async (tx) => {
    const at = now();
    const pending = await invitationQueries(tx).listOfPlace(target, at, maxOpenInvitations);
    const invitation = pending.find(({ id }) => id === invitationId);
    if (!invitation || !(await invitationQueries(tx).deleteOfPlace(target, invitationId)))
      throw new NotFound();
    await recordInvitationEnd(tx, 'invitation.revoked', { by, invitation, at });
  });
}

async function recordInvitationEnd(
  tx: Connection,
  action: 'invitation.revoked' | 'invitation.declined',
  { by, invitation, at }: { by: User; invitation: PersonalInvitation; at: number },
): Promise<void> {
  const { id, user, place } = invitation;
  await auditQueries(tx).record({
    at,
    actor: { kind: 'user', user: by },
    action,
    ownerId: ownerIdOf(place),
    subject: `${user.name}: ${place.name}`,
    details: { invitation: id },
  });
}

async function hold(tx: Connection, place: InvitationPlace): Promise<void> {
  if (place.kind === 'project' && !(await quotaQueries(tx).lock(place.id))) throw new NotFound();
  if (place.kind === 'workspace' && !(await workspaceQueries(tx).lock(place.id))) throw new NotFound();
}

async function join(
  tx: Connection,
  user: User,
  { id, place, invitedBy }: PersonalInvitation,
  at: number,
): Promise<void> {
  const change = { by: { kind: 'user', user } as const, user, at, notify: false };
  const details = { invitation: id, invitedBy };
  if (place.kind === 'project') {
    await addMember(tx, { ...change, project: place, team: place.team, details });
  } else if (place.kind === 'workspace') {
    await addWorkspaceOwner(tx, { ...change, workspace: place });
  } else {
    const tester = { appId: place.id, userId: user.id, limit: maxTestersOfApp, now: at };
    const outcome = await appTesterQueries(tx).add(tester);
    if (outcome === 'full' || outcome === 'unknown') throw conflict(accountTexts.invitation.goneTitle);
    const entry = { at, actor: change.by, action: 'access.given', ownerId: place.ownerId };
    await auditQueries(tx).record({ ...entry, subject: `${user.name}: ${place.name}`, details });
  }
}

/** The owner whose audit log records it. */
function ownerIdOf(place: InvitationPlace): string | null {
  if (place.kind === 'app') return place.ownerId;
  return place.kind === 'project' ? place.id : null;
}
