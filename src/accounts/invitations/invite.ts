/** Inviting somebody, and taking an invitation back. */
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
  invitationMemoryMs,
  maxOpenInvitations,
  newInvitationToken,
} from './invitation.ts';
import { invitationQueries } from './invitation-queries.ts';

export interface Inviting {
  by: User;
  /** Null: into the installation. */
  into: { project: Project; team: Team } | null;
  /** Where the link is mailed to; null: it is answered, to be handed over. */
  email: string | null;
}

export interface Invite {
  /** Throws `conflict` when too many are open. The token is null when the link is mailed, and for that email alone. */
  invite(inviting: Inviting): Promise<{ token: string | null }>;
  /** Throws `not_found`. */
  revoke(by: User, project: Project | null, invitationId: string): Promise<void>;
}

export function createInvite(parts: { data: Data; now: () => number; wakeOutbox: () => void }): Invite {
  const { data, now } = parts;
  return {
    invite: async ({ by, into, email }) => {
      const token = newInvitationToken();
      const projectId = into?.project.id ?? null;
      await data.transaction(async (inside) => {
        const createdAt = now();
        const expiresAt = createdAt + invitationLifetimeMs;
        await invitationQueries(inside).deleteOldInvitations(projectId, createdAt - invitationMemoryMs);
        const open = await invitationQueries(inside).countInvitations(projectId, createdAt);
        if (open >= maxOpenInvitations) throw conflict(accountTexts.invitations.full(maxOpenInvitations));
        const id = await invitationQueries(inside).insertInvitation({
          tokenHash: hashInvitationToken(token),
          email,
          into: into && { projectId: into.project.id, team: into.team },
          invitedBy: by.id,
          createdAt,
          expiresAt,
        });
        await auditQueries(inside).record({
          at: createdAt,
          actor: { kind: 'user', user: by },
          action: 'invitation.made',
          ownerId: projectId,
          subject: subjectOf(into?.team ?? null),
          details: { invitation: id, mailed: email !== null },
        });
        if (email === null) return;
        const letter = { about: 'invitation', invitationId: id } as const;
        await outboxQueries(inside).add({ kind: 'send-letter', letter, until: expiresAt }, createdAt);
      });
      parts.wakeOutbox();
      return { token: email === null ? token : null };
    },
    revoke: async (by, project, invitationId) => {
      await data.transaction(async (inside) => {
        const projectId = project?.id ?? null;
        const revoked = await invitationQueries(inside).deleteInvitation(projectId, invitationId);
        if (!revoked) throw new NotFound('there is no such open invitation');
        const actor = { kind: 'user', user: by } as const;
        const entry = { at: now(), actor, action: 'invitation.revoked', ownerId: projectId };
        const details = { invitation: invitationId, mailed: revoked.mailed };
        await auditQueries(inside).record({ ...entry, subject: subjectOf(revoked.team), details });
      });
    },
  };
}

/** The log outlives invitations and people, so that it never says whom one was sent to: its id leads to where it was made. */
const subjectOf = (team: Team | null) => (team === null ? 'a new user' : `${team} team`);

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
