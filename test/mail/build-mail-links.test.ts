/** The button of a build email, followed as the recipient: it leads to something that installs, whatever became of the page. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createMemoryMailer, type MemoryMailer } from '../../src/mail/memory-mailer.ts';
import { type BrowserSession, signIn } from '../support/browser-session.ts';
import { buildIpa, createSigningIdentity } from '../support/build-ipa.ts';
import type { Answer } from '../support/http-client.ts';
import { get, uploaded } from '../support/interface-client.ts';
import { mailSettings, settleOutbox } from '../support/mail-service.ts';
import { asInstaller, findPage, phones, readManifest, setRules } from '../support/page-visits.ts';
import { runsEverything } from '../support/runs-everything.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

const bundleIdentifier = 'com.example.tidewatch';
const packageOf = (version: string) => {
  const identity = createSigningIdentity();
  return buildIpa({ bundleIdentifier, identity, version, profile: { type: 'enterprise', identity } });
};

describe('the button of an email about a build', () => {
  let slipway: TestService;
  let mailer: MemoryMailer;
  let tess: BrowserSession;
  let key = '';
  const packages = ['1', '2', '3'].map(packageOf);
  beforeAll(async () => {
    mailer = createMemoryMailer();
    slipway = await startTestService({
      blobs: 'memory',
      mailer,
      settings: { ...mailSettings, SLIPWAY_TRUST_PROXY: '127.0.0.1' },
    });
    key = await slipway.user('dora');
    for (const name of ['tess', 'sam']) await slipway.user(name);
    await slipway.project('harbour', { members: { dora: 'developer', tess: 'tester' } });
    tess = await signIn(slipway, 'tess');
  });
  afterAll(() => slipway?.close());

  let pages = 0;
  let pageName = '';
  beforeEach(() => {
    pageName = `page-${++pages}`;
  });
  const publish = async (at = 0, fields: Record<string, string> = { distribution_name: pageName }) => {
    const file = packages[at];
    if (!file) throw new Error('no package');
    const sent = await uploaded(slipway, { owner: 'harbour', key, file, fields });
    mailer.sent.length = 0;
    await settleOutbox(slipway);
    const mail = mailer.sent.find(({ to }) => to.address === 'tess@example.com');
    const [, button = ''] = /href="([^"]+)"[^>]*>Install</.exec(mail?.html ?? '') ?? [];
    const { pathname, search } = new URL(button);
    return {
      link: pathname + search,
      revision: sent.revision,
      accessKey: sent.distribution?.access_key ?? '',
    };
  };

  const request = (path: string, by: BrowserSession | null) =>
    get(slipway, path, null, {
      headers: {
        Accept: 'text/html',
        'User-Agent': phones.iphone,
        'X-Forwarded-For': '203.0.113.9',
        ...(by ? { Cookie: by.cookie } : {}),
      },
    });
  /** The path where the redirects end, and the page there. */
  const follow = async (link: string, by: BrowserSession | null): Promise<Answer & { path: string }> => {
    let path = link;
    for (let steps = 0; steps < 5; steps++) {
      const answer = await request(path, by);
      if (answer.status !== 303) return { ...answer, path };
      path = answer.headers.location ?? '';
    }
    throw new Error(`endless redirects from ${link}`);
  };
  /** Taps Install on the page at the end of the link, as far as the package. Returns where the page is. */
  const installFrom = async (link: string, by: BrowserSession | null): Promise<string> => {
    const { path, text, status } = await follow(link, by);
    expect([path, status]).toEqual([path, 200]);
    const [, itms = ''] = /href="(itms-services:[^"]+)" data-install/.exec(text) ?? [];
    const manifest = new URL(new URL(itms.replaceAll('&amp;', '&')).searchParams.get('url') ?? '');
    const answer = await asInstallerAt(manifest);
    const file = await asInstallerAt(new URL(readManifest(answer).package));
    expect(file.headers['content-type']).toBe('application/octet-stream');
    return path;
  };
  const asInstallerAt = async ({ pathname, search }: URL) => {
    const answer = await asInstaller(slipway, pathname + search);
    expect(answer.status).toBe(200);
    return answer;
  };
  const buildPath = (revision: number) => `${appPath}/binaries/${revision}`;
  const appPath = `/users/harbour/platforms/ios/apps/${bundleIdentifier}`;
  const signInTo = (link: string) => `/sign-in?to=${encodeURIComponent(link)}`;

  it('leads to the page of the upload, signed in or not', async () => {
    const { link, accessKey } = await publish();
    expect(await installFrom(link, tess)).toBe(`/distributions/${accessKey}`);
    expect(await installFrom(link, null)).toBe(`/distributions/${accessKey}`);
  });

  it('leads to the page when that serves a newer build', async () => {
    const { link, accessKey } = await publish();
    await publish(1);
    expect(await installFrom(link, tess)).toBe(`/distributions/${accessKey}`);
  });

  it('leads to the build when the upload named no page, after a sign-in', async () => {
    const { link, revision } = await publish(0, {});
    expect(await installFrom(link, tess)).toBe(buildPath(revision));
    expect((await follow(link, null)).path).toBe(signInTo(link));
  });

  it.each([
    ['closed', { active: false }],
    ['expired', { expiresAt: 1 }],
    ...(runsEverything
      ? ([
          ['limited to another network', { networks: ['10.0.0.0/8'] }],
          ['limited to a group of others', { access: 'groups' }],
          ['out of installs', { maxInstalls: 0 }],
        ] as const)
      : []),
  ] as const)('leads to the build when the page is %s, after a sign-in', async (_, rules) => {
    const { link, revision, accessKey } = await publish();
    await setRules(slipway, accessKey, {
      ...rules,
      networks: [...('networks' in rules ? rules.networks : [])],
    });
    expect(await installFrom(link, tess)).toBe(buildPath(revision));
    expect((await follow(link, null)).path).toBe(signInTo(link));
  });

  it('leads to a members-only page after a sign-in', async () => {
    const { link, accessKey } = await publish();
    await setRules(slipway, accessKey, { access: 'members' });
    expect(await installFrom(link, tess)).toBe(`/distributions/${accessKey}`);
    expect((await follow(link, null)).path).toBe(signInTo(link));
  });

  it('leads to a page with a passcode, which members need not enter', async () => {
    const { link, accessKey } = await publish();
    await setRules(slipway, accessKey, { access: 'passcode', passcodeHash: 'x' });
    expect(await installFrom(link, tess)).toBe(`/distributions/${accessKey}`);
    const gate = await follow(link, null);
    expect(gate.path).toBe(`/distributions/${accessKey}`);
    expect(gate.text).toContain(`href="${signInTo(`/distributions/${accessKey}`)}"`);
  });

  it('leads to the build after the page was rolled back, deleted or got another link', async () => {
    const first = await publish();
    const { link, revision, accessKey } = await publish(1);
    const { id, buildId } = await findPage(slipway, accessKey);
    const owner = await slipway.data.owners.findOwner('harbour');
    const app = await slipway.data.apps.findApp(owner?.id ?? '', 'ios', bundleIdentifier);
    const earlier = await slipway.data.builds.findBuildByRevision(app?.id ?? '', first.revision);
    await slipway.data.distributions.updatePage(id, { buildId: earlier?.id ?? '', releaseNote: '', now: 1 });
    expect(await installFrom(link, tess)).toBe(buildPath(revision));
    // A withdrawn build must not be installed: the page serves an earlier one.
    await slipway.data.pageSettings.setWithdrawn(id, buildId, true);
    expect(await installFrom(link, tess)).toBe(`/distributions/${accessKey}`);
    await slipway.data.pageSettings.deletePage(id);
    expect(await installFrom(link, tess)).toBe(buildPath(revision));
  });

  it('leads to the app, which installs the latest build, when the build was deleted', async () => {
    const { link, revision } = await publish(0, {});
    await publish(2, {});
    const owner = await slipway.data.owners.findOwner('harbour');
    const app = await slipway.data.apps.findApp(owner?.id ?? '', 'ios', bundleIdentifier);
    const deleted = await slipway.data.builds.findBuildByRevision(app?.id ?? '', revision);
    await slipway.data.buildDeletion.hideBuilds([deleted?.id ?? ''], 'dora', Date.now());
    expect(await installFrom(link, tess)).toBe(appPath);
  });

  it('shows nothing to people who lost access, and ignores pages of other apps', async () => {
    const { link, revision, accessKey } = await publish();
    const sam = await signIn(slipway, 'sam');
    await setRules(slipway, accessKey, { active: false });
    expect((await request(link, sam)).status).toBe(404);
    const missing = `${buildPath(999)}/install`;
    expect((await request(missing.replace(bundleIdentifier, 'com.example.none'), sam)).status).toBe(404);
    const other = await uploaded(slipway, {
      owner: 'dora',
      key,
      file: buildIpa({ bundleIdentifier: 'com.example.other' }),
      fields: { distribution_name: 'main' },
    });
    const foreign = `${buildPath(revision)}/install?page=${other.distribution?.access_key}`;
    expect((await follow(foreign, tess)).path).toBe(buildPath(revision));
    expect((await request(foreign, sam)).status).toBe(404);
  });

  it('leads members from the gate of a closed page to the app', async () => {
    const { accessKey } = await publish();
    await setRules(slipway, accessKey, { active: false });
    const gate = await request(`/distributions/${accessKey}`, tess);
    expect(gate.status).toBe(404);
    expect(gate.text).toContain(`href="${appPath}"`);
    expect((await request(`/distributions/${accessKey}`, null)).text).not.toContain(appPath);
  });
});
