/** Composes account emails at the time they are sent. */
import { createHash, randomBytes } from 'node:crypto';
import type { Connection, Data } from '../../db/data.ts';
import type { AccountEmailJob } from '../../jobs/outbox.ts';
import { ownerQueries } from '../../owners/owner-queries.ts';
import { useLanguageOf } from '../../owners/recipient-language.ts';
import { sitePaths } from '../../web/shell/site-paths.ts';
import { accountTexts } from '../account-texts.ts';
import { hashInvitationToken, newInvitationToken } from '../invitations/invitation.ts';
import { invitationQueries } from '../invitations/invitation-queries.ts';
import { namedInvitationQueries } from '../invitations/named-invitation-queries.ts';
import type { AccountEmail } from './account-email-content.ts';
import { emailChangePath, invitationPath, ownInvitationsPath, passwordResetPath } from './account-paths.ts';
import { accountQueries } from './account-queries.ts';
import type { EmailChangeTokens } from './email-change-token.ts';
import { writeNewSignIn, writeNotice } from './notice.ts';

/**
 * Returns null if the email should no longer be sent. The token of a link is created here, so that the queued job contains none;
 * composing again replaces the token. `site`: the name of the installation’s brand.
 */
export type ComposeAccountEmail = (
  order: Exclude<AccountEmailJob, { about: 'bundle-failed' }>,
  site: string,
) => Promise<AccountEmail | null>;

export const passwordResetLifetimeMs = 60 * 60_000;
export const emailChangeLifetimeMs = 24 * 60 * 60_000;

const t = accountTexts.emails;

interface AccountEmailDeps {
  data: Data;
  emailChanges: EmailChangeTokens;
  now: () => number;
}

export function createComposeAccountEmail(deps: AccountEmailDeps): ComposeAccountEmail {
  return async (order, site) => {
    if (order.about === 'password-reset') return writeReset(deps, order.login, site);
    if (order.about === 'email-change') return writeEmailChange(deps, order, site);
    if (order.about === 'notice') return writeNotice(deps, order, site);
    if (order.about === 'new-sign-in') return writeNewSignIn(deps, order);
    return writeInvitation(deps, order.invitationId, site);
  };
}

export function hashResetToken(token: string): string {
  return createHash('sha256').update('reset\0').update(token).digest('hex');
}

/** Creates the token of a password reset link and invalidates earlier ones. Call it in a transaction. */
export async function createPasswordResetToken(tx: Connection, userId: string, now: number): Promise<string> {
  const token = randomBytes(32).toString('base64url');
  await accountQueries(tx).deleteResetsOf(userId);
  const expiresAt = now + passwordResetLifetimeMs;
  await accountQueries(tx).insertReset({ userId, tokenHash: hashResetToken(token), expiresAt });
  return token;
}

async function writeReset(
  { data, now }: AccountEmailDeps,
  login: string,
  site: string,
): Promise<AccountEmail | null> {
  const user = (await ownerQueries(data).findUserForSignIn(login))?.user;
  if (!user || user.email === null) return null;
  await useLanguageOf(data, user.id);
  const token = await data.transaction((tx) => createPasswordResetToken(tx, user.id, now()));
  return {
    to: { name: user.name, address: user.email },
    subject: t.reset.subject({ site }),
    lines: [t.reset.requested({ name: user.name }), t.reset.expires],
    link: { label: t.reset.link, path: passwordResetPath(token) },
  };
}

async function writeEmailChange(
  { data, emailChanges, now }: AccountEmailDeps,
  { userId, email }: { userId: string; email: string },
  site: string,
): Promise<AccountEmail | null> {
  const user = await ownerQueries(data).findOwnerById(userId);
  if (user?.kind !== 'user') return null;
  await useLanguageOf(data, userId);
  const holder = (await ownerQueries(data).findUserForSignIn(email))?.user;
  if (holder && holder.id !== userId) {
    await useLanguageOf(data, holder.id);
    return {
      to: { name: holder.name, address: holder.email ?? email },
      subject: t.emailTaken.subject({ site }),
      lines: [t.emailTaken.requested({ site }), t.emailTaken.stays({ name: holder.name })],
      link: { label: t.emailTaken.link, path: sitePaths.forgotPassword },
    };
  }
  const expiresAt = now() + emailChangeLifetimeMs;
  const token = emailChanges.issue({ userId, from: user.email, to: email, expiresAt });
  return {
    to: { name: user.name, address: email },
    subject: t.email.subject({ site }),
    lines: [t.email.requested({ name: user.name, site }), t.email.expires],
    link: { label: t.email.link, path: emailChangePath(token) },
  };
}

async function writeInvitation(
  { data, now }: AccountEmailDeps,
  id: string,
  site: string,
): Promise<AccountEmail | null> {
  const personal = await namedInvitationQueries(data).findPersonal(id, now());
  if (personal) {
    const user = await ownerQueries(data).findOwnerById(personal.user.id);
    if (user?.kind !== 'user' || user.email === null) return null;
    await useLanguageOf(data, user.id);
    const by = personal.invitedBy ?? accountTexts.invitation.someone;
    return {
      to: { name: user.name, address: user.email },
      subject: t.invitation.subjectInto({ inviter: by, into: personal.place.name, site }),
      lines: [
        t.invitation.personal[personal.place.kind]({ inviter: by, into: personal.place.name, site }),
        t.invitation.personalExpires,
      ],
      link: { label: t.invitation.link, path: ownInvitationsPath },
    };
  }
  const invitation = await invitationQueries(data).findInvitationById(id, now());
  if (!invitation || invitation.email === null) return null;
  const token = newInvitationToken();
  if (!(await invitationQueries(data).setInvitationToken(id, hashInvitationToken(token), now()))) return null;
  const inviter = invitation.invitedBy ?? accountTexts.invitation.someone;
  const into = invitation.into?.name ?? null;
  const { subject, line } =
    into === null
      ? { subject: t.invitation.subject({ inviter, site }), line: t.invitation.line({ inviter, site }) }
      : {
          subject: t.invitation.subjectInto({ inviter, into, site }),
          line: t.invitation.lineInto({ inviter, into, site }),
        };
  return {
    to: { name: '', address: invitation.email },
    subject,
    lines: [line, t.invitation.expires],
    link: { label: t.invitation.link, path: invitationPath(token) },
  };
}
