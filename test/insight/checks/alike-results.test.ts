/** A rule with one day for new apps and another for updates: one result on the page, two in the API. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { buildQueries } from '../../../src/apps/builds/build-queries.ts';
import { analysisQueries } from '../../../src/insight/analysis-queries.ts';
import { checkQueries } from '../../../src/insight/checks/check-queries.ts';
import { defaultSettings } from '../../../src/insight/checks/check-settings.ts';
import { buildElf } from '../../packages/analysis/android-fixtures.ts';
import { type BrowserSession, postForm, signIn } from '../../support/browser-session.ts';
import { buildApk } from '../../support/build-apk.ts';
import { get, uploaded } from '../../support/interface-client.ts';
import { settleOutbox } from '../../support/mail-service.ts';
import { startTestService, type TestService } from '../../support/test-service.ts';

let slipway: TestService;
let owner: BrowserSession;
let key: string;
const app = '/users/keeper/platforms/android/apps/com.example.test';
const ids = ['play-page-size', 'play-page-size-updates'];

beforeAll(async () => {
  slipway = await startTestService();
  key = await slipway.user('keeper');
  owner = await signIn(slipway, 'keeper');
  const library = { name: 'lib/arm64-v8a/libold.so', content: buildElf({ alignment: 4096 }) };
  await uploaded(slipway, {
    owner: 'keeper',
    key,
    file: buildApk({ targetSdk: 36, extraEntries: [library] }),
  });
  await settleOutbox(slipway);
  const [first] = await analysisQueries(slipway.data).listVersions('', 1);
  const build = await buildQueries(slipway.data).findBuild(first?.id ?? '');
  const settings = JSON.stringify({ ...defaultSettings, destinations: ['google_play'] });
  await checkQueries(slipway.data).setSettings(build?.appId ?? '', settings);
});
afterAll(() => slipway.close());

const page = async () => (await owner.get(`${app}/binaries/1/checks`)).text;
async function accepted(): Promise<(string | undefined)[]> {
  const { text } = await get(slipway, '/api/v1/apps/keeper/android/com.example.test/builds/1/checks', key);
  const { checks } = JSON.parse(text) as { checks: { id: string; acceptance: { reason: string } | null }[] };
  return ids.map((id) => checks.find((check) => check.id === id)?.acceptance?.reason);
}

it('lists the libraries once, with both days', async () => {
  const html = await page();
  expect(html.match(/libold\.so/g)).toHaveLength(1);
  expect(html).toMatch(/New apps are refused since 1 Nov 2025/);
  expect(html).toMatch(/efused (?:from|since) 1 Feb 2027/);
});

it('accepts and revokes both at once', async () => {
  const html = await page();
  const address = `${app}/binaries/1/checks/${/checks\/(play-page-size[a-z-]*)\/accept/.exec(html)?.[1]}`;
  const csrf = /name="csrf" value="([^"]+)"/.exec(html)?.[1] ?? '';
  const post = (action: string, fields: Record<string, string>) =>
    postForm(slipway, `${address}/${action}`, { csrf, ...fields }, { Cookie: owner.cookie });
  await post('accept', { reason: 'Only old phones' });
  expect(await accepted()).toEqual(['Only old phones', 'Only old phones']);
  expect((await page()).match(/Only old phones/g)).toHaveLength(1);
  await post('revoke', {});
  expect(await accepted()).toEqual([undefined, undefined]);
});
