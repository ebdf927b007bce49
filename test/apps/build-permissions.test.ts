/** Who can see builds, and which of their fields; `declared-routes.test.ts` calls every route as every caller. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BrowserSession, postForm, signIn } from '../support/browser-session.ts';
import {
  appPath,
  type BuildKit,
  ownerName,
  packageName,
  startBuildKit,
} from '../support/build-actions-kit.ts';
import { get } from '../support/interface-client.ts';
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

  it('opens no page for people who can upload by the secret of the app', async () => {
    for (const page of ['/binaries/1/uploaded', '/binaries/1/publish', '/delete', '/retention']) {
      const headers = { Accept: 'text/html' };
      const answer = await get(kit.slipway, `${appPath}${page}?key=${secret}`, null, { headers });
      expect([page, answer.status]).toEqual([page, 303]);
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
