/** Actions on an app page for people who manage the app. */
import { retentionTexts } from '../owners/retention-texts.ts';
import type { Platform } from '../packages/package-info.ts';
import { DropOverlay } from '../web/components/drop-overlay.tsx';
import { FormHead } from '../web/components/form-field.tsx';
import type { PageFrame } from '../web/shell/page-frame.ts';
import { texts } from '../web/shell/texts.ts';
import type { App, OwnerName } from './app.ts';
import {
  activityPath,
  appRetentionPath,
  appUploadPath,
  appWebhooksPath,
  ownerUploadPath,
  rotateSecretPath,
} from './app-paths.ts';
import { buildTexts } from './builds/build-texts.ts';
import { platformLabelId } from './builds/platform-label.ts';

export function AppActions({ app }: { app: App }) {
  return (
    <p class="actions head-actions">
      <a class="button" href={appUploadPath(app)}>
        {texts.links.newBuild}
      </a>
      <a class="button button-small" href={activityPath(app)}>
        {texts.links.activity}
      </a>
    </p>
  );
}

export function ManageApp(props: { app: App; deletionAddress: string; frame: PageFrame }) {
  const { app, deletionAddress, frame } = props;
  const id = `${app.platform}-management`;
  return (
    <section aria-labelledby={`${id} ${platformLabelId(app.platform)}`}>
      <h2 id={id}>{texts.app.management}</h2>
      <ul class="link-list">
        <li>
          <a href={appWebhooksPath(app)}>{texts.links.webhooks}</a>
        </li>
        <li>
          <a href={appRetentionPath(app)}>{retentionTexts.link}</a>
        </li>
        <li>
          <RotateSecret app={app} frame={frame} />
        </li>
        <li>
          <a class="link-danger" href={deletionAddress}>
            {buildTexts.removeApp.link}
          </a>
        </li>
      </ul>
    </section>
  );
}

function RotateSecret({ app, frame }: { app: App; frame: PageFrame }) {
  const t = buildTexts.rotateSecret;
  return (
    <details class="quiet-fold">
      <summary>{t.title}</summary>
      <form method="post" action={rotateSecretPath(app)}>
        <FormHead frame={frame} />
        <p class="hint">{t.line}</p>
        <button class="button button-small" type="submit">
          {t.button}
        </button>
      </form>
    </details>
  );
}

/** Uploads a dropped package to the app of its platform, or creates that app. */
export function AppDropZones({ owner, apps }: { owner: OwnerName; apps: readonly App[] }) {
  if (apps.length === 0) return null;
  const addressOf = (platform: Platform) => {
    const app = apps.find((one) => one.platform === platform);
    return app && appUploadPath(app);
  };
  return (
    <DropOverlay
      name={owner.name}
      address={ownerUploadPath(owner)}
      android={addressOf('android')}
      ios={addressOf('ios')}
    />
  );
}
