/** Every route with those whom it is for. Who is missing in a row must find nothing there. */
import type { Caller } from '../support/route-callers.ts';

export interface RouteRow {
  /** The address that is asked; words in braces are names of `RouteCallers`. */
  at: string;
  for: Audience;
  /** Of a form, without the token of the session: such that even those who may post it are refused in words. */
  fields?: Record<string, string>;
  /** Browsers send it with a file. */
  multipart?: boolean;
  /** What everybody is told in place of being let in. */
  told?: 'no key' | 'status 503';
  /** Who besides signed-out browsers is led to sign in. */
  leads?: 'keys too' | 'everybody';
  /** Whether a form wants the token of the session; absent: where it is for those who have one. */
  token?: boolean;
}

/** `everybody` is let in; `holder` is who holds an address that cannot be guessed: a made up one is missing for everybody. */
export type Audience = readonly Caller[] | 'everybody' | 'holder';

const signedIn = [
  'owner',
  'developer',
  'tester',
  'stranger',
  'elsewhere',
  'harbour',
  'administrator',
] as const satisfies readonly Caller[];
const team = ['owner', 'developer', 'tester'] as const;
const members = [...team, 'developerKey', 'projectKey'] as const;
const uploaders = ['owner', 'developer'] as const;
const uploadersAndKeys = [...uploaders, 'developerKey', 'projectKey'] as const;
const owners = ['owner'] as const;
const overseers = ['owner', 'administrator'] as const;
const administrators = ['administrator'] as const;
const workspaceOwners = ['harbour', 'administrator'] as const;
const keys = ['developerKey', 'projectKey', 'otherProjectKey', 'administratorKey'] as const;

const appAddresses = [
  ['/users/:owner/apps/:package', '/users/crew/apps/{app}'],
  ['/users/:owner/platforms/:platform/apps/:package', '/users/crew/platforms/android/apps/{app}'],
  ['/organizations/:owner/apps/:package', '/organizations/crew/apps/{app}'],
  [
    '/organizations/:owner/platforms/:platform/apps/:package',
    '/organizations/crew/platforms/android/apps/{app}',
  ],
] as const;
const app = '/users/crew/platforms/android/apps/{app}';
const appRoute = '/users/:owner/platforms/:platform/apps/:package';

/** One page with its form, for the same people. */
const page = (route: string, at: string, audience: Audience, fields?: Record<string, string>) => ({
  [`GET ${route}`]: { at, for: audience },
  [`POST ${route}`]: { at, for: audience, ...(fields ? { fields } : {}) },
});

const uploadPage = (route: string, at: string, audience: Audience) => ({
  [`GET ${route}`]: { at, for: audience },
  [`POST ${route}`]: { at, for: audience, multipart: true },
});

const api: Record<string, RouteRow> = {
  // A Project's key is told 400 there, as the interface says.
  'GET /api/organizations': { at: '/api/organizations', for: keys },
  'GET /api/sessions/user': { at: '/api/sessions/user', for: keys },
  'GET /api/openapi.json': { at: '/api/openapi.json', for: 'everybody' },
};

const noRule = { act: 'save', keep: 'nothing', newest: '', days: '' };

const site: Record<string, RouteRow> = {
  'GET /': { at: '/', for: 'everybody' },
  'GET /docs': { at: '/docs', for: 'everybody' },
  'GET /assets/:name': { at: '/assets/slipway.css', for: 'everybody' },
  'GET /favicon.ico': { at: '/favicon.ico', for: 'everybody' },
  'GET /robots.txt': { at: '/robots.txt', for: 'everybody' },
  // It is there once the project is built.
  'GET /cli/slipway.mjs': { at: '/cli/slipway.mjs', for: 'everybody', told: 'status 503' },
  'GET /healthz': { at: '/healthz', for: 'everybody' },
  'GET /readyz': { at: '/readyz', for: 'everybody' },
};

const accounts: Record<string, RouteRow> = {
  ...page('/settings/devices', '/settings/devices', signedIn),
  ...page('/settings/mail', '/settings/mail', signedIn),
  ...page('/unsubscribe/:token', '/unsubscribe/made-up', 'holder'),
  ...page('/unsubscribe/:token/undo', '/unsubscribe/made-up/undo', 'holder'),
};

const projects: Record<string, RouteRow> = {
  'GET /projects': { at: '/projects', for: [...signedIn, 'developerKey', 'administratorKey'] },
  'GET /workspaces': { at: '/workspaces', for: [...signedIn, 'developerKey', 'administratorKey'] },
  ...page('/projects/new', '/projects/new', signedIn, { act: 'make', name: '-', description: '' }),
  ...page('/workspaces/new', '/workspaces/new', administrators),
  'GET /users/:owner': { at: '/users/olga', for: owners },
  'GET /organizations/:owner': { at: '/organizations/crew', for: members },
  ...page('/organizations/:owner/people', '/organizations/crew/people', overseers),
  'GET /organizations/:owner/people': { at: '/organizations/crew/people', for: [...team, 'administrator'] },
  ...page('/organizations/:owner/settings', '/organizations/crew/settings', overseers),
  'GET /users/:owner/settings': { at: '/users/olga/settings', for: overseers },
  'POST /organizations/:owner/quota': { at: '/organizations/crew/quota', for: administrators },
  'POST /users/:owner/quota': { at: '/users/olga/quota', for: administrators },
  ...page('/organizations/:owner/delete', '/organizations/crew/delete', overseers),
  ...page('/users/:owner/delete', '/users/olga/delete', overseers),
  ...page('/organizations/:owner/retention', '/organizations/crew/retention', overseers, noRule),
  ...page('/users/:owner/retention', '/users/olga/retention', overseers, noRule),
  ...page('/enterprises/:workspace/retention', '/enterprises/harbour/retention', workspaceOwners, noRule),
  'GET /enterprises/:workspace': {
    ...{ at: '/enterprises/harbour', for: ['elsewhere', ...workspaceOwners, 'administratorKey'] },
  },
  ...page('/enterprises/:workspace/settings', '/enterprises/harbour/settings', workspaceOwners),
  ...page('/enterprises/:workspace/delete', '/enterprises/harbour/delete', workspaceOwners),
  ...Object.fromEntries(
    ['', '.csv', '.jsonl'].flatMap((end): [string, RouteRow][] => [
      [`GET /organizations/:owner/audit${end}`, { at: `/organizations/crew/audit${end}`, for: overseers }],
      [`GET /users/:owner/audit${end}`, { at: `/users/olga/audit${end}`, for: overseers }],
      [`GET /administration/audit${end}`, { at: `/administration/audit${end}`, for: administrators }],
    ]),
  ),
};

