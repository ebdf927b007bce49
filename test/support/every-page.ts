/** Every page of the installation with hostile texts: each declared one, and states that only a query, a browser or a link shows. */

import { createPasswordResetToken } from '../../src/accounts/profile/account-email.ts';
import { createEmailChangeTokens } from '../../src/accounts/profile/email-change-token.ts';
import { createDeviceTokens, deviceCookie } from '../../src/distributions/access/device-tokens.ts';
import type { Route } from '../../src/http/routes/route.ts';
import { createUnsubscribeTokens } from '../../src/mail/pages/unsubscribe-token.ts';
import { signIn } from './browser-session.ts';
import { expectedOf, ownerPath } from './declared-routes.ts';
import { type FullInstallation, installationSecret } from './full-installation.ts';
import { findPage, phones } from './page-visits.ts';
import { type Person, persons, type RouteCallers } from './route-callers.ts';
import { afterPassword } from './second-factors.ts';
import { testPasswordHash } from './test-service.ts';

export interface PageVisit {
  path: string;
  by: Person | 'nobody';
  /** 200 unless given. */
  status?: number;
  headers?: Readonly<Record<string, string>>;
  /** A page that another visit shows with more on it. */
  less?: true;
}

/** As sent by a browser of this name through a reverse proxy with a certificate: iOS installs only over HTTPS. */
const from = (userAgent: string, cookie?: string) => ({
  headers: {
    'User-Agent': userAgent,
    'X-Forwarded-Proto': 'https',
    ...(cookie ? { Cookie: cookie } : {}),
  },
});

/** Whether the route answers with a page: neither the API nor a file, an export, a stream or a redirect. */
export const isPage = ({ method, path }: Route) =>
  method === 'GET' &&
  !/^\/(\.well-known|api|scim|assets|branding|qr|favicon|robots|healthz|readyz|doctor|builds|dashboard|saml|sign-in\/sso|enterprises\/:workspace\/saml)\b|^\/cli\/(credential|slipway)|\.(csv|json|jsonl|txt|plist|png|svg|mobileconfig)$|\/(file|icon|html|latest|live|install|sbom|screenshots\/:number)$/.test(
    path,
  );

/** Other addresses of the pages of an app. */
const isAlias = (path: string) =>
  /^\/organizations\/:owner\/(apps|platforms)\/|^\/users\/:owner\/apps\//.test(path);

/** Pages for whose state the installation has no content: the first answer is a redirect, or that they do not exist. */
const otherStatus: Readonly<Record<string, number>> = {
  // Nobody has entered a password, or has a temporary one.
  '/sign-in/second-factor': 303,
  '/welcome': 303,
  '/cli/login': 400,
};

const statusOf = (path: string) => (otherStatus[path] ? { status: otherStatus[path] } : {});

/** Public pages differ for signed-in people; testers see less of an app. */
function visitorsOf(route: Route): (Person | 'nobody')[] {
  const { roles } = route.access;
  if (/^\/(docs|sign-in|sign-up)$/.test(route.path) || roles.join() === 'link holder') return ['nobody'];
  if (roles.includes('public')) return ['nobody', 'owner'];
  // Anyone else is redirected to their only place.
  if (route.path === '/upload') return ['owner'];
  const admitted = persons.filter((person) => expectedOf(route, person) === 'in');
  if (admitted.length === 0) return ['owner'];
  return admitted.includes('tester') && admitted[0] !== 'tester'
    ? [admitted[0] ?? 'owner', 'tester']
    : admitted.slice(0, 1);
}

export async function everyPage(installation: FullInstallation): Promise<PageVisit[]> {
  const { service, kit } = installation;
  const declared = service.declared.filter(isPage);
  const tokens = await linkTokens(installation);
  const pathOf = (route: Route) => tokens[route.path] ?? ownerPath(route, kit);
  return [
    ...declared.flatMap((route) =>
      visitorsOf(route).map((by): PageVisit => {
        const less = by === 'tester' || isAlias(route.path) ? { less: true as const } : {};
        return { path: pathOf(route), by, ...less, ...statusOf(route.path) };
      }),
    ),
    ...statesOf(installation, tokens),
    ...emptyPages(declared, kit).map((visit) => ({ ...visit, less: true as const })),
  ];
}

const appPath = '/users/:owner/platforms/:platform/apps/:package';

