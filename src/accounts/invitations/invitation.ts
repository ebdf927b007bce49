/** Invitations: a link that is good for a week and for one person, into a team or into the installation. */
import { createHash, randomBytes } from 'node:crypto';
import type { Connection } from '../../db/data.ts';
import { addMember } from '../../owners/members.ts';
import type { Team, User } from '../../owners/owner.ts';
import { invitationQueries } from './invitation-queries.ts';

export const invitationLifetimeMs = 7 * 24 * 60 * 60_000;
/** Of one Project, or of the installation. */
export const maxOpenInvitations = 100;
/** How long one that ran out or was used is remembered. */
export const invitationMemoryMs = 30 * 24 * 60 * 60_000;

export interface Invitation {
  id: string;
  /** Where the link was mailed to, and to nobody else; null: the link was handed over. */
  email: string | null;
  /** Null: into the installation. */
  into: { projectId: string; projectName: string; team: Team } | null;
  /** Null when the person is gone. */
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

/** Answers whether it was good: then it is used, and the person is in the team that it names. */
export async function joinByInvitation(
  inside: Connection,
  invitation: Invitation,
  user: User,
  now: number,
): Promise<boolean> {
  if (!(await invitationQueries(inside).takeInvitation(invitation.id, now))) return false;
  const { id, into, invitedBy } = invitation;
  if (into === null) return true;
  await addMember(inside, {
    by: { kind: 'user', user },
    project: { id: into.projectId, name: into.projectName },
    ...{ user, team: into.team, at: now, notify: false },
    details: { invitation: id, invitedBy },
  });
  return true;
}
