/** Creates and revokes invitations by link. */
import { conflictingField, invalidField, NotFound } from '../../core/errors.ts';
import type { Connection } from '../../db/data.ts';
import { outboxQueries } from '../../jobs/outbox-queries.ts';
import { appTesterQueries } from '../../owners/app-tester-queries.ts';
import { auditSubjects, mailedTo } from '../../owners/audit.ts';
import { auditQueries } from '../../owners/audit-queries.ts';
import { maxPeopleOfGroup } from '../../owners/group.ts';
import { groupQueries } from '../../owners/group-queries.ts';
import type { Project, Team, User } from '../../owners/owner.ts';
import { ownerQueries } from '../../owners/owner-queries.ts';
import { requireAllowedEmail } from '../../owners/policies/enforce-policies.ts';
import { accountTexts } from '../account-texts.ts';
import { isMailAddress } from '../profile/email-address.ts';
import {
  hashInvitationToken,
  type Invitation,
  invitationLifetimeMs,
  invitationRetentionMs,
  maxOpenInvitations,
  newInvitationToken,
} from './invitation.ts';
import { invitationQueries } from './invitation-queries.ts';
import type { InviteDeps } from './invite-user.ts';
import { joinPlace, lockPlace } from './join-place.ts';

export interface Inviting {
  by: User;
  /** Null: the installation. */
  into: { project: Project; team: Team } | null;
  /** The address to email the link to; null to return the link. */
  email: string | null;
}

export interface Invite {
  /**
   * Throws `invalid` for an address that cannot be mailed, and `conflict` if too many are open. The token is null if the link is
   * emailed, because then it appears only in that email.
   */
  invite(inviting: Inviting): Promise<{ token: string | null }>;
  /** Throws `NotFound`. */
  revoke(by: User, project: Project | null, invitationId: string): Promise<void>;
}

export function createInvite(deps: InviteDeps & { wakeOutbox: () => void }): Invite {
  const { data, now } = deps;
  return {
    invite: async ({ by, into, email }) => {
      if (email !== null && !deps.canSendMail) throw invalidField('email', accountTexts.invitations.noMail);
      if (email !== null && !isMailAddress(email))
        throw invalidField('email', accountTexts.signUp.emailError);
      const token = newInvitationToken();
      const projectId = into?.project.id ?? null;
      await data.transaction(async (tx) => {
        const createdAt = now();
        const expiresAt = createdAt + invitationLifetimeMs;
        await invitationQueries(tx).deleteOldInvitations(projectId, createdAt - invitationRetentionMs);
        if (into && email !== null)
          await requireAllowedEmail(tx, { kind: 'project', id: into.project.id }, { address: email });
        const open = await invitationQueries(tx).countInvitations(projectId, createdAt);
        if (open >= maxOpenInvitations)
          throw conflictingField('email', accountTexts.invitations.full({ limit: maxOpenInvitations }));
        const id = await invitationQueries(tx).insertInvitation({
          tokenHash: hashInvitationToken(token),
          email,
          into: into && { kind: 'project', id: into.project.id, team: into.team },
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
          details: { invitation: id, ...mailedTo(email) },
        });
        if (email === null) return;
        const accountEmail = { about: 'invitation', invitationId: id } as const;
        await outboxQueries(tx).add(
          projectId ?? by.id,
          { kind: 'send-account-email', accountEmail, until: expiresAt },
          createdAt,
        );
      });
      deps.wakeOutbox();
      return { token: email === null ? token : null };
    },
    revoke: async (by, project, invitationId) => {
      await data.transaction(async (tx) => {
        const projectId = project?.id ?? null;
        const revoked = await invitationQueries(tx).deleteInvitation(projectId, invitationId);
        if (!revoked) throw new NotFound(accountTexts.invitations.gone);
        const actor = { kind: 'user', user: by } as const;
        const entry = { at: now(), actor, action: 'invitation.revoked', ownerId: projectId };
        const details = { invitation: invitationId, ...mailedTo(revoked.email) };
        await auditQueries(tx).record({ ...entry, subject: subjectOf(revoked.team), details });
      });
    },
  };
}

/** The details contain only a hint of the recipient, because the log outlives invitations and people. */
const subjectOf = (team: Team | null) => (team === null ? auditSubjects.newUser : `${team} team`);

/**
 * Returns whether the invitation was valid for the person: a link does not bring back someone who was removed. If valid, the
 * person joins the Project or gets access to the app, and joins the group of the link. A person who already has access does not
 * use up the invitation.
 */
export async function joinByInvitation(
  tx: Connection,
  invitation: Invitation,
  user: User,
  now: number,
): Promise<boolean> {
  const { into, link } = invitation;
  if (into) await lockPlace(tx, into);
  if (await invitationQueries(tx).isExcluded(invitation.id, user.id)) return false;
  if (!into || !link || !(await hasJoined(tx, into, user))) {
    if (!(await invitationQueries(tx).useInvitation(invitation.id, now))) return false;
    if (into) await joinPlace(tx, user, { ...invitation, place: into }, now);
  }
  if (into && link && link.groupId !== null) {
    const ownerId = into.kind === 'app' ? into.ownerId : into.id;
    const group = await groupQueries(tx).findGroup(ownerId, link.groupId);
    // A full group must not keep people out of the app.
    if (group && group.people < maxPeopleOfGroup)
      await groupQueries(tx).addPerson(group.id, user.id, now, invitation.invitedBy);
  }
  return true;
}

/** Whether the person is in a team of the Project, or has access to the app. */
async function hasJoined(
  tx: Connection,
  into: NonNullable<Invitation['into']>,
  user: User,
): Promise<boolean> {
  if (into.kind === 'project') return (await ownerQueries(tx).teamsOf(into.id, user.id)).length > 0;
  return into.ownerId === user.id || (await appTesterQueries(tx).has(into.id, user.id));
}