/** Pages of an account without anything, a Project without apps, and an app of a User with a single build. */
function emptyPages(declared: readonly Route[], { names }: RouteCallers): PageVisit[] {
  const emptyApp = `/users/olga/platforms/android/apps/${names.app}`;
  return declared.flatMap(({ path, access }): PageVisit[] => {
    if (access.roles.join() === 'administrator') return [];
    if (path.startsWith('/organizations/') && !path.replace(':owner', '').includes(':'))
      return [{ path: path.replace(':owner', 'other'), by: 'elsewhere' }];
    const own = path.replace('/users/:owner', '/users/sam');
    const isOwn =
      !own.includes(':') && !access.roles.includes('public') && !/^\/(workspaces\/new|upload)$/.test(own);
    // A single build cannot be compared.
    if (path.startsWith(appPath) && !/:|\/compare$/.test(path.slice(appPath.length)))
      return [{ path: path.replace(appPath, emptyApp), by: 'owner' }];
    return isOwn ? [{ path: own, by: 'stranger', ...statusOf(path) }] : [];
  });
}

function statesOf({ kit, content }: FullInstallation, tokens: Tokens): PageVisit[] {
  const { names } = kit;
  const { closedPages, revisions } = content;
  const android = `/users/crew/platforms/android/apps/${names.app}`;
  const ios = `/users/crew/platforms/ios/apps/${names.iosApp}`;
  const own = `/users/olga/platforms/android/apps/${names.app}`;
  const page = `/distributions/${names.page}`;
  const iosPage = `/distributions/${names.iosPage}`;
  const by = 'owner';
  return [
    ...['select=all', 'q=main', 'q=no+such+build', 'page=2', 'deleted=30', 'protected=1', 'labeled=1'].map(
      (query) => ({ path: `${android}?${query}`, by }) as const,
    ),
    ...['person=tess', `device=${names.device}`, 'person=nobody&q=x', 'q=tess', 'q=nobody'].map(
      (query) => ({ path: `${iosPage}/settings/check-install?${query}`, by }) as const,
    ),
    ...['', '/binaries/1', '/binaries/2', '/compare?from=1&to=2', '/upload', '/pages', '/activity'].map(
      (part) => ({ path: `${ios}${part}`, by }) as const,
    ),
    ...Object.values(revisions).map((revision) => ({ path: `${android}/binaries/${revision}`, by }) as const),
    { path: `${android}/compare?from=1&to=${revisions.invalid}`, by },
    { path: `${android}/activity?days=90&plot=installs`, by },
    { path: `${android}/activity?revision=1`, by },
    { path: `${android}/feedback?status=closed&revision=1`, by },
    { path: `${android}/feedback?status=in-progress`, by },
    { path: `${android}/retention?keep=some&newest=2&days=1`, by },
    { path: '/organizations/crew/retention?keep=some&newest=2&days=1', by },
    { path: '/organizations/crew/retention?keep=some&days=1', by, less: true },
    // Developers may upload but not manage, administrators of the installation the reverse.
    ...['/organizations/crew', '/organizations/crew/people', android, `${android}/binaries/1`].map(
      (path): PageVisit => ({ path, by: 'developer', less: true }),
    ),
    { path: '/organizations/crew/people', by: 'administrator', less: true },
    {
      path: '/organizations/crew/audit?action=build.uploaded&actor=olga&from=2026-11-21&to=soon',
      by,
      less: true,
    },
    { path: '/organizations/crew/people?q=te', by },
    { path: '/administration/mail?state=dead', by: 'administrator' },
    { path: '/search?q=olga', by },
    { path: '/search?q=no+such+thing', by },
    // The installs of testers, by app.
    { path: '/', by: 'tester' },
    // Who has access to the app of a User, and its invite links.
    { path: `${own}/people`, by },
    { path: `${own}/delete`, by },
    // A tester page on each kind of device, of an earlier build, and with what its manager sees.
    { path: page, by },
    { path: page, by: 'nobody', ...from(phones.iphone) },
    { path: page, by: 'nobody', ...from(phones.android) },
    ...[phones.iphone, phones.android, inAppBrowser, macSafari].map(
      (userAgent) => ({ path: iosPage, by: 'nobody', ...from(userAgent) }) as const,
    ),
    { path: iosPage, by: 'nobody', ...from(phones.iphone, tokens.deviceCookie) },
    { path: `${iosPage}/1`, by: 'nobody', ...from(phones.iphone) },
    ...[phones.iphone, inAppBrowser, macSafari].map(
      (userAgent) => ({ path: `${iosPage}/device`, by: 'nobody', ...from(userAgent) }) as const,
    ),
    ...Object.entries(closedPages).flatMap(([name, accessKey]): PageVisit[] => {
      const path = `/distributions/${accessKey}`;
      if (name === 'members' || name === 'groups') return [{ path, by: 'nobody', status: 303 }];
      return [
        { path, by: 'nobody', status: name === 'passcode' || name === 'network' ? 403 : 404 },
        { path: `${path}/settings`, by },
      ];
    }),
    { path: `${page}?before=${tokens.update}`, by: 'nobody' },
    // Between the password and the second factor, and with a temporary password.
    { path: '/sign-in/second-factor', by: 'nobody', headers: { Cookie: tokens.afterPassword ?? '' } },
    { path: '/welcome', by: 'nobody', headers: { Cookie: tokens.temporary ?? '' } },
    // Links, opened by signed-in people.
    { path: tokens['/invitation/:token'] ?? '', by: 'stranger' },
    { path: tokens['/invitation/:token'] ?? '', by: 'owner' },
    { path: '/nothing', by: 'nobody', status: 404 },
    { path: '/nothing', by, status: 404 },
  ];
}

