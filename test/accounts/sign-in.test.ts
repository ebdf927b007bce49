/** Signing in and out with the form. */
import { createHook } from 'node:async_hooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashOfNobody, hashPassword, passwordMatches } from '../../src/accounts/passwords/password.ts';
import { anonymousForm, postForm, signIn } from '../support/browser-session.ts';
import { get } from '../support/interface-client.ts';
import { startTestService, type TestService, testPassword } from '../support/test-service.ts';
import { readElements } from '../web/elements.ts';

const minute = 60_000;
const day = 24 * 60 * minute;

describe('sign-in', () => {
  let slipway: TestService;
  let now = Date.UTC(2026, 10, 21);
  beforeAll(async () => {
    slipway = await startTestService({ now: () => now });
    for (const name of ['mina', 'olga', 'victim', 'flood']) await slipway.user(name);
  });
  afterAll(() => slipway.close());

  const post = (fields: Record<string, string> | string, headers?: Record<string, string>) =>
    postForm(slipway, '/sign-in', fields, headers);
  const withoutLogin = (html: string, login: string) =>
    html.replaceAll(login, 'LOGIN').replace(/(name="csrf" value=)"[^"]*"/g, '$1');

  it('shows a form to signed-out visitors, and a start page that reveals no apps', async () => {
    const page = await get(slipway, '/sign-in');
    expect(page.status).toBe(200);
    const names = readElements(page.text).flatMap(({ attributes }) => attributes.get('name') ?? []);
    expect(names).toEqual(expect.arrayContaining(['login', 'password']));
    expect((await get(slipway, '/')).status).toBe(200);
  });

  it('says why a distribution page asks for it, and nothing elsewhere', async () => {
    const page = await get(slipway, '/sign-in?to=%2Fdistributions%2Fabc');
    expect(page.text).toContain('This page is only for members.');
    expect((await get(slipway, '/sign-in?to=%2Fprojects')).text).not.toContain('only for members');
    expect(page.text).toMatch(/<input(?=[^>]* id="login")(?=[^>]* data-begin)[^>]* autofocus/);
  });

  it.each(['mina', 'MINA', 'mina@example.com', 'Mina@Example.COM'])(
    'accepts %s and the password',
    async (login) => {
      const answer = await post({ login, password: testPassword });
      expect(answer.status).toBe(303);
      expect(answer.headers.location).toBe('/');
      const [cookie = '', ...more] = answer.headers['set-cookie'] ?? [];
      expect(more).toEqual([expect.stringMatching(/^slipway_known_browser=/)]);
      expect(cookie).toMatch(/^slipway_session=[\w-]{43}; /);
      expect(cookie).toMatch(/; HttpOnly(;|$)/);
      expect(cookie).toMatch(/; SameSite=Lax(;|$)/);
      expect(cookie).toMatch(/; Path=\/(;|$)/);
      expect(cookie).toMatch(/; Max-Age=2592000(;|$)/);
      expect(cookie).not.toMatch(/Secure|Domain/);
      const home = await get(slipway, '/', null, { headers: { Cookie: cookie.split(';')[0] ?? '' } });
      expect(home.text).toContain('/users/mina');
    },
  );

  it('returns the same error for a wrong password and an unknown user', async () => {
    const wrong = await post({ login: 'mina', password: 'not the password' });
    const nobody = await post({ login: 'nemo', password: 'not the password' });
    for (const answer of [wrong, nobody]) {
      expect(answer.status).toBe(401);
      expect(answer.headers['set-cookie']).toBeUndefined();
      expect(answer.headers['content-type']).toBe('text/html; charset=utf-8');
      expect(answer.text).not.toContain('not the password');
    }
    expect(withoutLogin(nobody.text, 'nemo')).toBe(withoutLogin(wrong.text, 'mina'));
    expect(Object.keys(nobody.headers)).toEqual(Object.keys(wrong.headers));
  });

  it('compares a hash for an unknown user, too', async () => {
    const hashesFor = async (login: string) => {
      let hashes = 0;
      // Argon2 runs outside of JavaScript, in tasks that the library does not name.
      const hook = createHook({ init: (_id, type) => (hashes += type === 'undefined' ? 1 : 0) }).enable();
      const { status } = await post({ login, password: 'not the password' });
      hook.disable();
      return [status, hashes];
    };
    expect(await hashesFor('mina')).toEqual([401, 1]);
    expect(await hashesFor('nemo')).toEqual([401, 1]);
  });

  it('spends the same work on the hash for an unknown user', async () => {
    const workOf = (hash: string) => hash.split('$').slice(0, 4);
    const hash = await hashPassword(testPassword);
    expect(workOf(hashOfNobody)).toEqual(workOf(hash));
    expect(hashOfNobody).toHaveLength(hash.length);
    for (const password of ['', 'not the password', testPassword])
      expect(await passwordMatches(null, password)).toBe(false);
    expect(await passwordMatches(hash, testPassword)).toBe(true);
    expect(await passwordMatches(hash, `${testPassword}x`)).toBe(false);
  });

  it.each<[string, Record<string, string> | string]>([
    ['nothing', ''],
    ['no password', { login: 'mina' }],
    ['an empty password', { login: 'mina', password: '' }],
    ['a password of 10,000 characters', { login: 'mina', password: 'p'.repeat(10_000) }],
    ['bytes that are no UTF-8', 'login=%ff%fe&password=%ff'],
    ['half an escape', 'login=%&password=%u1'],
    ['names of the prototype', '__proto__=x&constructor=y&login[a]=b'],
    ['SQL', { login: `' or '1'='1`, password: `' or '1'='1` }],
    ['the name of a Project', { login: 'crew', password: testPassword }],
  ])('refuses %s', async (_name, fields) => {
    const answer = await post(fields);
    expect(answer.status).toBe(401);
    expect(answer.headers['set-cookie']).toBeUndefined();
    readElements(answer.text);
  });

  it.each([
    ['the login twice', `login=mina&login=olga&password=${testPassword}`],
    ['the password twice', `login=mina&password=x&password=${testPassword}`],
    ['the address twice', `login=mina&password=${testPassword}&to=/a&to=/b`],
    ['zeros', 'login=mina%00&password=a%00b'],
  ])('does not read a form that has %s', async (_name, fields) => {
    const answer = await post(fields);
    expect(answer.status).toBe(400);
    expect(answer.headers['set-cookie']).toBeUndefined();
  });

  it('accepts a password only in a form', async () => {
    const body = JSON.stringify({ login: 'mina', password: testPassword });
    const asJson = await get(slipway, '/sign-in', null, {
      method: 'POST',
      body,
      headers: { 'Content-Type': 'application/json' },
    });
    expect(asJson.headers['set-cookie']).toBeUndefined();
    expect(asJson.status).toBeGreaterThanOrEqual(400);
    expect(asJson.status).toBeLessThan(500);
    const inQuery = await get(slipway, `/sign-in?login=mina&password=${encodeURIComponent(testPassword)}`);
    expect(inQuery.headers['set-cookie']?.join()).toMatch(/^slipway_form=[^,]*$/);
  });

  it('refuses a form that is too large', async () => {
    expect((await post({ login: 'mina', password: 'p'.repeat(70_000) })).status).toBe(413);
  });

  it.each([
    '//evil.example',
    '/\\evil.example',
    'https://evil.example',
    'javascript:alert(1)',
    '\t//evil.example',
    '/\t/evil.example',
    '/\n/evil.example',
    'evil',
    '',
    '///evil.example',
  ])('never redirects to another site: %j', async (to) => {
    const answer = await post({ login: 'mina', password: testPassword, to });
    expect(answer.status).toBe(303);
    expect(answer.headers.location).toBe('/');
    const { cookie } = await signIn(slipway, 'mina');
    const shown = await get(slipway, `/sign-in?to=${encodeURIComponent(to)}`, null, {
      headers: { Cookie: cookie },
    });
    expect(shown.status).toBe(303);
    expect(shown.headers.location).toBe('/');
  });

  it('returns to the page that required it', async () => {
    const to = '/users/mina/apps/com.example?q=a%20b&key=c';
    expect((await post({ login: 'mina', password: testPassword, to })).headers.location).toBe(to);
    const { cookie } = await signIn(slipway, 'mina');
    const twice = await get(slipway, '/sign-in?to=/a&to=/b', null, { headers: { Cookie: cookie } });
    expect(twice.status).toBe(303);
    expect(twice.headers.location).toBe('/');
  });

  it.each([
    ['/\u65e5\u672c\u8a9e', '/%E6%97%A5%E6%9C%AC%E8%AA%9E'],
    ['/users/\u0153?q=\ud83d\ude00#\u20ac', '/users/%C5%93?q=%F0%9F%98%80#%E2%82%AC'],
  ])('returns to %s, which a header can carry encoded only', async (to, location) => {
    const answer = await post({ login: 'mina', password: testPassword, to });
    expect([answer.status, answer.headers.location]).toEqual([303, location]);
    const { cookie } = await signIn(slipway, 'mina');
    const headers = { Cookie: cookie };
    const shown = await get(slipway, `/sign-in?to=${encodeURIComponent(to)}`, null, { headers });
    expect([shown.status, shown.headers.location]).toEqual([303, location]);
  });

  it('refuses a form from another site', async () => {
    for (const origin of ['https://evil.example', 'http://127.0.0.1', `${slipway.origin}.evil.example`]) {
      const answer = await post({ login: 'mina', password: testPassword }, { Origin: origin });
      expect(answer.status).toBe(403);
      expect(answer.headers['set-cookie']).toBeUndefined();
    }
    const own = await post({ login: 'mina', password: testPassword }, { Origin: slipway.origin });
    expect(own.status).toBe(303);
  });

  it("refuses a form without the browser's token, even with an opaque origin", async () => {
    const [mine, other] = [await anonymousForm(slipway), await anonymousForm(slipway)];
    const fields = { login: 'mina', password: testPassword };
    for (const headers of [{ Origin: 'null' }, {}] as Record<string, string>[]) {
      for (const [cookie, csrf] of [
        [mine.cookie, ''],
        [mine.cookie, 'made up'],
        [mine.cookie, other.csrf],
        ['', mine.csrf],
        ['slipway_form=', mine.csrf],
      ] as const) {
        const answer = await post({ ...fields, csrf }, { ...headers, Cookie: cookie });
        expect(answer.status).toBe(403);
        expect(answer.headers['set-cookie']?.join() ?? '').not.toContain('slipway_session');
      }
      expect((await post({ ...fields, csrf: mine.csrf }, { ...headers, Cookie: mine.cookie })).status).toBe(
        303,
      );
    }
  });

  it('keeps the form cookie of the browser when a sign-in fails', async () => {
    const { cookie, csrf } = await anonymousForm(slipway);
    const failed = await post({ login: 'mina', password: 'wrong', csrf }, { Cookie: cookie });
    expect(failed.status).toBe(401);
    expect(failed.headers['set-cookie']).toBeUndefined();
    const again = /name="csrf" value="([^"]*)"/.exec(failed.text)?.[1] ?? '';
    const fields = { login: 'mina', password: testPassword, csrf: again };
    expect((await post(fields, { Cookie: cookie })).status).toBe(303);
  });

  it('replaces an expired session, using its form', async () => {
    const { cookie, get: open } = await signIn(slipway, 'mina');
    const csrf = /name="csrf" value="([^"]*)"/.exec((await open('/')).text)?.[1] ?? '';
    now += 15 * day;
    const out = await postForm(slipway, '/sign-out', { csrf }, { Cookie: cookie });
    expect(out.status).toBe(303);
    expect(out.headers['set-cookie']?.[0]).toMatch(/^slipway_session=;/);
  });

  it('pauses after ten failures for a login, for 15 minutes', async () => {
    for (let at = 0; at < 10; at++) {
      expect((await post({ login: 'victim', password: 'guess number ten' })).status).toBe(401);
    }
    const paused = await post({ login: 'VICTIM', password: testPassword });
    expect(paused.status).toBe(429);
    expect(paused.headers['set-cookie']).toBeUndefined();
    expect(Number(paused.headers['retry-after'])).toBeGreaterThan(0);
    expect(paused.text).toContain('Too many failed sign-ins: try again in 15 minutes.');
    const inJapanese = { 'Accept-Language': 'ja' };
    const refused = await post({ login: 'victim', password: testPassword }, inJapanese);
    expect(refused.text).toContain('サインインの失敗が多すぎます。15分後にもう一度お試しください。<');
    const wrong = await post({ login: 'olga', password: 'not the password' }, inJapanese);
    expect(wrong.text).toContain('ユーザー名またはパスワードが正しくありません。<');
    expect((await post({ login: 'olga', password: testPassword })).status).toBe(303);
    now += 15 * minute - 1;
    expect((await post({ login: 'victim', password: testPassword })).status).toBe(429);
    now += 1;
    expect((await post({ login: 'victim', password: testPassword })).status).toBe(303);
  });

  it('clears failures after a success', async () => {
    for (let round = 0; round < 2; round++) {
      for (let at = 0; at < 9; at++) await post({ login: 'olga', password: 'wrong but patient' });
      expect((await post({ login: 'olga', password: testPassword })).status).toBe(303);
    }
  });

  it('checks no more than ten concurrent guesses', async () => {
    const guesses = Array.from({ length: 30 }, (_, at) =>
      post({ login: 'flood', password: `guess number ${at}` }),
    );
    const statuses = (await Promise.all(guesses)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 401)).toHaveLength(10);
    expect(statuses.filter((status) => status === 429)).toHaveLength(20);
  });

  it('requires its form token to sign out', async () => {
    const browser = await signIn(slipway, 'mina');
    const home = await browser.get('/');
    const csrf = readElements(home.text)
      .find(({ attributes }) => attributes.get('name') === 'csrf')
      ?.attributes.get('value');
    expect(csrf).toBeTruthy();
    const other = await signIn(slipway, 'olga');
    const headers = { Cookie: browser.cookie };
    for (const wrong of ['', 'x', other.cookie.split('=')[1] ?? '']) {
      const refused = await postForm(slipway, '/sign-out', { csrf: wrong }, headers);
      expect(refused.status).toBe(403);
    }
    expect((await postForm(slipway, '/sign-out', `csrf=${csrf}&csrf=${csrf}`, headers)).status).toBe(400);
    expect((await browser.get('/users/mina')).status).toBe(200);
    const out = await postForm(slipway, '/sign-out', { csrf: csrf ?? '' }, headers);
    expect(out.status).toBe(303);
    expect(out.headers['set-cookie']?.[0]).toMatch(/^slipway_session=;/);
    expect((await browser.get('/users/mina')).status).toBe(303);
    expect((await other.get('/users/olga')).status).toBe(200);
  });

  it('treats signing out without a session as successful', async () => {
    expect((await postForm(slipway, '/sign-out', {})).status).toBe(303);
  });

  it('expires after exactly thirty days', async () => {
    const browser = await signIn(slipway, 'mina');
    const status = async () => (await browser.get('/users/mina')).status;
    for (const days of [13, 13]) {
      now += days * day;
      expect(await status()).toBe(200);
    }
    now += 4 * day - 1;
    expect(await status()).toBe(200);
    now += 1;
    expect(await status()).toBe(303);
  });

  it('expires after fourteen days without use, and is cleaned up', async () => {
    const owner = await slipway.data.owners.findOwner('mina');
    const sessions = (at: number) => slipway.data.sessions.listSessions(owner?.id ?? '', '', at);
    const browser = await signIn(slipway, 'mina');
    const status = async () => (await browser.get('/users/mina')).status;
    now += 14 * day - 1;
    expect(await status()).toBe(200);
    now += 14 * day;
    expect(await status()).toBe(303);
    expect(await sessions(now - 1)).toHaveLength(1);
    await slipway.data.sessions.deleteExpiredSessions(now);
    expect(await sessions(now - 1)).toEqual([]);
  });

  it('ignores cookies that are not a session', async () => {
    for (const cookie of [
      'slipway_session=',
      'slipway_session=x',
      `slipway_session=${'a'.repeat(5000)}`,
      'slipway_session=%00',
      'slipway_session="a"',
      ';;;=',
      'a',
    ]) {
      const answer = await get(slipway, '/users/mina', null, { headers: { Cookie: cookie } });
      expect(answer.status).toBe(401);
    }
  });
});

describe('the session cookie', () => {
  it('is Secure if the public origin is https', async () => {
    const slipway = await startTestService({ settings: { SLIPWAY_URL: 'https://apps.example.com' } });
    const fields = { login: 'admin', password: testPassword };
    const answer = await postForm(slipway, '/sign-in', fields, { Origin: 'https://apps.example.com' });
    expect(answer.headers['set-cookie']?.[0]).toMatch(/; Secure(;|$)/);
    expect((await postForm(slipway, '/sign-in', fields, { Origin: slipway.origin })).status).toBe(403);
    await slipway.close();
  });
});
