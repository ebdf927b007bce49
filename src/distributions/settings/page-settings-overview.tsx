/** The first part of the page settings: the link, reasons that prevent installs, the live build and earlier ones. */
import { renderToString } from 'preact-render-to-string';
import type { PageInstallers } from '../../apps/activity/member-activity.ts';
import { appName } from '../../apps/app.ts';
import { activityPath, checkInstallPath, distributionPath, pageSettingsPath } from '../../apps/app-paths.ts';
import { appTexts } from '../../apps/app-texts.ts';
import { closedReason } from '../../apps/distributions/page-state.ts';
import { absolute } from '../../owners/owner-paths.ts';
import { Callout } from '../../web/components/callout.tsx';
import { formatList } from '../../web/components/formats.ts';
import { QrCode } from '../../web/components/qr-code.tsx';
import { CodeLine, CopyLine } from '../../web/components/share-actions.tsx';
import { SettingsSection } from '../../web/shell/settings/settings-layout.tsx';
import { texts } from '../../web/shell/texts.ts';
import type { RefusalReason } from '../access/page-refusal.ts';
import type { DistributionUpdate } from '../distribution-page.ts';
import type { InstallBlocker } from '../install/install-blockers.ts';
import { pagePictures } from '../page-paths.ts';
import { type BuildChoices, BuildField, MandatoryField, NoteField } from './page-settings-fields.tsx';
import { chosenRevision, type SettingsValues } from './page-settings-form.ts';
import {
  pageHistoryPath,
  renderSettingsPart,
  SettingsForm,
  type SettingsPlace,
} from './page-settings-frame.tsx';
import { PublishHistory } from './page-settings-history.tsx';
import { pageSettingsTexts } from './page-settings-texts.ts';

export interface PageOverviewProps extends SettingsPlace {
  submitted: SettingsValues;
  choices: BuildChoices;
  /** The start of the publish history. */
  served: readonly DistributionUpdate[];
  hasMore: boolean;
  /** Revisions that were withdrawn from the page. */
  withdrawn: readonly number[];
  /** Reasons that currently prevent everyone from installing the live build. */
  blockers: readonly InstallBlocker[];
  installers: PageInstallers;
}

const t = pageSettingsTexts;

export function renderPageOverview(props: PageOverviewProps): string {
  const { page } = props;
  return renderSettingsPart(
    props,
    'overview',
    <div class="stack">
      <SharePanel {...props} />
      <Callout tone="warning" title={t.blockersTitle} sentences={sentencesOf(props)} />
      <ContentForm {...props} />
      <PublishHistory {...props} allAddress={props.hasMore ? pageHistoryPath(page.accessKey) : null} />
      <Installers {...props} />
    </div>,
  );
}

/** The link of the page, to scan, copy, send or embed. */
function SharePanel(props: PageOverviewProps) {
  const { frame, page } = props;
  const { name, accessKey } = page;
  const address = absolute(frame.origin, distributionPath(accessKey));
  return (
    <section class="panel share-panel" id="share" aria-label={t.share}>
      <QrCode address={address} label={texts.share.qrCodeOf({ name })} />
      <div class="share-text">
        <p class="strong">{t.share}</p>
        <CopyLine address={address} name={name} />
        <p class="soft fine">{t.shareLine}</p>
      </div>
      <details class="quiet-fold embed">
        <summary>{t.embed.title}</summary>
        {page.access === 'unlisted' && closedReason(page, frame.now) === null ? (
          <PagePictures {...props} address={address} />
        ) : (
          <p class="hint">{t.embed.notOpen}</p>
        )}
      </details>
    </section>
  );
}

