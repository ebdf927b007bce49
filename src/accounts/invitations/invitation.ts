/** Invitations by link, to a Project, an app or the installation: for one person and a week, or for several people. */
import { createHash, randomBytes } from 'node:crypto';
import type { Team, WorkspaceRole } from '../../owners/owner.ts';

/** Each invitation may send an email to someone who has no account. */
export const invitationLimit = {
  name: 'invite',
  limit: 100,
  windowMs: 24 * 60 * 60_000,
  per: 'caller',
  refusal: 'invitations',
} as const;
export const inviteLinkLimit = {
  name: 'create invite link',
  limit: 50,
  windowMs: 24 * 60 * 60_000,
  per: 'caller',
  refusal: 'inviteLinks',
} as const;
export const invitationLifetimeMs = 7 * 24 * 60 * 60_000;
/** Per Project, and the same for the installation. */
export const maxOpenInvitations = 100;
/** How long expired and used invitations are kept. */
export const invitationRetentionMs = 30 * 24 * 60 * 60_000;

export interface Invitation {
  id: string;
  /** The address that the link was emailed to; null if the inviter shares it. */
  email: string | null;
  /** Null: the installation. */
  into: Exclude<InvitationPlace, { kind: 'workspace' }> | null;
  /** Null: the invitation is for one person. */
  link: InviteLinkUse | null;
  /** Null if the person was deleted. */
  invitedBy: string | null;
  createdAt: number;
  expiresAt: number;
}

/** An invitation that several people may use. */
export interface InviteLinkUse {
  /** Joined by everyone who uses the link. */
  groupId: string | null;
  maxPeople: number;
}

export function newInvitationToken(): string {
  return randomBytes(32).toString('base64url');
}

export function hashInvitationToken(token: string): string {
  return createHash('sha256').update('invitation\0').update(token).digest('hex');
}

export type InvitationPlace =
  | { kind: 'project'; id: string; name: string; team: Team }
  | { kind: 'workspace'; id: string; name: string; role: WorkspaceRole }
  /** `name`: its package name and platform; `ownerId`: its owner, a User. */
  | { kind: 'app'; id: string; name: string; ownerId: string };

/** A place without its name. */
export type InvitedTo =
  | { kind: 'project'; id: string; team: Team }
  | { kind: 'workspace'; id: string; role: WorkspaceRole }
  | { kind: 'app'; id: string };

/** An open invitation for one person who has an account. */
export interface PersonalInvitation {
  id: string;
  user: { id: string; name: string };
  place: InvitationPlace;
  /** Null if the inviter was deleted. */
  invitedBy: string | null;
  expiresAt: number;
}

/** An open invitation for one person: someone with an account, or the recipient of the email. */
export type NamedInvitation =
  | PersonalInvitation
  | (Omit<PersonalInvitation, 'user'> & { user: null; email: string });

export type ListedInvitation = NamedInvitation & { createdAt: number };

/** The name or address of the person. */
export const inviteeOf = (invitation: NamedInvitation): string =>
  invitation.user ? invitation.user.name : invitation.email;

export type InviteLinkPlace = NonNullable<Invitation['into']>;

export interface InviteLink {
  id: string;
  name: string;
  into: InviteLinkPlace;
  group: { id: string; name: string } | null;
  people: number;
  maxPeople: number;
  /** Null if the person was deleted. */
  invitedBy: string | null;
  /** Whether the inviter still has the right to invite; otherwise the link does not work. */
  isActive: boolean;
  expiresAt: number;
}
