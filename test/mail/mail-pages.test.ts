/** The email pages over HTTP: permissions and forms. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { accountQueries } from '../../src/accounts/profile/account-queries.ts';
import { lanes } from '../../src/jobs/outbox.ts';
import type { SendOutcome } from '../../src/mail/mailer.ts';
import { createMemoryMailer } from '../../src/mail/memory-mailer.ts';
import { createUnsubscribeTokens } from '../../src/mail/pages/unsubscribe-token.ts';
import { noPolicies } from '../../src/owners/policies/policies.ts';
import { policyQueries } from '../../src/owners/policies/policy-queries.ts';
import { type BrowserSession, postForm, signIn } from '../support/browser-session.ts';
import { type Answer, send } from '../support/http-client.ts';
import { uploaded } from '../support/interface-client.ts';
import { addPerson, apk, ipa, mailSettings, mailStatesOf, settleOutbox } from '../support/mail-service.ts';
import { formOf } from '../support/page-forms.ts';
import { addApp } from '../support/sample-rows.ts';
import { startTestService, type TestService, testPasswordHash } from '../support/test-service.ts';
import { type Element, readElements } from '../web/elements.ts';

const settingsPath = '/settings/mail';
const savePath = '/settings/mail/save';
const administrationPath = '/administration/mail';

describe('email pages', () => {
  let slipway: TestService;
  let outcome: SendOutcome = { kind: 'sent' };
  const mailer = createMemoryMailer(() => outcome);
  let tess: BrowserSession;
  let admin: BrowserSession;
  let iosApp: string;
  let androidApp: string;
  beforeAll(async () => {
    slipway = await startTestService({
      blobs: 'memory',
      mailer,
      settings: {
        SLIPWAY_ADMIN_EMAIL: 'admin@example.com',
        ...mailSettings,
        SLIPWAY_URL: 'http://apps.example.com',
      },
    });
    for (const name of ['tess', 'nemo']) await slipway.user(name);
    await slipway.project('harbour', { members: { tess: 'tester' } });
    await upload(ipa);
    await upload(apk);
    const project = await slipway.data.owners.findOwner('harbour');
    const idOf = async (platform: 'ios' | 'android') =>
      (await slipway.data.apps.findApp(project?.id ?? '', platform, 'com.example.tidewatch'))?.id ?? '';
    [iosApp, androidApp] = [await idOf('ios'), await idOf('android')];
    tess = await signIn(slipway, 'tess');
    admin = await signIn(slipway, 'admin');
  });
  afterAll(() => slipway.close());
  beforeEach(() => {
    outcome = { kind: 'sent' };
    mailer.sent.length = 0;
  });

  const upload = async (file: Buffer) => {
    await uploaded(slipway, { owner: 'harbour', file, fields: { message: 'Tides <b>of</b> today' } });
    await settleOutbox(slipway);
  };
  const elements = (answer: Answer): Element[] => readElements(answer.text);
  const field = (answer: Answer, name: string) =>
    elements(answer)
      .find(({ attributes }) => attributes.get('name') === name)
      ?.attributes.get('value') ?? '';
  const post = (browser: BrowserSession | null, path: string, fields: Record<string, string> | string) =>
    postForm(slipway, path, fields, browser ? { Cookie: browser.cookie } : {});

  describe('settings', () => {
    const boxes = (answer: Answer) =>
      elements(answer).filter(({ attributes }) => attributes.get('type') === 'checkbox');
    const shown = (answer: Answer) => boxes(answer).map(({ attributes }) => attributes.get('value'));
    const ticked = (answer: Answer) =>
      boxes(answer)
        .filter(({ attributes }) => attributes.has('checked'))
        .map(({ attributes }) => attributes.get('value'));

    it('list the apps that the person can see, with the defaults of their platforms', async () => {
      const page = await tess.get(settingsPath);
      expect(page.status).toBe(200);
      expect(page.text).toContain('tess@example.com');
      expect(shown(page)).toEqual([iosApp, androidApp]);
      expect(ticked(page)).toEqual([iosApp]);
      const nemo = await signIn(slipway, 'nemo');
      expect(boxes(await nemo.get(settingsPath))).toEqual([]);
    });

    it('apply from the next build after they are saved', async () => {
      const page = await tess.get(settingsPath);
      const form = { csrf: field(page, 'csrf'), apps: field(page, 'apps') };
      const saved = await post(tess, savePath, { ...form, mail: androidApp });
      expect(saved.status).toBe(303);
      expect(saved.headers.location).toBe('/settings/mail?saved=yes');
      const after = await tess.get(saved.headers.location ?? '');
      expect(ticked(after)).toEqual([androidApp]);
      expect(after.text).toContain('Saved');
      await upload(ipa);
      await upload(apk);
      const toTess = mailer.sent.filter(({ to }) => to.address === 'tess@example.com');
      expect(toTess.map(({ subject }) => subject)).toEqual(['Tidewatch 2.4.1 (400) for Android']);
      await post(tess, savePath, { ...form, mail: iosApp });
      expect(ticked(await tess.get(settingsPath))).toEqual([iosApp]);
    });

    it('cannot be changed without the form token of the session, or for apps that the person cannot see', async () => {
      for (const csrf of ['', 'x', field(await admin.get(settingsPath), 'csrf')]) {
        expect((await post(tess, savePath, { csrf, apps: iosApp })).status).toBe(403);
      }
      const nemo = await signIn(slipway, 'nemo');
      const csrf = field(await nemo.get('/users/nemo'), 'csrf');
      const foreign = { csrf, apps: `${iosApp} ${androidApp}`, mail: androidApp };
      expect((await post(nemo, savePath, foreign)).status).toBe(303);
      const person = await slipway.data.owners.findOwner('nemo');
      expect(await slipway.data.mailChoices.findChoice(person?.id ?? '', androidApp)).toBeNull();
      expect(ticked(await tess.get(settingsPath))).toEqual([iosApp]);
    });

    it('are paginated by position, and return to the same page after saving', async () => {
      await slipway.user('many');
      const many = await signIn(slipway, 'many');
      const id = (await slipway.data.owners.findOwner('many'))?.id ?? '';
      const add = (packageName: string) => addApp(slipway.data, id, { packageName, platform: 'ios' });
      const names = Array.from({ length: 101 }, (_, at) => `com.many.n${at + 100}`);
      const appIds: string[] = [];
      for (const name of names) appIds.push((await add(name)).appId);
      const link = (answer: Answer, rel: string) =>
        elements(answer)
          .find(({ attributes }) => attributes.get('rel') === rel)
          ?.attributes.get('href');
      const first = await many.get(settingsPath);
      expect(shown(first)).toEqual(appIds.slice(0, 50));
      expect(link(first, 'prev')).toBeUndefined();
      // Rows added or removed before it do not shift the next page.
      const early = await add('com.many.a');
      const next = link(first, 'next') ?? '';
      const second = await many.get(next);
      expect(shown(second)).toEqual(appIds.slice(50, 100));
      const third = await many.get(link(second, 'next') ?? '');
      expect([shown(third), link(third, 'next')]).toEqual([appIds.slice(100), undefined]);
      expect(shown(await many.get(link(third, 'prev') ?? ''))).toEqual(appIds.slice(50, 100));
      // Navigating back leads to the first page, including any new rows.
      const back = await many.get(link(second, 'prev') ?? '');
      expect(shown(back)).toEqual(appIds.slice(0, 50));
      expect(shown(await many.get(link(back, 'prev') ?? ''))).toEqual([early.appId, ...appIds.slice(0, 49)]);

      const { action, fields } = formOf(second.text, 'save');
      const { mail: _, ...others } = fields;
      const stillOn = appIds.slice(51, 100);
      expect(ticked(second)).toEqual([appIds[50], ...stillOn]);
      const saved = await post(many, action, `${new URLSearchParams(others)}&mail=${stillOn.join('&mail=')}`);
      const location = saved.headers.location ?? '';
      expect(location).toBe(`${settingsPath}?saved=yes&${next.split('?')[1]}`);
      const after = await many.get(location);
      expect([shown(after), ticked(after)]).toEqual([appIds.slice(50, 100), stillOn]);
      const stray = [
        'after=x',
        'after=ios.x',
        `after=ios.x.${'n'.repeat(2001)}`,
        'after=a&after=b',
        'before=%00',
      ];
      for (const query of [...stray, 'after=android.z.zzz', 'before=ios.0.a', 'page=2']) {
        const page = await many.get(`${settingsPath}?${query}`);
        expect([query, shown(page)[0]]).toEqual([query, early.appId]);
      }
    });

    it('accept at most fifty apps per request, and only complete forms', async () => {
      const csrf = field(await tess.get(settingsPath), 'csrf');
      const apps = Array.from({ length: 51 }, () => iosApp).join(' ');
      expect((await post(tess, savePath, { csrf, apps })).status).toBe(400);
      expect((await post(tess, savePath, { csrf })).status).toBe(400);
    });

    it('are linked from the profile page', async () => {
      const links = (answer: Answer) => elements(answer).map(({ attributes }) => attributes.get('href'));
      expect(links(await tess.get('/users/tess'))).toContain(settingsPath);
      expect(links(await tess.get('/users/tess'))).not.toContain(administrationPath);
      expect(links(await admin.get('/administration'))).toContain(administrationPath);
    });
  });

  it('is not sent to people outside the email domains of the Workspace', async () => {
    const key = await slipway.user('wanda');
    await slipway.user('ola');
    const ola = (await slipway.data.owners.findOwner('ola'))?.id ?? '';
    await accountQueries(slipway.data).setEmail(ola, 'ola@example.org', 'ola@example.com', true);
    await slipway.workspace('quay', 'wanda');
    await slipway.project('pier', { workspace: 'quay', members: { wanda: 'owner', ola: 'tester' } });
    const addressed = async () => {
      await uploaded(slipway, { owner: 'pier', key, file: ipa });
      await settleOutbox(slipway);
      return mailer.sent
        .splice(0)
        .map(({ to }) => to.address)
        .sort();
    };
    expect(await addressed()).toEqual(['admin@example.com', 'ola@example.org', 'wanda@example.com']);
    const quay = (await slipway.data.owners.findWorkspace('quay'))?.id ?? '';
    await policyQueries(slipway.data).set(quay, { ...noPolicies, emailDomains: ['example.com'] });
    expect(await addressed()).toEqual(['admin@example.com', 'wanda@example.com']);
  });

  describe('unsubscribe link', () => {
    const tokenOf = async (name: string, appId: string) => {
      const user = await slipway.data.owners.findOwner(name);
      await slipway.data.mailChoices.setChoice(user?.id ?? '', appId, true, 1);
      await upload(appId === iosApp ? ipa : apk);
      const mail = mailer.sent.findLast(({ to }) => to.address === `${name}@example.com`);
      return /unsubscribe\/([^>]+)>/.exec(mail?.headers['List-Unsubscribe'] ?? '')?.[1] ?? '';
    };
    const choiceOf = async (name: string, appId: string) => {
      const user = await slipway.data.owners.findOwner(name);
      return slipway.data.mailChoices.findChoice(user?.id ?? '', appId);
    };

    it('requires confirmation, unsubscribes and can be undone, without signing in', async () => {
      const token = await tokenOf('tess', iosApp);
      for (let time = 0; time < 2; time++) {
        const page = await send(slipway.port, `/unsubscribe/${token}`, { headers: { Accept: 'text/html' } });
        expect(page.status).toBe(200);
        expect(page.headers['cache-control']).toBe('private, no-store');
        expect(page.headers['referrer-policy']).toBe('no-referrer');
        expect(page.text).toContain('Tidewatch');
        const forms = elements(page).filter(({ tag }) => tag === 'form');
        expect(forms.map(({ attributes }) => attributes.get('action'))).toEqual([`/unsubscribe/${token}`]);
        expect(await choiceOf('tess', iosApp)).toBe(true);
      }
      const off = await post(null, `/unsubscribe/${token}`, {});
      expect(off.status).toBe(200);
      expect(await choiceOf('tess', iosApp)).toBe(false);
      const again = elements(off).filter(({ tag }) => tag === 'form');
      expect(again.map(({ attributes }) => attributes.get('action'))).toEqual([`/unsubscribe/${token}/undo`]);
      mailer.sent.length = 0;
      await upload(ipa);
      expect(mailer.sent.map(({ to }) => to.name)).not.toContain('tess');
      const reloaded = await send(slipway.port, `/unsubscribe/${token}/undo`);
      expect([reloaded.status, reloaded.headers.location]).toEqual([303, `/unsubscribe/${token}`]);
      expect(await choiceOf('tess', iosApp)).toBe(false);
      const undo = (csrf: string) => post(tess, `/unsubscribe/${token}/undo`, { csrf });
      for (const csrf of ['', 'x', field(off, 'csrf')]) expect((await undo(csrf)).status).toBe(403);
      expect(await choiceOf('tess', iosApp)).toBe(false);
      const undone = await post(null, `/unsubscribe/${token}/undo`, {});
      expect(undone.status).toBe(200);
      expect(await choiceOf('tess', iosApp)).toBe(true);
    });

    it.each([
      ['a form', 'application/x-www-form-urlencoded', 'List-Unsubscribe=One-Click'],
      [
        'parts',
        'multipart/form-data; boundary=x',
        '--x\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--x--\r\n',
      ],
      ['nothing', 'text/plain', ''],
    ])('accepts one-click unsubscribe with a body of %s', async (_, type, body) => {
      const token = await tokenOf('tess', androidApp);
      expect(await choiceOf('tess', androidApp)).toBe(true);
      const answer = await send(slipway.port, `/unsubscribe/${token}`, {
        method: 'POST',
        headers: { 'Content-Type': type },
        body,
      });
      expect(answer.status).toBe(200);
      expect(answer.headers.location).toBeUndefined();
      expect(await choiceOf('tess', androidApp)).toBe(false);
    });

    it('applies to one person and one app only', async () => {
      const token = await tokenOf('tess', iosApp);
      const [user = '', app = '', signature = ''] = token.split('.');
      const nemo = (await slipway.data.owners.findOwner('nemo'))?.id ?? '';
      const forged = createUnsubscribeTokens('another secret').issue({ userId: user, subjectId: app });
      const wrong = [
        `${nemo}.${app}.${signature}`,
        `${user}.${androidApp}.${signature}`,
        `${user}.${app}.${signature.slice(1)}A`,
        `${user}.${app}`,
        `${token}x`,
        forged,
        'x',
        'a'.repeat(1000),
      ];
      for (const one of wrong) {
        expect((await send(slipway.port, `/unsubscribe/${one}`)).status, one).toBe(404);
        expect((await post(null, `/unsubscribe/${one}`, {})).status, one).toBe(404);
      }
      expect(await choiceOf('tess', iosApp)).toBe(true);
    });
  });

  describe('administration', () => {
    const firstMail = async (state: string) => {
      const list = await admin.get(`${administrationPath}?state=${state}`);
      const link = elements(list).find(({ attributes }) =>
        /^\/administration\/mail\/[0-9a-z]{26}$/.test(attributes.get('href') ?? ''),
      );
      return link?.attributes.get('href') ?? '';
    };

    it('has only pages of emails that exist', async () => {
      for (const path of ['none', 'x'.repeat(26), '%00']) {
        expect((await admin.get(`${administrationPath}/${path}`)).status).toBe(404);
      }
    });

    it('lists emails with their delivery status, newest first, paginated and filterable', async () => {
      outcome = { kind: 'refused', reason: '550 no <such> mailbox' };
      await upload(ipa);
      outcome = { kind: 'uncertain', reason: 'no answer' };
      await upload(ipa);
      const list = await admin.get(administrationPath);
      expect(list.text).toContain('550 no &lt;such');
      expect(list.text).toContain('no answer');
      expect(list.text.indexOf('no answer')).toBeLessThan(list.text.indexOf('550 no'));
      const dead = await admin.get(`${administrationPath}?state=dead`);
      expect(dead.text).toContain('550 no');
      expect(dead.text).not.toContain('no answer');
      expect((await admin.get(`${administrationPath}?state=nonsense&below=x&above=y`)).status).toBe(200);
    });

    it('paginates in both directions', async () => {
      await slipway.project('crowd');
      for (let index = 0; index < 60; index++) {
        const { name: userName } = await addPerson(slipway, `person-${index}`);
        const member = { projectName: 'crowd', team: 'tester', userName, by: 'command-line' } as const;
        await slipway.owners.addToTeam({ ...member, notify: false });
      }
      await uploaded(slipway, { owner: 'crowd', file: ipa });
      await settleOutbox(slipway);
      const idsOn = (answer: Answer) =>
        elements(answer).flatMap(
          ({ attributes }) => /mail\/([0-9a-z]{26})$/.exec(attributes.get('href') ?? '')?.[1] ?? [],
        );
      const linkOf = (answer: Answer, rel: string) =>
        elements(answer)
          .find(({ attributes }) => attributes.get('rel') === rel)
          ?.attributes.get('href');
      const seen: string[] = [];
      const pages: Answer[] = [];
      for (
        let next: string | undefined = administrationPath;
        next;
        next = linkOf(pages.at(-1) as Answer, 'next')
      ) {
        pages.push(await admin.get(next));
        seen.push(...idsOn(pages.at(-1) as Answer));
      }
      expect(pages.length).toBeGreaterThan(1);
      expect(linkOf(pages[0] as Answer, 'prev')).toBeUndefined();
      expect(seen).toEqual([...seen].sort().reverse());
      expect(new Set(seen).size).toBe(seen.length);
      const back = await admin.get(linkOf(pages[1] as Answer, 'prev') ?? '');
      expect(idsOn(back)).toEqual(idsOn(pages[0] as Answer));
      expect(linkOf(back, 'prev')).toBeUndefined();
    });

    it('shows an email as text and HTML, without scripts and without the person’s unsubscribe token', async () => {
      await upload(ipa);
      const path = await firstMail('sent');
      const page = await admin.get(path);
      expect(page.text).toContain('Tides &lt;b');
      const html = await admin.get(`${path}/html`);
      expect(html.headers['content-security-policy']).toMatch(/^sandbox; default-src 'none';/);
      expect(html.text).toContain('data:image/png;base64,');
      expect(html.text).not.toContain('cid:');
      expect(html.text).not.toContain('<b>of</b>');
      for (const { text } of [page, html]) expect(text).not.toMatch(/unsubscribe\/[0-9a-z]{26}/);
    });

    it('sends a test email to the administrator, and shows what the mail server answered', async () => {
      const page = await admin.get(administrationPath);
      const form = formOf(page.text, 'send-test');
      const answer = await post(admin, form.action, form.fields);
      expect([answer.status, answer.headers.location]).toEqual([303, `${administrationPath}?done=test-sent`]);
      expect((await admin.get(answer.headers.location ?? '')).text).toContain(
        'The mail server accepted the test email to admin@example.com.',
      );
      expect(mailer.sent).toMatchObject([
        { to: { name: 'admin', address: 'admin@example.com' }, subject: 'Test email from Slipway' },
      ]);
      expect(mailer.sent[0]?.text).toContain('http://apps.example.com/administration/mail');
      outcome = { kind: 'later', reason: '421 try again <later>' };
      const failed = await post(admin, form.action, form.fields);
      expect(failed.status).toBe(502);
      expect(failed.text).toContain('The test email was not sent');
      expect(failed.text).toContain('421 try again &lt;later>');
      expect(mailer.sent).toHaveLength(1);
      expect((await post(tess, form.action, form.fields)).status).toBe(404);
      outcome = { kind: 'sent' };
      const home = await post(admin, form.action, { ...form.fields, to: 'home' });
      expect(home.headers.location).toBe('/?done=test-sent');
      expect((await admin.get('/?done=test-sent')).text).toContain('Check that it arrives.');
    });

    it('sends ten test emails an hour, and none without an address', async () => {
      const account = { name: 'olga', email: null, passwordHash: testPasswordHash, administrator: true };
      await slipway.owners.createUser({ ...account, by: 'command-line' });
      const session = await signIn(slipway, 'olga');
      const csrf = field(await session.get(administrationPath), 'csrf');
      expect((await session.get(administrationPath)).text).not.toContain('send-test');
      const path = `${administrationPath}/send-test`;
      expect((await post(session, path, { csrf })).status).toBe(409);
      const codes = [];
      for (let at = 0; at < 10; at++) codes.push((await post(session, path, { csrf })).status);
      expect(codes).toEqual([...Array(9).fill(409), 429]);
      expect(mailer.sent).toEqual([]);
    });

    it('marks a list with emails that wait, so that the browser asks until they are sent', async () => {
      outcome = { kind: 'later', reason: '421 try again' };
      await uploaded(slipway, { owner: 'harbour', file: ipa });
      await settleOutbox(slipway);
      expect((await admin.get(administrationPath)).text).toContain('data-live-pending');
      outcome = { kind: 'sent' };
      for (let left = 2; left > 0; left--) {
        const id = (await firstMail('waiting')).split('/').at(-1) ?? '';
        const sent = { state: 'sent', lastError: null, now: Date.now() } as const;
        await slipway.data.mails.changeMail(id, ['waiting'], sent);
      }
      expect((await admin.get(administrationPath)).text).not.toContain('data-live-pending');
    });

    it('retries only failed emails', async () => {
      outcome = { kind: 'refused', reason: '550 no such mailbox' };
      await upload(ipa);
      const path = await firstMail('dead');
      const failed = await admin.get(path);
      expect(failed.text).toContain(`action="${path}/retry"`);
      const csrf = field(failed, 'csrf');
      expect((await post(admin, `${path}/retry`, { csrf: 'x' })).status).toBe(403);
      outcome = { kind: 'sent' };
      const answer = await post(admin, `${path}/retry`, { csrf });
      expect(answer.status).toBe(303);
      expect(answer.headers.location).toBe(path);
      await settleOutbox(slipway);
      expect(mailer.sent).toHaveLength(1);
      expect((await admin.get(path)).text).not.toContain(`${path}/retry`);
      expect((await post(admin, `${path}/retry`, { csrf })).status).toBe(409);
      const project = await slipway.data.owners.findOwner('harbour');
      expect((await slipway.data.audit.list(project?.id ?? '', 1))[0]).toMatchObject({
        action: 'mail.tried-again',
        actorName: 'admin',
      });
      await settleOutbox(slipway);
      expect(mailer.sent).toHaveLength(1);
    });
  });
});

describe('email pages without a mail server', () => {
  it.each([
    ['SLIPWAY_SMTP_URL', { SLIPWAY_URL: 'https://apps.example.com' }],
    ['SLIPWAY_URL', { SLIPWAY_SMTP_URL: 'smtp://x', SLIPWAY_MAIL_FROM: 'a@example.com' }],
  ])('explain how to set %s, and show emails that are stored without a job', async (missing, settings) => {
    const mailer = createMemoryMailer();
    const slipway = await startTestService({
      blobs: 'memory',
      mailer,
      settings: { SLIPWAY_ADMIN_EMAIL: 'admin@example.com', ...settings },
    });
    await addPerson(slipway, 'olga');
    await addPerson(slipway, 'mute', null);
    await slipway.project('harbour', { members: { olga: 'owner', mute: 'tester' } });
    await uploaded(slipway, { owner: 'harbour', file: ipa });
    await settleOutbox(slipway);
    expect(mailer.sent).toEqual([]);
    const kept = { state: 'kept', attempts: 0, lastError: null };
    expect(await mailStatesOf(slipway)).toEqual({ 'admin@example.com': kept, 'olga@example.com': kept });
    expect(await slipway.data.outbox.nextRunAt(lanes.mail)).toBeNull();
    const admin = await signIn(slipway, 'admin');
    const list = await admin.get('/administration/mail');
    expect(list.text).toContain(missing);
    expect(list.text).toContain('admin@example.com');
    expect(list.text).not.toContain('send-test');
    const path = /\/administration\/mail\/[0-9a-z]{26}/.exec(list.text)?.[0] ?? '';
    expect((await admin.get(path)).text).toContain('Tidewatch 2.4.1 (400) for iOS');
    expect((await admin.get('/settings/mail')).text).toContain('as soon as an administrator sets up email');
    await slipway.close();
  });
});
