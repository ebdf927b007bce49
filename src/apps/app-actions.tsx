import type { Platform } from '../packages/package-info.ts';
import { DropOverlay } from '../web/components/drop-overlay.tsx';
import type { App, OwnerName } from './app.ts';
import { appUploadPath, ownerUploadPath } from './app-paths.ts';

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
