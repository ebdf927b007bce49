import { createManagedAppAccess } from '../apps/managed-app-access-http.ts';
import type { BlobStore } from '../blobs/blob-store.ts';
import type { TrackedPuts } from '../blobs/sweep-blobs.ts';
import type { Config } from '../config.ts';
import type { Route } from '../http/routes/route.ts';
import type { RateLimiting } from '../limits/rate-limiting-http.ts';
import { type BrowserUploadRouteDeps, browserUploadRoutes } from './browser/browser-upload-routes.ts';
import { type UploadResultRouteDeps, uploadResultRoutes } from './browser/upload-result-routes.ts';
import { type CiRouteDeps, ciRoutes } from './ci/ci-routes.ts';
import { createCountRefusedUpload, createCountUpload } from './count-upload.ts';
import { createPublishBuild, type PublishDeps } from './publish-build.ts';
import { type LeftoverSweep, type LeftoverSweepDeps, startLeftoverSweep } from './sweep-spool.ts';
import { type UploadRouteDeps, uploadRoutes } from './upload-routes.ts';

type UploadAreaDeps = Omit<
  UploadRouteDeps &
    BrowserUploadRouteDeps &
    UploadResultRouteDeps &
    CiRouteDeps &
    PublishDeps &
    LeftoverSweepDeps &
    Parameters<typeof createManagedAppAccess>[0],
  'managedBuild' | 'countUpload' | 'countRefusedUpload' | 'publishBuild' | 'startedAt'
> & {
  blobs: BlobStore;
  puts: TrackedPuts;
  config: Pick<Config, 'rates'>;
  limiting: Pick<RateLimiting, 'shared'>;
};

export interface UploadArea {
  routes: Route[];
  /** Starts to remove what earlier processes left behind. */
  start(): void;
  /** Resolves when that is done. */
  swept(): Promise<void>;
  close(): Promise<void>;
}

/** Uploads by programs with a key and by people with a session. */
export function createUploadArea({ config, limiting, ...deps }: UploadAreaDeps): UploadArea {
  const routeDeps = {
    ...deps,
    ...createManagedAppAccess(deps),
    publishBuild: createPublishBuild(deps),
    countUpload: createCountUpload(limiting.shared, config.rates),
    countRefusedUpload: createCountRefusedUpload(limiting.shared, config.rates),
  };
  const startedAt = Date.now();
  let sweep: LeftoverSweep | null = null;
  return {
    routes: [browserUploadRoutes, uploadResultRoutes, uploadRoutes, ciRoutes].flatMap((routes) =>
      routes(routeDeps),
    ),
    start: () => {
      sweep = startLeftoverSweep({ ...deps, startedAt });
    },
    swept: async () => sweep?.done,
    close: async () => sweep?.stop(),
  };
}
