import type { FastifyBaseLogger } from 'fastify';
import type { Identify } from '../accounts/authorization/identify-http.ts';
import type { PageFrames } from '../accounts/authorization/page-frames-http.ts';
import type { RouteAccess } from '../accounts/authorization/route-access-http.ts';
import type { AppHeads } from '../apps/app-heads.ts';
import type { FileTokens } from '../apps/files/file-token.ts';
import type { StoredFiles } from '../apps/files/stored-files-http.ts';
import type { MemberInstalls } from '../apps/install-panel-http.ts';
import { createManagedAppAccess } from '../apps/managed-app-access-http.ts';
import type { ViewAccess } from '../apps/view-access.ts';
import { createVisibleAppAccess } from '../apps/visible-app-access-http.ts';
import type { Config } from '../config.ts';
import type { ServerSecret } from '../core/signature.ts';
import type { Data } from '../db/data.ts';
import { deviceApiRoutes } from '../devices/device-api-routes.ts';
import { createDeviceChanges } from '../devices/device-changes.ts';
import { deviceListRoutes } from '../devices/device-list-routes.ts';
import { ownDevicesRoutes } from '../devices/own-devices-routes.ts';
import type { OriginOf } from '../http/request-origin.ts';
import type { Route } from '../http/routes/route.ts';
import type { Attempts } from '../limits/attempts.ts';
import { createDeviceCookies } from './access/device-cookie-http.ts';
import { createRegisterDevice, type DeviceRegistrationDeps } from './access/device-registration.ts';
import { deviceRoutes } from './access/device-routes.ts';
import { createDeviceTokens } from './access/device-tokens.ts';
import { createManagedPage, createPageAccess, type PageAccess } from './access/page-access-http.ts';
import { passcodeRoutes } from './access/passcode-routes.ts';
import { createPasscodeTokens } from './access/passcode-token.ts';
import { activityApiRoutes } from './activity/activity-api-routes.ts';
import { appActivityRoutes } from './activity/app-activity-routes.ts';
import { createPageCounts } from './activity/page-counts.ts';
import { installCheckRoutes } from './check-install/install-check-routes.ts';
import { distributionRoutes } from './distribution-routes.ts';
import { createDirectInstallTokens, createInstallMemberTokens } from './install/install-member.ts';
import { installRoutes } from './install/install-routes.ts';
import { createInstallTarget } from './install/install-target-http.ts';
import { createInstallTokens } from './install/install-token.ts';
import { createLoadInstallPanel, createRecordInstall } from './install/member-install-http.ts';
import { memberInstallRoutes } from './install/member-install-routes.ts';
import { pictureRoutes } from './pictures/picture-routes.ts';
import { pageApiRoutes } from './settings/page-api-routes.ts';
import { createPageSettings } from './settings/page-settings-change.ts';
import { newPageRoutes } from './settings/page-settings-new-routes.ts';
import { pageSettingsRoutes } from './settings/page-settings-routes.ts';
import { publishBuildRoutes } from './settings/publish-build-routes.ts';
import { createPublishToPage } from './settings/publish-to-page.ts';
import { updateCheckRoutes } from './update-check/update-check-routes.ts';

interface PageAreaDeps {
  data: Data;
  access: RouteAccess;
  frames: PageFrames;
  attempts: Attempts;
  originOf: OriginOf;
  viewAccess: ViewAccess;
  appHeads: AppHeads;
  storedFiles: StoredFiles;
  fileTokens: FileTokens;
  identify: Identify;
  limits: DeviceRegistrationDeps['limits'];
  /** Signs tokens for installs, passcodes and devices. */
  secret: ServerSecret;
  config: Pick<Config, 'publicUrl'>;
  now: () => number;
  wakeOutbox: () => void;
  log: FastifyBaseLogger;
}

export interface PageArea {
  routes: Route[];
  /** Admits visitors to a page by its rules. */
  pageAccess: PageAccess;
  memberInstalls: MemberInstalls;
  /** Deletes data that has reached the end of its retention while the server was stopped. */
  start(): Promise<void>;
  /** Resolves when all counts are written. */
  close(): Promise<void>;
}

/** Distribution pages: access, installation, device registration, activity and settings. */
export function createPageArea(deps: PageAreaDeps): PageArea {
  const passcodeTokens = createPasscodeTokens(deps.secret);
  const tokens = createDeviceTokens(deps.secret);
  const cookies = createDeviceCookies({ data: deps.data, tokens, now: deps.now });
  const counts = createPageCounts(deps);
  const routeDeps = {
    ...deps,
    passcodeTokens,
    tokens,
    cookies,
    counts,
    installTokens: createInstallTokens(deps.secret),
    installMembers: createInstallMemberTokens(deps.secret),
    directInstalls: createDirectInstallTokens(deps.secret),
    pageSettings: createPageSettings(deps),
    publishToPage: createPublishToPage(deps),
    ...createManagedAppAccess(deps),
    managedPage: createManagedPage(deps),
    pageAccess: createPageAccess({ ...deps, passcodeTokens, cookies, counts }),
    installTarget: createInstallTarget({
      ...deps,
      passcodeTokens,
      visibleApps: createVisibleAppAccess({ ...deps, appSecrets: false }).visibleApps,
    }),
    registerDevice: createRegisterDevice(deps),
    deviceChanges: createDeviceChanges(deps),
    maxDevicesPerOwner: deps.limits.maxDevicesPerOwner,
  };
  const memberInstalls = {
    loadPanel: createLoadInstallPanel(routeDeps),
    record: createRecordInstall(routeDeps),
  };
  return {
    routes: [
      ...newPageRoutes(routeDeps),
      ...distributionRoutes(routeDeps),
      ...installRoutes(routeDeps),
      ...passcodeRoutes(routeDeps),
      ...deviceRoutes(routeDeps),
      ...deviceListRoutes(routeDeps),
      ...deviceApiRoutes(routeDeps),
      ...ownDevicesRoutes(routeDeps),
      ...appActivityRoutes(routeDeps),
      ...activityApiRoutes(routeDeps),
      ...pageSettingsRoutes(routeDeps),
      ...publishBuildRoutes(routeDeps),
      ...installCheckRoutes(routeDeps),
      ...pageApiRoutes(routeDeps),
      ...updateCheckRoutes(routeDeps),
      ...pictureRoutes(routeDeps),
      ...memberInstallRoutes({ ...routeDeps, recordInstall: memberInstalls.record }),
    ],
    pageAccess: routeDeps.pageAccess,
    memberInstalls,
    start: counts.deleteExpired,
    close: counts.settled,
  };
}
