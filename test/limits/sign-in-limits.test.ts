/** Guessing passwords and codes: attempts are limited, and no one can use up those of the owner of an account. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { stampOf as stampOfState } from '../../src/accounts/access/account-state.ts';
import { createKnownBrowsers } from '../../src/accounts/sign-in/known-browser-http.ts';
import type { Client } from '../../src/http/routes/client.ts';
import { type AccountsService, browserWith, startAccountsService } from '../support/accounts-service.ts';
import { postForm, sessionCookieOf } from '../support/browser-session.ts';
import { countEarlierAttempts } from '../support/earlier-attempts.ts';
import type { Answer } from '../support/http-client.ts';
import { addPerson } from '../support/mail-service.ts';
import { setUpApp } from '../support/second-factors.ts';
import { hashCheaply, testPassword } from '../support/test-service.ts';

const minute = 60_000;
const day = 24 * 60 * minute;
const home = '198.51.100.1';
const cafe = '198.51.100.2';
const names = ['mina', 'olga', 'pia', 'rosa', 'tess', 'vera', 'wanda', 'xenia'];
const wrong = 'not the password';

describe('limits on guessing', () => {
  let slipway: AccountsService;
  beforeAll(async () => {
    const settings = { SLIPWAY_TRUST_PROXY: '127.0.0.1' };
    slipway = await startAccountsService('sqlite', names, { settings });
  });
  afterAll(() => slipway.close());

  const tryFrom = (address: string, login: string, password: string, cookie?: string) =>
    postForm(
      slipway,
      '/sign-in',
      { login, password },
      { 'X-Forwarded-For': address, ...(cookie ? { Cookie: cookie } : {}) },
      { anonymous: true },
    );
  const knownBrowserOf = (answer: Answer) =>
    answer.headers['set-cookie']
      ?.find((one) => one.startsWith('__Host-slipway_known_browser='))
      ?.split(';')[0] ?? '';
  /** Guesses from everywhere. `name`: the id of the account, or the name that was entered if there is none. */
  const guessEarlier = (name: string, count: number, secret = 'password') =>
    countEarlierAttempts(slipway, slipway.clock.now, ['guess', secret, name, 'elsewhere'], count);
  const idOf = async (name: string) => (await slipway.data.owners.findOwner(name))?.id ?? '';

  const stampOf = async (name: string) => {
    const state = await slipway.data.accountState.find(await idOf(name));
    return state && stampOfState(state);
  };

  it('admit people from known browsers and networks while attackers guess from everywhere', async () => {
    const first = await tryFrom(home, 'mina', testPassword);
    const browser = knownBrowserOf(first);
    expect(browser).toMatch(/^__Host-slipway_known_browser=[\w-]+\.[\w-]{43}$/);
    const setCookie = first.headers['set-cookie']?.find((one) => one.startsWith(browser));
    for (const attribute of ['Max-Age=31536000', 'Path=/', 'HttpOnly', 'Secure', 'SameSite=Lax'])
      expect(setCookie?.split('; ')).toContain(attribute);

    await guessEarlier(await idOf('mina'), 98);
    for (const [at, status] of [401, 401, 429, 429].entries())
      expect((await tryFrom(`203.0.113.${at}`, 'mina', wrong)).status).toBe(status);
    const stranger = await tryFrom(cafe, 'mina', testPassword);
    expect(stranger.status).toBe(429);
    expect(stranger.headers['retry-after']).toBe('900');
    expect((await tryFrom(cafe, 'mina', testPassword, browser)).status).toBe(303);
    expect((await tryFrom(home, 'mina', testPassword)).status).toBe(303);
    // A browser that signed in with another account is not known to mina.
    const olga = knownBrowserOf(await tryFrom(cafe, 'olga', testPassword));
    const forged = [
      `${browser.slice(0, -1)}${browser.endsWith('A') ? 'B' : 'A'}`,
      `${browser.split('.')[0]}.x`,
    ];
    for (const cookie of [olga, ...forged])
      expect((await tryFrom('198.51.100.3', 'mina', testPassword, cookie)).status).toBe(429);
  });

  it('treat an unknown name like an existing one', async () => {
    await guessEarlier('nemo', 98);
    for (const [at, status] of [401, 401, 429].entries())
      expect((await tryFrom(`203.0.113.${at}`, 'NEMO', testPassword)).status).toBe(status);
  });

  it('pause a network that guesses for many names', async () => {
    const network = '203.0.113.99';
    await countEarlierAttempts(slipway, slipway.clock.now, ['sign-in', 'from', network], 299);
    expect((await tryFrom(network, 'anyone', wrong)).status).toBe(401);
    expect((await tryFrom(network, 'someone', wrong)).status).toBe(429);
    expect((await tryFrom('203.0.113.98', 'someone', wrong)).status).toBe(401);
  });

  it('count no right password against the guesses of a network and its site', async () => {
    const network = '2001:db8:7:1::/64';
    await countEarlierAttempts(slipway, slipway.clock.now, ['sign-in', 'from', network], 299);
    await countEarlierAttempts(slipway, slipway.clock.now, ['sign-in', 'from', '2001:db8:7::/48'], 1499);
    for (let time = 0; time < 3; time++)
      expect((await tryFrom('2001:db8:7:1::9', 'tess', testPassword)).status).toBe(303);
    expect((await tryFrom('2001:db8:7:1::9', 'anyone', wrong)).status).toBe(401);
    expect((await tryFrom('2001:db8:7:1::9', 'tess', testPassword)).status).toBe(429);
    expect((await tryFrom('2001:db8:7:2::9', 'tess', testPassword)).status).toBe(429);
  });

  it('give known browsers and networks a separate, limited number of guesses', async () => {
    const browser = knownBrowserOf(await tryFrom(home, 'pia', testPassword));
    for (let at = 0; at < 20; at++) expect((await tryFrom(home, 'pia', wrong, browser)).status).toBe(401);
    const paused = await tryFrom(cafe, 'pia', testPassword, browser);
    expect(paused.status).toBe(429);
    expect(Number(paused.headers['retry-after'])).toBeGreaterThan(0);
    // Another user in the same network has ten separate attempts, regardless of the browser's twenty.
    for (let at = 0; at < 10; at++) expect((await tryFrom(home, 'pia@example.com', wrong)).status).toBe(401);
    expect((await tryFrom(home, 'PIA', testPassword)).status).toBe(429);
    slipway.clock.now += 15 * minute;
    expect((await tryFrom(home, 'pia', testPassword, browser)).status).toBe(303);
  });

  it('forget browsers when the password changes, and networks after thirty days', async () => {
    const signedIn = await tryFrom(home, 'rosa', testPassword);
    const browser = knownBrowserOf(signedIn);
    const id = await idOf('rosa');
    slipway.clock.now += 30 * day + 1;
    await guessEarlier(id, 100);
    expect((await tryFrom(home, 'rosa', testPassword)).status).toBe(429);
    expect((await tryFrom(home, 'rosa', testPassword, browser)).status).toBe(303);
    slipway.clock.now += 31 * day;
    await slipway.data.accounts.setPassword(id, await hashCheaply('seven grey gulls'), false);
    await guessEarlier(id, 100);
    expect((await tryFrom(cafe, 'rosa', 'seven grey gulls', browser)).status).toBe(429);
  });

  /** The second step after a right password: `use-code` or `use-recovery-code`. */
  const stepFrom = async (login: string, address: string, cookie?: string) => {
    const answer = await tryFrom(address, login, testPassword, cookie);
    const step = answer.headers['set-cookie']?.find((one) => one.includes('slipway_second_step='));
    return (path: string, code: string) =>
      postForm(
        slipway,
        `/sign-in/second-factor/${path}`,
        { code },
        { 'X-Forwarded-For': address, Cookie: [step?.split(';')[0], cookie].filter(Boolean).join('; ') },
        { anonymous: true },
      );
  };

  it('keep the second factor usable for its owner, even if others know the password', async () => {
    const first = await tryFrom(home, 'tess', testPassword);
    const app = await setUpApp(slipway, browserWith(slipway, sessionCookieOf(first) ?? ''));
    slipway.clock.now += 10 * minute;
    const browser = knownBrowserOf(await (await stepFrom('tess', home))('use-code', app.code()));
    slipway.clock.now += minute;
    for (const secret of ['code', 'recovery code']) {
      const name = secret === 'code' ? await idOf('tess') : `${await idOf('tess')} ${await stampOf('tess')}`;
      await guessEarlier(name, 49, secret);
    }
    const last = await stepFrom('tess', '203.0.113.100');
    expect((await last('use-code', app.code(100))).status).toBe(401);
    expect((await last('use-recovery-code', 'wrong')).status).toBe(401);
    const stranger = await stepFrom('tess', '203.0.113.200');
    expect((await stranger('use-code', app.code())).status).toBe(429);
    expect((await stranger('use-recovery-code', app.recoveryCodes[0] ?? '')).status).toBe(429);
    slipway.clock.now += 3 * minute;
    expect((await (await stepFrom('tess', cafe, browser))('use-code', app.code())).status).toBe(303);
    slipway.clock.now += 3 * minute;
    expect((await (await stepFrom('tess', home))('use-code', app.code())).status).toBe(303);
    const [recovery = ''] = app.recoveryCodes;
    expect((await (await stepFrom('tess', home))('use-recovery-code', recovery)).status).toBe(303);
    // A new password gives new attempts at recovery codes, which are too long to guess.
    await slipway.data.accountState.beginEpoch(await idOf('tess'));
    const away = await stepFrom('tess', '192.0.2.9');
    expect((await away('use-code', app.code(1))).status).toBe(429);
    expect((await away('use-recovery-code', app.recoveryCodes[1] ?? '')).status).toBe(303);
  });

  it('count the codes of an account in one budget a day, whatever browsers and networks they come from', async () => {
    const app = await setUpApp(slipway, await slipway.browser('wanda'));
    slipway.clock.now += 10 * minute;
    const id = await idOf('wanda');
    const browsers = [];
    for (let at = 0; at < 2; at++) {
      slipway.clock.now += minute;
      browsers.push(knownBrowserOf(await (await stepFrom('wanda', home))('use-code', app.code())));
    }
    const secrets = [
      ['code', 'use-code', id],
      ['recovery code', 'use-recovery-code', `${id} ${await stampOf('wanda')}`],
    ] as const;
    for (const [secret, path, name] of secrets) {
      await countEarlierAttempts(slipway, slipway.clock.now, ['guess', secret, name, 'account'], 97);
      const wrongCode = secret === 'code' ? app.code(100) : 'wrong';
      for (const browser of [...browsers, undefined])
        expect((await (await stepFrom('wanda', home, browser))(path, wrongCode)).status).toBe(401);
      for (const browser of [...browsers, undefined])
        expect((await (await stepFrom('wanda', home, browser))(path, wrongCode)).status).toBe(429);
    }
  });

  it('forget browsers when a second factor changes', async () => {
    const first = await tryFrom(home, 'xenia', testPassword);
    const before = [knownBrowserOf(first)];
    for (let at = 0; at < 2; at++) before.push(knownBrowserOf(await tryFrom(home, 'xenia', testPassword)));
    const browser = await slipway.browser('xenia');
    const app = await setUpApp(slipway, browser);
    slipway.clock.now += 10 * minute;
    const wrongCode = app.code(100);
    // From one network, ten guesses in all.
    for (let at = 0; at < 10; at++)
      expect((await (await stepFrom('xenia', cafe, before[at % 3]))('use-code', wrongCode)).status).toBe(401);
    for (const cookie of before)
      expect((await (await stepFrom('xenia', cafe, cookie))('use-code', wrongCode)).status).toBe(429);
    // A browser that was known with the app is not known without it.
    const known = knownBrowserOf(await (await stepFrom('xenia', home))('use-code', app.code()));
    slipway.clock.now += minute;
    await browser.submit('/settings/security', 'app/disable', { proof: testPassword });
    await guessEarlier(await idOf('xenia'), 100);
    expect((await tryFrom('192.0.2.77', 'xenia', testPassword, known)).status).toBe(429);
  });

  it("do not let one session use up another's attempts at the password", async () => {
    const [thief, owner] = [await slipway.browser('vera'), await slipway.browser('vera')];
    slipway.clock.now += 10 * minute;
    const create = async (browser: typeof thief, proof: string) =>
      (await browser.submit('/settings/keys', 'create', { name: 'ci', expires: 'never', proof })).status;
    for (let at = 0; at < 10; at++) expect(await create(thief, wrong)).toBe(403);
    expect(await create(thief, testPassword)).toBe(429);
    expect(await create(owner, testPassword)).toBe(200);
  });

  it('leave a user enough reset requests, and never flood a mailbox', async () => {
    await addPerson(slipway, 'flooded');
    const askFrom = (address: string) =>
      postForm(slipway, '/forgot-password', { login: 'flooded' }, { 'X-Forwarded-For': address });
    for (let at = 0; at < 6; at++) expect((await askFrom('198.51.100.7')).status).toBe(at < 5 ? 200 : 429);
    expect((await askFrom('203.0.113.9')).status).toBe(200);
    for (let at = 1; at <= 20; at++) expect((await askFrom(`192.0.2.${at}`)).status).toBe(200);
    expect(await slipway.letters()).toBe(20);
    const newest = slipway.mailer.sent.at(-1)?.text ?? '';
    const link = /(\/reset-password\/[\w-]{43})/.exec(newest)?.[1] ?? '';
    expect((await slipway.stranger.get(link)).status).toBe(200);
  });
});

describe('a known browser', () => {
  const clientWith = (cookies: Record<string, string>) =>
    ({ cookies, origin: 'https://apps.example.com', address: home }) as unknown as Client;

  it('remembers the ten accounts that signed in last, for a year', () => {
    let now = 0;
    const browsers = createKnownBrowsers({ secret: 's', now: () => now });
    const accounts = Array.from({ length: 11 }, (_, at) => ({
      id: `user-${at}`,
      stamp: `stamp ${at}`,
    }));
    let client = clientWith({});
    for (const account of accounts) {
      const { name, value } = browsers.remember(client, account);
      client = clientWith({ [name]: value ?? '' });
    }
    expect(accounts.filter((account) => !browsers.isKnown(client, account))).toEqual([accounts[0]]);
    const places = accounts.slice(1).map((account) => browsers.placeOf(client, account).known);
    expect(new Set(places).size).toBe(1);
    expect(browsers.isKnown(client, { id: 'user-3', stamp: 'changed' })).toBe(false);
    now = 365 * day;
    expect(accounts.some((account) => browsers.isKnown(client, account))).toBe(false);
  });
});
