import * as v from 'valibot';
import { type Caller, sessionUserId } from '../accounts/authorization/identify-http.ts';
import type { Build } from '../apps/app.ts';
import { distributionPath, pageSettingsPath, simulatorPath } from '../apps/app-paths.ts';
import { buildQueries } from '../apps/builds/build-queries.ts';
import { simulatorLink } from '../apps/builds/build-rows.ts';
import { type PageState, servingState } from '../apps/distributions/page-state.ts';
import { NotFound } from '../core/errors.ts';
import { currentLocale } from '../core/language/current-language.ts';
import { readVisitor } from '../core/visitor.ts';
import type { Data } from '../db/data.ts';
import { toKnownDevice } from '../devices/device.ts';
import { html, redirect, revalidatedHtml } from '../http/routes/answer.ts';
import { hintHeaders, hintsOf, requestHints } from '../http/routes/client-hints.ts';
import { lenient, type Values } from '../http/routes/form.ts';
import { defineRoute, type Route, type RouteContext } from '../http/routes/route.ts';
import { workspaceOf } from '../owners/owner.ts';
import type { PageFrame } from '../web/shell/page-frame.ts';
import type { DeviceCookies } from './access/device-cookie-http.ts';
import { type AdmittedPage, admitted, type PageAccess } from './access/page-access-http.ts';
import { logRefusal } from './access/page-refusal.ts';
import type { PageCounts } from './activity/page-counts.ts';
import { readVisitorSystem } from './activity/visitor-system.ts';
import type { DistributionPage, DistributionUpdate } from './distribution-page.ts';
import { distributionQueries } from './distribution-queries.ts';
import { isUnregistered } from './install/developer-verification.ts';
import { pageBlockers } from './install/install-blockers.ts';
import type { InstallMemberTokens } from './install/install-member.ts';
import { installRefusals } from './install/install-refusals.ts';
import type { InstallTokens } from './install/install-token.ts';
import { pageInstallLinks } from './install/page-install-links.ts';
import { renderTesterPage } from './install/tester-page.tsx';
import { devicePath, sendFeedbackPath } from './page-paths.ts';
import { pageSettingsQueries } from './settings/page-settings-queries.ts';

export interface DistributionRouteDeps {
  data: Data;
  installTokens: InstallTokens;
  installMembers: InstallMemberTokens;
  pageAccess: PageAccess;
  counts: PageCounts;
  cookies: DeviceCookies;
  now: () => number;
}

/** Limited to the number of digits that fit the database type. */
export const revisionParam = v.pipe(v.string(), v.regex(/^\d{1,15}$/), v.transform(Number));
const updatesPerPage = 20;
/** This time, plus the time for which a page stays open, is less than the lifetime of its links. */
const pageReuseMs = 5 * 60_000;
const pageQuery = { before: lenient(v.pipe(v.string(), v.regex(/^[0-9a-z]{26}$/))) };
type InstallContext = RouteContext<Caller | null, AdmittedPage> & { params: { revision: number } };

type PageContext = RouteContext<Caller | null, AdmittedPage> & {
  query: Values<typeof pageQuery>;
  headers: Values<typeof hintHeaders>;
};

/** Routes of the distribution page, and of each of its builds. */
export function distributionRoutes(deps: DistributionRouteDeps): Route[] {
  const { data } = deps;
  const shared = {
    method: 'GET',
    access: deps.pageAccess,
    keyScope: 'read',
    query: pageQuery,
    headers: hintHeaders,
  } as const;
  return [
    defineRoute({
      ...shared,
      path: '/distributions/:accessKey',
      summary: 'Show a distribution page',
      handle: admitted(async (visit: PageContext) => {
        const { page } = visit.subject;
        const update = await distributionQueries(data).findUpdateOfBuild(page.id, page.buildId);
        return sendPageResponse(deps, visit, update);
      }),
    }),
    defineRoute({
      ...shared,
      path: '/distributions/:accessKey/:revision',
      summary: 'Show a build of a distribution page',
      params: { revision: revisionParam },
      handle: admitted(async (visit: PageContext & { params: { revision: number } }) => {
        const { subject, params } = visit;
        const update = await distributionQueries(data).findUpdate(subject.page.id, params.revision);
        return sendPageResponse(deps, visit, update);
      }),
    }),
    defineRoute({
      method: 'GET',
      access: deps.pageAccess,
      keyScope: 'read',
      path: '/distributions/:accessKey/:revision/install',
      summary: 'Start the installation of a build of a distribution page',
      params: { revision: revisionParam },
      handle: admitted(async (visit: InstallContext) => {
        const { subject, params, client } = visit;
        const { page, app } = subject;
        const update = await distributionQueries(data).findUpdate(page.id, params.revision);
        const build = update && (await buildQueries(data).findBuild(update.buildId));
        if (!build) throw new NotFound();
        const link = { page, app, build, origin: client.origin, memberId: memberOf(visit) };
        return redirect(pageInstallLinks(deps, link).install);
      }),
    }),
  ];
}

