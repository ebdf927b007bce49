/** The recipients of build emails, for uploads as CI sends them. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { lanes } from '../../src/jobs/outbox.ts';
import { createMemoryMailer, type MemoryMailer } from '../../src/mail/memory-mailer.ts';
import { uploaded } from '../support/interface-client.ts';
import { addPerson, apk, ipa, mailSettings, mailStatesOf, settleOutbox } from '../support/mail-service.ts';
import { mainDialects } from '../support/test-database.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

const admin = 'admin@example.com';

describe.each(mainDialects)('emails about new builds on %s', (dialect) => {
  let slipway: TestService;
  let mailer: MemoryMailer;
  const open = async (settings: Record<string, string> = mailSettings) => {
    mailer = createMemoryMailer();
    slipway = await startTestService({
      dialect,
      blobs: 'memory',
      mailer,
      settings: { SLIPWAY_ADMIN_EMAIL: admin, ...settings },
    });
    for (const name of ['olga', 'dan', 'tess', 'nemo', 'late']) await addPerson(slipway, name);
    await addPerson(slipway, 'mute', null);
    await slipway.project('harbour', {
      members: { olga: 'owner', dan: 'developer', tess: 'tester', mute: 'tester' },
    });
  };
  beforeEach(() => open());
  afterEach(() => slipway.close());

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
    await upload('harbour', ipa);
    expect(addressees()).toEqual(people);
    await settleOutbox(slipway);
    expect(mailer.sent).toHaveLength(people.length);
    expect(new Set(mailer.sent.map(({ messageId }) => messageId)).size).toBe(people.length);
    const states = await mailStatesOf(slipway);
    expect(Object.values(states)).toEqual(
      people.map(() => ({ state: 'sent', attempts: 1, lastError: null })),
    );
    await upload('harbour', ipa);
    expect(mailer.sent).toHaveLength(2 * people.length);
  });

  it('are sent only to people who turned them on for Android', async () => {
    await upload('harbour', apk);
    expect(addressees()).toEqual([]);
    const { id } = await appOf('harbour', 'android');
    for (const name of ['tess', 'nemo', 'mute']) {
      await slipway.data.mailChoices.setChoice(await idOf(name), id, true, 1);
    }
    await upload('harbour', apk);
    expect(addressees()).toEqual(['tess@example.com']);
    expect(mailer.sent[0]?.text).toContain('because you turned on emails about Tidewatch');
  });

  it('are not sent to people who turned them off, nor to anyone with disable_notify', async () => {
    await upload('harbour', ipa, { disable_notify: 'true' });
    await upload('harbour', apk, { disable_notify: 'yes' });
    expect(addressees()).toEqual([]);
    expect(await mailStatesOf(slipway)).toEqual({});
    expect(await slipway.data.outbox.nextRunAt(lanes.mail)).toBeNull();
    const tess = await idOf('tess');
    await slipway.data.mailChoices.setChoice(tess, (await appOf('harbour', 'ios')).id, false, 1);
    await slipway.data.mailChoices.setChoice(tess, (await appOf('harbour', 'android')).id, true, 1);
    await upload('harbour', apk, { disable_notify: '1' });
    expect(addressees()).toEqual([]);
    await upload('harbour', ipa);
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
    const named = await upload('harbour', ipa, {
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
    const alone = await upload('harbour', ipa, { message: 'Only a message' });
    const last = mailer.sent.at(-1);
    expect(button.exec(last?.html ?? '')?.[1]).toBe(`${alone.revision_url}/install`);
    expect(last?.text).toContain('Only a message');
    expect(last?.text).not.toContain('Faster');
  });

  it('contain the app icon or a monogram, and the build details', async () => {
    await upload('harbour', ipa, { branch: 'feature/storm', commit: '9f31c2ab', label: 'PR 412' });
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
    const result = await upload('harbour', ipa);
    const app = await appOf('harbour', 'ios');
    const build = await slipway.data.builds.findBuildByRevision(app.id, result.revision);
    const again = { kind: 'announce-build', buildId: build?.id ?? '', pageId: null } as const;
    await slipway.data.outbox.add(again, Date.now());
    await slipway.owners.addToTeam({
      notify: false,
      projectName: 'harbour',
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

  it.each(['SLIPWAY_SMTP_URL', 'SLIPWAY_URL'])(
    'are stored without a job when %s is missing',
    async (missing) => {
      await slipway.close();
      const settings: Record<string, string> = { ...mailSettings };
      delete settings[missing];
      await open(settings);
      await upload('harbour', ipa);
      expect(mailer.sent).toEqual([]);
      const states = await mailStatesOf(slipway);
      expect(Object.keys(states)).toEqual(people);
      expect(new Set(Object.values(states).map(({ state }) => state))).toEqual(new Set(['kept']));
      expect(await slipway.data.outbox.nextRunAt(lanes.mail)).toBeNull();
    },
  );

  it('are not created when the upload is rejected', async () => {
    const before = await slipway.data.outbox.nextRunAt(lanes.builds);
    await expect(
      uploaded(slipway, { owner: 'harbour', file: ipa, fields: { distribution_key: 'f'.repeat(40) } }),
    ).rejects.toThrow();
    expect(await slipway.data.outbox.nextRunAt(lanes.builds)).toBe(before);
    await settleOutbox(slipway);
    expect(await mailStatesOf(slipway)).toEqual({});
  });
});
