/** Loads the panel from which members install a build. */
import { h } from 'preact';
import { type Identify, sessionUserId } from '../../accounts/authorization/identify-http.ts';
import type { App, Build } from '../../apps/app.ts';
import { appPageQueries } from '../../apps/app-page-queries.ts';
import { filePath, iconPath } from '../../apps/app-paths.ts';
import type { FileTokenPurpose, FileTokens } from '../../apps/files/file-token.ts';
import type { LoadInstallPanel, RecordInstall } from '../../apps/install-panel-http.ts';
import { type PageViewer, pageViewer } from '../../apps/listed-page.ts';
import type { ViewAccess } from '../../apps/view-access.ts';
import { readVisitor, type Visitor } from '../../core/visitor.ts';
import type { Data } from '../../db/data.ts';
import { profileListing } from '../../devices/device-compatibility.ts';
import { deviceQueries } from '../../devices/device-queries.ts';
import type { KnownDevice } from '../../devices/known-device.ts';
import { visitingDevice } from '../../devices/own-devices.ts';
import { hintsOf } from '../../http/routes/client-hints.ts';
import { decideOpening } from '../access/page-rules.ts';
import type { PageCounts } from '../activity/page-counts.ts';
import { readVisitorSystem } from '../activity/visitor-system.ts';
import type { DistributionPage, DistributionUpdate } from '../distribution-page.ts';
import { distributionQueries } from '../distribution-queries.ts';
import { devicePath, directManifestPath } from '../page-paths.ts';
import { isUnregistered } from './developer-verification.ts';
import { adviseInstall } from './install-advice.ts';
import { pageBlockers } from './install-blockers.ts';
import type { DirectInstallTokens } from './install-member.ts';
import { MemberInstall } from './member-install.tsx';
import { type PageInstallLinks, pageInstallLinks } from './page-install-links.ts';
import { testerTexts } from './tester-texts.ts';

export interface MemberInstallDeps extends PageInstallLinks {
  directInstalls: DirectInstallTokens;
  counts: PageCounts;
  data: Data;
  fileTokens: FileTokens;
  identify: Identify;
  viewAccess: ViewAccess;
}

interface LivePage {
  page: DistributionPage;
  update: DistributionUpdate;
}

export function createLoadInstallPanel(deps: MemberInstallDeps): LoadInstallPanel {
  return async (shown) => {
    const { frame, app, build, leads, client, caller } = shown;
    const visitor = readVisitor({ ...shown.hints, userAgent: client.userAgent });
    const isPhone = visitor.system === 'ios' || visitor.system === 'android';
    if (!leads && !isPhone) return null;
    const memberId = sessionUserId(caller);
    const visit = {
      memberId,
      viewer: pageViewer(caller, frame.now),
      address: client.address,
      now: frame.now,
    };
    const live = await findLivePage(deps.data, build, frame.origin, visit);
    const noHttps = app.platform === 'ios' && !frame.origin.startsWith('https://');
    const advice = adviseInstall({
      build,
      visitor,
      device: memberId === null ? null : await findVisitingDevice(deps.data, memberId, build, visitor),
      blockers: noHttps ? [testerTexts.blockers.noHttps] : [],
      now: frame.now,
    });
    const links = live
      ? pageInstallLinks(deps, { page: live.page, app, build, origin: frame.origin, memberId })
      : directLinks(deps, { app, build, origin: frame.origin, memberId });
    if (leads && memberId !== null) recordView(deps, shown, { live, visitor, memberId });
    return h(MemberInstall, {
      frame,
      build,
      iconAddress: links.icon,
      address: frame.origin + shown.path,
      installAddress: noHttps ? null : links.install,
      registerAddress: await findRegistration(deps.data, app, build, live, visit),
      isLimited: live !== null,
      mayBeTablet: app.platform === 'ios' && advice.way === 'computer' && visitor.browser === 'safari',
      advice,
      visitor,
      unregistered: await isUnregistered(deps.data, visitor, build),
      note: leads ? (live?.update.releaseNote ?? build.message) : '',
    });
  };
}

type Shown = Parameters<LoadInstallPanel>[0];

interface MemberVisit {
  /** Null for API keys. */
  memberId: string | null;
  viewer: PageViewer;
  address: string;
  now: number;
}

/** Maximum number of registrations read, the same as on the page that lists them. */
const maxRegistrations = 200;

