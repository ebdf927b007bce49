/**
 * Invites one person by name or address, to a Project, a Workspace or an app. Nothing happens before they accept: no access, and
 * no email except the invitation.
 */

import { AppError, conflictingField, NotFound, TooManyRequests } from '../../core/errors.ts';
import type { Connection, Data } from '../../db/data.ts';
import { outboxQueries } from '../../jobs/outbox-queries.ts';
import { attemptQueries } from '../../limits/attempt-queries.ts';
import { hashSubject, secondsUntilOver } from '../../limits/attempts.ts';
import type { Actor } from '../../owners/actor.ts';
import { mailedTo } from '../../owners/audit.ts';
import { auditQueries } from '../../owners/audit-queries.ts';
import { isAdministrator } from '../../owners/members.ts';
import { emailKey, maxLoginLength, teams, type User } from '../../owners/owner.ts';
import { ownerQueries } from '../../owners/owner-queries.ts';
import { requireAllowedEmail } from '../../owners/policies/enforce-policies.ts';
import { moveInvitations } from '../../owners/removals.ts';
import { teamQueries } from '../../owners/team-queries.ts';
import { workspaceQueries } from '../../owners/workspace-queries.ts';
import { accountTexts } from '../account-texts.ts';
import { isMailAddress } from '../profile/email-address.ts';
import {
  hashInvitationToken,
  type InvitationPlace,
  invitationLifetimeMs,
  invitationRetentionMs,
  type ListedInvitation,
  maxOpenInvitations,
  type NamedInvitation,
  newInvitationToken,
} from './invitation.ts';
import { invitationQueries } from './invitation-queries.ts';
import { joinPlace, lockPlace, ownerIdOf } from './join-place.ts';
import { namedInvitationQueries } from './named-invitation-queries.ts';

const dayMs = 24 * 60 * 60_000;
/** Per inviter, across all places: each invitation may send an email. */
const invitationsPerDay = 100;
/** A second invitation to the same person within a day is shown to them but not emailed. */
const emailsPerPersonPerDay = 1;

/** A person with an account, or an address that no account has. */
export type Invitee = Pick<User, 'id' | 'name'> | { address: string };

/**
 * Call it in the transaction that has locked the place. Returns whether the invitation is new or was changed to another team.
 * Throws `conflict` if too many are open, and `TooManyRequests` if `by` has invited too many people today.
 */
export async function inviteTo(
  tx: Connection,
  inviting: { by: User; invitee: Invitee; place: InvitationPlace; at: number },
): Promise<boolean> {
  const { by, invitee, place, at } = inviting;
  await requireAllowedEmail(tx, place, invitee);
  const address = 'address' in invitee ? invitee.address : null;
  const person = 'id' in invitee ? invitee : null;
  const key = person?.id ?? emailKey(address ?? '');
  await namedInvitationQueries(tx).deleteOldOfPlace(place, at - invitationRetentionMs);
  const pending = (await namedInvitationQueries(tx).listOfPlace(place, at, 2 * maxOpenInvitations)).filter(
    ({ user }) => (user === null) === (person === null),
  );
  const known = pending.find((one) => (one.user ? one.user.id : emailKey(one.email)) === key);
  if (
    known &&
    place.kind === 'workspace' &&
    known.place.kind === 'workspace' &&
    place.role !== known.place.role
  )
    await revokeInvitation(tx, { by, invitation: known, at });
  else if (known) return changeTeam(tx, inviting, known);
  if (pending.length >= maxOpenInvitations)
    throw conflictingField('login', accountTexts.invitations.full({ limit: maxOpenInvitations }));
  const count = async (...subject: string[]) => {
    const [tries] = await attemptQueries(tx).countAttempts([hashSubject(subject)], at, dayMs);
    return tries ?? { count: 0, since: at };
  };
  const today = await count('invitations by', by.id);
  if (today.count > invitationsPerDay) {
    throw new TooManyRequests('invitations', secondsUntilOver(today.since, dayMs, at));
  }
  const expiresAt = at + invitationLifetimeMs;
  const id = await invitationQueries(tx).insertInvitation({
    tokenHash: hashInvitationToken(newInvitationToken()),
    email: address,
    into: place,
    userId: person?.id ?? null,
    invitedBy: by.id,
    createdAt: at,
    expiresAt,
  });
  await recordInvitation(tx, 'invitation.made', {
    by,
    invitation: { id, place, user: person, email: address },
    at,
  });
  const mails = await count('invitation mail', by.id, key);
  if (mails.count <= emailsPerPersonPerDay) {
    const accountEmail = { about: 'invitation', invitationId: id } as const;
    await outboxQueries(tx).add(by.id, { kind: 'send-account-email', accountEmail, until: expiresAt }, at);
  }
  return true;
}

/** Returns whether the invitation was for another team. */
async function changeTeam(
  tx: Connection,
  { by, invitee, place, at }: { by: User; invitee: Invitee; place: InvitationPlace; at: number },
  known: NamedInvitation,
): Promise<boolean> {
  if (place.kind !== 'project' || known.place.kind !== 'project') return false;
  const { id: projectId, team: to } = place;
  const from = teams.filter((team) => team !== to);
  return moveInvitations(tx, { by: { kind: 'user', user: by }, at, projectId, whose: invitee, from, to });
}

