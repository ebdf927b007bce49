/** Access rules of distribution pages. A visitor who is stopped by a rule gets a page with the reason. */
import type { FastifyRequest } from 'fastify';
import { type Caller, sessionUserId } from '../../accounts/authorization/identify-http.ts';
import type { PersonRule } from '../../accounts/authorization/key-access-http.ts';
import type { RouteAccess } from '../../accounts/authorization/route-access-http.ts';
import { signInPath } from '../../accounts/profile/account-paths.ts';
import type { App } from '../../apps/app.ts';
import { distributionPath, pageSettingsPath, platformAppPath } from '../../apps/app-paths.ts';
import type { ViewAccess } from '../../apps/view-access.ts';
import { NotFound, PolicyRefused } from '../../core/errors.ts';
import type { Data } from '../../db/data.ts';
import type { OriginOf } from '../../http/request-origin.ts';
import { type Answer, html } from '../../http/routes/answer.ts';
import type { RouteContext } from '../../http/routes/route.ts';
import type { Access } from '../../http/routes/route-facts.ts';
import { readPathCookie } from '../../http/secure-cookies.ts';
import type { PageCounts } from '../activity/page-counts.ts';
import type { DistributionPage } from '../distribution-page.ts';
import { distributionQueries, type PageWithApp } from '../distribution-queries.ts';
import { passcodePath } from '../page-paths.ts';
import type { PageChange } from '../settings/page-settings-change.ts';
import type { DeviceCookies } from './device-cookie-http.ts';
import { renderPageGate } from './page-gate.tsx';
import { membershipOf } from './page-membership.ts';
import { refusalReason, refuseVisit } from './page-refusal.ts';
import { type AccessDecision, decideVisit } from './page-rules.ts';
import { type PasscodeTokens, passcodeCookie } from './passcode-token.ts';

/** A page that admitted the visitor. */
export interface AdmittedPage {
  gate: null;
  page: DistributionPage;
  app: App;
  /** Whether the visitor can change the page: they are its owner, or in the Project's owner or developer team. */
  mayManage: boolean;
  /** Whether the visitor has access to the app without the page. */
  member: boolean;
}

/** The reason, and the parts of the page that the gate needs. */
export interface GatedPage {
  gate: Exclude<AccessDecision, { kind: 'admitted' | 'no-access' | 'sign-in' }>;
  gatedPage: DistributionPage;
  mayManage: boolean;
  /** Path of the app, where members install without the page; null for everyone else. */
  appPath: string | null;
  signedIn: boolean;
}

export type PageSubject = AdmittedPage | GatedPage;
export type PageAccess = Access<{ accessKey: string }, Caller | null, PageSubject>;
type EnteredVisit = RouteContext<Caller | null, AdmittedPage>;

export interface PageAccessDeps {
  data: Data;
  access: RouteAccess;
  viewAccess: ViewAccess;
  passcodeTokens: PasscodeTokens;
  originOf: OriginOf;
  now: () => number;
}

/** Route options for visitors: members use a session or API key, everyone else the link. */
export const visitorAccess = {
  roles: ['link holder'],
  credentials: ['link', 'session', 'key'],
  others: 'missing',
} as const;

/**
 * Finds the page in the path. Throws `NotFound` for people without access, and `SignInRequired` for anonymous visitors of a
 * members-only page.
 */
export function createPageAccess(
  deps: PageAccessDeps & { counts: Pick<PageCounts, 'refused'>; cookies: Pick<DeviceCookies, 'readDevice'> },
): PageAccess {
  const { data, access, counts, cookies, originOf } = deps;
  return {
    ...visitorAccess,
    identify: access.anyone.identify,
    authorize: async (caller, { accessKey }, request) => {
      const found = await distributionQueries(data).findPageWithApp(accessKey);
      if (!found) throw new NotFound();
      const { page, app } = found;
      const { decision, mayManage, member, refusal } = await decidePageVisit(deps, found, caller, request);
      if (refusal && decision.kind !== 'admitted') throw refusal;
      if (decision.kind !== 'admitted') {
        const { method, headers } = request;
        const browser = { origin: originOf(request), cookies: request.cookies };
        const device = app.platform === 'ios' ? await cookies.readDevice(browser, app.owner.id) : null;
        const memberId = member ? sessionUserId(caller) : null;
        const refused = { page, app, reason: refusalReason(decision), memberId, device };
        counts.refused(refused, { method, userAgent: headers['user-agent'] });
      }
      if (decision.kind === 'no-access' || decision.kind === 'sign-in') {
        const error = refuseVisit(request.log, page, decision);
        throw decision.kind === 'sign-in' ? await access.signInRequired(request) : error;
      }
      if (decision.kind === 'admitted') return { gate: null, page, app, mayManage, member };
      const appPath = member ? platformAppPath(app.owner, app.platform, app.packageName) : null;
      return { gate: decision, gatedPage: page, mayManage, appPath, signedIn: caller !== null };
    },
  };
}

