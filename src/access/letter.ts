/** Letters to one person about an account: what is in one, written when it is sent. */
import { createHash, randomBytes } from 'node:crypto';
import type { Data } from '../data.ts';
import type { LetterOrder } from '../outbox/outbox.ts';
import { accountTexts } from '../web/account-texts.ts';
import { siteAddresses } from '../web/site-addresses.ts';
import { emailChangePath, invitationPath, passwordResetPath } from './account-addresses.ts';
import type { EmailChangeTokens } from './email-change-token.ts';
import { hashInvitationToken, newInvitationToken } from './invitation.ts';

export interface Letter {
  to: { name: string; address: string };
  subject: string;
  /** Plain text. */
  lines: readonly string[];
  /** `path` on this server. */
  link: { label: string; path: string };
}

/**
 * Null when nobody is to get it any more. The token in the link is made here, so that the job which waits holds none; a
 * second call makes another one and the first is void.
 */
export type WriteLetter = (order: LetterOrder) => Promise<Letter | null>;

export const passwordResetLifetimeMs = 60 * 60_000;
export const emailChangeLifetimeMs = 24 * 60 * 60_000;

const words = accountTexts.letters;

interface LetterParts {
  data: Data;
  emailChanges: EmailChangeTokens;
  now: () => number;
}

export function createWriteLetter(parts: LetterParts): WriteLetter {
  return async (order) => {
    if (order.about === 'password-reset') return writeReset(parts, order.login);
    if (order.about === 'email-change') return writeEmailChange(parts, order);
    return writeInvitation(parts, order.invitationId);
  };
}

export function hashResetToken(token: string): string {
  return createHash('sha256').update('reset\0').update(token).digest('hex');
}

async function writeReset({ data, now }: LetterParts, login: string): Promise<Letter | null> {
  const user = (await data.owners.findUserForSignIn(login))?.user;
  if (!user || user.email === null) return null;
  const token = randomBytes(32).toString('base64url');
  const expiresAt = now() + passwordResetLifetimeMs;
  await data.transaction(async (inside) => {
    await inside.accounts.deleteResetsOf(user.id);
    await inside.accounts.insertReset({ userId: user.id, tokenHash: hashResetToken(token), expiresAt });
  });
  return {
    to: { name: user.name, address: user.email },
    subject: words.reset.subject,
    lines: words.reset.lines(user.name),
    link: { label: words.reset.link, path: passwordResetPath(token) },
  };
}

async function writeEmailChange(
  { data, emailChanges, now }: LetterParts,
  { userId, email }: { userId: string; email: string },
): Promise<Letter | null> {
  const user = await data.owners.findOwnerById(userId);
  if (user?.kind !== 'user') return null;
  const holder = (await data.owners.findUserForSignIn(email))?.user;
  if (holder && holder.id !== userId) {
    return {
      to: { name: holder.name, address: holder.email ?? email },
      subject: words.emailTaken.subject,
      lines: words.emailTaken.lines(holder.name),
      link: { label: words.emailTaken.link, path: siteAddresses.forgotPassword },
    };
  }
  const token = emailChanges.sign({ userId, from: user.email, to: email }, now() + emailChangeLifetimeMs);
  return {
    to: { name: user.name, address: email },
    subject: words.email.subject,
    lines: words.email.lines(user.name),
    link: { label: words.email.link, path: emailChangePath(token) },
  };
}

async function writeInvitation({ data, now }: LetterParts, id: string): Promise<Letter | null> {
  const invitation = await data.invitations.findInvitationById(id, now());
  if (!invitation || invitation.email === null) return null;
  const token = newInvitationToken();
  if (!(await data.invitations.setInvitationToken(id, hashInvitationToken(token), now()))) return null;
  const inviter = invitation.invitedBy ?? accountTexts.invitation.someone;
  const into = invitation.into?.projectName ?? null;
  return {
    to: { name: '', address: invitation.email },
    subject: words.invitation.subject(inviter, into),
    lines: words.invitation.lines(inviter, into),
    link: { label: words.invitation.link, path: invitationPath(token) },
  };
}
