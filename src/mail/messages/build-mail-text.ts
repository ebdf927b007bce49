/** A mail about a build in words alone. */
import { distributionPath, revisionPath } from '../../apps/app-addresses.ts';
import { versionText } from '../../apps/builds/version-text.ts';
import { formatBytes } from '../../core/byte-size.ts';
import { excerpt } from '../../web/components/formats.ts';
import { texts } from '../../web/shell/texts.ts';
import { mailTexts } from '../mail-texts.ts';
import type { MailLinks } from '../pages/mail-addresses.ts';
import type { BuildMail } from './build-mail.ts';

const words = mailTexts.message;
const maxSubjectLength = 150;
/** What a mail shows of a release note; the page behind its button has all of it. */
const maxNoteLength = 2000;
const maxFactLength = 150;

/** `Tidewatch 2.4.1 (400) for iOS`: one line, whatever the package says. */
export function buildMailSubject(told: BuildMail): string {
  const subject = words.subject(appName(told), appVersion(told), texts.platforms[told.app.platform]);
  return excerpt(subject, maxSubjectLength);
}

export function appName({ app, build }: BuildMail): string {
  return shortLine(build.info.name) || app.packageName;
}

export function appVersion({ build }: BuildMail): string {
  return shortLine(versionText(build.info));
}

/** The page that the upload named, else the build's own. */
export function installAddress({ app, build, page }: BuildMail, origin: string): string {
  const path = page
    ? distributionPath(page.accessKey)
    : revisionPath(app.owner, app.platform, app.packageName, build.revision);
  return `${origin}${path}`;
}

export function shownNote({ releaseNote }: BuildMail): string {
  return excerpt(releaseNote.trim(), maxNoteLength);
}

export interface MailFact {
  label: string;
  value: string;
}

/** Those that are known, in the order in which they are shown. */
export function mailFacts({ build }: BuildMail): MailFact[] {
  const facts = [
    { label: words.size, value: formatBytes(build.sizeBytes) },
    { label: words.uploadedBy, value: build.uploadedBy },
    { label: words.branch, value: build.branch ?? '' },
    { label: words.commit, value: build.commit ?? '' },
    { label: words.label, value: build.label ?? '' },
  ];
  return facts
    .map(({ label, value }) => ({ label, value: shortLine(value) }))
    .filter(({ value }) => value !== '');
}

export function mailReason(told: BuildMail): string {
  return words.reasons[told.reason](appName(told), told.app.owner.name);
}

export function renderBuildMailText(told: BuildMail, links: MailLinks): string {
  const note = shownNote(told);
  const parts = [
    buildMailSubject(told),
    `${words.install}:\n${installAddress(told, links.origin)}`,
    ...(note === '' ? [] : [`${words.whatsNew}\n\n${note}`]),
    mailFacts(told)
      .map(({ label, value }) => `${label}: ${value}`)
      .join('\n'),
    // RFC 3676, section 4.3: what follows this line is a signature.
    [
      '-- ',
      mailReason(told),
      `${words.unsubscribe}: ${links.unsubscribe}`,
      `${words.settings}: ${links.settings}`,
    ].join('\n'),
  ];
  return `${parts.join('\n\n')}\n`;
}

function shortLine(text: string): string {
  return excerpt(text.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim(), maxFactLength);
}
