/** Loads the panel with which members install a build. */
import { h } from 'preact';
import { type Identify, sessionUserId } from '../../accounts/sign-in/identify-http.ts';
import type { App, Build } from '../../apps/app.ts';
import { appPageQueries } from '../../apps/app-page-queries.ts';
import { filePath, iconPath } from '../../apps/app-paths.ts';
import type { FileTokenPurpose, FileTokens } from '../../apps/files/file-token.ts';
import type { LoadInstallPanel } from '../../apps/install-panel-http.ts';
import type { ViewAccess } from '../../apps/view-access.ts';
import type { Data } from '../../db/data.ts';
import type { DistributionPage, DistributionUpdate } from '../distribution-page.ts';
import { distributionQueries } from '../distribution-queries.ts';
import { adviseInstall } from './install-advice.ts';
import { pageBlockers } from './install-blockers.ts';
import { MemberInstall } from './member-install.tsx';
import { type PageInstallLinks, pageInstallLinks } from './page-install-links.ts';
import { testerTexts } from './tester-texts.ts';
import { readVisitor } from './visitor.ts';

export interface MemberInstallDeps extends PageInstallLinks {
  data: Data;
  fileTokens: FileTokens;
  identify: Identify;
  viewAccess: ViewAccess;
}

/** An open page that serves the build, whose links count installs. */
interface LivePage {
  page: DistributionPage;
  update: DistributionUpdate;
}

export function createLoadInstallPanel(deps: MemberInstallDeps): LoadInstallPanel {
  const { data } = deps;
  return async ({ frame, app, build, leads, path, client, caller }) => {
    const visitor = readVisitor({ userAgent: client.userAgent });
    const isPhone = visitor.system === 'ios' || visitor.system === 'android';
    if (!leads && !isPhone) return null;
    const live = await findLivePage(data, build, frame);
    const noHttps = app.platform === 'ios' && !frame.origin.startsWith('https://');
    const blockers = noHttps ? [testerTexts.blockers.noHttps] : [];
    const advice = adviseInstall({ build, visitor, device: null, blockers, now: frame.now });
    const links = live
      ? pageInstallLinks(deps, {
          page: live.page,
          app,
          build,
          origin: frame.origin,
          memberId: sessionUserId(caller),
        })
      : memberLinks(deps.fileTokens, app, build, frame.origin);
    return h(MemberInstall, {
      frame,
      build,
      iconAddress: links.icon,
      address: frame.origin + path,
      installAddress: noHttps ? null : links.install,
      advice,
      note: leads ? (live?.update.releaseNote ?? build.message) : '',
    });
  };
}

/** Members enter every open page, so its rules but the passcode decide. */
async function findLivePage(
  data: Data,
  build: Build,
  { origin, now }: { origin: string; now: number },
): Promise<LivePage | null> {
  for (const { accessKey, current } of await appPageQueries(data).pagesOfBuild(build.id)) {
    const found = current ? await distributionQueries(data).findPageWithApp(accessKey) : null;
    const update = found && (await distributionQueries(data).findUpdate(found.page.id, build.revision));
    if (!found || !update || found.page.networks.length > 0) continue;
    const { page } = found;
    if (pageBlockers({ page, update, build, origin, now }).length === 0) return { page, update };
  }
  return null;
}

/** Links without cookies, because iOS fetches the manifest and the file without them. */
function memberLinks(fileTokens: FileTokens, app: App, build: Build, origin: string) {
  const keyed = (path: string, purpose: FileTokenPurpose) =>
    `${path}?key=${fileTokens.issueForPage(purpose, app, build.id)}`;
  const manifest = encodeURIComponent(`${origin}${keyed(manifestPath(build.id), 'manifest')}`);
  return {
    icon: keyed(iconPath(build.id), 'icon'),
    install:
      app.platform === 'android'
        ? keyed(filePath(build.id), 'file')
        : `itms-services://?action=download-manifest&url=${manifest}`,
  };
}

const manifestPath = (buildId: string) => `/builds/${encodeURIComponent(buildId)}/manifest.plist`;