function PagePictures({ head, page, address }: PageOverviewProps & { address: string }) {
  const name = appName(head.app);
  const pictures = [
    { file: pagePictures.badge, title: t.embed.badge, line: t.embed.badgeLine, alt: name, height: 20 },
    {
      file: pagePictures.qrSvg,
      title: t.embed.qrCode,
      line: t.embed.qrCodeLine,
      alt: texts.share.qrCodeOf({ name }),
      height: 120,
    },
  ];
  return (
    <>
      <p class="hint">{page.networks.length > 0 ? t.embed.networksLine : t.embed.line}</p>
      {pictures.map(({ file, title, line, alt, height }) => {
        const source = `${address}/${file}`;
        return (
          <div key={file} class="embed-picture">
            <p class="strong">{title}</p>
            <p class="hint">{line}</p>
            <p class="embed-preview">
              <img
                src={`${distributionPath(page.accessKey)}/${file}`}
                alt={alt}
                height={height}
                loading="lazy"
              />
            </p>
            <p class="fine soft">{t.embed.markdown}</p>
            <CodeLine text={markdownPicture(address, source, alt)} name={`${title}, ${t.embed.markdown}`} />
            <p class="fine soft">{t.embed.html}</p>
            <CodeLine text={htmlPicture(address, source, alt)} name={`${title}, ${t.embed.html}`} />
          </div>
        );
      })}
      <p class="fine">
        <a href={`${distributionPath(page.accessKey)}/${pagePictures.qrPng}`}>{t.embed.png}</a>
      </p>
    </>
  );
}

/** The address of a page contains no character with a meaning in Markdown; a name may contain any. */
const markdownPicture = (address: string, source: string, alt: string) =>
  `[![${alt.replace(/\s+/g, ' ').replace(/[\\[\]<>&*_`!|~]/g, '\\$&')}](${source})](${address})`;

const htmlPicture = (address: string, source: string, alt: string) =>
  renderToString(
    <a href={address}>
      <img src={source} alt={alt} />
    </a>,
  );

/** The next step for managers, shown instead of the sentence for testers. */
const nextSteps: Readonly<Partial<Record<RefusalReason, string>>> = t.blockers;

function sentencesOf({ blockers, withdrawn }: PageOverviewProps): string[] {
  const ofOthers =
    withdrawn.length === 0
      ? []
      : [t.withdrawnBuilds({ builds: formatList(withdrawn.map((revision) => `#${revision}`)) })];
  return [...blockers.map(({ reason, sentence }) => nextSteps[reason] ?? sentence), ...ofOthers];
}

function ContentForm({ frame, page, submitted, errors, choices }: PageOverviewProps) {
  return (
    <SettingsForm frame={frame} action={`${pageSettingsPath(page.accessKey)}/save`} errors={errors}>
      <input type="hidden" name="seen-revision" value={submitted['seen-revision']} />
      <input type="hidden" name="seen-note" value={submitted['seen-note']} />
      <SettingsSection id="serving" title={t.groups.content}>
        <div class="form">
          <BuildField value={chosenRevision(submitted)} choices={choices} errors={errors.revision} />
          <NoteField value={submitted.note} errors={errors.release_note} hint={t.noteHint} />
        </div>
      </SettingsSection>
      <SettingsSection id="updates" title={t.groups.updates}>
        <div class="form">
          <MandatoryField submitted={submitted} errors={errors} />
        </div>
      </SettingsSection>
    </SettingsForm>
  );
}

function Installers({ head, page, installers }: PageOverviewProps) {
  return (
    <section class="section" aria-labelledby="installers">
      <div class="section-head">
        <h2 id="installers">{t.installers}</h2>
        <a class="fine" href={checkInstallPath(page.accessKey)}>
          {appTexts.pages.check}
        </a>
        <a class="fine" href={`${activityPath(head.app)}?page=${page.accessKey}#people`}>
          {t.activity}
        </a>
      </div>
      <p class="soft">{installersText(installers)}</p>
    </section>
  );
}

function installersText({ installed, allowed }: PageInstallers): string {
  return allowed === null
    ? t.installedByMembers({ some: installed })
    : t.installedBy({ some: installed, all: allowed });
}
