import { createManagedAppAccess } from '../apps/managed-app-access-http.ts';
import type { BlobStore } from '../blobs/blob-store.ts';
import type { TrackedPuts } from '../blobs/sweep-blobs.ts';
import type { Config } from '../config.ts';
import type { ServerSecret } from '../core/signature.ts';
import type { Route } from '../http/routes/route.ts';
import type { JobHandlers } from '../jobs/outbox.ts';
import type { RateLimiting } from '../limits/rate-limiting-http.ts';
import { createSigningKeys } from '../owners/signing-keys/signing-keys.ts';
import { createOwnerAccess } from '../projects/owner-access-http.ts';
import { type BrowserUploadRouteDeps, browserUploadRoutes } from './browser/browser-upload-routes.ts';
import { resumableBrowserRoutes } from './browser/resumable-browser-routes.ts';
import { type UploadResultRouteDeps, uploadResultRoutes } from './browser/upload-result-routes.ts';
import { type CiRouteDeps, ciRoutes } from './ci/ci-routes.ts';
import { type ConvertBundleDeps, createConvertBundle } from './convert-bundle.ts';
import { createCountRefusedUpload, createCountUpload } from './count-upload.ts';
import { createFailedPackages } from './failed-packages.ts';
import { createPublishBuild, type PublishDeps } from './publish-build.ts';
import type { ResumableUploadAccessDeps } from './resumable/resumable-upload-access-http.ts';
import { resumableUploadRoutes } from './resumable/resumable-upload-routes.ts';
import { createResumableUploads, type ResumableUploadDeps } from './resumable/resumable-uploads.ts';
import {
  type DeveloperVerificationApiDeps,
  developerVerificationApiRoutes,
} from './signing-keys/developer-verification-api-routes.ts';
import {
  type DeveloperVerificationRouteDeps,
  developerVerificationRoutes,
} from './signing-keys/developer-verification-routes.ts';
import { createKeyRegistrations } from './signing-keys/key-registrations.ts';
import { type SigningKeyApiDeps, signingKeyApiRoutes } from './signing-keys/signing-key-api-routes.ts';
import { type SigningKeyRouteDeps, signingKeyRoutes } from './signing-keys/signing-key-routes.ts';
import { type LeftoverSweep, type LeftoverSweepDeps, startLeftoverSweep } from './sweep-spool.ts';
import { type UploadRouteDeps, uploadRoutes } from './upload-routes.ts';

type UploadAreaDeps = Omit<
  UploadRouteDeps &
    BrowserUploadRouteDeps &
    UploadResultRouteDeps &
    CiRouteDeps &
    PublishDeps &
    ConvertBundleDeps &
    ResumableUploadAccessDeps &
    ResumableUploadDeps &
    SigningKeyRouteDeps &
    SigningKeyApiDeps &
    DeveloperVerificationApiDeps &
    DeveloperVerificationRouteDeps &
    Parameters<typeof createOwnerAccess>[0] &
    LeftoverSweepDeps &
    Parameters<typeof createManagedAppAccess>[0],
  | 'signingKeys'
  | 'keyRegistrations'
  | 'managedApp'
  | 'administeredApp'
  | 'failedPackages'
  | 'ownerAccess'
  | 'managedBuild'
  | 'countUpload'
  | 'countRefusedUpload'
  | 'publishBuild'
  | 'startedAt'
  | 'resumableUploads'
> & {
  blobs: BlobStore;
  puts: TrackedPuts;
  secret: ServerSecret;
  config: Pick<Config, 'rates' | 'publicUrl'>;
  limiting: Pick<RateLimiting, 'shared'>;
};

export interface UploadArea {
  routes: Route[];
  jobs: Pick<JobHandlers, 'convert-bundle'>;
  /** Starts removing leftovers of earlier processes. */
  start(): void;
  /** Resolves when they, and uploads that nobody can continue, are removed. */
  swept(): Promise<void>;
  close(): Promise<void>;
}

/** Uploads by programs with a key, and by people with a session. */
export function createUploadArea({ config, limiting, ...given }: UploadAreaDeps): UploadArea {
  const signingKeys = createSigningKeys(given);
  const deps = {
    ...given,
    config,
    signingKeys,
    failedPackages: createFailedPackages(limiting.shared, config.rates),
  };
  const publishBuild = createPublishBuild(deps);
  const resumableUploads = createResumableUploads({ ...deps, publishBuild });
  const routeDeps = {
    ...deps,
    ownerAccess: createOwnerAccess(deps),
    ...createManagedAppAccess(deps),
    publishBuild,
    resumableUploads,
    keyRegistrations: createKeyRegistrations(deps),
    countUpload: createCountUpload(limiting.shared, config.rates, deps.failedPackages),
    countRefusedUpload: createCountRefusedUpload(limiting.shared, config.rates),
  };
  const startedAt = Date.now();
  let sweep: LeftoverSweep | null = null;
  return {
    routes: [
      browserUploadRoutes,
      resumableBrowserRoutes,
      uploadResultRoutes,
      uploadRoutes,
      resumableUploadRoutes,
      ciRoutes,
      signingKeyRoutes,
      signingKeyApiRoutes,
      developerVerificationRoutes,
      developerVerificationApiRoutes,
    ].flatMap((routes) => routes(routeDeps)),
    jobs: { 'convert-bundle': createConvertBundle(deps) },
    start: () => {
      sweep = startLeftoverSweep({ ...deps, startedAt });
      resumableUploads.start();
    },
    swept: async () => {
      await sweep?.done;
      await resumableUploads.sweep();
    },
    close: async () => {
      await Promise.all([sweep?.stop(), resumableUploads.close()]);
    },
  };
}
