/** The text part of a build email. */

import { installedBytes } from '../../apps/app.ts';
import { buildFieldList, buildFields } from '../../apps/build-fields.ts';
import { sourceValue } from '../../apps/builds/build-facts.tsx';
import { buildTexts } from '../../apps/builds/build-texts.ts';
import { versionText } from '../../apps/builds/version-text.ts';
import { formatBytes } from '../../core/byte-size.ts';
import { installTargetPath } from '../../distributions/page-paths.ts';
import { excerpt, formatNames } from '../../web/components/formats.ts';
import { texts } from '../../web/shell/texts.ts';
import { mailTexts } from '../mail-texts.ts';
import type { MailLinks } from '../pages/mail-paths.ts';
import type { BuildMail } from './build-mail.ts';
import { mailSender } from './mail-brand.ts';
import { renderPlainMailText } from './plain-mail.tsx';

const t = mailTexts.message;
const maxSubjectLength = 150;
/** Maximum length of the release note in an email. The linked page shows the whole note. */
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

/** The target is determined when the link is followed, because the page of the upload may have changed since. */
export function installAddress({ app, build, page }: BuildMail, origin: string): string {
  return `${origin}${installTargetPath(app, build.revision, page?.accessKey ?? null)}`;
}

export function shownNote({ releaseNote }: BuildMail): string {
  return excerpt(releaseNote.trim(), maxNoteLength);
}

export interface MailFact {
  label: string;
  value: string;
}

/** Leaves out addresses, which would be truncated. */
const shownFields = buildFieldList.filter((field) => buildFields[field].kind !== 'url');

/** Returns the known details, in display order. */
export function mailFacts({ build, failedChecks }: BuildMail): MailFact[] {
  const facts = [
    { label: t.size, value: formatBytes(installedBytes(build)) },
    { label: t.uploadedBy, value: build.uploadedBy },
    { label: t.failedChecks, value: failedChecks ? formatNames(failedChecks) : t.checksUnknown },
    { label: buildTexts.facts.builtBy, value: build.source ? sourceValue(build.source) : '' },
    // A verified source names the commit.
    ...shownFields
      .filter((field) => build.source === null || field !== 'commit')
      .map((field) => ({ label: buildTexts.facts[field], value: build[field] ?? '' })),
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
  return renderPlainMailText(
    [
      buildMailSubject(buildMail),
      texts.labeledBelow({ label: t.install, value: installAddress(buildMail, links.origin) }),
      ...(note === '' ? [] : [`${t.whatsNew}\n\n${note}`]),
      mailFacts(buildMail)
        .map((fact) => texts.labeledText({ ...fact }))
        .join('\n'),
    ],
    {
      signature: [
        mailReason(buildMail),
        texts.labeledText({ label: t.unsubscribe, value: links.unsubscribe }),
        texts.labeledText({ label: t.settings, value: links.settings }),
        mailSender(brand),
      ],
      brand,
    },
  );
}

function shortLine(text: string): string {
  return excerpt(text.replace(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ').trim(), maxFactLength);
}
