/** The distribution page for testers, shown on a phone, or on a computer to scan its link. */

import { distributionPath } from '../../apps/app-paths.ts';
import { buildFieldFacts } from '../../apps/builds/build-facts.tsx';
import { buildTexts } from '../../apps/builds/build-texts.ts';
import { localName, versionText } from '../../apps/builds/version-text.ts';
import { Facts } from '../../web/components/facts.tsx';
import { excerpt } from '../../web/components/formats.ts';
import { markdownExcerpt, renderMarkdown } from '../../web/components/markdown.ts';
import { safeImage } from '../../web/components/safe-address.ts';
import { Timestamp } from '../../web/components/timestamp.tsx';
import { renderPage } from '../../web/shell/layout.tsx';
import { texts } from '../../web/shell/texts.ts';
import { pageBuildPath } from '../page-paths.ts';
import { adviseInstall } from './install-advice.ts';
import { TesterHero } from './tester-hero.tsx';
import { TesterHistory } from './tester-history.tsx';
import { pageLinksFreshSeconds } from './tester-install.tsx';
import type { TesterPageProps } from './tester-page-props.ts';
import { testerTexts } from './tester-texts.ts';

const maxDescriptionLength = 200;

export function renderTesterPage(props: TesterPageProps): string {
  const { frame, build, update } = props;
  const { info } = build;
  const icon = safeImage(props.iconAddress, frame.origin);
  const advice = adviseInstall({ ...props, now: frame.now });
  return renderPage({
    frame,
    workspace: props.workspace,
    shell: 'visitor',
    title: `${localName(info)} ${versionText(info)}`,
    description: previewText(props),
    image: icon?.startsWith('/') ? `${frame.origin}${icon}` : undefined,
    address: ownAddress(props),
    children: (
      <div class="tester" data-fresh-for={props.installAddress === null ? undefined : pageLinksFreshSeconds}>
        {!props.current && <OtherBuildNotice {...props} />}
        <TesterHero {...props} advice={advice} address={ownAddress(props)} />
        <div class="tester-columns">
          <WhatsNew releaseNote={update.releaseNote} />
          <TesterAside {...props} />
          {props.feedbackPath !== null && <FeedbackLink address={props.feedbackPath} />}
          <TesterHistory {...props} />
        </div>
      </div>
    ),
  });
}

/** The link of the page shows the live build. Every other build has its own link. */
function ownAddress({ frame, page, build, current }: TesterPageProps): string {
  const path = current ? distributionPath(page.accessKey) : pageBuildPath(page.accessKey, build.revision);
  return `${frame.origin}${path}`;
}

/** The text of link previews: the version and the beginning of the note. */
function previewText({ build, update, current }: TesterPageProps): string {
  const { info } = build;
  const t = current ? testerTexts.description : testerTexts.otherDescription;
  const what = t({ version: versionText(info), platform: texts.platforms[info.platform] });
  const note = markdownExcerpt(update.releaseNote, maxDescriptionLength);
  return excerpt(note === '' ? what : `${what}: ${note}`, maxDescriptionLength);
}

function OtherBuildNotice({ page }: TesterPageProps) {
  const t = testerTexts.otherBuild;
  return (
    <div class="callout callout-warning tester-notice" role="note">
      <p>
        <strong class="callout-title">{t.title}</strong> {t.line}
      </p>
      <a class="button" href={distributionPath(page.accessKey)}>
        {t.link}
      </a>
    </div>
  );
}

function FeedbackLink({ address }: { address: string }) {
  const t = testerTexts.feedback;
  return (
    <section aria-labelledby="feedback">
      <h2 id="feedback">{t.title}</h2>
      <p class="secondary">{t.line}</p>
      <p class="actions">
        <a class="button" href={address}>
          {t.link}
        </a>
      </p>
    </section>
  );
}

function WhatsNew({ releaseNote }: { releaseNote: string }) {
  const html = renderMarkdown(releaseNote);
  return (
    <section class="whats-new" aria-labelledby="whats-new">
      <h2 id="whats-new">{testerTexts.whatsNew}</h2>
      {html === '' ? (
        <p class="secondary">{testerTexts.noNote}</p>
      ) : (
        <div class="note" dangerouslySetInnerHTML={{ __html: html }} />
      )}
    </section>
  );
}

/** Shows where the build comes from, so that testers can tell builds apart. */
function TesterAside({ build, frame }: TesterPageProps) {
  const origin = buildFieldFacts(build, { short: true });
  if (!origin.some(({ value }) => value)) return null;
  return (
    <section class="about" aria-labelledby="about">
      <h2 id="about">{testerTexts.about}</h2>
      <Facts
        facts={[
          ...origin,
          {
            label: buildTexts.facts.uploaded,
            value: <Timestamp at={build.createdAt} now={frame.now} exact />,
          },
        ]}
      />
    </section>
  );
}
