/** Why an install is refused: in the log, and on the settings of the page. */
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { parseBlobKey } from '../../src/blobs/blob-key.ts';
import type { PageRules } from '../../src/distributions/distribution-page.ts';
import { buildBlockers, pageBlockers } from '../../src/distributions/install/install-blockers.ts';
import { installTokenLifetimeMs } from '../../src/distributions/install/install-token.ts';
import { createLogger } from '../../src/operations/observability/logger.ts';
import { signIn } from '../support/browser-session.ts';
import { buildApk } from '../support/build-apk.ts';
import { buildIpa, createSigningIdentity } from '../support/build-ipa.ts';
import type { Answer } from '../support/http-client.ts';
import { get, uploaded } from '../support/interface-client.ts';
import { asInstaller, findPage, linksOf, phones, readManifest, setRules } from '../support/page-visits.ts';
import {
  attributesFor,
  fetchProfile,
  iphone13,
  postAnswer,
  signAnswer,
} from '../support/profile-service-peer.ts';
import { signApk } from '../support/sign-apk.ts';
import { createTestKey } from '../support/test-key.ts';
import { startTestService, type TestService } from '../support/test-service.ts';
import { makeAndroidInfo, makeIosInfo, now, plainText } from '../web/hostile.ts';
import { makePage } from '../web/page-props.ts';

const patience = { timeout: 20_000, interval: 5 };
const origin = 'https://apps.example.test';