/** Null unless the profile of the build lists devices and the visitor has an iPhone or iPad. */
async function findVisitingDevice(
  data: Data,
  userId: string,
  { info }: Build,
  { model }: Visitor,
): Promise<KnownDevice | null> {
  if (model === null || profileListing(info, null) === 'any') return null;
  return visitingDevice(info, model, await deviceQueries(data).devicesOfUser(userId, maxRegistrations));
}

/** Returns the page that serves the build and admits the member. Its links count installs. */
async function findLivePage(
  data: Data,
  build: Build,
  origin: string,
  visit: MemberVisit,
): Promise<LivePage | null> {
  for (const { accessKey, current } of await appPageQueries(data).pagesOfBuild(visit.viewer, build.id)) {
    const page = current ? await distributionQueries(data).findPage(accessKey) : null;
    const update = page && (await distributionQueries(data).findUpdate(page.id, build.revision));
    if (!update || decideOpening(page, visit)) continue;
    if (pageBlockers({ page, update, build, origin, now: visit.now }).length === 0) return { page, update };
  }
  return null;
}

/** How many pages are considered for the registration of a device. */
const maxPagesRead = 20;

/** Path of the device registration of any page that admits the member, because devices are registered with the owner of the app. */
async function findRegistration(
  data: Data,
  app: App,
  { info }: Build,
  live: LivePage | null,
  visit: MemberVisit,
): Promise<string | null> {
  if (profileListing(info, null) === 'any') return null;
  if (live) return devicePath(live.page.accessKey);
  for (const { accessKey } of await appPageQueries(data).listPages(visit.viewer, app.id, maxPagesRead)) {
    const page = await distributionQueries(data).findPage(accessKey);
    if (page && !decideOpening(page, visit)) return devicePath(accessKey);
  }
  return null;
}

/** A member who came to install has opened the build, unless a script polled or searched the list. */
function recordView(
  { counts }: MemberInstallDeps,
  { app, build, client, hints }: Shown,
  { live, visitor, memberId }: { live: LivePage | null; visitor: Visitor; memberId: string },
): void {
  const { method, byScript, target, address, userAgent } = client;
  if (method !== 'GET' || byScript || target.includes('?') || visitor.system === 'bot') return;
  const device = readVisitorSystem({ ...hints, userAgent });
  if (live) {
    const visited = {
      page: live.page,
      buildId: build.id,
      system: visitor.system,
      device,
      address,
      userAgent,
    };
    counts.viewed({ ...visited, memberId });
  } else {
    counts.opened({ appId: app.id, buildId: build.id, platform: visitor.system, device, memberId });
  }
}

/** Links that work without cookies, because iOS fetches the manifest and the file without them. */
function directLinks(
  { fileTokens, directInstalls, now }: MemberInstallDeps,
  linked: { app: App; build: Build; origin: string; memberId: string | null },
) {
  const { app, build, origin, memberId } = linked;
  const keyed = (path: string, purpose: FileTokenPurpose) =>
    `${path}?key=${fileTokens.issueForPage(purpose, app, build.id)}`;
  const by =
    memberId === null
      ? ''
      : `&by=${directInstalls.issue({ userId: memberId, openedAt: now() }, { buildId: build.id })}`;
  const manifest = encodeURIComponent(`${origin}${keyed(directManifestPath(build.id), 'manifest')}${by}`);
  return {
    icon: keyed(iconPath(build.id), 'icon'),
    install:
      app.platform === 'android'
        ? `${keyed(filePath(build.id), 'file')}${by}`
        : `itms-services://?action=download-manifest&url=${manifest}`,
  };
}

/** Ignores a missing or forged name, because the link works without it. */
export function createRecordInstall({
  directInstalls,
  counts,
  now,
}: Pick<MemberInstallDeps, 'directInstalls' | 'counts' | 'now'>): RecordInstall {
  return async ({ subject: { app, build }, query, headers, client: { method, userAgent } }) => {
    const member = directInstalls.read(query.by, now(), { buildId: build.id });
    if (method !== 'GET' || member === null) return;
    const device = readVisitorSystem({ ...hintsOf(headers), userAgent });
    const visit = {
      appId: app.id,
      buildId: build.id,
      platform: app.platform,
      device,
      memberId: member.userId,
    };
    await counts.installed(visit, member.openedAt);
  };
}
