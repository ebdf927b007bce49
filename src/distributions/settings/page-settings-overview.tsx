/** The first part of the page settings: the link, reasons that prevent installs, the live build and earlier ones. */
import type { PageInstallers } from '../../apps/activity/member-activity.ts';
import { activityPath, checkInstallPath, distributionPath, pageSettingsPath } from '../../apps/app-paths.ts';
import { appTexts } from '../../apps/app-texts.ts';
import { absolute } from '../../owners/owner-paths.ts';
import { Callout } from '../../web/components/callout.tsx';
import { formatList } from '../../web/components/formats.ts';
import { QrCode } from '../../web/components/qr-code.tsx';
import { CopyLine } from '../../web/components/share-actions.tsx';
import { SettingsSection } from '../../web/shell/settings/settings-layout.tsx';
import { texts } from '../../web/shell/texts.ts';
import type { RefusalReason } from '../access/page-refusal.ts';
import type { DistributionUpdate } from '../distribution-page.ts';
import type { InstallBlocker } from '../install/install-blockers.ts';
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
  const { frame, page } = props;
  return renderSettingsPart(
    props,
    'overview',
    <div class="stack">
      <SharePanel address={absolute(frame.origin, distributionPath(page.accessKey))} name={page.name} />
      <Callout tone="warning" title={t.blockersTitle} sentences={sentencesOf(props)} />
      <ContentForm {...props} />
      <PublishHistory {...props} allAddress={props.hasMore ? pageHistoryPath(page.accessKey) : null} />
      <Installers {...props} />
    </div>,
  );
}

/** The link of the page, to scan, copy or send. */
function SharePanel({ address, name }: { address: string; name: string }) {
  return (
    <section class="panel share-panel" id="share" aria-label={t.share}>
      <QrCode address={address} label={texts.share.qrCodeOf({ name })} />
      <div class="share-text">
        <p class="strong">{t.share}</p>
        <CopyLine address={address} name={name} />
        <p class="soft fine">{t.shareLine}</p>
      </div>
    </section>
  );
}

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
