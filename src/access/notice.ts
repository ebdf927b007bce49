/** Letters that tell a person what about their account has changed: whoever did it, they get to know. */
import type { Data, DataQueries } from '../data.ts';
import type { LetterOrder, NoticeKind } from '../outbox/outbox.ts';
import { formatMoment } from '../web/formats.ts';
import { securityTexts } from '../web/security-texts.ts';
import { siteAddresses } from '../web/site-addresses.ts';
import {
  ownKeysPath,
  profilePath,
  projectKeysPath,
  securityPath,
  sessionsPath,
} from './account-addresses.ts';
import type { Letter } from './letter.ts';
import { readBrowserWords } from './user-agent-words.ts';

/** News about an account are worth sending for a day. */
const noticeLifetimeMs = 24 * 60 * 60_000;

const words = securityTexts.letters;

/** Belongs into the transaction of what it tells. Where no mail leaves, or the person has no address, nothing comes of it. */
export async function tellPerson(
  inside: DataQueries,
  notice: NoticeKind,
  about: Omit<Extract<LetterOrder, { about: 'notice' }>, 'about' | 'notice'>,
): Promise<void> {
  const letter = { about: 'notice', notice, ...about } as const;
  await inside.outbox.add({ kind: 'send-letter', letter, until: about.at + noticeLifetimeMs }, about.at);
}

/** Tells a person that their account was signed in to from a browser that it did not know. Belongs into that transaction. */
export async function tellNewSignIn(
  inside: DataQueries,
  signIn: { userId: string; at: number; address: string; userAgent: string },
): Promise<void> {
  const letter = { about: 'new-sign-in', ...signIn } as const;
  await inside.outbox.add({ kind: 'send-letter', letter, until: signIn.at + noticeLifetimeMs }, signIn.at);
}

/** Null when the person is gone, or has no address. */
export async function writeNewSignIn(
  { data }: { data: Data },
  { userId, at, address, userAgent }: Extract<LetterOrder, { about: 'new-sign-in' }>,
): Promise<Letter | null> {
  const user = await data.owners.findOwnerById(userId);
  if (user?.kind !== 'user' || user.email === null) return null;
  const facts = { ...readBrowserWords(userAgent), account: user.name, address, when: formatMoment(at) };
  return {
    to: { name: user.name, address: user.email },
    subject: words.newSignIn,
    lines: [words.newSignInLine, ...words.signInFacts(facts), words.otherwiseSignIn],
    link: { label: words.sessions, path: sessionsPath },
    reason: words.reason,
  };
}

/** Null when the person is gone, or has no address. */
export async function writeNotice(
  { data }: { data: Data },
  { notice, userId, at, address, subject, project }: Extract<LetterOrder, { about: 'notice' }>,
): Promise<Letter | null> {
  const user = await data.owners.findOwnerById(userId);
  const to = address ?? (user?.kind === 'user' ? user.email : null);
  if (user?.kind !== 'user' || to === null) return null;
  const otherwise = notice === 'email-changed' ? words.otherwiseEmail : words.otherwise;
  return {
    to: { name: user.name, address: to },
    subject: words.subjects[notice],
    lines: [
      words.firsts[notice],
      ...(project === undefined ? [] : [words.project(project)]),
      ...(subject === undefined ? [] : [words.subject(subject)]),
      words.at(user.name, formatMoment(at)),
      otherwise,
    ],
    link: linkOf(notice, project ?? null),
    reason: words.reason,
  };
}

function linkOf(notice: NoticeKind, project: string | null): Letter['link'] {
  if (notice === 'password-changed') return { label: words.reset, path: siteAddresses.forgotPassword };
  if (notice === 'email-changed') return { label: words.signIn, path: siteAddresses.signIn };
  if (notice === 'key-created') return { label: words.keys, path: ownKeysPath };
  if (notice === 'project-key-created' && project !== null)
    return { label: words.keys, path: projectKeysPath(project) };
  if (/^(identity|administrator|account)-/.test(notice)) return { label: words.settings, path: profilePath };
  return { label: words.security, path: securityPath(null) };
}
