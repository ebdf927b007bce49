/** The first page of an app's settings: its secret. */
import { Confirm } from '../../web/components/form-field.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { SettingsSection } from '../../web/shell/settings/settings-layout.tsx';
import { type AppHead, renderAppArea } from '../app-head.tsx';
import { rotateSecretPath } from '../app-paths.ts';
import { appTexts } from '../app-texts.ts';
import { buildTexts } from '../builds/build-texts.ts';
import { appSettingsParts } from './app-settings-parts.ts';

export interface AppSettingsProps {
  frame: PageFrame;
  head: AppHead;
  done: string | null;
}

const t = appTexts.settings;

export function renderAppSettings({ frame, head, done }: AppSettingsProps): string {
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
            button={buildTexts.rotateSecret.button}
            tone="plain"
          />
        </SettingsSection>
      </div>
    ),
  });
}
