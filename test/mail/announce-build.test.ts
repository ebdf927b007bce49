/** The recipients of build emails, for uploads as CI sends them. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { defineQueries } from '../../src/db/data.ts';
import { lanes } from '../../src/jobs/outbox.ts';
import { createMemoryMailer } from '../../src/mail/memory-mailer.ts';
import { uploaded } from '../support/interface-client.ts';
import { addPerson, apk, ipa, mailSettings, settleOutbox } from '../support/mail-service.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

const forgetAnalyses = defineQueries((db) => ({
  ofBuild: async (buildId: string) => {
    for (const table of ['build_analyses', 'build_checks'] as const)
      await db.deleteFrom(table).where('build_id', '=', buildId).execute();
  },
}));

const admin = 'admin@example.com';

describe('emails about new builds', () => {
  let slipway: TestService;
  let project: string;
  const mailer = createMemoryMailer();
  let aheadMs = 0;
  beforeAll(async () => {
    slipway = await startTestService({
      now: () => Date.now() + aheadMs,
      blobs: 'memory',
      mailer,
      settings: { SLIPWAY_ADMIN_EMAIL: admin, ...mailSettings },
    });
    for (const name of ['olga', 'dan', 'tess', 'nemo', 'late']) await addPerson(slipway, name);
    await addPerson(slipway, 'mute', null);
  });
  afterAll(() => slipway.close());

  let projects = 0;
  beforeEach(async () => {
    mailer.sent.length = 0;
    project = `harbour-${++projects}`;
    await slipway.project(project, {
      members: { olga: 'owner', dan: 'developer', tess: 'tester', mute: 'tester' },
    });
  });

  const upload = async (owner: string, file: Buffer, fields: Record<string, string> = {}) => {
    const result = await uploaded(slipway, { owner, file, fields });
    await settleOutbox(slipway);
    return result;
  };
  const addressees = () => mailer.sent.map(({ to }) => to.address).sort();
  const people = ['admin', 'dan', 'olga', 'tess'].map((name) => `${name}@example.com`);

  const idOf = async (name: string) => (await slipway.data.owners.findOwner(name))?.id ?? '';
  const appOf = async (owner: string, platform: 'ios' | 'android') => {
    const app = await slipway.data.apps.findApp(await idOf(owner), platform, 'com.example.tidewatch');
    if (!app) throw new Error('no app');
    return app;
  };

  it('are sent to every team of the Project once for iOS', async () => {
    await upload(project, ipa);
    expect(addressees()).toEqual(people);
    await settleOutbox(slipway);
    expect(mailer.sent).toHaveLength(people.length);
    expect(new Set(mailer.sent.map(({ messageId }) => messageId)).size).toBe(people.length);
    const sent = await slipway.data.mails.listMails({ state: null, limit: people.length });
    expect(sent.map(({ mail: { state, attempts, lastError } }) => [state, attempts, lastError])).toEqual(
      people.map(() => ['sent', 1, null]),
    );
    await upload(project, ipa);
    expect(mailer.sent).toHaveLength(2 * people.length);
  });

  it('are sent only to people who turned them on for Android', async () => {
    await upload(project, apk);
    expect(addressees()).toEqual([]);
    const { id } = await appOf(project, 'android');
    for (const name of ['tess', 'nemo', 'mute']) {
      await slipway.data.mailChoices.setChoice(await idOf(name), id, true, 1);
    }
    await upload(project, apk);
    expect(addressees()).toEqual(['tess@example.com']);
    expect(mailer.sent[0]?.text).toContain('because you turned on emails about Tidewatch');
  });

  it('are not sent to people who turned them off, nor to anyone with disable_notify', async () => {
    const [before] = await slipway.data.mails.listMails({ state: null, limit: 1 });
    await upload(project, ipa, { disable_notify: 'true' });
    await upload(project, apk, { disable_notify: 'yes' });
    expect(addressees()).toEqual([]);
    expect(await slipway.data.mails.listMails({ state: null, limit: 1 })).toEqual([before].filter(Boolean));
    expect(await slipway.data.outbox.nextRunAt(lanes.mail)).toBeNull();
    const tess = await idOf('tess');
    await slipway.data.mailChoices.setChoice(tess, (await appOf(project, 'ios')).id, false, 1);
    await slipway.data.mailChoices.setChoice(tess, (await appOf(project, 'android')).id, true, 1);
    await upload(project, apk, { disable_notify: '1' });
    expect(addressees()).toEqual([]);
    await upload(project, ipa);
    expect(addressees()).toEqual(people.filter((address) => !address.startsWith('tess')));
  });

  it('are sent to the User and to people with access for apps of a User', async () => {
    await upload('admin', ipa);
    expect(addressees()).toEqual([admin]);
    expect(mailer.sent[0]?.text).toContain('because you own Tidewatch');
    const { id } = await appOf('admin', 'ios');
    await slipway.data.appTesters.add({ appId: id, userId: await idOf('nemo'), limit: 9, now: 1 });
    await upload('admin', ipa);
    expect(addressees().slice(1)).toEqual([admin, 'nemo@example.com']);
    const toNemo = mailer.sent.find(({ to }) => to.address === 'nemo@example.com');
    expect(toNemo?.text).toContain('because you have access to Tidewatch');
  });

  it('have one button, whose link names the build and the page of the upload', async () => {
    const named = await upload(project, ipa, {
      distribution_name: 'main',
      release_note: 'Faster **start**',
    });
    const button = /href="([^"]+)"[^>]*>Install</;
    const { text, html } = mailer.sent[0] ?? { text: '', html: '' };
    const link = `${named.revision_url}/install?page=${named.distribution?.access_key}`;
    expect(button.exec(html)?.[1]).toBe(link);
    expect(text).toContain(`Install:\n${link}\n`);
    expect(text).toContain('Faster **start**');
    expect(html).toContain('Faster <strong>start</strong>');
    const alone = await upload(project, ipa, { message: 'Only a message' });
    const last = mailer.sent.at(-1);
    expect(button.exec(last?.html ?? '')?.[1]).toBe(`${alone.revision_url}/install`);
    expect(last?.text).toContain('Only a message');
    expect(last?.text).not.toContain('Faster');
  });

  it('contain the app icon or a monogram, and the build details', async () => {
    await upload(project, ipa, { branch: 'feature/storm', commit: '9f31c2ab', label: 'PR 412' });
    const [mail] = mailer.sent;
    expect(mail?.subject).toBe('Tidewatch 2.4.1 (400) for iOS');
    expect(mail?.from).toEqual({ name: 'Slipway', address: 'builds@apps.example.com' });
    for (const fact of ['feature/storm', '9f31c2ab', 'PR 412', 'admin']) expect(mail?.text).toContain(fact);
    const [picture] = mail?.pictures ?? [];
    expect(
      Buffer.from(picture?.bytes ?? [])
        .subarray(1, 4)
        .toString(),
    ).toBe('PNG');
    expect(mail?.html).toContain(`src="cid:${picture?.contentId}"`);
  });

  it('are created once, however often the job runs', async () => {
    const result = await upload(project, ipa);
    const app = await appOf(project, 'ios');
    const build = await slipway.data.builds.findBuildByRevision(app.id, result.revision);
    const again = { kind: 'announce-build', buildId: build?.id ?? '', pageId: null } as const;
    await slipway.data.outbox.add(again, Date.now());
    await slipway.owners.addToTeam({
      notify: false,
      projectName: project,
      team: 'tester',
      userName: 'late',
      by: 'command-line',
    });
    await settleOutbox(slipway);
    expect(addressees()).toEqual([...people, 'late@example.com'].sort());
    await slipway.data.outbox.add({ ...again, buildId: 'gone', pageId: 'gone' }, Date.now());
    await slipway.data.outbox.add({ ...again, pageId: 'gone' }, Date.now());
    await settleOutbox(slipway);
    expect(mailer.sent).toHaveLength(people.length + 1);
  });

  it('reach testers at once, and people who manage the app when the checks are known', async () => {
    const { revision } = await upload(project, ipa, { disable_notify: 'true' });
    const app = await appOf(project, 'ios');
    const settings = JSON.stringify({ maxDownloadBytes: 1 });
    await slipway.data.checks.setSettings(app.id, settings);
    const build = await slipway.data.builds.findBuildByRevision(app.id, revision);
    if (!build) throw new Error('no build');
    await forgetAnalyses(slipway.data).ofBuild(build.id);
    const job = { kind: 'announce-build', buildId: build.id, pageId: null } as const;
    await slipway.data.outbox.add(job, Date.now());
    await settleOutbox(slipway);
    expect(addressees()).toEqual(['tess@example.com']);
    aheadMs = 600_000;
    await settleOutbox(slipway);
    expect(addressees()).toEqual(people);
    const textTo = (name: string) =>
      mailer.sent.findLast(({ to }) => to.address.startsWith(name))?.text.match(/Failed checks: .*/)?.[0];
    expect(textTo('olga')).toBe('Failed checks: not known when this email was sent');
    expect(textTo('tess')).toBeUndefined();

    mailer.sent.length = 0;
    // The job waits for the analysis of the upload, which hastens it.
    await upload(project, ipa);
    expect(addressees()).toEqual(people);
    expect(textTo('dan')).toMatch(/^Failed checks: Download size/);
    expect(textTo('tess')).toBeUndefined();
  });

  it('are not created when the upload is rejected', async () => {
    const jobs = await slipway.data.outbox.nextRunAt(lanes.builds);
    const [before] = await slipway.data.mails.listMails({ state: null, limit: 1 });
    await expect(
      uploaded(slipway, { owner: project, file: ipa, fields: { distribution_key: 'f'.repeat(40) } }),
    ).rejects.toThrow();
    expect(await slipway.data.outbox.nextRunAt(lanes.builds)).toBe(jobs);
    await settleOutbox(slipway);
    expect(await slipway.data.mails.listMails({ state: null, limit: 1 })).toEqual([before].filter(Boolean));
  });
});
