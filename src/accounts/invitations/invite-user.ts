/**
 * Invites someone who has an account, to a Project, a Workspace or an app. Nothing happens before they accept: no access, and no
 * email except the invitation. Like other invitations, but for one person instead of anyone with the link.
 */

import { conflict, NotFound, TooManyRequests } from '../../core/errors.ts';
import type { Connection, Data } from '../../db/data.ts';
import { outboxQueries } from '../../jobs/outbox-queries.ts';
import { attemptQueries } from '../../limits/attempt-queries.ts';
import { hashSubject, secondsUntilOver } from '../../limits/attempts.ts';
import type { Actor } from '../../owners/actor.ts';
import { appTesterQueries } from '../../owners/app-tester-queries.ts';
import { auditQueries } from '../../owners/audit-queries.ts';
import { addMember, addWorkspaceOwner, isAdministrator } from '../../owners/members.ts';
import { maxLoginLength, type User } from '../../owners/owner.ts';
import { ownerQueries } from '../../owners/owner-queries.ts';
import { quotaQueries } from '../../owners/quota-queries.ts';
import { teamQueries } from '../../owners/team-queries.ts';
import { workspaceQueries } from '../../owners/workspace-queries.ts';
import { accountTexts } from '../account-texts.ts';
import {
  hashInvitationToken,
  type InvitationPlace,
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
  if (pending.length >= maxOpenInvitations)
    throw conflict(accountTexts.invitations.full({ limit: maxOpenInvitations }));
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
    const email = { about: 'invitation', invitationId: id } as const;
    await outboxQueries(tx).add({ kind: 'send-letter', letter: email, until: expiresAt }, at);
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
        await lockPlace(tx, found.place);
        if (!(await teamQueries(tx).lockUser(user.id))) throw gone();
        if (!(await invitationQueries(tx).useInvitation(invitationId, at))) throw gone();
        await joinPlace(tx, user, found, at);
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

/** `pending`: they were already invited and have not responded. */
export type AddPersonResult = 'added' | 'invited' | 'pending' | 'already' | 'unknown';

export type UserActor = Extract<Actor, { kind: 'user' }>;

export interface Joining {
  place: InvitationPlace;
  /** People in this Workspace are added at once. */
  workspaceId: string | null;
  /** Locks the place until the transaction ends. Throws `NotFound` if `by` may not add people to it. */
  lock(tx: Connection): Promise<void>;
  isMember(tx: Connection, userId: string): Promise<boolean>;
  add(tx: Connection, change: { by: UserActor; user: User; at: number; notify: true }): Promise<unknown>;
}

/**
 * `login`: the name or email address of someone with an account. They are invited and join when they accept, or at once
 * when an administrator adds them or they are already in the Workspace of the place.
 */
export async function addOrInvite(
  { data, now }: { data: Data; now: () => number },
  by: UserActor,
  login: string,
  { place, workspaceId, ...joining }: Joining,
): Promise<AddPersonResult> {
  if (login === '' || login.length > maxLoginLength) return 'unknown';
  const user = (await ownerQueries(data).findUserForSignIn(login))?.user;
  if (!user) return 'unknown';
  return data.transaction(async (tx) => {
    await joining.lock(tx);
    if (!(await teamQueries(tx).lockUser(user.id))) return 'unknown';
    if (await joining.isMember(tx, user.id)) return 'already';
    const at = now();
    const atOnce =
      (await isAdministrator(tx, by)) ||
      (workspaceId !== null && (await workspaceQueries(tx).hasMember(workspaceId, user.id)));
    if (atOnce) {
      await joining.add(tx, { by, user, at, notify: true });
      return 'added';
    }
    return (await inviteUser(tx, { by: by.user, user, place, at })) ? 'invited' : 'pending';
  });
}

/** Open invitations to places of one kind. */
export interface PlaceInvitations {
  /** People who were invited and have not responded. */
  pending(place: { id: string }): Promise<PersonalInvitation[]>;
  /** Throws `NotFound`. */
  cancel(by: User, place: { id: string }, invitationId: string): Promise<void>;
}

export function createPlaceInvitations(
  { data, now }: { data: Data; now: () => number },
  kind: InvitationPlace['kind'],
): PlaceInvitations {
  const list = (on: Connection, id: string) =>
    invitationQueries(on).listOfPlace({ kind, id }, now(), maxOpenInvitations);
  return {
    pending: ({ id }) => list(data, id),
    cancel: (by, { id }, invitationId) =>
      data.transaction(async (tx) => {
        const invitation = (await list(tx, id)).find((one) => one.id === invitationId);
        if (!invitation || !(await invitationQueries(tx).deleteOfPlace({ kind, id }, invitationId)))
          throw new NotFound();
        await recordInvitationEnd(tx, 'invitation.revoked', { by, invitation, at: now() });
      }),
  };
}

/** Cancels an invitation unless it was used in the meantime. */
export async function revokePersonalInvitation(
  tx: Connection,
  revoking: { by: User; invitation: PersonalInvitation; at: number },
): Promise<void> {
  const { place, id } = revoking.invitation;
  if (await invitationQueries(tx).deleteOfPlace(place, id))
    await recordInvitationEnd(tx, 'invitation.revoked', revoking);
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

/** Locks the place until the transaction ends. Throws `NotFound` if it no longer exists. */
export async function lockPlace(tx: Connection, place: InvitationPlace): Promise<void> {
  if (place.kind === 'project' && !(await quotaQueries(tx).lock(place.id))) throw new NotFound();
  if (place.kind === 'workspace' && !(await workspaceQueries(tx).lock(place.id))) throw new NotFound();
}

/** Adds the person to the team, Workspace or app, and records it. */
export async function joinPlace(
  tx: Connection,
  user: User,
  { id, place, invitedBy }: Pick<PersonalInvitation, 'id' | 'place' | 'invitedBy'>,
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