async function sendPageResponse(
  deps: DistributionRouteDeps,
  visit: PageContext,
  update: DistributionUpdate | null,
) {
  const { data, counts } = deps;
  const { frame, client, subject, query, headers } = visit;
  const { page, app } = subject;
  const build = update && (await buildQueries(data).findBuild(update.buildId));
  if (!build || !update) {
    logRefusal(client.log, page, 'unknown-build');
    throw new NotFound();
  }
  const systemOf = { userAgent: client.userAgent, ...hintsOf(headers) };
  const visitor = readVisitor(systemOf);
  const memberId = memberOf(visit);
  const registered = app.platform === 'ios' ? await deps.cookies.readDevice(client, app.owner.id) : null;
  const device = registered && toKnownDevice(registered);
  const context = { page, update, build, origin: frame.origin, now: frame.now };
  const blockers = pageBlockers(context);
  const [refusal] = installRefusals({ ...context, visitor, device });
  if (refusal) {
    logRefusal(client.log, page, refusal.reason);
    counts.refused({ page, app, reason: refusal.reason, memberId, device: registered }, client);
  }
  if (client.method === 'GET' && visitor.system !== 'bot') {
    const { address, userAgent } = client;
    const device = readVisitorSystem(systemOf);
    counts.viewed({ page, buildId: build.id, system: visitor.system, device, address, userAgent, memberId });
  }
  const facts = {
    workspace: workspaceOf(app.owner),
    page,
    state: await stateOf(data, page, build, frame.now),
    build,
    update,
    current: page.buildId === build.id,
    visitor,
    device,
    unregistered: await isUnregistered(data, visitor, build),
    blockers: blockers.map(({ sentence }) => sentence),
    ...(await historyOf(data, page, query.before ?? null)),
    registerAddress: build.info.ios?.profile ? devicePath(page.accessKey) : null,
    managePath: subject.mayManage ? pageSettingsPath(page.accessKey) : null,
    feedbackPath: page.feedback ? `${sendFeedbackPath(page.accessKey)}?revision=${build.revision}` : null,
  };
  const render = () => {
    const links = pageInstallLinks(deps, { page, app, build, origin: frame.origin, memberId });
    const installAddress = blockers.length > 0 ? null : links.install;
    return renderTesterPage({ ...facts, frame, iconAddress: links.icon, installAddress });
  };
  const linksSimulator = subject.member && build.simulatorBlob !== null;
  const head = {
    headers: {
      ...requestHints({ model: memberId !== null }),
      ...(linksSimulator ? { Link: simulatorLink(simulatorPath(build.id)) } : {}),
    },
  };
  // Browsers only keep what everyone with the link may see.
  return visit.caller === null && page.access === 'unlisted'
    ? revalidatedHtml([shownOf(frame, facts.workspace), facts], render, head)
    : html(render(), head);
}

/**
 * The state of the installation that a page without a viewer shows. Times on the page, and its links, are at most `pageReuseMs`
 * older than the visit.
 */
function shownOf(
  { origin, now, assets, brand, brandOfWorkspace }: PageFrame,
  workspace: { id: string } | null,
) {
  const brands = [brand, workspace && brandOfWorkspace?.(workspace.id)];
  return [origin, assets, brands, currentLocale(), Math.floor(now / pageReuseMs)];
}

/** The page may serve a build other than the one shown. */
async function stateOf(data: Data, page: DistributionPage, shown: Build, now: number): Promise<PageState> {
  const live = page.buildId === shown.id ? shown : await buildQueries(data).findBuild(page.buildId);
  return servingState(page, live ?? shown, now);
}

/**
 * ID of the visitor to record by name: a signed-in person with access to the app without the page. Others stay anonymous to the
 * people who manage the app, even if signed in.
 */
function memberOf({ caller, subject }: RouteContext<Caller | null, AdmittedPage>): string | null {
  return subject.member ? sessionUserId(caller) : null;
}

async function historyOf(data: Data, page: DistributionPage, before: string | null) {
  const updates = await pageSettingsQueries(data).listServedBuilds(page.id, {
    limit: updatesPerPage + 1,
    before,
  });
  const history = updates.slice(0, updatesPerPage);
  const last = history.at(-1);
  const newest = distributionPath(page.accessKey);
  return {
    history,
    olderAddress: updates.length > updatesPerPage && last ? `${newest}?before=${last.id}` : null,
    newestAddress: before === null ? null : newest,
  };
}