export interface DecidedVisit {
  decision: AccessDecision;
  mayManage: boolean;
  member: boolean;
  /** Why the Workspace refuses a member, who is then admitted only like everyone who has the link. */
  refusal: PolicyRefused | null;
}

/** Decides whether the rules of the page admit the caller from the network of the request. Logs nothing. */
export async function decidePageVisit(
  deps: Pick<PageAccessDeps, 'data' | 'viewAccess' | 'passcodeTokens' | 'originOf' | 'now'>,
  { page, app }: PageWithApp,
  caller: Caller | null,
  request: FastifyRequest,
): Promise<DecidedVisit> {
  const { now } = deps;
  let refusal: PolicyRefused | null = null;
  const membership = await membershipOf(deps, { page, app }, caller?.actor ?? null).catch((error) => {
    if (!(error instanceof PolicyRefused)) throw error;
    refusal = error;
    return membershipOf(deps, { page, app }, null);
  });
  const decision = decideVisit(page, {
    ...membership,
    now: now(),
    address: request.ip,
    signedIn: caller !== null,
    knowsPasscode: deps.passcodeTokens.read(tokenOf(deps, request), now(), page) !== null,
  });
  return { decision, ...membership, refusal };
}

const tokenOf = ({ originOf }: Pick<PageAccessDeps, 'originOf'>, request: FastifyRequest) =>
  readPathCookie(originOf(request), request.cookies, passcodeCookie);

/** Like `createPageAccess`, but throws `NotFound` for pages other than iOS. */
export function onlyIos(pageAccess: PageAccess): PageAccess {
  return {
    ...pageAccess,
    authorize: async (...asked) => {
      const subject = await pageAccess.authorize(...asked);
      if (subject.gate === null && subject.app.platform !== 'ios') throw new NotFound();
      return subject;
    },
  };
}

/** Runs `handle` for admitted visitors and shows the gate to all others. */
export function admitted<V extends EnteredVisit>(handle: (visit: V) => Promise<Answer>) {
  return async (visit: Omit<V, 'subject'> & { subject: PageSubject }): Promise<Answer> => {
    const { frame, subject, client } = visit;
    if (subject.gate === null) return handle(visit as V);
    const { kind } = refuseVisit(client.log, subject.gatedPage, subject.gate);
    return html(renderGate({ frame, subject }, null), { status: kind === 'not_found' ? 404 : 403 });
  };
}

/** `error`: why the passcode was rejected, as a full sentence. */
export function renderGate(
  { frame, subject }: Pick<RouteContext<unknown, GatedPage>, 'frame' | 'subject'>,
  error: string | null,
): string {
  const { gate, gatedPage, mayManage } = subject;
  return renderPageGate({
    frame,
    gate: gate.kind === 'passcode' ? { ...gate, action: passcodePath(gatedPage.accessKey), error } : gate,
    managePath: mayManage ? pageSettingsPath(gatedPage.accessKey) : null,
    appPath: subject.appPath,
    signInPath: subject.signedIn ? null : signInPath(distributionPath(gatedPage.accessKey)),
  });
}

export type ManagedPage = PersonRule<{ accessKey: string }, PageChange, Caller>;

/** Finds the page in the path for people who manage its app; everyone else gets `NotFound`. */
export function createManagedPage(deps: {
  data: Data;
  viewAccess: ViewAccess;
  access: RouteAccess;
}): ManagedPage {
  const { data, viewAccess, access } = deps;
  return {
    roles: ['developer'],
    credentials: ['session'],
    others: 'missing',
    identify: access.person,
    authorize: async ({ actor }, { accessKey }) => {
      const found = await distributionQueries(data).findPageWithApp(accessKey);
      if (!found || !(await viewAccess.manages(actor, found.app))) throw new NotFound();
      return { by: actor, ...found };
    },
  };
}
