import type { Identify } from '../accounts/authorization/identify-http.ts';
import type { PageFrames } from '../accounts/authorization/page-frames-http.ts';
import type { RouteAccess } from '../accounts/authorization/route-access-http.ts';
import type { InviteLinks } from '../accounts/invitations/invite-link.ts';
import { createSetTrustedOnly } from '../accounts/trusted-publishing/trusted-only.ts';
import type { BlobStore } from '../blobs/blob-store.ts';
import type { Spool } from '../blobs/spool/spool.ts';
import type { Config } from '../config.ts';
import type { ServerSecret } from '../core/signature.ts';
import type { Data } from '../db/data.ts';
import type { Route } from '../http/routes/route.ts';
import type { EventStreams } from '../http/sending/event-streams.ts';
import type { JobHandlers } from '../jobs/outbox.ts';
import { createChangeRetention } from '../owners/retention/change-retention.ts';
import { resumeRetentionRounds } from '../owners/retention/retention-rounds.ts';
import type { PackageReader } from '../packages/package-reader.ts';
import { createOwnerAccess } from '../projects/owner-access-http.ts';
import { appApiRoutes } from './app-api-routes.ts';
import { type AppHeads, createAppHeads } from './app-heads.ts';
import { appRoutes } from './app-routes.ts';
import { buildApiRoutes } from './builds/build-api-routes.ts';
import { createBuildChanges } from './builds/build-changes.ts';
import { buildRoutes } from './builds/build-routes.ts';
import type { LoadCheckBadges } from './check-badges.ts';
import { compareBuildsRoutes } from './compare/compare-builds-routes.ts';
import { createDeleteApp } from './deletion/app-deletion.ts';
import { appDeletionRoutes } from './deletion/app-deletion-routes.ts';
import { createBuildDeletion } from './deletion/build-deletion.ts';
import { createRemovalHandlers } from './deletion/purge-deleted.ts';
import { createIconDrawer, type IconDrawer } from './files/draw-icon.ts';
import { fileRoutes } from './files/file-routes.ts';
import { createFileTokens, type FileTokens } from './files/file-token.ts';
import { createWithLocalPackage, type WithLocalPackage } from './files/local-package.ts';
import { createStoredFiles, type StoredFiles } from './files/stored-files-http.ts';
import { createVerifyBuild } from './files/verify-build.ts';
import type { BuildInsight } from './insight/build-insight.ts';
import type { LoadInstallPanel, MemberInstalls, RecordInstall } from './install-panel-http.ts';
import { latestBuildRoutes } from './latest-build/latest-build-routes.ts';
import { ownerRoutes } from './lists/owner-routes.ts';
import type { SetupStatus } from './lists/setup-checklist.tsx';
import { liveRoutes } from './live/live-routes.ts';
import { createManagedAppAccess } from './managed-app-access-http.ts';
import { createRetentionHandlers } from './retention/retain-builds.ts';
import { retentionApiRoutes } from './retention/retention-api-routes.ts';
import { retentionRoutes } from './retention/retention-routes.ts';
import { createRotateSecret } from './settings/app-secret.ts';
import { appSettingsRoutes } from './settings/app-settings-routes.ts';
import { appInviteLinkRoutes } from './testers/app-invite-link-routes.ts';
import { createAppTesters } from './testers/app-testers.ts';
import { appTesterRoutes } from './testers/app-testers-routes.ts';
import { testerApiRoutes } from './testers/tester-api-routes.ts';
import { createViewAccess, type ViewAccess } from './view-access.ts';
import { createVisibleAppAccess } from './visible-app-access-http.ts';