describe('a refused install', () => {
  let slipway: TestService;
  let clock = Date.now();
  let log = '';
  const identity = createSigningIdentity();
  const ipa = buildIpa({
    bundleIdentifier: 'com.example.phone',
    identity,
    profile: { type: 'enterprise', identity },
  });
  const apkOf = (packageName: string, versionCode = 1) =>
    signApk(buildApk({ packageName, versionCode, minSdk: 24 }), { v2: [{ key: createTestKey() }] });

  beforeAll(async () => {
    const stream = new PassThrough({ encoding: 'utf8' }).on('data', (chunk) => {
      log += chunk;
    });
    slipway = await startTestService({
      blobs: 'memory',
      settings: { SLIPWAY_URL: origin, SLIPWAY_TRUST_PROXY: '127.0.0.1' },
      logger: createLogger('info', stream),
      now: () => clock,
    });
    await slipway.user('tess');
  });
  afterAll(() => slipway.close());

  let pages = 0;
  const publish = async (file: Buffer, fields: Record<string, string> = {}) => {
    pages += 1;
    const name = `page ${pages}`;
    const result = await uploaded(slipway, { file, fields: { distribution_name: name, ...fields } });
    const key = result.distribution?.access_key ?? '';
    return { key, name, revision: result.revision };
  };
  const visit = (address: string, headers: Record<string, string> = {}) =>
    get(slipway, address, null, {
      headers: { Accept: 'text/html', 'User-Agent': phones.iphone, ...headers },
    });
  const refusalsOf = async ({ headers }: Answer) => {
    const lines = await vi.waitFor(() => {
      const found = log
        .split('\n')
        .filter((line) => line.includes(`"request":"${headers['x-request-id']}"`))
        .map((line) => JSON.parse(line));
      // The line of the request itself is the last one.
      expect(found.at(-1)).toHaveProperty('status');
      return found;
    }, patience);
    return lines.filter(({ event }) => event === 'install.refused');
  };
  const reasonsOf = async (answer: Answer) => (await refusalsOf(answer)).map(({ reason }) => reason);

  it('is one line with the reason and the page, without the key', async () => {
    const { key, name } = await publish(ipa);
    const page = await findPage(slipway, key);
    expect(await reasonsOf(await visit(`/distributions/${key}`))).toEqual([]);
    await setRules(slipway, key, { active: false });
    expect(await refusalsOf(await visit(`/distributions/${key}`))).toEqual([
      expect.objectContaining({ level: 30, event: 'install.refused', reason: 'closed', page: page.id, name }),
    ]);
    expect(log).not.toContain(key);
  });

  it.each<[reason: string, rules: Partial<PageRules>]>([
    ['closed', { active: false }],
    ['expired', { expiresAt: 1 }],
    ['wrong-network', { networks: ['10.0.0.0/8'] }],
    ['passcode', { access: 'passcode', passcodeHash: 'x' }],
    ['sign-in', { access: 'members' }],
  ])('is logged as %s on the page and at its links', async (reason, rules) => {
    const { key } = await publish(ipa);
    const path = `/distributions/${key}`;
    const links = linksOf((await visit(path)).text);
    const { package: file } = readManifest(await asInstaller(slipway, links.manifest ?? ''));
    await setRules(slipway, key, rules);
    expect(await reasonsOf(await visit(path))).toEqual([reason]);
    expect(await reasonsOf(await visit(`${path}/device`))).toEqual([reason]);
    // A new passcode and members-only access invalidate the links that were signed before.
    const atLinks = rules.access ? 'invalid-link' : reason;
    for (const address of [links.manifest ?? '', file])
      expect(await reasonsOf(await asInstaller(slipway, address))).toEqual([atLinks]);
    expect((await asInstaller(slipway, links.icon)).status).toBeGreaterThanOrEqual(400);
    expect(await reasonsOf(await asInstaller(slipway, links.icon))).toEqual([]);
  });

  it('is logged for people without access to a members-only page', async () => {
    const { key } = await publish(ipa);
    await setRules(slipway, key, { access: 'members' });
    const tess = await signIn(slipway, 'tess');
    const answer = await tess.get(`/distributions/${key}`);
    expect([answer.status, await reasonsOf(answer)]).toEqual([404, ['no-access']]);
  });

  it('is logged for expired links, withdrawn and unknown builds, and not for unknown pages', async () => {
    const first = await publish(apkOf('com.example.withdrawn'));
    const path = `/distributions/${first.key}/${first.revision}`;
    const file = linksOf((await visit(path, { 'User-Agent': phones.android })).text).file ?? '';
    await uploaded(slipway, {
      file: apkOf('com.example.withdrawn', 2),
      fields: { distribution_key: first.key },
    });
    const page = await findPage(slipway, first.key);
    const update = await slipway.data.distributions.findUpdate(page.id, first.revision);
    await slipway.data.pageSettings.setWithdrawn(page.id, update?.buildId ?? '', true);
    expect(await reasonsOf(await asInstaller(slipway, file))).toEqual(['withdrawn']);
    expect(await reasonsOf(await visit(path))).toEqual(['withdrawn']);
    // A browser is redirected to the page, which gives the same reason.
    const led = await visit(file);
    expect([led.status, await reasonsOf(led)]).toEqual([303, ['withdrawn']]);
    clock += installTokenLifetimeMs;
    expect(await reasonsOf(await asInstaller(slipway, file))).toEqual(['expired-link']);
    for (const unknown of [`/distributions/${first.key}/99`, `/distributions/${first.key}/99/file?ticket=x`])
      expect(await reasonsOf(await visit(unknown))).toEqual(['unknown-build']);
    expect(await reasonsOf(await visit(`/distributions/${'0'.repeat(40)}`))).toEqual([]);
  });

  it('is logged when the install limit is reached, on the page and at the link', async () => {
    const { key } = await publish(apkOf('com.example.limit'));
    await setRules(slipway, key, { maxInstalls: 1 });
    const path = `/distributions/${key}`;
    const fileOf = async () => linksOf((await visit(path, { 'User-Agent': phones.android })).text).file ?? '';
    const [one, other] = [await fileOf(), await fileOf()];
    expect(await reasonsOf(await asInstaller(slipway, one))).toEqual([]);
    expect(await reasonsOf(await asInstaller(slipway, other))).toEqual(['install-limit']);
    expect(await reasonsOf(await visit(path))).toEqual(['install-limit']);
  });

  it('is logged when the build cannot be installed anywhere', async () => {
    const { key } = await publish(buildApk({ packageName: 'com.example.unsigned' }));
    expect(await reasonsOf(await visit(`/distributions/${key}`))).toEqual(['build-problem']);
  });

  it('is logged when the stored package is missing', async () => {
    const { key } = await publish(apkOf('com.example.missing'));
    const path = `/distributions/${key}`;
    const file = linksOf((await visit(path, { 'User-Agent': phones.android })).text).file ?? '';
    const build = await slipway.data.builds.findBuild((await findPage(slipway, key)).buildId);
    await slipway.blobs.remove(parseBlobKey(build?.packageBlob ?? ''));
    const answer = await asInstaller(slipway, file);
    expect([answer.status, await reasonsOf(answer)]).toEqual([503, ['damaged-file']]);
  });

  it('is logged when a device is registered with a page that was closed in the meantime', async () => {
    const { key } = await publish(ipa);
    const { profile } = await fetchProfile(slipway, key);
    const body = signAnswer(attributesFor(profile, iphone13));
    await setRules(slipway, key, { active: false });
    const answer = await postAnswer(slipway, profile.PayloadContent.URL, body);
    expect([answer.status, await reasonsOf(answer)]).toEqual([404, ['closed']]);
  });

  it('is explained to managers on the settings of the page', async () => {
    const first = await publish(buildApk({ packageName: 'com.example.explained' }));
    const admin = await signIn(slipway, 'admin');
    const settingsOf = async () => (await admin.get(`/distributions/${first.key}/settings`)).text;
    expect(await settingsOf()).toContain('The package is not signed');
    await uploaded(slipway, {
      file: apkOf('com.example.explained', 2),
      fields: { distribution_key: first.key },
    });
    const title = 'What prevents installs';
    expect(await settingsOf()).not.toContain(title);
    const page = await findPage(slipway, first.key);
    const update = await slipway.data.distributions.findUpdate(page.id, first.revision);
    await slipway.data.pageSettings.setWithdrawn(page.id, update?.buildId ?? '', true);
    expect(await settingsOf()).toContain(`Withdrawn builds cannot be installed: #${first.revision}.`);
    await setRules(slipway, first.key, { active: false, maxInstalls: 1 });
    await slipway.data.pageCounts.takeInstall(page.id);
    const text = await settingsOf();
    for (const sentence of [title, 'This page is closed.', 'This page has reached its install limit.'])
      expect(text).toContain(sentence);
    expect(text).toContain('<span class="badge badge-plain">Closed</span>');
    await setRules(slipway, first.key, { active: true, expiresAt: clock });
    expect(await settingsOf()).toContain('<span class="badge badge-warning">Expired</span>');
    expect(await settingsOf()).toContain('This page has expired.');
  });
});

