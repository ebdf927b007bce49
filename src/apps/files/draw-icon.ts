/** Draws and stores the icon of a build. Idempotent. */
import { iconKey, parseBlobKey } from '../../blobs/blob-key.ts';
import type { BlobStore } from '../../blobs/blob-store.ts';
import { newHexKey } from '../../core/identifier.ts';
import type { Data } from '../../db/data.ts';
import { UnreadablePackage } from '../../packages/package-info.ts';
import type { PackageReader } from '../../packages/package-reader.ts';
import { type Build, type IconState, uploadedFile } from '../app.ts';
import { appQueries } from '../app-queries.ts';
import { buildQueries } from '../builds/build-queries.ts';
import type { WithLocalPackage } from './local-package.ts';

export interface IconDrawer {
  /** Returns the icon state, after drawing the icon if it is pending. Null if the build no longer exists. */
  settle(buildId: string): Promise<IconState | null>;
}

export interface IconDrawerDeps {
  data: Data;
  blobs: BlobStore;
  packages: PackageReader;
  withLocalPackage: WithLocalPackage;
}

export function createIconDrawer(deps: IconDrawerDeps): IconDrawer {
  const { data } = deps;
  const inFlight = new Map<string, Promise<IconState | null>>();
  const settle = async (buildId: string): Promise<IconState | null> => {
    const build = await buildQueries(data).findBuild(buildId);
    if (build?.icon.state !== 'pending') return build?.icon ?? null;
    const drawn = await draw(deps, build);
    if (await buildQueries(data).settleIcon(buildId, drawn)) return drawn;
    if (drawn.state === 'drawn') await deps.blobs.remove(parseBlobKey(drawn.blob));
    return (await buildQueries(data).findBuild(buildId))?.icon ?? null;
  };
  return {
    settle: (buildId) => {
      const known = inFlight.get(buildId);
      if (known) return known;
      const work = settle(buildId).finally(() => inFlight.delete(buildId));
      inFlight.set(buildId, work);
      return work;
    },
  };
}

async function draw(deps: IconDrawerDeps, build: Build): Promise<IconState> {
  const choice = build.info.icon;
  if (!choice) return { state: 'none' };
  const app = await appQueries(deps.data).findAppById(build.appId);
  const png = await deps.withLocalPackage(uploadedFile(build), (path) =>
    deps.packages.drawIcon(path, app?.owner.id ?? build.appId, choice).catch((error) => {
      // An unreadable icon is replaced by a monogram; the package itself was parsed at upload.
      if (error instanceof UnreadablePackage) return null;
      throw error;
    }),
  );
  if (!png) return { state: 'none' };
  const key = iconKey(build.id, newHexKey());
  await deps.blobs.putBytes(key, png);
  return { state: 'drawn', blob: key };
}