const inAppBrowser = `${phones.iphone.replace('Version/17.5 Mobile/15E148 Safari/604.1', 'Mobile/15E148')} Instagram 300.0.0.1`;
const macSafari =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Safari/605.1.15';

type Tokens = Readonly<Record<string, string>>;

/** Paths with real tokens and identifiers, by route. */
async function linkTokens(installation: FullInstallation): Promise<Tokens> {
  const { data, kit, content } = installation;
  const { names } = kit;
  const [owner, tester] = [await data.owners.findOwner('olga'), await data.owners.findOwner('tess')];
  const page = await findPage(installation, names.iosPage ?? '');
  const app = await data.distributions.findPage(names.page ?? '');
  if (owner?.kind !== 'user' || !tester || !app) throw new Error('the installation has no people');
  const expiresAt = Date.now() + 60 * 60_000;
  const email = createEmailChangeTokens(installationSecret).issue({
    ...{ userId: owner.id, from: owner.email, to: 'new@example.com', expiresAt },
  });
  const reset = await data.transaction((tx) => createPasswordResetToken(tx, tester.id, Date.now()));
  const unsubscribe = createUnsubscribeTokens(installationSecret).issue({
    userId: tester.id,
    subjectId: app.appId,
  });
  const outcome = createDeviceTokens(installationSecret).outcome.issue(
    { deviceId: names.device ?? '', expiresAt },
    page,
  );
  await installation.user('fresh');
  const fresh = await data.owners.findOwner('fresh');
  await data.accounts.setPassword(fresh?.id ?? '', testPasswordHash, true);
  const { cookie: temporary } = await signIn(installation, 'fresh');
  return {
    temporary,
    afterPassword: (await afterPassword(installation, 'tess')).cookie,
    deviceCookie: `${deviceCookie.name}=${createDeviceTokens(installationSecret).browser.issue({ browser: 'one' })}`,
    update: (await data.distributions.listUpdates(app.id, { limit: 10 })).at(-1)?.id ?? '',
    '/invitation/:token': `/invitation/${content.invitation}`,
    '/reset-password/:token': `/reset-password/${reset}`,
    '/settings/email/:token': `/settings/email/${email}`,
    '/unsubscribe/:token': `/unsubscribe/${unsubscribe}`,
    '/distributions/:accessKey/device/:outcome': `/distributions/${names.iosPage}/device/${outcome}`,
    '/organizations/:owner/invite-links/:invitation': `/organizations/crew/invite-links/${content.inviteLinks.project}`,
    '/users/:owner/platforms/:platform/apps/:package/people/invite-links': `/users/olga/platforms/android/apps/${names.app}/people/invite-links`,
    '/users/:owner/platforms/:platform/apps/:package/people/invite-links/:invitation': `/users/olga/platforms/android/apps/${names.app}/people/invite-links/${content.inviteLinks.app}`,
  };
}