describe('blockers', () => {
  const page = makePage(plainText);
  const reasons = (
    change: object,
    of = { page, update: null, build: { info: makeIosInfo(plainText) }, origin, now },
  ) => pageBlockers({ ...of, ...change }).map(({ reason }) => reason);

  it('of an open page with a build that it serves do not exist', () => {
    expect(reasons({})).toEqual([]);
    expect(reasons({ page: { ...page, expiresAt: null, maxInstalls: null } })).toEqual([]);
    expect(reasons({ update: { buildId: page.buildId, withdrawn: true } })).toEqual([]);
  });

  it('of a page are its rules, the withdrawal and the lack of HTTPS', () => {
    expect(reasons({ page: { ...page, active: false } })).toEqual(['closed']);
    expect(reasons({ page: { ...page, expiresAt: now } })).toEqual(['expired']);
    expect(reasons({ page: { ...page, installs: 10 } })).toEqual(['install-limit']);
    expect(reasons({ update: { buildId: 'other', withdrawn: true } })).toEqual(['withdrawn']);
    expect(reasons({ origin: 'http://apps.example.test' })).toEqual(['no-https']);
    const android = { info: makeAndroidInfo(plainText) };
    expect(reasons({ origin: 'http://apps.example.test', build: android })).toEqual([]);
  });

  it('of a build include device families that install nothing from a page', () => {
    const info = makeIosInfo(plainText);
    if (info.ios) info.ios.deviceFamilies = ['apple-tv'];
    expect(buildBlockers({ info, verification: null, apk: null }, now)).toEqual([
      {
        reason: 'build-problem',
        sentence: expect.stringMatching(/which cannot install apps from a web page/),
      },
    ]);
    expect(buildBlockers({ info: makeIosInfo(plainText), verification: null, apk: null }, now)).toEqual([]);
  });
});
