/** Creates and revokes invitations by link. */
import { conflict, NotFound } from '../../core/errors.ts';
import type { Connection, Data } from '../../db/data.ts';
import { outboxQueries } from '../../jobs/outbox-queries.ts';
import { auditQueries } from '../../owners/audit-queries.ts';
import { addMember } from '../../owners/members.ts';
import type { Project, Team, User } from '../../owners/owner.ts';
import { accountTexts } from '../account-texts.ts';
import {
  hashInvitationToken,
  type Invitation,
  invitationLifetimeMs,
  invitationRetentionMs,
  maxOpenInvitations,
  newInvitationToken,
} from './invitation.ts';
import { invitationQueries } from './invitation-queries.ts';

export interface Inviting {
  by: User;
  /** Null: the installation. */
  into: { project: Project; team: Team } | null;
  /** The address to email the link to; null to return the link. */
  email: string | null;
}

export interface Invite {
  /**
   * Throws `conflict` if too many are open. The token is null if the link is emailed, because it appears only in that
   * email.
   */
  invite(inviting: Inviting): Promise<{ token: string | null }>;
  /** Throws `NotFound`. */
  revoke(by: User, project: Project | null, invitationId: string): Promise<void>;
}

export function createInvite(deps: { data: Data; now: () => number; wakeOutbox: () => void }): Invite {
  const { data, now } = deps;
  return {
    invite: async ({ by, into, email }) => {
      const token = newInvitationToken();
      const projectId = into?.project.id ?? null;
      await data.transaction(async (tx) => {
        const createdAt = now();
        const expiresAt = createdAt + invitationLifetimeMs;
        await invitationQueries(tx).deleteOldInvitations(projectId, createdAt - invitationRetentionMs);
        const open = await invitationQueries(tx).countInvitations(projectId, createdAt);
        if (open >= maxOpenInvitations) throw conflict(accountTexts.invitations.full(maxOpenInvitations));
        const id = await invitationQueries(tx).insertInvitation({
          tokenHash: hashInvitationToken(token),
          email,
          into: into && { projectId: into.project.id, team: into.team },
          invitedBy: by.id,
          createdAt,
          expiresAt,
        });
        await auditQueries(tx).record({
          at: createdAt,
          actor: { kind: 'user', user: by },
          action: 'invitation.made',
          ownerId: projectId,
          subject: subjectOf(into?.team ?? null),
          details: { invitation: id, mailed: email !== null },
        });
        if (email === null) return;
        const letter = { about: 'invitation', invitationId: id } as const;
        await outboxQueries(tx).add({ kind: 'send-letter', letter, until: expiresAt }, createdAt);
      });
      deps.wakeOutbox();
      return { token: email === null ? token : null };
    },
    revoke: async (by, project, invitationId) => {
      await data.transaction(async (tx) => {
        const projectId = project?.id ?? null;
        const revoked = await invitationQueries(tx).deleteInvitation(projectId, invitationId);
        if (!revoked) throw new NotFound('the invitation is no longer open');
        const actor = { kind: 'user', user: by } as const;
        const entry = { at: now(), actor, action: 'invitation.revoked', ownerId: projectId };
        const details = { invitation: invitationId, mailed: revoked.mailed };
        await auditQueries(tx).record({ ...entry, subject: subjectOf(revoked.team), details });
      });
    },
  };
}

/**
 * Never names the recipient, because the log outlives invitations and people. The invitation's id in the details links
 * the entries.
 */
const subjectOf = (team: Team | null) => (team === null ? 'a new user' : `${team} team`);

/** Returns whether the invitation was valid. If so, it is used up and the person joins its team. */
export async function joinByInvitation(
  tx: Connection,
  invitation: Invitation,
  user: User,
  now: number,
): Promise<boolean> {
  if (!(await invitationQueries(tx).useInvitation(invitation.id, now))) return false;
  const { id, into, invitedBy } = invitation;
  if (into === null) return true;
  await addMember(tx, {
    by: { kind: 'user', user },
    project: { id: into.projectId, name: into.projectName },
    user,
    team: into.team,
    at: now,
    notify: false,
    details: { invitation: id, invitedBy },
  });
  return true;
}
