/** The Settings tab of an app: retention, secret and deletion. */

import { retentionTexts } from '../../owners/retention/retention-texts.ts';
import { Confirm } from '../../web/components/form-field.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { type AppHead, renderAppArea } from '../app-head.tsx';
import { appDeletionPath, appRetentionPath, rotateSecretPath } from '../app-paths.ts';
import { appTexts } from '../app-texts.ts';
import { buildTexts } from '../builds/build-texts.ts';

export interface AppSettingsProps {
  frame: PageFrame;
  head: AppHead;
  /** Describes the retention rule that applies, in one sentence. */
  retention: string;
  done: string | null;
}

const t = appTexts.settings;

export function renderAppSettings({ frame, head, retention, done }: AppSettingsProps): string {
  const { app } = head;
  return renderAppArea({
    frame,
    head,
    tab: 'settings',
    title: appTexts.tabs.settings,
    done,
    children: (
      <div class="panel">
        <section class="form-section" aria-labelledby="retention">
          <h2 id="retention">{retentionTexts.title}</h2>
          <div>
            <p class="soft">{retention}</p>
            <p class="actions">
              <a class="button" href={appRetentionPath(app)}>
                {t.changeRetention}
              </a>
            </p>
          </div>
        </section>
        <section class="form-section" aria-labelledby="secret">
          <h2 id="secret">{t.secret}</h2>
          <p class="soft">{buildTexts.rotateSecret.about}</p>
          <p class="actions">
            <Confirm
              frame={frame}
              action={rotateSecretPath(app)}
              ask={buildTexts.rotateSecret.button}
              line={buildTexts.rotateSecret.line}
              button={buildTexts.rotateSecret.button}
              tone="plain"
            />
          </p>
        </section>
        <section class="form-section" aria-labelledby="deletion">
          <h2 id="deletion">{buildTexts.removeApp.link}</h2>
          <div>
            <p class="soft">{t.deletion}</p>
            <p class="actions">
              <a class="button button-danger" href={appDeletionPath(app)}>
                {t.deleteApp}
              </a>
            </p>
          </div>
        </section>
      </div>
    ),
  });
}
