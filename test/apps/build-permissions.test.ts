/** Permissions of every build route. The test fails if a route is missing in its table. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BrowserSession, postForm, signIn } from '../support/browser-session.ts';
import {
  appPath,
  type BuildKit,
  ownerName,
  packageName,
  startBuildKit,
} from '../support/build-actions-kit.ts';
import { bearer, get } from '../support/interface-client.ts';
import { runsEverything } from '../support/runs-everything.ts';
import { testPasswordHash } from '../support/test-service.ts';

/** Below the four addresses of an app: pages for people with access to the app. */
const seen = ['/binaries/1', '/compare?from=1&to=2'];
const appAddresses = [
  `/users/${ownerName}/apps/${packageName}`,
  appPath,
  `/organizations/${ownerName}/apps/${packageName}`,
  `/organizations/${ownerName}/platforms/android/apps/${packageName}`,
];
/** For people who can upload. */
const managed: { method: 'GET' | 'POST'; path: string; fields: Record<string, string>; allowed: number }[] = [
  { method: 'POST', path: '/binaries/1/protect', fields: {}, allowed: 303 },
  { method: 'POST', path: '/binaries/1/unprotect', fields: {}, allowed: 303 },
  { method: 'POST', path: '/binaries/1/message', fields: { message: 'x', seen: 'y' }, allowed: 400 },
  { method: 'POST', path: '/binaries/1/delete', fields: {}, allowed: 303 },
  { method: 'POST', path: '/binaries/restore', fields: { revision: '1' }, allowed: 303 },
  { method: 'POST', path: '/binaries/protect', fields: { revision: '2' }, allowed: 303 },
  { method: 'POST', path: '/binaries/label', fields: { revision: '2', label: 'rc' }, allowed: 303 },
  { method: 'GET', path: '/binaries/1/uploaded', fields: {}, allowed: 200 },
  { method: 'GET', path: '/binaries/1/publish', fields: {}, allowed: 200 },
  { method: 'POST', path: '/binaries/1/publish', fields: { page: '', note: '' }, allowed: 400 },
  { method: 'POST', path: '/binaries/delete', fields: { revision: '1' }, allowed: 303 },
  { method: 'POST', path: '/binaries/restore', fields: { revision: '1' }, allowed: 303 },
  { method: 'GET', path: '/delete', fields: {}, allowed: 200 },
  { method: 'POST', path: '/delete', fields: { confirmation: 'no' }, allowed: 400 },
];

/** The link in emails. */
const installPath = `${appPath}/binaries/1/install`;

const buildForm = /<form [^>]*action="[^"]*\/binaries\//;

