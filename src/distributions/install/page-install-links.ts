import type { App, Build } from '../../apps/app.ts';
import type { DistributionPage } from '../distribution-page.ts';
import { installLinkPath } from '../page-paths.ts';
import type { InstallMemberTokens } from './install-member.ts';
import { type InstallTokens, newInstallVisit } from './install-token.ts';

export interface PageInstallLinks {
  installTokens: InstallTokens;
  installMembers: InstallMemberTokens;
  now: () => number;
}

interface LinkedBuild {
  page: DistributionPage;
  app: App;
  build: Build;
  origin: string;
  /** ID of the member to record by name; null for guests. */
  memberId: string | null;
}

/** Returns links signed for one visit of an admitted visitor, valid for an hour. */
export function pageInstallLinks(
  { installTokens, installMembers, now }: PageInstallLinks,
  { page, app, build, origin, memberId }: LinkedBuild,
): { icon: string; install: string } {
  const installVisit = newInstallVisit(now());
  const signed = (purpose: 'file' | 'manifest' | 'icon') =>
    installTokens.issue(installVisit, { purpose, page, app, buildId: build.id });
  const member = memberId === null ? null : installMembers.issue(memberId, installVisit);
  const at = (what: 'file' | 'manifest.plist' | 'icon', purpose: 'file' | 'manifest' | 'icon') =>
    installLinkPath(page.accessKey, build.revision, what, {
      ticket: signed(purpose),
      member: purpose === 'icon' ? null : member,
    });
  return {
    icon: at('icon', 'icon'),
    install:
      build.info.platform === 'android'
        ? at('file', 'file')
        : `itms-services://?action=download-manifest&url=${encodeURIComponent(`${origin}${at('manifest.plist', 'manifest')}`)}`,
  };
}
