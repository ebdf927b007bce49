/** The first page of an app's settings: its secret. */

import { OnlySwitch } from '../../projects/trusted-publishing/publisher-pages.tsx';
import { publisherTexts } from '../../projects/trusted-publishing/trusted-publishing-texts.ts';
import { Confirm } from '../../web/components/form-field.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { SettingsSection } from '../../web/shell/settings/settings-layout.tsx';
import type { App } from '../app.ts';
import { type AppHead, renderAppArea } from '../app-head.tsx';
import { requireTrustedPath, rotateSecretPath } from '../app-paths.ts';
import { appTexts } from '../app-texts.ts';
import { buildTexts } from '../builds/build-texts.ts';
import { appSettingsParts } from './app-settings-parts.ts';

export interface AppSettingsProps {
  frame: PageFrame;
  head: AppHead;
  /** Whether the viewer may change who uploads. */
  administers: boolean;
  /** What requires trusted publishers, apart from the app. */
  requiredBy: 'owner' | 'workspace' | null;
  done: string | null;
}

const t = appTexts.settings;

export function renderAppSettings({ frame, head, done, administers, requiredBy }: AppSettingsProps): string {
  const { app } = head;
  return renderAppArea({
    frame,
    head,
    tab: 'settings',
    title: appTexts.tabs.settings,
    settings: appSettingsParts(app, 'general'),
    done,
    children: (
      <div class="panel">
        <SettingsSection id="secret" title={t.secret} line={buildTexts.rotateSecret.about}>
          <Confirm
            frame={frame}
            action={rotateSecretPath(app)}
            ask={buildTexts.rotateSecret.button}
            line={buildTexts.rotateSecret.line}
            tone="plain"
          />
        </SettingsSection>
        {administers && <TrustedOnly frame={frame} app={app} requiredBy={requiredBy} />}
      </div>
    ),
  });
}

function TrustedOnly(props: { frame: PageFrame; app: App } & Pick<AppSettingsProps, 'requiredBy'>) {
  const { frame, app, requiredBy } = props;
  const { title, on, off, ofOwner, ofWorkspace } = publisherTexts.only;
  const only = app.trustedPublishersOnly;
  return (
    <SettingsSection
      id="only"
      title={title}
      line={requiredBy ? { owner: ofOwner, workspace: ofWorkspace }[requiredBy] : only ? on : off}
    >
      {(!requiredBy || only) && <OnlySwitch frame={frame} action={requireTrustedPath(app)} only={only} />}
    </SettingsSection>
  );
}
