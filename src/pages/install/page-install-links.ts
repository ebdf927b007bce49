import type { App, Build } from '../../apps/app.ts';
import type { DistributionPage } from '../distribution-page.ts';
import { installLinkPath } from '../page-paths.ts';
import { type InstallTokens, newInstallVisit } from './install-token.ts';

export interface PageInstallLinks {
  installTokens: InstallTokens;
  now: () => number;
}

/** Links of a page signed for one visit, valid for an hour. Their holder was admitted. */
export function pageInstallLinks(
  { installTokens, now }: PageInstallLinks,
  { page, app, build, origin }: { page: DistributionPage; app: App; build: Build; origin: string },
): { icon: string; install: string } {
  const installVisit = newInstallVisit(now());
  const signed = (purpose: 'file' | 'manifest' | 'icon') =>
    installTokens.issue(installVisit, { purpose, page, app, buildId: build.id });
  const at = (what: 'file' | 'manifest.plist' | 'icon', purpose: 'file' | 'manifest' | 'icon') =>
    installLinkPath(page.accessKey, build.revision, what, signed(purpose));
  const manifest = encodeURIComponent(`${origin}${at('manifest.plist', 'manifest')}`);
  return {
    icon: at('icon', 'icon'),
    install:
      build.info.platform === 'android'
        ? at('file', 'file')
        : `itms-services://?action=download-manifest&url=${manifest}`,
  };
}
