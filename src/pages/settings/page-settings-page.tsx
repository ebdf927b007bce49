/** Settings of a distribution page. Every form works without scripts. */
import type { App } from '../../apps/app.ts';
import { distributionPath, pageSettingsPath } from '../../apps/app-addresses.ts';
import { AppPageHead } from '../../apps/app-page-head.tsx';
import { absolute } from '../../owners/owner-addresses.ts';
import { Badge } from '../../web/components/callout.tsx';
import { CodeBlock } from '../../web/components/code-block.tsx';
import { ErrorSummary, Field, FormHead, SuccessMessage } from '../../web/components/form-field.tsx';
import { renderPage } from '../../web/shell/layout.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import type { DistributionPage, DistributionUpdate } from '../distribution-page.ts';
import type { SettingsErrors, SettingsField, SettingsValues } from './page-settings.ts';
import {
  AccessFields,
  type BuildChoices,
  BuildField,
  LimitFields,
  NameField,
  NoteField,
} from './page-settings-fields.tsx';
import { PublishHistory } from './page-settings-history.tsx';
import { pageSettingsTexts } from './page-settings-texts.ts';

export interface PageSettingsProps {
  frame: PageFrame;
  app: App;
  page: DistributionPage;
  typed: SettingsValues;
  faults: SettingsErrors;
  choices: BuildChoices;
  /** Publish history, newest first, and the path of the older entries. */
  served: readonly DistributionUpdate[];
  olderAddress: string | null;
  /** Confirmation of the last action, as a full sentence. */
  done: string | null;
  /** The name typed to confirm the deletion. */
  confirmation: string;
}

const words = pageSettingsTexts;
const labels: Readonly<Record<SettingsField, string>> = {
  name: words.name,
  build: words.build,
  note: words.note,
  access: words.access,
  passcode: words.passcode,
  networks: words.networks,
  expires: words.expires,
  installs: words.installs,
  confirmation: words.remove,
};

export function renderPageSettings(props: PageSettingsProps): string {
  const { frame, page, faults } = props;
  return renderPage({
    frame,
    title: words.titleOf(page.name),
    forms: true,
    children: (
      <>
        <Head {...props} />
        <SuccessMessage sentence={props.done} />
        <SettingsErrorSummary faults={faults} />
        <div class="columns">
          <SettingsForm {...props} />
          <Aside {...props} />
        </div>
      </>
    ),
  });
}

export function SettingsErrorSummary({ faults }: { faults: SettingsErrors }) {
  const fields = (Object.keys(labels) as SettingsField[]).filter((field) => faults[field]?.length);
  return (
    <ErrorSummary
      title={words.faultsTitle(fields.length)}
      line={words.nothingSaved}
      faults={fields.map((id) => ({ id, label: labels[id] }))}
    />
  );
}

function Head({ app, page, frame }: PageSettingsProps) {
  return (
    <AppPageHead app={app} title={<bdi>{page.name}</bdi>} state={<StateBadge page={page} now={frame.now} />}>
      <p class="under-title">
        <span class="secondary">{words.title}</span>
        <a href={distributionPath(page.accessKey)}>{words.open}</a>
      </p>
      <div class="own-address">
        <CodeBlock
          text={absolute(frame.origin, distributionPath(page.accessKey))}
          label={words.addressLabel}
        />
      </div>
    </AppPageHead>
  );
}

function StateBadge({ page, now }: { page: DistributionPage; now: number }) {
  const { states } = words;
  if (!page.active) return <Badge tone="warning">{states.closed}</Badge>;
  if (page.expiresAt !== null && page.expiresAt <= now) return <Badge tone="warning">{states.expired}</Badge>;
  if (page.maxInstalls !== null && page.installs >= page.maxInstalls) {
    return <Badge tone="warning">{states.usedUp}</Badge>;
  }
  return <Badge tone="good">{states.open}</Badge>;
}

function SettingsForm(props: PageSettingsProps) {
  const { frame, page, typed, faults, choices } = props;
  const fields = { typed, faults, installs: page.installs, hasPasscode: page.passcodeHash !== null };
  return (
    <form class="form" method="post" action={`${pageSettingsPath(page.accessKey)}/save`}>
      <FormHead frame={frame} />
      <input type="hidden" name="seen-revision" value={typed.seenRevision} />
      <input type="hidden" name="seen-note" value={typed.seenNote} />
      <NameField value={typed.name} faults={faults.name} hint={words.nameHint} />
      <fieldset>
        <legend>{words.groups.content}</legend>
        <BuildField value={typed.revision} choices={choices} faults={faults.build} />
        <NoteField value={typed.note} faults={faults.note} hint={words.noteHint} />
      </fieldset>
      <AccessFields {...fields} />
      <LimitFields {...fields} />
      <p class="actions">
        <button class="button" type="submit">
          {words.save}
        </button>
      </p>
    </form>
  );
}

function Aside(props: PageSettingsProps) {
  const { frame, page } = props;
  return (
    <div class="aside">
      <PublishHistory {...props} />
      <section aria-label={words.address}>
        <details class="fold">
          <summary>{words.newAddress}</summary>
          <form method="post" action={`${pageSettingsPath(page.accessKey)}/rotate-link`}>
            <FormHead frame={frame} />
            <p class="hint">{words.newAddressLine}</p>
            <button class="button button-plain" type="submit">
              {words.newAddressButton}
            </button>
          </form>
        </details>
        <Removal {...props} />
      </section>
    </div>
  );
}

/** Typing the name is a confirmation step that works without scripts. */
function Removal({ frame, page, faults, confirmation }: PageSettingsProps) {
  return (
    <details class="fold" open={faults.confirmation !== undefined}>
      <summary>{words.remove}</summary>
      <form method="post" action={`${pageSettingsPath(page.accessKey)}/delete`}>
        <FormHead frame={frame} />
        <p class="hint">{words.removeLine}</p>
        <Field
          id="confirmation"
          label={words.removeConfirm(page.name)}
          faults={faults.confirmation}
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
          {words.removeButton}
        </button>
      </form>
    </details>
  );
}
