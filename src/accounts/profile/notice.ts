/** Emails that notify people about changes to their account, even if they made the changes themselves. */
import type { Connection, Data } from '../../db/data.ts';
import type { AccountEmailJob, NoticeKind } from '../../jobs/outbox.ts';
import { outboxQueries } from '../../jobs/outbox-queries.ts';
import { projectKeysPath, projectsPath } from '../../owners/owner-paths.ts';
import { ownerQueries } from '../../owners/owner-queries.ts';
import { useLanguageOf } from '../../owners/recipient-language.ts';
import { formatTimestamp } from '../../web/components/formats.ts';
import { sitePaths } from '../../web/shell/site-paths.ts';
import { securityTexts } from '../second-factor/security-texts.ts';
import { readBrowserWords } from '../sessions/user-agent-label.ts';
import type { AccountEmail } from './account-email-content.ts';
import { ownKeysPath, profilePath, securityPath, sessionsPath } from './account-paths.ts';

/** A notification older than a day is no longer worth sending. */
export const noticeLifetimeMs = 24 * 60 * 60_000;

const t = securityTexts.emails;

/** Call it in the transaction of the change. Sends nothing if the server has no email or the person has no address. */
export async function notifyPerson(
  tx: Connection,
  notice: NoticeKind,
  about: Omit<Extract<AccountEmailJob, { about: 'notice' }>, 'about' | 'notice'>,
): Promise<void> {
  const accountEmail = { about: 'notice', notice, ...about } as const;
  const job = { kind: 'send-account-email', accountEmail, until: about.at + noticeLifetimeMs } as const;
  await outboxQueries(tx).add(about.userId, job, about.at);
}

/** Notifies a person of a sign-in from an unknown browser. Call it in the transaction of the sign-in. */
export async function notifyNewSignIn(
  tx: Connection,
  signIn: { userId: string; at: number; address: string; userAgent: string },
): Promise<void> {
  const accountEmail = { about: 'new-sign-in', ...signIn } as const;
  const job = { kind: 'send-account-email', accountEmail, until: signIn.at + noticeLifetimeMs } as const;
  await outboxQueries(tx).add(signIn.userId, job, signIn.at);
}

/** Null if the person was deleted or has no address. */
export async function writeNewSignIn(
  { data }: { data: Data },
  { userId, at, address, userAgent }: Extract<AccountEmailJob, { about: 'new-sign-in' }>,
): Promise<AccountEmail | null> {
  const user = await ownerQueries(data).findOwnerById(userId);
  if (user?.kind !== 'user' || user.email === null) return null;
  await useLanguageOf(data, userId);
  const { browser, system } = readBrowserWords(userAgent);
  const words = t.signInFacts;
  const facts = [
    words.account({ account: user.name }),
    words.browser({ browser: browser ?? words.unknown }),
    words.system({ system: system ?? words.unknown }),
    words.address({ address }),
    words.time({ when: formatTimestamp(at) }),
  ];
  return {
    to: { name: user.name, address: user.email },
    subject: t.newSignIn,
    lines: [t.newSignInLine, ...facts, t.otherwiseSignIn],
    link: { label: t.sessions, path: sessionsPath },
    reason: t.reason,
  };
}

/** Null if the person was deleted or has no address. */
export async function writeNotice(
  { data }: { data: Data },
  order: Extract<AccountEmailJob, { about: 'notice' }>,
  site: string,
): Promise<AccountEmail | null> {
  const { notice, userId, address, project } = order;
  const user = await ownerQueries(data).findOwnerById(userId);
  const to = address ?? (user?.kind === 'user' ? user.email : null);
  if (user?.kind !== 'user' || to === null) return null;
  await useLanguageOf(data, userId);
  return {
    to: { name: user.name, address: to },
    subject: subjectOf(notice, site),
    lines: linesOf(order, user.name),
    link: linkOf(notice, project ?? null),
    reason: t.reason,
  };
}

function subjectOf(notice: NoticeKind, site: string): string {
  const subject = t.subjects[notice];
  return typeof subject === 'string' ? subject : subject({ site });
}

function linesOf(
  { notice, at, subject, project }: Extract<AccountEmailJob, { about: 'notice' }>,
  userName: string,
): string[] {
  const when = formatTimestamp(at);
  return [
    t.firsts[notice],
    ...(subject === undefined ? [] : [t.subject({ name: oneLine(subject) })]),
    whereOf(notice, project, userName, when),
    otherwiseOf(notice),
  ];
}

const isAddition = (notice: NoticeKind) => /^(team|workspace|app)-added$/.test(notice);

function whereOf(notice: NoticeKind, project: string | undefined, userName: string, when: string): string {
  if (project === undefined) return t.at({ name: userName, when });
  return isAddition(notice) ? t.addedTo({ name: project, when }) : t.atProject({ name: project, when });
}

function otherwiseOf(notice: NoticeKind): string {
  if (notice === 'email-changed') return t.otherwiseEmail;
  if (isAddition(notice)) return t.otherwiseAdded;
  if (/key-expires$/.test(notice)) return t.otherwiseExpires;
  return isAboutKey(notice) ? t.otherwiseKey : t.otherwise;
}

const isAboutKey = (notice: NoticeKind) => /^(project-)?(key-|trusted-)/.test(notice);

/** Line breaks in a name could forge lines of the email. */
const oneLine = (name: string) => name.replace(/\s+/g, ' ').trim();

function linkOf(notice: NoticeKind, project: string | null): AccountEmail['link'] {
  if (notice === 'password-changed') return { label: t.reset, path: sitePaths.forgotPassword };
  if (notice === 'email-changed') return { label: t.signIn, path: sitePaths.signIn };
  if (isAboutKey(notice))
    return { label: t.keys, path: project === null ? ownKeysPath : projectKeysPath(project) };
  if (notice === 'app-added') return { label: t.apps, path: '/' };
  if (isAddition(notice)) return { label: t.projects, path: projectsPath };
  if (/^(identity|administrator|account)-/.test(notice)) return { label: t.settings, path: profilePath };
  return { label: t.security, path: securityPath(null) };
}
