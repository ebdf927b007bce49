/**
 * Ends everything that depends on a membership. A person who is removed from a Project, Workspace or app loses their open
 * invitations to it, so that none brings them back. Call these functions in a transaction that has locked the place: an
 * invitation accepted at the same moment is then either withdrawn, or the membership from it ends.
 */
import type { Connection } from '../db/data.ts';
import { mailedTo } from './audit.ts';
import { type AuditEntry, auditQueries } from './audit-queries.ts';
import type { InvitedAs, PlaceOfPeople, Team, User } from './owner.ts';
import { ownerQueries } from './owner-queries.ts';
import { teamQueries } from './team-queries.ts';

export type MembershipActor = AuditEntry['actor'];

export interface MembershipChange {
  by: MembershipActor;
  user: Pick<User, 'id' | 'name'>;
  at: number;
  /** Who gave the access, if not `by`: the inviter. */
  addedBy?: string | null;
  /** A group rule adds the person, and leaves out those whom a policy does not admit. */
  isByRule?: boolean;
}

/** `ownerId`: the owner whose audit log records changes there. */
export interface RecordedPlace extends PlaceOfPeople {
  name: string;
  ownerId: string | null;
}

/**
 * Withdraws open invitations of a person who leaves. Links for several people stay open for others, but admit the person again
 * only if they left on their own. Returns whether anything ended.
 */
export async function endAccess(
  tx: Connection,
  ending: MembershipChange & {
    place: RecordedPlace;
    /** The person was in the place and has just left it. */
    hasLeft: boolean;
    /** The person is still in the place, in another team. */
    stays?: boolean;
    /** Withdraws invitations to these teams only. */
    teams?: readonly Team[] | null;
  },
): Promise<boolean> {
  const { by, user, place, hasLeft, teams = null } = ending;
  const ended = (await withdrawInvitations(tx, { ...ending, teams, whose: user })) || hasLeft;
  const isOwnWish = typeof by !== 'string' && by.kind === 'user' && by.user.id === user.id;
  if (ended && !ending.stays && !isOwnWish) await teamQueries(tx).excludeFromLinks(place, user.id);
  return ended;
}

/** Deletes invitations that a person no longer needs after joining. */
export async function supersedeInvitations(
  tx: Connection,
  place: PlaceOfPeople,
  { id }: Pick<User, 'id'>,
  now: number,
  teams: readonly InvitedAs[] | null = null,
): Promise<void> {
  await teamQueries(tx).withdrawInvitations(place, { userId: id }, { teams, now });
}

export interface Withdrawal {
  by: MembershipActor;
  at: number;
  place: RecordedPlace;
  /** Null for any team. */
  teams: readonly Team[] | null;
  whose: Pick<User, 'id' | 'name'> | { address: string };
}

export async function withdrawInvitations(tx: Connection, withdrawal: Withdrawal): Promise<boolean> {
  const { by, at, place, teams, whose } = withdrawal;
  if (teams?.length === 0) return false;
  const withdrawn = await teamQueries(tx).withdrawInvitations(place, invitee(whose), { teams, now: at });
  for (const { id, team, email } of withdrawn) {
    const invited = team === null ? place.name : `${team} team`;
    await auditQueries(tx).record({
      at,
      actor: by,
      action: 'invitation.revoked',
      ownerId: place.ownerId,
      subject: 'id' in whose && email === null ? `${whose.name}: ${place.name}` : invited,
      details: { invitation: id, ...mailedTo(email) },
    });
  }
  return withdrawn.length > 0;
}

/** A person, by id (on pages) or by name or email address (in programs). */
export type PersonReference = { id: string } | { login: string };

/** Finds a person with an active or disabled account, or an address that may have been invited; null for neither. */
export async function findPerson(
  tx: Connection,
  person: PersonReference,
): Promise<User | { address: string } | null> {
  if ('id' in person) {
    const owner = await ownerQueries(tx).findOwnerById(person.id);
    return owner?.kind === 'user' ? owner : null;
  }
  const address = person.login.includes('@') ? { address: person.login } : null;
  return (await ownerQueries(tx).findUser(person.login)) ?? address;
}

/** Returns whether anything ended. */
export async function removePerson(
  tx: Connection,
  removal: Omit<Withdrawal, 'teams' | 'whose'> & {
    person: PersonReference;
    /** Limits this to invitations of an address to these teams. */
    teams?: readonly Team[];
  },
  remove: (user: User) => Promise<boolean>,
): Promise<boolean> {
  const { person, teams = null } = removal;
  const whose = await findPerson(tx, person);
  if (!whose) return false;
  return 'id' in whose ? remove(whose) : withdrawInvitations(tx, { ...removal, teams, whose });
}

/** Moves the open invitations of a person from one team to another. Returns whether there were any. */
export async function moveInvitations(
  tx: Connection,
  move: {
    by: MembershipActor;
    at: number;
    projectId: string;
    whose: Pick<User, 'id' | 'name'> | { address: string };
    from: readonly Team[];
    to: Team;
  },
): Promise<boolean> {
  const { by, at, projectId, whose, from, to } = move;
  const moved = await teamQueries(tx).moveInvitations(projectId, invitee(whose), { from, to, now: at });
  for (const { id, email } of moved) {
    const name = 'id' in whose && email === null ? `${whose.name}: ` : '';
    const entry = { at, actor: by, action: 'invitation.changed', ownerId: projectId };
    const details = { invitation: id, ...mailedTo(email) };
    await auditQueries(tx).record({ ...entry, subject: `${name}${to} team`, details });
  }
  return moved.length > 0;
}

const invitee = (whose: Pick<User, 'id'> | { address: string }) =>
  'id' in whose ? { userId: whose.id } : whose;
