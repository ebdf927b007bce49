/** Profile, email address, password and sessions, and the required re-authentication. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { maxSessionsOfUser } from '../../src/accounts/sessions/session.ts';
import { type AccountsService, browserAfter, startAccountsService } from '../support/accounts-service.ts';
import { postForm, signIn } from '../support/browser-session.ts';
import { get } from '../support/interface-client.ts';
import { addPerson } from '../support/mail-service.ts';
import { postedForms } from '../support/page-forms.ts';
import { testPassword } from '../support/test-service.ts';

const minute = 60_000;
const day = 24 * 60 * minute;
const fresh = 'seven grey gulls';

describe('account settings', () => {
  let slipway: AccountsService;
  beforeAll(async () => {
    slipway = await startAccountsService('sqlite', ['mina', 'olga', 'pia']);
  });
  afterAll(() => slipway.close());

  const emailOf = async (name: string) => {
    const owner = await slipway.data.owners.findOwner(name);
    return owner?.kind === 'user' ? owner.email : undefined;
  };
  const actionsOf = async (name: string) => {
    const owner = await slipway.data.owners.findOwner(name);
    return (await slipway.data.audit.list(owner?.id ?? '', 50)).map(({ action }) => action);
  };
  const changePassword = (from: string, to: string, again = to) => ({ current: from, password: to, again });

  it('are linked from every page', async () => {
    const mina = await slipway.browser('mina');
    expect((await mina.get('/')).text).toContain('href="/settings"');
    for (const path of [
      '/settings',
      '/settings/password',
      '/settings/keys',
      '/settings/sessions',
      '/settings/mail',
    ]) {
      const page = await mina.get(path);
      expect(page.status, path).toBe(200);
      expect(page.text).toContain(`href="${path}" aria-current="page"`);
      expect(page.headers['cache-control']).toContain('no-store');
    }
  });

  describe('sessions', () => {
    it('are listed with browser, system and address, and end one by one or all but the current one', async () => {
      const agents = {
        phone:
          'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 Version/17.5 Mobile/15E148 Safari/604.1',
        laptop: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
        hostile: '<script>alert(1)</script>',
      };
      const cookies: Record<string, string> = {};
      for (const [name, agent] of Object.entries(agents)) {
        const login = { login: 'pia', password: testPassword };
        const answer = await postForm(slipway, '/sign-in', login, { 'User-Agent': agent });
        cookies[name] = browserAfter(slipway, answer).cookie;
      }
      const pia = await slipway.browser('pia');
      const page = (await pia.get('/settings/sessions')).text;
      expect(page).toContain('Safari on iPhone');
      expect(page).toContain('Firefox on Linux');
      expect(page).not.toContain('<script>alert');
      expect(page).toContain('127.0.0.1');
      expect(page.match(/This session/g)).toHaveLength(1);
      const ends = postedForms(page).filter(({ action }) => action.endsWith('/end'));
      expect(ends).toHaveLength(3);

      const olga = await slipway.browser('olga');
      const csrf = await olga.csrf();
      for (const { action } of ends) await olga.post(action, { csrf });
      const opens = async (name: string) =>
        (
          await get(slipway, '/settings', null, {
            headers: { Cookie: cookies[name] ?? '', Accept: 'text/html' },
          })
        ).status;
      expect(await opens('phone')).toBe(200);

      const phone =
        /aria-label="Sign out of Safari on iPhone"[^<]*<\/summary><form[^>]*action="(\/settings\/sessions\/[0-9a-z]{26}\/end)"/.exec(
          page,
        )?.[1] ?? '';
      expect((await pia.post(phone, { csrf: '' })).status).toBe(403);
      const ended = await pia.post(phone, { csrf: await pia.csrf() });
      expect(ended.status).toBe(303);
      expect(await opens('phone')).toBe(303);
      expect(await opens('laptop')).toBe(200);
      await pia.submit('/settings/sessions', 'end-others');
      expect(await opens('laptop')).toBe(303);
      expect(await opens('hostile')).toBe(303);
      expect((await pia.get('/settings/sessions')).text).not.toContain('Sign out of all other sessions');
    });

    it('show when they were last seen, to the minute', async () => {
      const pia = await slipway.browser('pia');
      const seen = async () => {
        const owner = await slipway.data.owners.findOwner('pia');
        const [last] = await slipway.data.sessions.listSessions(owner?.id ?? '', '', slipway.clock.now);
        return last?.lastSeenAt;
      };
      const signedInAt = slipway.clock.now;
      slipway.clock.now += minute;
      await pia.get('/settings');
      expect(await seen()).toBe(signedInAt);
      slipway.clock.now += 1;
      await pia.get('/settings');
      expect(await seen()).toBe(signedInAt + minute + 1);
    });

    it('show when they expire: later if used, but never beyond thirty days', async () => {
      const pia = await slipway.browser('pia');
      const signedInAt = slipway.clock.now;
      const shown = async () => (await pia.get('/settings/sessions')).text;
      const until = (at: number) => `Expires <time datetime="${new Date(at).toISOString()}"`;
      expect(await shown()).toContain(until(signedInAt + 14 * day));
      slipway.clock.now += 13 * day;
      expect(await shown()).toMatch(/, later if it is used/);
      slipway.clock.now += 10 * day;
      const last = await shown();
      expect(last).toContain(until(signedInAt + 30 * day));
      expect(last).not.toContain('later if it is used');
    });

    it("get a new token at each sign-in, and replace the browser's previous one", async () => {
      const first = await slipway.browser('pia');
      const login = { login: 'pia', password: testPassword };
      const again = { ...login, csrf: await first.csrf() };
      const answer = await postForm(slipway, '/sign-in', again, { Cookie: first.cookie });
      const second = browserAfter(slipway, answer);
      expect(second.cookie).not.toBe(first.cookie);
      expect((await first.get('/settings')).status).toBe(303);
      expect((await second.get('/settings')).status).toBe(200);
      const planted = `__Host-slipway_session=${'p'.repeat(43)}`;
      const after = await postForm(slipway, '/sign-in', login, { Cookie: planted }, { anonymous: true });
      expect(browserAfter(slipway, after).cookie).not.toBe(planted);
      expect((await get(slipway, '/settings', null, { headers: { Cookie: planted } })).status).toBe(401);
    });

    it('are limited: a new one ends the least recently used one', async () => {
      const user = await addPerson(slipway, 'many');
      for (let at = 0; at < maxSessionsOfUser + 3; at++) {
        await slipway.data.sessions.insertSession({
          userId: user.id,
          tokenHash: `many ${at}`,
          userAgent: '',
          address: '',
          authenticatedAt: null,
          createdAt: slipway.clock.now + at,
          expiresAt: slipway.clock.now + day,
        });
      }
      await slipway.data.sessions.deleteSurplusSessions(user.id, maxSessionsOfUser);
      const left = await slipway.data.sessions.listSessions(user.id, '', slipway.clock.now);
      expect(left).toHaveLength(maxSessionsOfUser);
      expect(await slipway.data.sessions.findSession('many 2', slipway.clock.now)).toBeNull();
      expect(await slipway.data.sessions.findSession('many 3', slipway.clock.now)).not.toBeNull();
    });
  });

  describe('the password', () => {
    it.each<[string, Record<string, string>, string]>([
      ['a wrong present one', changePassword('not my password', fresh), 'The password is incorrect.'],
      ['a short one', changePassword(testPassword, 'short'), '10 to 256 characters'],
      ['a long one', changePassword(testPassword, 'p'.repeat(257)), '10 to 256 characters'],
      ['two that differ', changePassword(testPassword, fresh, `${fresh}!`), 'The passwords do not match.'],
      ['the present one again', changePassword(testPassword, testPassword), 'your current password'],
    ])('refuses %s', async (_name, fields, sentence) => {
      const olga = await slipway.browser('olga');
      const answer = await olga.submit('/settings/password', 'password', fields);
      expect(answer.status).toBe(400);
      expect(answer.text).toContain(sentence);
      for (const submitted of Object.values(fields))
        expect(answer.text).not.toContain(`value="${submitted}"`);
      expect((await olga.get('/settings')).status).toBe(200);
    });

    it('can be changed, which ends every other session and replaces the cookie of this one', async () => {
      const key = await slipway.user('yara');
      const yara = await slipway.browser('yara');
      const elsewhere = await slipway.browser('yara');
      const answer = await yara.submit('/settings/password', 'password', changePassword(testPassword, fresh));
      expect(answer.status).toBe(303);
      expect(answer.headers.location).toBe('/settings/password?done=changed');
      const now = browserAfter(slipway, answer);
      expect(now.cookie).not.toBe(yara.cookie);
      expect((await now.get('/settings/password?done=changed')).text).toContain('All other sessions ended');
      for (const old of [yara, elsewhere]) expect((await old.get('/settings')).status).toBe(303);
      await expect(signIn(slipway, 'yara')).rejects.toThrow('401');
      expect((await signIn(slipway, 'yara', fresh)).cookie).toBeTruthy();
      expect((await get(slipway, '/api/organizations', key)).status).toBe(200);
      expect(await actionsOf('yara')).toContain('password.changed');
    });

    it("can't be guessed from an open browser", async () => {
      await slipway.user('open');
      const open = await slipway.browser('open');
      for (let at = 0; at < 10; at++) {
        const guess = await open.submit(
          '/settings/password',
          'password',
          changePassword(`guess number ${at}`, fresh),
        );
        expect(guess.status).toBe(400);
      }
      const right = changePassword(testPassword, fresh);
      expect((await open.submit('/settings/password', 'password', right)).status).toBe(429);
      slipway.clock.now += 15 * minute;
      expect((await open.submit('/settings/password', 'password', right)).status).toBe(303);
    });
  });

  describe('the email address', () => {
    it('takes effect once its owner opens the link in the email, once, signed in as that person', async () => {
      const mina = await slipway.browser('mina');
      const answer = await mina.submit('/settings', 'change', { email: 'Mina@New.example' });
      expect(answer.status).toBe(200);
      expect(await emailOf('mina')).toBe('mina@example.com');
      const link = await slipway.linkInEmail('Mina@New.example');
      expect((await slipway.stranger.get(link)).headers.location).toContain('/sign-in');
      const olga = await slipway.browser('olga');
      expect((await olga.get(link)).status).toBe(404);
      expect((await olga.post(`${link}/confirm`, { csrf: await olga.csrf() })).status).toBe(404);
      expect((await mina.post(`${link}/confirm`, { csrf: 'x' })).status).toBe(403);
      expect((await mina.get(link)).text).toContain('Mina@New.example');
      expect(await emailOf('mina')).toBe('mina@example.com');
      expect((await mina.submit(link, 'confirm')).status).toBe(303);
      expect(await emailOf('mina')).toBe('Mina@New.example');
      expect((await mina.get(link)).status).toBe(404);
      expect((await mina.post(`${link}/confirm`, { csrf: await mina.csrf() })).status).toBe(404);
      expect((await signIn(slipway, 'mina@new.EXAMPLE')).cookie).toBeTruthy();
      expect(await actionsOf('mina')).toContain('email.changed');
    });

    it('returns the same response if another user has it, and notifies only that user', async () => {
      const olga = await slipway.browser('olga');
      const ask = (email: string) => olga.submit('/settings', 'change', { email });
      const taken = await ask('PIA@example.com');
      expect(taken.status).toBe(200);
      expect(await slipway.linkInEmail('pia@example.com')).toBe('/forgot-password');
      const free = await ask('nobody@example.com');
      const plain = (text: string, email: string) =>
        text.replaceAll(email, 'EMAIL').replace(/name="csrf" value="[^"]*"/g, '');
      expect(plain(taken.text, 'PIA@example.com')).toBe(plain(free.text, 'nobody@example.com'));
      expect(await slipway.letters()).toBe(1);
      expect(await emailOf('olga')).toBe('olga@example.com');
    });

    it('is refused with an expired or forged link, or if another user has taken it since', async () => {
      const olga = await slipway.browser('olga');
      await olga.submit('/settings', 'change', { email: 'late@example.com' });
      const link = await slipway.linkInEmail('late@example.com');
      await addPerson(slipway, 'faster', 'LATE@example.com');
      const taken = await olga.submit(link, 'confirm');
      expect(taken.status).toBe(409);
      const broken = link.replace(/[\w-](?=[\w-]{9}$)/, (one) => (one === 'A' ? 'B' : 'A'));
      for (const wrong of [broken, '/settings/email/x', '/settings/email/a.b', '/settings/email/..']) {
        expect((await olga.get(wrong)).status, wrong).toBe(404);
      }
      slipway.clock.now += day;
      expect((await olga.get(link)).status).toBe(404);
      expect(await emailOf('olga')).toBe('olga@example.com');
    });

    it('can be confirmed if it was only claimed, and nobody is added by it before', async () => {
      const email = 'claire@example.com';
      await slipway.user('claire');
      const { owners, accounts } = slipway.data;
      const { id = '' } = (await owners.findOwner('claire')) ?? {};
      await accounts.setEmail(id, email, email, false);
      expect(await owners.findAddressee(email)).toBeNull();
      const claire = await slipway.browser('claire');
      expect((await claire.submit('/settings', 'change', { email })).status).toBe(200);
      expect((await claire.submit(await slipway.linkInEmail(email), 'confirm')).status).toBe(303);
      expect(await owners.findAddressee(email)).toMatchObject({ id });
    });

    it('is refused if unchanged or invalid', async () => {
      const olga = await slipway.browser('olga');
      const ask = (email: string) => olga.submit('/settings', 'change', { email });
      expect((await ask('olga@example.com')).text).toContain('already your email address');
      for (const email of ['', 'x', 'a b@example.com', `${'a'.repeat(250)}@example.com`]) {
        const answer = await ask(email);
        expect(answer.status).toBe(400);
        expect(answer.text).toContain('Enter a valid email address');
      }
      expect(await slipway.letters()).toBe(0);
    });

    it('is limited to five confirmation emails a day', async () => {
      const pia = await slipway.browser('pia');
      const ask = (at: number) => pia.submit('/settings', 'change', { email: `pia-${at}@example.com` });
      for (let at = 0; at < 5; at++) expect((await ask(at)).status).toBe(200);
      expect((await ask(5)).status).toBe(429);
      expect(await slipway.letters()).toBe(5);
    });
  });
});

describe('account settings without mail', () => {
  let slipway: AccountsService;
  beforeAll(async () => {
    slipway = await startAccountsService('sqlite', ['mina', 'olga'], { mail: false });
  });
  afterAll(() => slipway.close());

  it('change the address immediately, and refuse a taken one without details, five times a day', async () => {
    const mina = await slipway.browser('mina');
    const ask = (email: string) => mina.submit('/settings', 'change', { email });
    const taken = await ask('OLGA@example.com');
    expect(taken.status).toBe(400);
    expect(taken.text).toContain('This email address can’t be used.');
    expect((await ask('mina@elsewhere.example')).status).toBe(303);
    expect((await signIn(slipway, 'mina@elsewhere.example')).cookie).toBeTruthy();
    for (let at = 0; at < 3; at++) expect((await ask('olga@example.com')).status).toBe(400);
    expect((await ask('olga@example.com')).status).toBe(429);
    expect(await slipway.letters()).toBe(0);
  });

  it('name the administrator to contact and queue no email', async () => {
    for (const page of [
      await slipway.stranger.get('/forgot-password'),
      await slipway.stranger.post('/forgot-password', { login: 'mina' }),
    ]) {
      expect(page.status).toBe(200);
      expect(page.text).toContain('slipway user password');
      expect(postedForms(page.text)).toEqual([]);
    }
    expect(
      await slipway.data.outbox.nextRunAt({ kinds: ['send-account-email'], jobsAtOnce: 1, maxAttempts: 9 }),
    ).toBeNull();
  });
});
