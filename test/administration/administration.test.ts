/** The administration pages over HTTP: permissions and forms. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Job, lanes } from '../../src/jobs/outbox.ts';
import { type AccountsService, type Browser, startAccountsService } from '../support/accounts-service.ts';
import { signIn } from '../support/browser-session.ts';
import { buildApk } from '../support/build-apk.ts';
import { send } from '../support/http-client.ts';
import { get, refusalOf, uploaded } from '../support/interface-client.ts';
import { addPerson, settleOutbox } from '../support/mail-service.ts';
import { formOf } from '../support/page-forms.ts';
import { sampleMailAbout } from '../support/sample-rows.ts';
import { setUpApp } from '../support/second-factors.ts';
import { testPassword } from '../support/test-service.ts';
import { readElements } from '../web/elements.ts';

describe('administration', () => {
  let slipway: AccountsService;
  let admin: Browser;
  let mina: Browser;
  const keys: Record<string, string> = {};
  beforeAll(async () => {
    slipway = await startAccountsService('sqlite', []);
    for (const name of ['mina', 'vera', 'jonas']) keys[name] = await slipway.user(name);
    await slipway.project('harbour', { members: { mina: 'owner', jonas: 'tester' } });
    admin = await slipway.browser('admin');
    mina = await slipway.browser('mina');
    await settleOutbox(slipway);
  });
  afterAll(() => slipway.close());

  const person = (name: string) => `/administration/people/${name}`;
  /** Each at a different time, so that the audit log has an order. */
  const act = (name: string, action: string) => {
    slipway.clock.now += 1;
    return admin.submit(person(name), action, { proof: testPassword });
  };
  /** Also where the page has no such form. */
  const post = async (by: Browser, name: string, action: string) =>
    by.post(`${person(name)}/${action}`, { csrf: await by.csrf(), proof: testPassword });
  const idOf = async (name: string) => (await slipway.data.owners.findOwner(name))?.id ?? '';
  const latestActions = async (limit: number) =>
    (await slipway.data.audit.page({ ownerId: null }, { limit: limit + 50 }))
      .filter(({ action }) => !action.startsWith('sign-in.'))
      .slice(0, limit)
      .map(({ actorName, action, subject }) => `${actorName} ${action} ${subject}`);
  const isAdministrator = async (name: string) => {
    const owner = await slipway.data.owners.findOwner(name);
    return owner?.kind === 'user' && owner.administrator;
  };
  const projectsOf = (key: string) => get(slipway, '/api/organizations', key);
  const linesOf = (html: string) =>
    readElements(html)
      .filter(
        ({ tag, attributes }) => tag === 'a' && attributes.get('href')?.startsWith('/administration/people/'),
      )
      .map(({ text }) => text);
  const linkTo = (html: string, rel: string) =>
    readElements(html)
      .find(({ tag, attributes }) => tag === 'a' && attributes.get('rel') === rel)
      ?.attributes.get('href') ?? null;

  it('is linked for administrators only, and knows its people and actions', async () => {
    expect((await admin.get('/administration/people/nobody')).status).toBe(404);
    expect((await admin.get('/administration/people/harbour')).status).toBe(404);
    expect((await post(admin, 'mina', 'praise')).status).toBe(404);
    expect((await post(admin, 'nobody', 'disable')).status).toBe(404);
    expect(await isAdministrator('mina')).toBe(false);
    expect((await mina.get('/')).text).not.toContain('href="/administration"');
    expect((await admin.get('/')).text).toContain('href="/administration"');
  });

  it('shows versions, totals and what needs attention on the overview', async () => {
    const { text } = await admin.get('/administration');
    expect(text).toContain('SQLite 3.');
    expect(text).toMatch(/\d{4}-[a-z-]+<\/dd>/);
    expect(text).toContain('Not run since the server started');
    expect(text).not.toContain('Needs attention');
    await admin.post('/administration/doctor/run', { csrf: await admin.csrf() });
    const after = (await admin.get('/administration')).text;
    expect(after).not.toContain('Not run since the server started');
    expect(after).toMatch(/Found (one|\d+) problems?/);
  });

  describe('list of people', () => {
    it('finds people by name or address as you type, and filters them', async () => {
      await addPerson(slipway, 'q-Wilma', 'Wilma.Stone@example.org');
      await addPerson(slipway, 'q-fred', 'fred@example.org');
      const names = async (query: string) =>
        linesOf((await admin.get(`/administration/people?${query}`)).text);
      expect(await names('q=WILMA')).toEqual(['q-Wilma']);
      expect(await names('q=stone%40example.org')).toEqual(['q-Wilma']);
      expect(await names('q=Example.ORG')).toEqual(['q-fred', 'q-Wilma']);
      expect(await names('q=example.org+q-f')).toEqual(['q-fred']);
      for (const nobody of ['%25', '_', 'q-fred+stone', '%00', 'harbour']) {
        expect(await names(`q=${nobody}`), nobody).toEqual(
          nobody === '%00' ? expect.arrayContaining(['mina']) : [],
        );
      }
      expect(await names('only=administrators')).toEqual(['admin']);
      expect(await names('only=disabled')).toEqual([]);
      const disabled = (await admin.get('/administration/people?q=example&only=disabled')).text;
      for (const filter of ['', 'only=administrators&amp;', 'only=disabled&amp;'])
        expect(disabled).toContain(`href="/administration/people?${filter}q=example"`);
      const part = await admin.get('/administration/people?q=wilma&part=people');
      expect(part.text).toMatch(/^<div data-found="1 person">/);
    });

    it('paginates people by name in both directions', async () => {
      for (let at = 0; at < 120; at++) await addPerson(slipway, `z-${String(at).padStart(3, '0')}`);
      const seen: string[][] = [];
      let path: string | null = '/administration/people?q=z-';
      while (path !== null) {
        const { text } = await admin.get(path);
        seen.push(linesOf(text));
        path = linkTo(text, 'next')?.replaceAll('&amp;', '&') ?? null;
        if (path === null) {
          const back = await admin.get(linkTo(text, 'prev') ?? '');
          expect(linesOf(back.text)).toEqual(seen[1]);
          const first = await admin.get(linkTo(back.text, 'prev') ?? '');
          expect(linesOf(first.text)).toEqual(seen[0]);
          expect(linkTo(first.text, 'prev')).toBeNull();
        }
      }
      expect(seen.map((lines) => lines.length)).toEqual([50, 50, 20]);
      expect(seen.flat()).toEqual(seen.flat().toSorted());
    });
  });

  describe('a person’s page', () => {
    it('shows Projects, sessions and keys, ends the sessions and revokes the keys', async () => {
      const other = await slipway.browser('mina');
      const page = (await admin.get(person('mina'))).text;
      expect(page).toContain('Signed in on 2 browsers.');
      expect(page).toMatch(/harbour<\/bdi><\/a><span class="secondary fine">Owner/);
      expect((await act('mina', 'sessions/end')).headers.location).toBe(
        `${person('mina')}?done=sessions-ended`,
      );
      expect((await other.get('/settings')).status).toBe(303);
      expect((await mina.get('/settings')).status).toBe(303);
      mina = await slipway.browser('mina');
      expect((await projectsOf(keys.mina ?? '')).status).toBe(200);
      await act('mina', 'revoke');
      expect((await projectsOf(keys.mina ?? '')).status).toBe(401);
      expect((await admin.get(person('mina'))).text).toContain('No active keys.');
      expect(await latestActions(2)).toEqual([
        expect.stringContaining('admin key.revoked '),
        'admin sessions.ended mina',
      ]);
    });

    it('resets a password by a link shown to the administrator or sent by email', async () => {
      const made = await act('vera', 'reset-link/create');
      expect(made.status).toBe(200);
      const first = /https:\/\/apps\.example\.com(\/reset-password\/[\w-]+)/.exec(made.text)?.[1] ?? '';
      const second =
        /(\/reset-password\/[\w-]+)/.exec((await act('vera', 'reset-link/create')).text)?.[1] ?? '';
      expect((await slipway.stranger.get(first)).status).toBe(404);
      const words = 'seven grey gulls';
      const set = await slipway.stranger.post(second, { password: words, again: words });
      expect(set.headers.location).toMatch(/^\/sign-in\?done=password&to=/);
      await signIn(slipway, 'vera', words);
      await slipway.letters();
      await act('vera', 'reset-link/send');
      expect(await slipway.linkInEmail('vera@example.com')).toMatch(/^\/reset-password\//);
      await addPerson(slipway, 'without-address', null);
      const refused = await post(admin, 'without-address', 'reset-link/send');
      expect(refused.status).toBe(409);
      expect(refused.text).toContain('This person has no email address.');
      expect((await admin.get(person('without-address'))).text).not.toContain('reset-link/send');
    });

    it('grants and removes administrator rights, but never removes the last administrator', async () => {
      expect((await act('admin', 'administrator/remove')).status).toBe(409);
      await act('mina', 'administrator/grant');
      expect((await mina.get('/administration')).status).toBe(200);
      await act('mina', 'administrator/remove');
      expect((await mina.get('/administration')).status).toBe(404);
      expect(await latestActions(2)).toEqual([
        'admin administrator.unmade mina',
        'admin administrator.made mina',
      ]);
      // An administrator with a disabled account does not count: one must be able to sign in.
      await act('mina', 'administrator/grant');
      await act('mina', 'disable');
      expect((await act('admin', 'administrator/remove')).text).toContain('This is the last administrator');
      expect((await act('admin', 'administrator/remove')).status).toBe(409);
      await act('mina', 'administrator/remove');
      await act('mina', 'enable');
      mina = await slipway.browser('mina');
    });

    it('disables an account: sessions end, keys stop and sign-in fails as with a wrong password; and enables it again', async () => {
      const key = keys.jonas ?? '';
      const jonas = await slipway.browser('jonas');
      expect((await act('admin', 'administrator/remove')).status).toBe(409);
      const own = await post(admin, 'admin', 'disable');
      expect(own.status).toBe(409);
      const made = await act('jonas', 'reset-link/create');
      const link = /(\/reset-password\/[\w-]+)/.exec(made.text)?.[1] ?? '';
      expect((await slipway.stranger.get(link)).status).toBe(200);

      expect((await act('jonas', 'disable')).headers.location).toBe(`${person('jonas')}?done=disabled`);
      expect((await jonas.get('/settings')).status).toBe(303);
      refusalOf(await projectsOf(key), 401);
      expect((await slipway.stranger.get(link)).status).toBe(404);
      const refusals = [];
      for (const [login, password] of [
        ['jonas', testPassword],
        ['jonas@example.com', testPassword],
        ['jonas', 'wrong'],
        ['nobody-at-all', 'wrong'],
      ] as const) {
        const answer = await slipway.stranger.post('/sign-in', { login, password });
        const text = answer.text.replaceAll(login, '').replace(/name="csrf" value="[^"]*"/g, '');
        refusals.push([answer.status, text]);
      }
      expect(new Set(refusals.map((one) => JSON.stringify(one))).size).toBe(1);
      expect(refusals[0]?.[0]).toBe(401);
      const owner = await slipway.data.owners.findOwner('harbour');
      expect(await slipway.data.owners.teamsOf(owner?.id ?? '', await idOf('jonas'))).toEqual(['tester']);
      expect(linesOf((await admin.get('/administration/people?only=disabled')).text)).toEqual(['jonas']);
      expect((await act('jonas', 'disable').catch(() => null)) ?? 'no form').toBe('no form');
      await slipway.letters();
      await slipway.stranger.post('/forgot-password', { login: 'jonas' });
      expect(await slipway.letters()).toBe(0);

      await act('jonas', 'enable');
      expect((await projectsOf(key)).status).toBe(200);
      // Ended sessions remain ended.
      expect((await jonas.get('/settings')).status).toBe(303);
      expect((await (await slipway.browser('jonas')).get('/settings')).status).toBe(200);
      expect(await latestActions(3)).toEqual([
        'admin account.enabled jonas',
        'admin account.disabled jonas',
        'admin password.link-made jonas',
      ]);
    });
  });

  describe('a lost second factor', () => {
    const lost = '/administration/people/lost';
    const factorsOf = async (name: string) => slipway.data.secondFactors.findFactors(await idOf(name));
    beforeAll(async () => {
      await slipway.user('lost');
    });

    it('lets an administrator reset it, which ends all sessions and notifies the person', async () => {
      expect((await admin.get(lost)).text).not.toContain('Lost second factor');
      const own = await slipway.browser('lost');
      await setUpApp(slipway, own);
      await settleOutbox(slipway);
      const told = slipway.mailer.sent.length;
      expect((await admin.get(lost)).text).toContain('Lost second factor');
      const done = await act('lost', 'factors/reset');
      expect(done.headers.location).toBe(`${lost}?done=factors-reset`);
      expect(await factorsOf('lost')).toEqual({ encryptedTotp: null, passkeys: 0, recoveryCodes: 0 });
      expect((await own.get('/settings')).status).toBe(303);
      expect(await latestActions(1)).toEqual(['admin second-factor.reset lost']);
      await settleOutbox(slipway);
      const letters = slipway.mailer.sent.slice(told).map(({ to, subject }) => `${to.address}: ${subject}`);
      expect(letters).toEqual(['lost@example.com: Your second factors were removed']);
      expect((await admin.get(`${lost}?done=factors-reset`)).text).not.toContain('Lost second factor');
      const plain = await slipway.browser('lost');
      expect((await plain.get('/settings')).status).toBe(200);
    });

    it('refuses to reset a factor that does not exist or the administrator’s own', async () => {
      const actions = await latestActions(50);
      expect((await post(admin, 'lost', 'factors/reset')).headers.location).toBe(
        `${lost}?done=factors-reset`,
      );
      const own = await post(admin, 'admin', 'factors/reset');
      expect([own.status, own.text.includes('in your settings')]).toEqual([409, true]);
      expect(await latestActions(50)).toEqual(actions);
    });
  });

  describe('concurrent changes', () => {
    const administrators = async () => {
      const names: string[] = [];
      for (const name of ['admin', 'vera', 'mina']) if (await isAdministrator(name)) names.push(name);
      return names;
    };

    it('keep one administrator when two remove each other’s rights', async () => {
      await act('mina', 'administrator/grant');
      const answers = await Promise.all([
        post(admin, 'mina', 'administrator/remove'),
        post(mina, 'admin', 'administrator/remove'),
      ]);
      expect(answers.map(({ status }) => status).filter((status) => status === 303)).toHaveLength(1);
      expect(await administrators()).toHaveLength(1);
      await slipway.data.administration.setAdministrator(await idOf('admin'), true);
      await slipway.data.administration.setAdministrator(await idOf('mina'), false);
    });

    it('keep one administrator when all of them step down', async () => {
      for (const name of ['mina', 'vera']) {
        await slipway.data.administration.setAdministrator(await idOf(name), true);
      }
      const own = [
        { name: 'admin', browser: admin },
        { name: 'mina', browser: mina },
      ];
      await Promise.all([
        ...own.map(({ name, browser }) => post(browser, name, 'administrator/remove')),
        post(admin, 'vera', 'administrator/remove'),
      ]);
      expect((await administrators()).length).toBeGreaterThanOrEqual(1);
      for (const name of ['admin', 'mina', 'vera']) {
        await slipway.data.administration.setAdministrator(await idOf(name), name === 'admin');
      }
    });

    it('keep one enabled administrator when two disable each other', async () => {
      await slipway.data.administration.setAdministrator(await idOf('mina'), true);
      const answers = await Promise.all([post(admin, 'mina', 'disable'), post(mina, 'admin', 'disable')]);
      expect(answers.filter(({ headers }) => headers.location?.endsWith('done=disabled'))).toHaveLength(1);
      const disabled = await slipway.data.administration.listPeople(
        { only: 'disabled', words: [] },
        { limit: 9 },
      );
      expect(disabled).toHaveLength(1);
      for (const name of ['admin', 'mina']) {
        await slipway.data.accountState.setDisabled(await idOf(name), null);
        await slipway.data.administration.setAdministrator(await idOf(name), name === 'admin');
      }
      admin = await slipway.browser('admin');
      mina = await slipway.browser('mina');
    });

    it('end the session of a user who signs in while being disabled', async () => {
      const [answer] = await Promise.all([
        slipway.stranger.post('/sign-in', { login: 'jonas', password: testPassword }),
        act('jonas', 'disable'),
      ]);
      const cookie = answer.headers['set-cookie']?.[0]?.split(';')[0] ?? 'none=';
      const headers = { Accept: 'text/html', Cookie: cookie };
      expect((await send(slipway.port, '/settings', { headers })).status).toBe(303);
      expect(await slipway.data.administration.countSessions(await idOf('jonas'), slipway.clock.now)).toBe(0);
      await act('jonas', 'enable');
    });
  });

  it('lists what owners store, largest first, with their quotas', async () => {
    await slipway.project('quay', { workspace: 'docks', members: { mina: 'owner' } });
    const file = buildApk({ packageName: 'com.example.quay', label: 'Quay' });
    const fresh = await slipway.user('builder');
    await uploaded(slipway, { owner: 'quay', file });
    await uploaded(slipway, { owner: 'quay', file });
    await uploaded(slipway, { owner: 'builder', file, key: fresh });
    await slipway.data.quotas.set(await idOf('builder'), {
      maxStorageBytes: 4 * file.length,
      maxBuilds: 7,
      maxProjects: null,
    });
    slipway.clock.now += 61_000;
    const rows = async (query: string) =>
      [
        ...(await admin.get(`/administration/owners${query}`)).text.matchAll(
          /<tr><th scope="row">(.*?)<\/tr>/g,
        ),
      ].map(([, row = '']) =>
        row
          .replace(/<[^>]+>/g, ' ')
          .replace(/\s+/g, ' ')
          .trim(),
      );
    const [largest, next] = await rows('');
    expect(largest).toContain('quay Project Apps 1 Builds 2');
    expect(next).toContain('builder User Apps 1 Builds 1');
    expect(next).toContain('(25%), 7 builds Change');
    expect(await rows('?q=BUILD')).toEqual([next]);
    expect(await rows('?list=users&q=build')).toEqual([next]);
    expect(await rows('?list=projects')).toEqual([
      expect.stringContaining('harbour Project Apps 0'),
      largest,
    ]);
    expect(await rows('?list=workspaces')).toEqual([
      expect.stringMatching(/^docks Workspace Apps 1 Builds 2/),
    ]);
    const overview = (await admin.get('/administration')).text;
    expect(overview).toMatch(/in 3 builds<\/dd>/);
    expect(overview.indexOf('>quay<')).toBeLessThan(overview.indexOf('>builder<'));
  });

  describe('background work', () => {
    const path = '/administration/background-work';
    let build: string;
    beforeAll(async () => {
      await settleOutbox(slipway);
      await slipway.service.outbox.stop();
      const owner = await slipway.data.owners.findOwner('quay');
      const app = await slipway.data.apps.findApp(owner?.id ?? '', 'android', 'com.example.quay');
      build = (await slipway.data.builds.listBuilds(app?.id ?? '', { limit: 1 }))[0]?.id ?? '';
    });

    /** Tried so often, the last time with that error. */
    const fail = async (job: Job, lane: keyof typeof lanes, times: number, error: string) => {
      const { now } = slipway.clock;
      await slipway.data.outbox.add(job, now);
      for (let tries = 0; tries < times; tries++) {
        const [claimed] = await slipway.data.outbox.claim(lanes[lane], now, 1);
        if (!claimed) throw new Error('there is no job to fail');
        await slipway.data.outbox.retryLater(claimed.id, tries === times - 1 ? now + 60_000 : now, error);
      }
    };
    const left = async () =>
      (await slipway.data.administration.listJobs(null, slipway.clock.now, { limit: 99 }))
        .map(({ job, state }) => `${job.kind} ${state}`)
        .toSorted();

    it('describes jobs in sentences without secrets, and retries or discards failed ones', async () => {
      const secret = 'https://key:hunter2@s3.example.com/a?X-Amz-Signature=deadbeef slw_abcdefgh';
      await fail(
        { kind: 'draw-icon', buildId: build },
        'builds',
        lanes.builds.maxAttempts,
        `Error: ${secret}`,
      );
      await fail({ kind: 'remove-build', buildId: build, deletedAt: 1 }, 'removals', 1, 'Error: away');
      await slipway.data.outbox.add(
        { kind: 'announce-build', buildId: build, pageId: null },
        slipway.clock.now,
      );
      expect(await left()).toEqual(['announce-build waiting', 'draw-icon dead', 'remove-build failing']);
      const page = (await admin.get(path)).text;
      expect(page).toContain('Create the icon of Quay #2');
      expect(page).toContain('https://…@s3.example.com/a?X-Amz-Signature=… slw_…');
      for (const hidden of ['hunter2', 'deadbeef', 'abcdefgh']) expect(page).not.toContain(hidden);
      expect((await admin.get('/administration')).text).toContain('1 background job has failed permanently');
      const dead = (await admin.get(`${path}?state=dead`)).text;
      expect(dead).not.toContain('Notify people');

      const again = formOf(dead, 'retry');
      expect((await admin.post(again.action, again.fields)).headers.location).toBe(
        `${path}?state=dead&done=again`,
      );
      expect(await left()).toEqual(['announce-build waiting', 'draw-icon waiting', 'remove-build failing']);
      expect((await admin.post(again.action, again.fields)).headers.location).toBe(
        `${path}?state=dead&done=gone`,
      );

      // A job that must be completed cannot be discarded.
      const failing = (await admin.get(`${path}?state=failing`)).text;
      expect(failing).not.toContain('/delete"');
      const stubborn = formOf(failing, 'retry');
      const deletion = stubborn.action.replace(/retry$/, 'delete');
      expect((await admin.post(deletion, stubborn.fields)).status).toBe(409);
      expect(await left()).toContain('remove-build failing');
      expect(await latestActions(1)).toEqual(['admin work.run-again draw-icon']);
    });

    it('refuses to change a job that is running or has never failed', async () => {
      const { now } = slipway.clock;
      const [claimed] = await slipway.data.outbox.claim(lanes.builds, now, 1);
      const csrf = await admin.csrf();
      const waiting = await slipway.data.administration.listJobs('waiting', now, { limit: 1 });
      for (const job of [claimed?.id ?? '', waiting[0]?.id ?? '', '0'.repeat(26)]) {
        for (const action of ['retry', 'delete']) {
          const answer = await admin.post(`${path}/${job}/${action}`, { csrf });
          expect(answer.headers.location).toBe(`${path}?done=gone`);
        }
      }
      expect((await admin.get(`${path}?state=running`)).text).toContain('Running');
      await slipway.data.outbox.finish(claimed?.id ?? '');
    });

    it('closes the email when its job is discarded', async () => {
      const userId = await idOf('mina');
      const draft = {
        userId,
        buildId: build,
        pageId: null,
        address: 'a@x',
        state: 'waiting' as const,
        about: sampleMailAbout,
      };
      const [mailId = ''] = await slipway.data.mails.insertMails([draft], slipway.clock.now);
      await fail({ kind: 'send-mail', mailId, until: 1 }, 'mail', 2, 'Error: connect ECONNREFUSED');
      const page = (await admin.get(`${path}?state=failing`)).text;
      expect(page).toContain(`href="/administration/mail/${mailId}"`);
      const given = formOf(page, 'delete');
      expect((await admin.post(given.action, given.fields)).headers.location).toBe(
        `${path}?state=failing&done=given-up`,
      );
      expect((await slipway.data.mails.findMail(mailId))?.state).toBe('closed');
      expect(await left()).not.toContain('send-mail failing');
    });

    it('lists jobs in pages, newest first', async () => {
      const { now } = slipway.clock;
      const jobs = Array.from({ length: 60 }, () => ({ kind: 'remove-blobs', blobs: [] }) as const);
      await slipway.data.outbox.addAll(jobs, now, now + 60_000);
      const first = (await admin.get(`${path}?state=planned`)).text;
      const second = (await admin.get(linkTo(first, 'next') ?? '')).text;
      const count = (html: string) => html.match(/Remove unused files<\/bdi><\/strong>/g)?.length;
      expect([count(first), count(second)]).toEqual([50, 10]);
      expect(linkTo(second, 'next')).toBeNull();
      expect(count((await admin.get(linkTo(second, 'prev') ?? '')).text)).toBe(50);
      expect(first).toContain('Scheduled<span class="count">60</span>');
    });

    it('shows jobs of one kind that were never tried as one line, which unfolds', async () => {
      slipway.clock.now += 1;
      const at = slipway.clock.now;
      const expiresAt = at + 9_000_000;
      const jobs = ['k1', 'k2', 'k3'].map((keyId) => ({ kind: 'key-expiry', keyId, expiresAt }) as const);
      await slipway.data.outbox.addAll(jobs, at, expiresAt);
      const page = (await admin.get(`${path}?state=planned`)).text;
      const counted = Number(/API keys<\/bdi> <span class="count">(\d+)</.exec(page)?.[1]);
      expect(counted).toBeGreaterThanOrEqual(3);
      expect(page.match(/expiry of the API key [^…]/g)).toHaveLength(counted);
    });
  });
});