describe('build management', () => {
  let kit: BuildKit;
  let people: Record<
    'owner' | 'developer' | 'tester' | 'stranger' | 'elsewhere' | 'administrator',
    BrowserSession
  >;
  let secret: string;
  beforeAll(async () => {
    kit = await startBuildKit();
    const { slipway } = kit;
    await slipway.user('else');
    await slipway.project('elsewhere', { members: { else: 'owner' } });
    await slipway.owners.createUser({
      name: 'rooty',
      email: null,
      administrator: true,
      by: 'command-line',
      passwordHash: testPasswordHash,
    });
    secret = (await kit.upload()).secret;
    await kit.upload();
    people = {
      owner: await signIn(slipway, 'otto'),
      developer: kit.dev,
      tester: await signIn(slipway, 'tess'),
      stranger: await signIn(slipway, 'sam'),
      elsewhere: await signIn(slipway, 'else'),
      administrator: await signIn(slipway, 'rooty'),
    };
  });
  afterAll(() => kit.close());

  const outsiders = ['stranger', 'elsewhere', 'administrator'] as const;

  it('is tested for every build route', () => {
    const known = [
      ...seen.flatMap((path) => appAddresses.map((address) => `${address}${path}`)),
      ...managed.map(({ path }) => `${appPath}${path}`),
      installPath,
    ].map((path) =>
      path
        .replace(/\?.*/, '')
        .replace(ownerName, ':owner')
        .replace('/android/', '/:platform/')
        .replace(packageName, ':package')
        .replace('/binaries/1', '/binaries/:revision'),
    );
    const all = new Set(kit.slipway.service.routes.map(({ address }) => address));
    const routes = [...all].filter((address) =>
      /^(?!\/api\/).*\/apps\/:package\/(binaries|compare|delete)/.test(address),
    );
    expect(routes.length).toBe(20);
    expect(routes.filter((route) => !known.includes(route))).toEqual([]);
  });

  it('shows builds and comparisons to every member, but forms only to people who can upload', async () => {
    // Aliases of the same routes.
    for (const address of runsEverything ? appAddresses : appAddresses.slice(1, 3)) {
      for (const path of seen) {
        const at = `${address}${path}`;
        for (const role of ['owner', 'developer', 'tester'] as const) {
          const answer = await people[role].get(at);
          expect(answer.status, `${role} ${at}`).toBe(200);
          const forms = path.startsWith('/binaries') && role !== 'tester';
          expect(buildForm.test(answer.text), `${role} ${at}`).toBe(forms);
        }
        for (const role of outsiders) expect((await people[role].get(at)).status, `${role} ${at}`).toBe(404);
        const nobody = await get(kit.slipway, at, null, { headers: { Accept: 'text/html' } });
        expect(nobody.status).toBe(303);
        expect(nobody.headers.location).toMatch(/^\/sign-in\?to=/);
        const opened = await get(kit.slipway, `${at}${at.includes('?') ? '&' : '?'}key=${secret}`);
        expect(opened.status).toBe(200);
        expect(opened.text).not.toMatch(/<form [^>]*method="post"/);
        const byKey = await get(kit.slipway, at, kit.devKey, { headers: { Accept: 'text/html' } });
        expect(byKey.status).toBe(200);
        expect(byKey.text).not.toMatch(/<form [^>]*method="post"/);
        const byBoth = await people.developer.get(`${at}${at.includes('?') ? '&' : '?'}key=${secret}`);
        expect(byBoth.status).toBe(200);
        expect(byBoth.text).not.toMatch(buildForm);
        const wrong = await get(
          kit.slipway,
          `${at}${at.includes('?') ? '&' : '?'}key=${secret.replace(/./, 'x')}`,
        );
        expect(wrong.status).toBe(401);
      }
      for (const role of ['owner', 'developer'] as const) {
        expect((await people[role].get(address)).text).toContain('aria-label="Selected builds"');
      }
      expect((await people.tester.get(address)).text).not.toMatch(/Selected builds|name="revision"/);
    }
  });

  it('leads people with access from the link in emails to the build, and not the secret of the app', async () => {
    const build = `${appPath}/binaries/1`;
    for (const role of ['owner', 'developer', 'tester'] as const) {
      const { status, headers } = await people[role].get(installPath);
      expect([role, status, headers.location]).toEqual([role, 303, build]);
    }
    for (const role of outsiders) expect((await people[role].get(installPath)).status, role).toBe(404);
    for (const path of [installPath, `${installPath}?page=${'0'.repeat(40)}`, `${installPath}?x=${secret}`]) {
      const nobody = await get(kit.slipway, path, null, { headers: { Accept: 'text/html' } });
      expect(nobody.headers.location).toBe(`/sign-in?to=${encodeURIComponent(path)}`);
    }
    const opened = await get(kit.slipway, `${installPath}?key=${secret}`);
    expect(opened.status).toBe(401);
  });

  it('returns 404 to everyone else', async () => {
    for (const { method, path, fields } of managed) {
      const at = `${appPath}${path}`;
      const what = `${method} ${path}`;
      for (const role of [...outsiders, 'tester'] as const) {
        const answer =
          method === 'GET' ? await people[role].get(at) : await kit.post(at, fields, people[role]);
        expect(answer.status, `${role} ${what}`).toBe(404);
      }
      const body = new URLSearchParams(fields).toString();
      const headers = { Accept: 'text/html', 'Content-Type': 'application/x-www-form-urlencoded' };
      const options = method === 'GET' ? { headers } : { method, headers, body };
      expect((await get(kit.slipway, at, null, options)).status, `nobody ${what}`).toBe(303);
      expect((await get(kit.slipway, `${at}?key=${secret}`, null, options)).status, `secret ${what}`).toBe(
        303,
      );
      const keyed = { ...options, headers: { ...headers, ...bearer(kit.slipway.adminKey) } };
      expect((await get(kit.slipway, at, null, keyed)).status, `key ${what}`).toBe(404);
    }
    expect((await kit.slipway.leftBehind()).builds).toBe(2);
  });

  it('redirects to the page with the form after sign-in or a form reload', async () => {
    const pages = {
      '/binaries/1/protect': '/binaries/1',
      '/binaries/1/message': '/binaries/1',
      '/binaries/delete': '',
      '/binaries/restore': '',
      '/people/add': '/people',
    };
    for (const [path, page] of Object.entries(pages)) {
      const asNobody = await postForm(kit.slipway, `${appPath}${path}`, {});
      expect(asNobody.headers.location).toBe(`/sign-in?to=${encodeURIComponent(`${appPath}${page}`)}`);
      expect((await people.developer.get(`${appPath}${path}`)).headers.location).toBe(`${appPath}${page}`);
    }
  });

  it('requires the form token of the session', async () => {
    for (const { method, path, fields } of managed.filter((route) => route.method === 'POST')) {
      for (const csrf of ['', 'wrong']) {
        const answer = await kit.post(`${appPath}${path}`, { ...fields, csrf });
        expect(answer.status, `${method} ${path}`).toBe(403);
      }
    }
    const foreign = /name="csrf" value="([^"]+)"/.exec((await people.stranger.get('/')).text)?.[1] ?? '';
    expect(foreign).not.toBe('');
    expect((await kit.post(`${appPath}/delete`, { confirmation: packageName, csrf: foreign })).status).toBe(
      403,
    );
    expect((await kit.slipway.leftBehind()).builds).toBe(2);
  });

  it('lets owners and developers manage builds', async () => {
    for (const role of ['owner', 'developer'] as const) {
      for (const { method, path, fields, allowed } of managed) {
        const at = `${appPath}${path}`;
        const answer =
          method === 'GET' ? await people[role].get(at) : await kit.post(at, fields, people[role]);
        expect(answer.status, `${role} ${method} ${path}`).toBe(allowed);
      }
    }
  });

  it('distinguishes apps of different owners', async () => {
    const own = `/users/else/platforms/android/apps/${packageName}`;
    expect((await kit.post(`${own}/binaries/delete`, { revision: '1' }, people.elsewhere)).status).toBe(404);
    expect((await people.elsewhere.get(`${own}/delete`)).status).toBe(404);
    const wrongPlatform = appPath.replace('/android/', '/ios/');
    for (const path of ['/delete', '/compare?from=1&to=2', '/binaries/1']) {
      expect((await people.developer.get(`${wrongPlatform}${path}`)).status).toBe(404);
      expect(
        (await people.developer.get(`${appPath.replace('/android/', '/toString/')}${path}`)).status,
      ).toBe(404);
    }
  });

  it('is denied to users who left the team', async () => {
    const { owners } = kit.slipway;
    await owners.removeFromTeam({
      projectName: ownerName,
      team: 'developer',
      userName: 'dora',
      by: 'command-line',
    });
    expect((await kit.post(`${appPath}/binaries/delete`, { revision: '1' })).status).toBe(404);
    await owners.addToTeam({ projectName: ownerName, team: 'tester', userName: 'dora', by: 'command-line' });
    expect((await kit.post(`${appPath}/binaries/delete`, { revision: '1' })).status).toBe(404);
    expect((await kit.dev.get(`${appPath}/binaries/1`)).status).toBe(200);
  });
});