interface AppAreaDeps {
  config: Pick<Config, 'appSecrets' | 'storedFiles'>;
  data: Data;
  blobs: BlobStore;
  spool: Spool;
  packages: PackageReader;
  secret: ServerSecret;
  access: RouteAccess;
  frames: PageFrames;
  identify: Identify;
  now: () => number;
  wakeOutbox: () => void;
  lastDoctor: () => SetupStatus['doctor'];
  /** Available once all features are composed. */
  memberInstalls: () => MemberInstalls;
  checkBadges: () => LoadCheckBadges;
  insight: () => BuildInsight;
  streams: EventStreams;
  inviteLinks: InviteLinks;
  canSendMail: boolean;
}

export interface AppArea {
  routes: Route[];
  jobs: Pick<
    JobHandlers,
    | 'draw-icon'
    | 'verify-signature'
    | 'remove-build'
    | 'remove-builds'
    | 'remove-app'
    | 'remove-blobs'
    | 'retention-round'
    | 'retain-builds'
  >;
  /** Shows apps and their files, for other features. */
  files: {
    fileTokens: FileTokens;
    viewAccess: ViewAccess;
    appHeads: AppHeads;
    storedFiles: StoredFiles;
    icons: IconDrawer;
    withLocalPackage: WithLocalPackage;
  };
  /** Plans the next retention run if there is a rule. */
  start(): Promise<void>;
}

/** Apps and their builds: pages, files, comparison, deletion, retention and testers. */
export function createAppArea(deps: AppAreaDeps): AppArea {
  const { config, data, blobs, packages, secret, now, wakeOutbox } = deps;
  const withLocalPackage = createWithLocalPackage(deps);
  const icons = createIconDrawer({ data, blobs, packages, withLocalPackage });
  const verifyBuild = createVerifyBuild({ data, packages, withLocalPackage, now, wakeOutbox });
  const fileTokens = createFileTokens({ secret, now });
  const viewAccess = createViewAccess(data);
  const appHeads = createAppHeads({ data, fileTokens });
  const storedFiles = createStoredFiles({ blobs, packages, icons, sendfile: config.storedFiles.sendfile });
  const views = { ...deps, appSecrets: config.appSecrets, fileTokens, viewAccess, appHeads, storedFiles };
  const loadInstallPanel: LoadInstallPanel = (shown) => deps.memberInstalls().loadPanel(shown);
  const recordInstall: RecordInstall = (asked) => deps.memberInstalls().record(asked);
  const routeDeps = {
    ...views,
    loadInstallPanel,
    loadCheckBadges: ((...asked) => deps.checkBadges()(...asked)) satisfies LoadCheckBadges,
    recordInstall,
    ...createVisibleAppAccess(views),
    ...createManagedAppAccess(views),
    ownerAccess: createOwnerAccess(deps),
    deleteApp: createDeleteApp(deps),
    appTesters: createAppTesters(deps),
    rotateSecret: createRotateSecret(deps),
    setTrustedOnly: createSetTrustedOnly(deps),
    buildChanges: createBuildChanges(deps),
    buildDeletion: createBuildDeletion(deps),
    changeRetention: createChangeRetention(deps),
  };
  return {
    routes: [
      fileRoutes,
      ownerRoutes,
      appRoutes,
      appApiRoutes,
      latestBuildRoutes,
      liveRoutes,
      buildRoutes,
      buildApiRoutes,
      compareBuildsRoutes,
      appDeletionRoutes,
      appTesterRoutes,
      testerApiRoutes,
      appInviteLinkRoutes,
      appSettingsRoutes,
      retentionRoutes,
      retentionApiRoutes,
    ].flatMap((routes) => routes(routeDeps)),
    jobs: {
      'draw-icon': async ({ buildId }) => {
        await icons.settle(buildId);
      },
      'verify-signature': ({ buildId }, ownerId) => verifyBuild(buildId, ownerId),
      ...createRemovalHandlers({ data, blobs, now }),
      ...createRetentionHandlers({ data, now, wakeOutbox }),
    },
    files: { fileTokens, viewAccess, appHeads, storedFiles, icons, withLocalPackage },
    start: () => resumeRetentionRounds(data, now()),
  };
}
