/** What those who manage an App begin from its page: a new build, a look at how its pages are used. */
import type { Platform } from '../packages/package-info.ts';
import { DropOverlay } from '../web/drop-overlay.tsx';
import { plotTexts } from '../web/plot-texts.ts';
import { uploadTexts } from '../web/upload-texts.ts';
import { activityPath, appUploadPath, ownerUploadPath } from './addresses.ts';
import type { App, OwnerName } from './app.ts';

export function AppActions({ app }: { app: App }) {
  return (
    <p class="actions head-actions">
      <a class="button" href={appUploadPath(app)}>
        {uploadTexts.newBuild}
      </a>
      <a class="button button-small" href={activityPath(app)}>
        {plotTexts.link}
      </a>
    </p>
  );
}

/** A package that is dropped goes to the App of its platform, or begins the other one. */
export function AppDrops({ owner, apps }: { owner: OwnerName; apps: readonly App[] }) {
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