const apps: Record<string, RouteRow> = {
  ...Object.fromEntries(
    appAddresses.flatMap(([route, at]): [string, RouteRow][] => [
      [`GET ${route}`, { at, for: members }],
      [`GET ${route}/binaries/:revision`, { at: `${at}/binaries/1`, for: members }],
      [`GET ${route}/compare`, { at: `${at}/compare?from=1&to=1`, for: members }],
    ]),
  ),
  [`POST ${appRoute}/binaries/:revision`]: { at: `${app}/binaries/1`, for: uploaders },
  [`POST ${appRoute}/binaries`]: { at: `${app}/binaries`, for: uploaders },
  ...page(`${appRoute}/delete`, `${app}/delete`, uploaders),
  ...page(`${appRoute}/retention`, `${app}/retention`, uploaders, noRule),
  ...page(`${appRoute}/people`, `${app}/people`, uploaders),
  ...uploadPage(`${appRoute}/upload`, `${app}/upload`, uploaders),
  'GET /upload': { at: '/upload', for: signedIn },
  ...uploadPage('/users/:owner/upload', '/users/olga/upload', owners),
  ...uploadPage('/organizations/:owner/upload', '/organizations/crew/upload', uploaders),
  [`GET ${appRoute}/activity`]: { at: `${app}/activity`, for: uploadersAndKeys },
  ...page(`${appRoute}/pages/new`, `${app}/pages/new`, uploaders),
  'GET /builds/:build/file': { at: '/builds/{build}/file', for: members },
  'GET /builds/:build/icon': { at: '/builds/{build}/icon', for: members },
  'GET /builds/:build/simulator': { at: '/builds/{iosBuild}/simulator', for: members },
};

const distributions: Record<string, RouteRow> = {
  'GET /distributions/:accessKey': { at: '/distributions/{page}', for: 'everybody' },
  'GET /distributions/:accessKey/:revision': { at: '/distributions/{page}/1', for: 'everybody' },
  // Without a ticket a browser is led back to the page.
  'GET /distributions/:accessKey/:revision/file': { at: '/distributions/{page}/1/file', for: 'everybody' },
  'GET /distributions/:accessKey/:revision/manifest.plist': {
    ...{ at: '/distributions/{iosPage}/1/manifest.plist', for: 'holder' },
  },
  'GET /distributions/:accessKey/:revision/icon': { at: '/distributions/{page}/1/icon', for: 'holder' },
  'POST /distributions/:accessKey/passcode': { at: '/distributions/{page}/passcode', for: 'everybody' },
  'GET /distributions/:accessKey/device': { at: '/distributions/{iosPage}/device', for: 'everybody' },
  'POST /distributions/:accessKey/device': { at: '/distributions/{iosPage}/device', for: 'holder' },
  'GET /distributions/:accessKey/device.mobileconfig': {
    ...{ at: '/distributions/{iosPage}/device.mobileconfig', for: 'everybody' },
  },
  'GET /distributions/:accessKey/device/:outcome': {
    ...{ at: '/distributions/{iosPage}/device/made-up', for: 'everybody' },
  },
  'GET /users/:owner/devices': { at: '/users/olga/devices', for: owners },
  'GET /users/:owner/devices.txt': { at: '/users/olga/devices.txt', for: owners },
  'GET /organizations/:owner/devices': { at: '/organizations/crew/devices', for: uploadersAndKeys },
  'GET /organizations/:owner/devices.txt': { at: '/organizations/crew/devices.txt', for: uploadersAndKeys },
  'POST /users/:owner/devices/:device/name': {
    ...{ at: '/users/olga/devices/{ownDevice}/name', for: owners, fields: { name: 'x'.repeat(80) } },
  },
  'POST /organizations/:owner/devices/:device/name': {
    ...{ at: '/organizations/crew/devices/{device}/name', for: uploaders, fields: { name: 'x'.repeat(80) } },
  },
  'POST /users/:owner/devices/:device/delete': { at: '/users/olga/devices/{ownDevice}/delete', for: owners },
  'POST /organizations/:owner/devices/:device/delete': {
    ...{ at: '/organizations/crew/devices/{device}/delete', for: uploaders },
  },
};

const administration: Record<string, RouteRow> = {};

export const routeTable: Readonly<Record<string, RouteRow>> = {
  ...api,
  ...site,
  ...accounts,
  ...projects,
  ...apps,
  ...distributions,
  ...administration,
};
