import { localName } from '../../apps/builds/version-text.ts';
import type { StoredFiles } from '../../apps/files/stored-files-http.ts';
import { DamagedBlob } from '../../blobs/verify-blob.ts';
import { Forbidden, NotFound } from '../../core/errors.ts';
import { blob, content, redirect } from '../../http/routes/answer.ts';
import type { Client } from '../../http/routes/client.ts';
import { hintHeaders, hintsOf } from '../../http/routes/client-hints.ts';
import type { Values } from '../../http/routes/form.ts';
import { defineRoute, type Route } from '../../http/routes/route.ts';
import type { BlobResponse } from '../../http/sending/send-blob.ts';
import { gateTexts } from '../access/gate-texts.ts';
import { logRefusal, type RefusalReason } from '../access/page-refusal.ts';
import type { PageCounts } from '../activity/page-counts.ts';
import { readVisitorSystem } from '../activity/visitor-system.ts';
import { revisionParam } from '../distribution-routes.ts';
import { installLinkPath, pageBuildPath } from '../page-paths.ts';
import {
  byInstallToken,
  type InstallAccessDeps,
  reauthorizeMember,
  redirectRejectedToPage,
  type ServedBuild,
} from './install-access-http.ts';
import { renderInstallManifest } from './install-manifest.ts';
import { type InstallTokenPurpose, newInstallVisit } from './install-token.ts';

export interface InstallRouteDeps extends InstallAccessDeps {
  storedFiles: StoredFiles;
  counts: PageCounts;
}

const installLimitReached = () => new Forbidden(gateTexts.refused.installLimit);

/**
 * Routes of the links on a page. The links contain a signed ticket instead of using a cookie. The page rules are checked again,
 * so a page that was closed or has no installs left serves nothing.
 */
export function installRoutes(deps: InstallRouteDeps): Route[] {
  const { storedFiles } = deps;
  const shared = { method: 'GET', params: { revision: revisionParam }, headers: hintHeaders } as const;
  const path = '/distributions/:accessKey/:revision';
  return [
    defineRoute({
      ...shared,
      path: `${path}/file`,
      summary: 'Download a build from a distribution page',
      access: redirectRejectedToPage(byInstallToken(deps, 'file')),
      reauthorize: reauthorizeMember(deps),
      handle: async ({ subject, params, client, headers }) => {
        // The page explains the refusal and has a new link.
        const back = redirect(pageBuildPath(params.accessKey, params.revision));
        if (!subject) return back;
        const file = storedFiles.installedOf(subject.app, subject.build);
        await checkFile(deps, client, subject, file);
        if (!(await start(deps, { client, headers }, subject))) {
          if (client.wantsPage) return back;
          throw installLimitReached();
        }
        return blob(file, { headers: { 'Referrer-Policy': 'no-referrer' } });
      },
    }),
    defineRoute({
      ...shared,
      path: `${path}/manifest.plist`,
      summary: 'Download the install manifest of a build for iOS',
      access: byInstallToken(deps, 'manifest'),
      handle: async ({ subject, client, headers }) => {
        if (subject.app.platform !== 'ios') throw new NotFound();
        await checkFile(deps, client, subject, storedFiles.installedOf(subject.app, subject.build));
        if (!(await start(deps, { client, headers }, subject))) throw installLimitReached();
        return content('application/xml; charset=utf-8', manifestOf(deps, client.origin, subject), {
          headers: { 'Cache-Control': 'private, no-store' },
        });
      },
    }),
    defineRoute({
      ...shared,
      path: `${path}/icon`,
      summary: 'Show the icon of a build on a distribution page',
      access: byInstallToken(deps, 'icon'),
      handle: async ({ subject }) => blob(await storedFiles.iconOf(subject.app, subject.build)),
    }),
  ];
}

/** Call it before the install is counted. */
async function checkFile(
  deps: InstallRouteDeps,
  client: Client,
  served: ServedBuild,
  file: BlobResponse,
): Promise<void> {
  try {
    await file.check?.();
  } catch (error) {
    if (error instanceof DamagedBlob) refuse(deps, client, served, 'damaged-file');
    throw error;
  }
}

function refuse(
  { counts }: InstallRouteDeps,
  client: Client,
  { page, app, memberId }: ServedBuild,
  reason: RefusalReason,
): void {
  logRefusal(client.log, page, reason);
  counts.refused({ page, app, reason, memberId, device: null }, client);
}

/**
 * The manifest and the package count as one install because they belong to the same visit. Returns false if the install limit is
 * reached.
 */
async function start(
  deps: InstallRouteDeps,
  { client, headers }: { client: Client; headers: Values<typeof hintHeaders> },
  served: ServedBuild,
): Promise<boolean> {
  const { page, app, build, visit, memberId } = served;
  const { method, address, userAgent } = client;
  if (method !== 'GET') return true;
  const device = readVisitorSystem({ userAgent, ...hintsOf(headers) });
  const visited = { page, buildId: build.id, system: app.platform, device, address, userAgent, memberId };
  const started = await deps.counts.started(visited, visit);
  if (!started) refuse(deps, client, served, 'install-limit');
  return started;
}

function manifestOf(deps: InstallRouteDeps, origin: string, handed: ServedBuild): string {
  const { page, app, build } = handed;
  const visit = { ...newInstallVisit(deps.now()), number: handed.visit.number };
  const tokenFor = (purpose: InstallTokenPurpose) =>
    deps.installTokens.issue(visit, { purpose, page, app, buildId: build.id });
  const member = handed.memberId === null ? null : deps.installMembers.issue(handed.memberId, visit);
  const addressOf = (what: 'file' | 'icon') =>
    `${origin}${installLinkPath(page.accessKey, build.revision, what, { ticket: tokenFor(what), member })}`;
  return renderInstallManifest({
    packageAddress: addressOf('file'),
    iconAddress: addressOf('icon'),
    bundleIdentifier: build.info.packageName,
    bundleVersion: build.info.versionName ?? build.info.versionCode,
    title: localName(build.info),
  });
}