export interface PersonalInvitations {
  /** Throws `NotFound` if the invitation is for someone else, has expired, or its inviter may no longer invite. */
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
        const found = await namedInvitationQueries(tx).findOfUser(user.id, invitationId, at);
        if (!found) throw gone();
        await lockPlace(tx, found.place);
        if (!(await teamQueries(tx).lockUser(user.id))) throw gone();
        if (!(await invitationQueries(tx).useInvitation(invitationId, at))) throw gone();
        await joinPlace(tx, user, found, at);
        return found.place;
      }),
    decline: (user, invitationId) =>
      data.transaction(async (tx) => {
        const found = await namedInvitationQueries(tx).findOfUser(user.id, invitationId, now());
        if (!found) throw gone();
        await namedInvitationQueries(tx).deleteOfPlace(found.place, invitationId);
        await recordInvitation(tx, 'invitation.declined', { by: user, invitation: found, at: now() });
      }),
  };
}

/** `pending`: they were invited before and have not responded. */
export type AddPersonResult = 'added' | 'invited' | 'pending' | 'already';

/** Nobody with the name or address can be added. */
export class UnknownPerson extends AppError {
  override name = 'UnknownPerson';

  constructor() {
    super('invalid', accountTexts.peopleList.explanations.unknown, { field: 'login' });
  }
}

export type UserActor = Extract<Actor, { kind: 'user' }>;

export interface Joining {
  place: InvitationPlace;
  /** People in this Workspace are added without an invitation. */
  workspaceId: string | null;
  /** Locks the place until the transaction ends. Throws `NotFound` if `by` may not add people to it. */
  lock(tx: Connection): Promise<void>;
  isMember(tx: Connection, userId: string): Promise<boolean>;
  add(tx: Connection, change: { by: UserActor; user: User; at: number; notify: true }): Promise<unknown>;
}

export interface InviteDeps {
  data: Data;
  now: () => number;
  /** Otherwise, only people with an account can be invited. */
  canSendMail: boolean;
}

/**
 * `login`: a name or email address. A person with an account is invited; administrators add them at once, and so does anyone if
 * they are already in the Workspace of the place. An address without an account gets an email with a link. Throws `UnknownPerson`.
 */
export async function addOrInvite(
  { data, now, canSendMail }: InviteDeps,
  by: UserActor,
  login: string,
  { place, workspaceId, ...joining }: Joining,
): Promise<AddPersonResult> {
  if (login === '' || login.length > maxLoginLength) throw new UnknownPerson();
  const user = await ownerQueries(data).findAddressee(login);
  const isMailable = canSendMail && isMailAddress(login);
  // The address of a disabled account is not invited as if it had none.
  if (!user && !(isMailable && !(await ownerQueries(data).findUser(login))?.emailConfirmed))
    throw new UnknownPerson();
  return data.transaction(async (tx) => {
    await joining.lock(tx);
    const at = now();
    const invite = async (invitee: Invitee) =>
      (await inviteTo(tx, { by: by.user, invitee, place, at })) ? 'invited' : 'pending';
    if (!user) return invite({ address: login });
    if (!(await teamQueries(tx).lockUser(user.id))) throw new UnknownPerson();
    if (await joining.isMember(tx, user.id)) return 'already';
    const atOnce =
      (await isAdministrator(tx, by)) ||
      (workspaceId !== null && (await workspaceQueries(tx).hasPerson(workspaceId, user.id)));
    if (!atOnce) return invite(user);
    await joining.add(tx, { by, user, at, notify: true });
    return 'added';
  });
}

/** Open invitations to places of one kind. */
export interface PlaceInvitations {
  /** People who were invited and have not responded. */
  pending(place: { id: string }): Promise<ListedInvitation[]>;
  /** Throws `NotFound`. */
  cancel(by: User, place: { id: string }, invitationId: string): Promise<void>;
}

export function createPlaceInvitations(
  { data, now }: { data: Data; now: () => number },
  kind: InvitationPlace['kind'],
): PlaceInvitations {
  const list = (on: Connection, id: string) =>
    namedInvitationQueries(on).listOfPlace({ kind, id }, now(), 2 * maxOpenInvitations);
  return {
    pending: ({ id }) => list(data, id),
    cancel: (by, { id }, invitationId) =>
      data.transaction(async (tx) => {
        const invitation = (await list(tx, id)).find((one) => one.id === invitationId);
        if (!invitation || !(await namedInvitationQueries(tx).deleteOfPlace({ kind, id }, invitationId)))
          throw new NotFound();
        await recordInvitation(tx, 'invitation.revoked', { by, invitation, at: now() });
      }),
  };
}

/** Cancels an invitation unless it was used in the meantime. */
export async function revokeInvitation(
  tx: Connection,
  revoking: { by: User; invitation: NamedInvitation; at: number },
): Promise<void> {
  const { place, id } = revoking.invitation;
  if (await namedInvitationQueries(tx).deleteOfPlace(place, id))
    await recordInvitation(tx, 'invitation.revoked', revoking);
}

interface RecordedInvitation extends Pick<NamedInvitation, 'id' | 'user' | 'place'> {
  /** The address of someone without an account. */
  email?: string | null;
}

async function recordInvitation(
  tx: Connection,
  action: 'invitation.made' | 'invitation.revoked' | 'invitation.declined',
  { by, invitation, at }: { by: User; invitation: RecordedInvitation; at: number },
): Promise<void> {
  const { id, user, place, email = null } = invitation;
  const mailed = place.kind === 'project' ? `${place.team} team` : place.name;
  await auditQueries(tx).record({
    at,
    actor: { kind: 'user', user: by },
    action,
    ownerId: ownerIdOf(place),
    subject: user ? `${user.name}: ${place.name}` : mailed,
    details: user ? { invitation: id } : { invitation: id, ...mailedTo(email) },
  });
}
