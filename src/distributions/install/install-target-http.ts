/** Access rule of the link in emails about a build: the target is determined when the link is followed. */
import type { FastifyRequest } from 'fastify';
import type { Caller } from '../../accounts/authorization/identify-http.ts';
import { distributionPath, platformAppPath, revisionPath } from '../../apps/app-paths.ts';
import { buildQueries } from '../../apps/builds/build-queries.ts';
import type { VisibleAppAccess } from '../../apps/visible-app-access-http.ts';
import type { Access } from '../../http/routes/route-facts.ts';
import { nameKey } from '../../owners/owner.ts';
import { decidePageVisit, type PageAccessDeps } from '../access/page-access-http.ts';
import { distributionQueries, type PageWithApp } from '../distribution-queries.ts';
import { buildBlockers, isWithdrawn, pageBlockers } from './install-blockers.ts';

export interface InstallTargetDeps extends PageAccessDeps {
  /** Does not include app secrets. */
  visibleApps: VisibleAppAccess['visibleApps'];
}

interface NamedBuild {
  owner: string;
  platform: string;
  package: string;
  revision: number;
}

/** Path where this visitor can install the build, or the latest one. */
export type InstallTarget = Access<NamedBuild, Caller | null, string>;

/**
 * The target is the page of the upload, as long as the visitor can install the build or a newer one from it. Otherwise it is the
 * build or, if that was deleted, the app, where members install without a page.
 */
export function createInstallTarget(deps: InstallTargetDeps): InstallTarget {
  const { data, visibleApps } = deps;
  return {
    ...visibleApps,
    authorize: async (caller, named, request) => {
      const found = await findNamedPage(deps, named, request);
      if (found && (await installsFrom(deps, found, named.revision, caller, request))) {
        return distributionPath(found.page.accessKey);
      }
      const [app] = (await visibleApps.authorize(caller, named, request)).apps;
      const { owner, platform, packageName } = app;
      return (await buildQueries(data).findBuildByRevision(app.id, named.revision))
        ? revisionPath(owner, platform, packageName, named.revision)
        : platformAppPath(owner, platform, packageName);
    },
  };
}

/** Returns the page in the query if it belongs to the app in the path. */
async function findNamedPage(
  { data }: InstallTargetDeps,
  named: NamedBuild,
  { query }: FastifyRequest,
): Promise<PageWithApp | null> {
  const { page: accessKey } = query as { page?: unknown };
  const found =
    typeof accessKey === 'string' && /^[0-9a-f]{40}$/.test(accessKey)
      ? await distributionQueries(data).findPageWithApp(accessKey)
      : null;
  if (!found) return null;
  const { owner, platform, packageName } = found.app;
  const isNamed =
    nameKey(owner.name) === nameKey(named.owner) &&
    platform === named.platform &&
    packageName === named.package;
  return isNamed ? found : null;
}

/** Also true for a page that only asks for its passcode, because it also offers to sign in. */
async function installsFrom(
  deps: InstallTargetDeps,
  found: PageWithApp,
  revision: number,
  caller: Caller | null,
  request: FastifyRequest,
): Promise<boolean> {
  const { data, now, originOf } = deps;
  const { decision } = await decidePageVisit(deps, found, caller, request);
  if (decision.kind !== 'admitted' && decision.kind !== 'passcode') return false;
  const { page } = found;
  const live = await buildQueries(data).findBuild(page.buildId);
  if (!live) return false;
  const context = { page, update: null, build: live, origin: originOf(request), now: now() };
  // Without HTTPS, iOS builds can't be installed from any place, and the page explains that.
  if (pageBlockers(context).some(({ reason }) => reason !== 'no-https')) return false;
  if (live.revision === revision) return true;
  if (buildBlockers(live, now()).length > 0) return false;
  if (live.revision > revision) return true;
  // After a rollback, the newer build may still be installed unless it was also withdrawn.
  const update = await distributionQueries(data).findUpdate(page.id, revision);
  return update !== null && isWithdrawn(page, update);
}
