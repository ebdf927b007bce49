/** The frame shared by all parts of the page settings. Every form works without scripts. */
import type { ComponentChildren } from 'preact';
import { type AppHead, renderAppArea } from '../../apps/app-head.tsx';
import { distributionPath, pageAccessSettingsPath, pageSettingsPath } from '../../apps/app-paths.ts';
import type { PageState } from '../../apps/distributions/page-state.ts';
import { conditionsOf, PageStateBadge } from '../../apps/distributions/page-state-badge.tsx';
import { ErrorSummary, PostForm, SubmitButton } from '../../web/components/form-field.tsx';
import { Glyph } from '../../web/components/glyph.tsx';
import type { Tab } from '../../web/components/tabs.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { settingsParts } from '../../web/shell/settings/settings-layout.tsx';
import { settingsTexts } from '../../web/shell/settings/settings-texts.ts';
import type { DistributionPage } from '../distribution-page.ts';
import type { SettingsErrors, SettingsField } from './page-settings.ts';
import { pageSettingsTexts } from './page-settings-texts.ts';

type PageSettingsPart = 'overview' | 'access' | 'appearance' | 'history' | 'deletion';

export const pageAppearancePath = (accessKey: string) => `${pageSettingsPath(accessKey)}/appearance`;
export const pageHistoryPath = (accessKey: string) => `${pageSettingsPath(accessKey)}/history`;
export const pageDeletionPath = (accessKey: string) => `${pageSettingsPath(accessKey)}/delete`;

function pageSettingsParts(accessKey: string, current: PageSettingsPart): Tab[] {
  const t = settingsTexts;
  return settingsParts(current, {
    overview: { label: t.overview, address: pageSettingsPath(accessKey) },
    access: { label: t.access, address: pageAccessSettingsPath(accessKey) },
    appearance: { label: t.appearance, address: pageAppearancePath(accessKey) },
    history: { label: t.history, address: pageHistoryPath(accessKey) },
    deletion: { label: t.deletion, address: pageDeletionPath(accessKey) },
  });
}

/** The page that the settings belong to. */
export interface SettingsPlace {
  frame: PageFrame;
  head: AppHead;
  page: DistributionPage;
  state: PageState;
  errors: SettingsErrors;
  /** Confirmation of the last action, as a full sentence. */
  done: string | null;
}

const t = pageSettingsTexts;

export function renderSettingsPart(
  { frame, head, page, state, errors, done }: SettingsPlace,
  part: PageSettingsPart,
  children: ComponentChildren,
): string {
  const label = settingsTexts[part];
  return renderAppArea({
    frame,
    head,
    tab: 'pages',
    title: page.name,
    documentTitle:
      part === 'overview' ? t.titleOf({ name: page.name }) : `${label} · ${t.titleOf({ name: page.name })}`,
    crumb: { label: page.name, address: pageSettingsPath(page.accessKey) },
    state: <PageStateBadge state={state} />,
    line: conditionsOf(page, frame.now).join(' · '),
    actions: (
      <a class="button" href={distributionPath(page.accessKey)}>
        <Glyph name="external" />
        {t.open}
      </a>
    ),
    settings: pageSettingsParts(page.accessKey, part),
    done,
    children: (
      <>
        <SettingsErrorSummary errors={errors} />
        {children}
      </>
    ),
  });
}

const labels = (): Readonly<Record<SettingsField, string>> => ({
  name: t.name,
  revision: t.build,
  release_note: t.note,
  access: t.access,
  groups: t.groupsLabel,
  passcode: t.passcode,
  networks: t.networks,
  expires_at: t.expires,
  max_installs: t.installs,
  mandatory_from: t.mandatoryFrom,
  confirmation: t.remove,
});

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

/** The form of one part, which saves only that part. */
export function SettingsForm(props: {
  frame: PageFrame;
  action: string;
  errors: SettingsErrors;
  children: ComponentChildren;
}) {
  return (
    <PostForm
      frame={props.frame}
      class="panel settings-form"
      action={props.action}
      data-guard={Object.keys(props.errors).length > 0 ? 'changed' : ''}
    >
      {props.children}
      <div class="save-bar">
        <span class="soft" data-unsaved hidden>
          {t.unsaved}
        </span>
        <SubmitButton label={t.save} tone="primary" />
      </div>
    </PostForm>
  );
}
