/** Settings of a distribution page. Every form works without scripts. */

import type { PageInstallers } from '../../apps/activity/member-activity.ts';
import type { App } from '../../apps/app.ts';
import { type AppHead, renderAppArea } from '../../apps/app-head.tsx';
import { activityPath, distributionPath, pageSettingsPath } from '../../apps/app-paths.ts';
import type { PageState } from '../../apps/pages/page-state.ts';
import { PageStateBadge } from '../../apps/pages/page-state-badge.tsx';
import type { Group } from '../../owners/group.ts';
import { absolute, groupsPath } from '../../owners/owner-paths.ts';
import { Callout } from '../../web/components/callout.tsx';
import { ErrorSummary, Field, FormHead } from '../../web/components/form-field.tsx';
import { formatList } from '../../web/components/formats.ts';
import { Glyph } from '../../web/components/glyph.tsx';
import { QrCode } from '../../web/components/qr-code.tsx';
import { CopyLine } from '../../web/components/share-actions.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { texts } from '../../web/shell/texts.ts';
import type { DistributionPage, DistributionUpdate } from '../distribution-page.ts';
import { type InstallBlocker, isWithdrawn } from '../install/install-blockers.ts';
import type { SettingsErrors, SettingsField, SettingsValues } from './page-settings.ts';
import {
  AccessFields,
  type BuildChoices,
  BuildField,
  FormSection,
  NameField,
  NoteField,
} from './page-settings-fields.tsx';
import { PublishHistory } from './page-settings-history.tsx';
import { FeedbackField, LimitFields, UpdateFields } from './page-settings-limits.tsx';
import { pageSettingsTexts } from './page-settings-texts.ts';

export interface PageSettingsProps {
  frame: PageFrame;
  app: App;
  head: AppHead;
  page: DistributionPage;
  state: PageState;
  submitted: SettingsValues;
  errors: SettingsErrors;
  choices: BuildChoices;
  groups: readonly Group[];
  /** Whether the viewer can change the groups, not only choose among them. */
  managesGroups: boolean;
  /** Publish history, newest first, and the path of the older entries. */
  served: readonly DistributionUpdate[];
  olderAddress: string | null;
  /** What currently prevents everyone from installing the live build. */
  blockers: readonly InstallBlocker[];
  installers: PageInstallers;
  /** Confirmation of the last action, as a full sentence. */
  done: string | null;
  /** The name typed to confirm the deletion. */
  confirmation: string;
}

const t = pageSettingsTexts;
const labels = (): Readonly<Record<SettingsField, string>> => ({
  name: t.name,
  build: t.build,
  note: t.note,
  access: t.access,
  groups: t.groupsLabel,
  passcode: t.passcode,
  networks: t.networks,
  expires: t.expires,
  installs: t.installs,
  mandatoryFrom: t.mandatoryFrom,
  confirmation: t.remove,
});

