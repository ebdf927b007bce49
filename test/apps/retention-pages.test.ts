/** The retention pages: permissions, the preview, and saving. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { undoMs } from '../../src/apps/deletion/build-deletion.ts';
import type { Owner } from '../../src/owners/owner.ts';
import { type BrowserSession, postForm, signIn } from '../support/browser-session.ts';
import {
  appPath,
  type BuildKit,
  buildPath,
  ownerName,
  packageName,
  startBuildKit,
} from '../support/build-actions-kit.ts';
import { addApp } from '../support/sample-rows.ts';
import { testPasswordHash } from '../support/test-service.ts';

const retentionPath = `${appPath}/retention`;
const asked = (keep: string, newest = '', days = '') =>
  new URLSearchParams({ keep, newest, days }).toString();

describe('retention page', () => {
  let kit: BuildKit;
  beforeAll(async () => {
    kit = await startBuildKit();
  });
  afterAll(() => kit.close());

  const settled = async () => {
    kit.slipway.service.outbox.wake();
    await kit.slipway.service.outbox.idle();
  };

  it('previews a rule, saves it, deletes exactly the previewed builds and restores them', async () => {
    for (let count = 0; count < 4; count++) await kit.upload();
    const before = (await kit.dev.get(retentionPath)).text;
    expect(before).toContain('Slipway keeps every build.');
    expect(before).toContain('No rule is set.');
    expect(before).not.toContain('Will be deleted');

    const preview = (await kit.dev.get(`${retentionPath}?${asked('some', '2', '')}`)).text;
    expect(preview).toContain('Slipway keeps the newest 2 builds and deletes older ones.');
    expect(preview).toContain('Save and delete 2 builds');
    for (const revision of [1, 2]) expect(preview).toContain(`href="${buildPath(revision)}"`);
    for (const revision of [3, 4]) expect(preview).not.toContain(`href="${buildPath(revision)}"`);
    await settled();
    expect(await kit.revisions()).toEqual([4, 3, 2, 1]);

    const saved = await kit.submit(`${retentionPath}?${asked('some', '2', '')}`, 'save');
    expect(saved).toMatchObject({ status: 303, location: `${retentionPath}?done=saved` });
    await settled();
    expect(await kit.revisions()).toEqual([4, 3]);
    const after = (await kit.dev.get(saved.location)).text;
    expect(after).toContain('Saved.');
    expect(after).toContain('Set for this app.');

    const app = (await kit.dev.get(appPath)).text;
    expect(app).toContain('Deleted by <bdi>the retention rule</bdi>');
    const back = await kit.post(`${appPath}/binaries/restore`, { revision: '1' });
    expect(back.status).toBe(303);
    // The next upload makes the third expire, and keeps the restored one.
    await kit.upload();
    await settled();
    expect(await kit.revisions()).toEqual([5, 4, 1]);
    const otto = await signIn(kit.slipway, 'otto');
    const log = (await otto.get(`/organizations/${ownerName}/audit`)).text;
    expect(log).toContain('Slipway');
    expect(log).toContain(`${packageName} #1–2 (Android)`);
    expect(log).toContain('the newest 2 builds');

    const owner = await kit.slipway.data.owners.findOwner(ownerName);
    const usage = async () => (await kit.slipway.data.quotas.usageOf(owner?.id ?? '')).builds;
    expect(await usage()).toBe(5);
    kit.pass(undoMs + 1);
    await settled();
    expect(await usage()).toBe(3);
    expect((await kit.slipway.leftBehind()).blobs).toHaveLength(3);
    const missing = await kit.post(`${appPath}/binaries/restore`, { revision: '2' });
    expect([404, 409]).toContain(missing.status);
  });

  it('falls back to the rule of the Project, and shows where each rule comes from', async () => {
    const app = kit.newApp();
    for (let count = 0; count < 3; count++) await app.upload();
    const retentionPath = `${app.appPath}/retention`;
    const otto = await signIn(kit.slipway, 'otto');
    const path = `/organizations/${ownerName}/retention`;
    const preview = (await otto.get(`${path}?${asked('some', '1', '7')}`)).text;
    expect(preview).toContain(
      'Slipway keeps the newest build of each app and every build from the last 7 days',
    );
    expect(preview).toContain('No builds will be deleted now.');
    kit.pass(7 * 24 * 60 * 60_000);
    const later = (await otto.get(`${path}?${asked('some', '1', '7')}`)).text;
    expect(later).toContain(app.packageName);
    expect(later).toContain('Save and delete 2 builds');
    expect(await kit.submit(`${path}?${asked('some', '1', '7')}`, 'save', {}, otto)).toMatchObject({
      status: 303,
    });
    await settled();
    expect(await app.revisions()).toEqual([3]);
    expect((await otto.get(`/organizations/${ownerName}/retention`)).text).toContain(
      'Slipway keeps the newest build of each app and every build from the last 7 days',
    );
    const shown = (await kit.dev.get(retentionPath)).text;
    expect(shown).toContain(`Set for the Project ${ownerName}.`);
    expect(shown).toContain(`Use the rule of the Project ${ownerName}`);
    const own = await kit.submit(`${retentionPath}?${asked('everything')}`, 'save');
    expect(own.status).toBe(303);
    expect((await kit.dev.get(retentionPath)).text).toContain('Slipway keeps every build.</strong>');
  });
});

describe('retention pages', () => {
  let kit: BuildKit;
  let browsers: Map<string, BrowserSession>;
  let project: Owner | null;
  beforeAll(async () => {
    kit = await startBuildKit();
    await kit.slipway.user('hanna');
    // An administrator in no team: Projects created below belong to the first administrator, who is older.
    kit.pass(1000);
    await kit.slipway.owners.createUser({
      name: 'ruth',
      email: null,
      administrator: true,
      by: 'command-line',
      passwordHash: testPasswordHash,
    });
    await kit.slipway.workspace('harbour', 'hanna', 'Harbour');
    await kit.slipway.project('docked', { workspace: 'harbour', members: { otto: 'owner' } });
    await kit.upload();
    project = await kit.slipway.data.owners.findOwner('docked');
    await addApp(kit.slipway.data, project?.id ?? '', { packageName: 'com.example.secret.one', count: 70 });
    browsers = new Map();
    for (const name of ['ruth', 'otto', 'hanna']) {
      browsers.set(name, await signIn(kit.slipway, name));
    }
  });
  afterAll(() => kit.close());

  it('reject invalid rules, keep the input and change nothing', async () => {
    const bad: [string, string, string, RegExp][] = [
      ['some', '', '', /Enter a number of builds/],
      ['some', '0', '', /Enter a whole number from 1 to 10,000/],
      ['some', '10001', '', /Enter a whole number from 1 to 10,000/],
      ['some', 'many', '5', /Enter a whole number from 1 to 10,000/],
      ['some', '5', '3651', /Enter a whole number from 1 to 3,650/],
      ['other', '5', '5', /Choose an option/],
    ];
    for (const [keep, newest, days, sentence] of bad) {
      const shown = await kit.dev.get(`${retentionPath}?${asked(keep, newest, days)}`);
      expect(shown.status).toBe(400);
      expect(shown.text).toMatch(sentence);
      expect(shown.text).not.toContain('Will be deleted');
      const posted = await kit.post(`${retentionPath}/save`, { keep, newest, days });
      expect(posted.status).toBe(400);
      expect(posted.text).toMatch(sentence);
      if (newest !== '') expect(posted.text).toContain(`value="${newest}"`);
    }
    expect((await kit.post(`${retentionPath}/save`, { keep: 'some', newest: '5' })).status).toBe(400);
    const foreign = await postForm(
      kit.slipway,
      `${retentionPath}/save`,
      { csrf: 'x', keep: 'some', newest: '5', days: '' },
      { Cookie: kit.dev.cookie },
    );
    expect(foreign.status).toBe(403);
    for (const odd of ['?keep=some&keep=all', '?keep=some&newest=5&days=&page=0', '?done=x&page=9']) {
      expect([200, 400]).toContain((await kit.dev.get(`${retentionPath}${odd}`)).status);
    }
    expect(await kit.slipway.data.retention.hasRules()).toBe(false);
  });

  it('show totals to all managers, but app names only to people with access', async () => {
    const query = asked('some', '10', '');
    const shown = async (name: string, path: string) =>
      (await browsers.get(name)?.get(`${path}?${query}`))?.text ?? '';
    const ofProject = '/organizations/docked/retention';
    expect(await shown('otto', ofProject)).toContain('com.example.secret.one');
    for (const [name, path] of [
      ['ruth', ofProject],
      ['hanna', '/enterprises/harbour/retention'],
    ] as const) {
      const text = await shown(name, path);
      expect(text).toContain('60 builds');
      expect(text).not.toContain('com.example.secret');
    }
    expect(await shown('hanna', '/enterprises/harbour/retention')).toContain('docked');
  });

  it('paginate long previews', async () => {
    const path = '/users/docked/platforms/android/apps/com.example.secret.one/retention';
    const otto = browsers.get('otto') as BrowserSession;
    const first = (await otto.get(`${path}?${asked('some', '10', '')}`)).text;
    const listed = (text: string) =>
      [...text.matchAll(/\/binaries\/(\d+)"/g)].map(([, revision]) => Number(revision));
    expect(listed(first)).toEqual(Array.from({ length: 50 }, (_, index) => index + 1));
    const next =
      /href="([^"]+)" rel="next"/.exec(first)?.[1]?.replaceAll('&amp;', '&').split('#', 1)[0] ?? '';
    const second = (await otto.get(next)).text;
    expect(listed(second)).toEqual(Array.from({ length: 10 }, (_, index) => index + 51));
    expect(second).not.toContain('rel="next"');
    expect(second).toContain('rel="prev"');
    expect(second).toContain('Save and delete 60 builds');
  });
});
