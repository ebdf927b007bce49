/** Invitations by link: valid for a week and for one person, to a team or to the installation. */
import { createHash, randomBytes } from 'node:crypto';
import type { Team } from '../../owners/owner.ts';

export const invitationLifetimeMs = 7 * 24 * 60 * 60_000;
/** Per Project, and for the installation. */
export const maxOpenInvitations = 100;
/** How long expired and used invitations are kept. */
export const invitationRetentionMs = 30 * 24 * 60 * 60_000;

export interface Invitation {
  id: string;
  /** The address that the link was emailed to; null if the inviter shares it. */
  email: string | null;
  /** Null: the installation. */
  into: { projectId: string; projectName: string; team: Team } | null;
  /** Null if the person was deleted. */
  invitedBy: string | null;
  createdAt: number;
  expiresAt: number;
}

export function newInvitationToken(): string {
  return randomBytes(32).toString('base64url');
}

export function hashInvitationToken(token: string): string {
  return createHash('sha256').update('invitation\0').update(token).digest('hex');
}

export type InvitationPlace =
  | { kind: 'project'; id: string; name: string; team: Team }
  | { kind: 'workspace'; id: string; name: string }
  /** `name`: its package name and platform; `ownerId`: of the User who has it. */
  | { kind: 'app'; id: string; name: string; ownerId: string };

/** The place people are invited to, without the team. */
export type InvitationTarget = Pick<InvitationPlace, 'kind' | 'id'>;

/** An invitation of one person who has an account. */
export interface PersonalInvitation {
  id: string;
  user: { id: string; name: string };
  place: InvitationPlace;
  /** Null when the person is gone. */
  invitedBy: string | null;
  expiresAt: number;
}
