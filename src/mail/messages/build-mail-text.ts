/** The text part of a build email. */
import { distributionPath, revisionPath } from '../../apps/app-paths.ts';
import { versionText } from '../../apps/builds/version-text.ts';
import { formatBytes } from '../../core/byte-size.ts';
import { excerpt } from '../../web/components/formats.ts';
import { texts } from '../../web/shell/texts.ts';
import { mailTexts } from '../mail-texts.ts';
import type { MailLinks } from '../pages/mail-paths.ts';
import type { BuildMail } from './build-mail.ts';
import { mailSender } from './mail-brand.ts';

const t = mailTexts.message;
const maxSubjectLength = 150;
/** Maximum length of the release note in an email. The linked page shows all of it. */
const maxNoteLength = 2000;
const maxFactLength = 150;

/** Formats `Tidewatch 2.4.1 (400) for iOS`, always on one line. */
export function buildMailSubject(buildMail: BuildMail): string {
  const subject = t.subject({
    app: appName(buildMail),
    version: appVersion(buildMail),
    platform: texts.platforms[buildMail.app.platform],
  });
  return excerpt(subject, maxSubjectLength);
}

export function appName({ app, build }: BuildMail): string {
  return shortLine(build.info.name) || app.packageName;
}

export function appVersion({ build }: BuildMail): string {
  return shortLine(versionText(build.info));
}

/** Links to the distribution page of the upload, or else to the build. */
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

/** Known details in display order. */
export function mailFacts({ build }: BuildMail): MailFact[] {
  const facts = [
    { label: t.size, value: formatBytes(build.sizeBytes) },
    { label: t.uploadedBy, value: build.uploadedBy },
    { label: t.branch, value: build.branch ?? '' },
    { label: t.commit, value: build.commit ?? '' },
    { label: t.label, value: build.label ?? '' },
  ];
  return facts
    .map(({ label, value }) => ({ label, value: shortLine(value) }))
    .filter(({ value }) => value !== '');
}

export function mailReason(buildMail: BuildMail): string {
  return t.reasons[buildMail.reason]({ app: appName(buildMail), owner: buildMail.app.owner.name });
}

export function renderBuildMailText(buildMail: BuildMail, links: MailLinks): string {
  const note = shownNote(buildMail);
  const { brand } = buildMail;
  const parts = [
    buildMailSubject(buildMail),
    `${t.install}:\n${installAddress(buildMail, links.origin)}`,
    ...(note === '' ? [] : [`${t.whatsNew}\n\n${note}`]),
    mailFacts(buildMail)
      .map(({ label, value }) => `${label}: ${value}`)
      .join('\n'),
    // Signature separator (RFC 3676, section 4.3).
    [
      '-- ',
      mailReason(buildMail),
      `${t.unsubscribe}: ${links.unsubscribe}`,
      `${t.settings}: ${links.settings}`,
      mailSender(brand),
      ...(brand.support === null ? [] : [`${texts.support} ${brand.support}`]),
    ].join('\n'),
  ];
  return `${parts.join('\n\n')}\n`;
}

function shortLine(text: string): string {
  return excerpt(text.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim(), maxFactLength);
}