export function renderPageSettings(props: PageSettingsProps): string {
  const { frame, page, errors } = props;
  return renderAppArea({
    frame,
    head: props.head,
    tab: 'pages',
    title: page.name,
    documentTitle: t.titleOf({ name: page.name }),
    crumb: { label: page.name, address: pageSettingsPath(page.accessKey) },
    state: <PageStateBadge state={props.state} />,
    actions: (
      <a class="button" href={distributionPath(page.accessKey)}>
        <Glyph name="external" />
        {t.open}
      </a>
    ),
    done: props.done,
    children: (
      <>
        <SharePanel address={absolute(frame.origin, distributionPath(page.accessKey))} name={page.name} />
        <Callout tone="warning" title={t.blockersTitle} sentences={blockersFor(props)} />
        <SettingsErrorSummary errors={errors} />
        <PublishHistory {...props} />
        <Installers {...props} />
        <section class="section" aria-labelledby="settings">
          <h2 id="settings">{t.settings}</h2>
          <SettingsForm {...props} />
        </section>
        <section class="section" aria-labelledby="danger">
          <h2 id="danger">{t.danger}</h2>
          <RotateLink {...props} />
          <Removal {...props} />
        </section>
      </>
    ),
  });
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

export function SettingsErrorSummary({ errors }: { errors: SettingsErrors }) {
  const fields = (Object.keys(labels()) as SettingsField[]).filter((field) => errors[field]?.length);
  return (
    <ErrorSummary
      title={t.errorsTitle({ count: fields.length })}
      line={t.nothingSaved}
      errors={fields.map((id) => ({ id, label: labels()[id] }))}
    />
  );
}

function blockersFor({ page, served, blockers }: PageSettingsProps): string[] {
  const withdrawn = served.filter((update) => isWithdrawn(page, update));
  const ofOthers =
    withdrawn.length === 0
      ? []
      : [t.withdrawnBuilds({ builds: formatList(withdrawn.map(({ revision }) => `#${revision}`)) })];
  return [...blockers.map(({ sentence }) => sentence), ...ofOthers];
}

function SettingsForm(props: PageSettingsProps) {
  const { frame, page, submitted, errors, choices } = props;
  const fields = {
    submitted,
    errors,
    installs: page.installs,
    hasPasscode: page.passcodeHash !== null,
    groups: props.groups,
    groupsAddress: props.managesGroups ? groupsPath(props.app.owner) : null,
  };
  return (
    <form
      class="panel settings-form"
      method="post"
      action={`${pageSettingsPath(page.accessKey)}/save`}
      data-guard={Object.keys(errors).length > 0 ? 'changed' : ''}
    >
      <FormHead frame={frame} />
      <input type="hidden" name="seen-revision" value={submitted.seenRevision} />
      <input type="hidden" name="seen-note" value={submitted.seenNote} />
      <FormSection title={t.groups.content}>
        <NameField value={submitted.name} errors={errors.name} hint={t.nameHint} />
        <BuildField value={submitted.revision} choices={choices} errors={errors.build} />
        <NoteField value={submitted.note} errors={errors.note} hint={t.noteHint} />
      </FormSection>
      <AccessFields {...fields} />
      <LimitFields {...fields} />
      <FeedbackField submitted={submitted} />
      <UpdateFields {...fields} />
      <div class="save-bar">
        <span class="soft" data-unsaved hidden>
          {t.unsaved}
        </span>
        <button class="button button-primary" type="submit">
          {t.save}
        </button>
      </div>
    </form>
  );
}

function RotateLink({ frame, page }: PageSettingsProps) {
  return (
    <details class="fold">
      <summary>{t.newAddress}</summary>
      <form method="post" action={`${pageSettingsPath(page.accessKey)}/rotate-link`}>
        <FormHead frame={frame} />
        <p class="hint">{t.newAddressLine}</p>
        <button class="button" type="submit">
          {t.newAddressButton}
        </button>
      </form>
    </details>
  );
}

function Installers({ app, page, installers }: PageSettingsProps) {
  return (
    <section class="section" aria-labelledby="installers">
      <div class="section-head">
        <h2 id="installers">{t.installers}</h2>
        <a class="fine" href={`${activityPath(app)}?page=${page.accessKey}#people`}>
          {t.activity}
        </a>
      </div>
      <p class="soft">{installersText(installers)}</p>
    </section>
  );
}

/** Typing the name is a confirmation step that works without scripts. */
function Removal({ frame, page, errors, confirmation }: PageSettingsProps) {
  return (
    <details class="fold" open={errors.confirmation !== undefined}>
      <summary>{t.remove}</summary>
      <form method="post" action={`${pageSettingsPath(page.accessKey)}/delete`}>
        <FormHead frame={frame} />
        <p class="hint">{t.removeLine}</p>
        <Field
          id="confirmation"
          label={t.removeConfirm({ name: page.name })}
          errors={errors.confirmation}
          control={(marks) => (
            <input
              {...marks}
              name="confirmation"
              type="text"
              value={confirmation}
              autocomplete="off"
              autocapitalize="none"
              spellcheck={false}
              dir="auto"
              required
            />
          )}
        />
        <button class="button button-danger" type="submit">
          {t.removeButton}
        </button>
      </form>
    </details>
  );
}

function installersText({ installed, allowed }: PageInstallers): string {
  return allowed === null
    ? t.installedByMembers({ some: installed })
    : t.installedBy({ some: installed, all: allowed });
}
