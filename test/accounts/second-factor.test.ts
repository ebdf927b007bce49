/** Authenticator apps and recovery codes: set up, required, valid once, and impossible to bypass. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { resetFactors } from '../../src/accounts/second-factor/reset-factors.ts';
import { securityTexts } from '../../src/accounts/second-factor/security-texts.ts';
import { type AccountsService, browserAfter, startAccountsService } from '../support/accounts-service.ts';
import { postForm } from '../support/browser-session.ts';
import { get } from '../support/interface-client.ts';
import { settleOutbox } from '../support/mail-service.ts';
import { formOf } from '../support/page-forms.ts';
import {
  afterPassword,
  readApp,
  recoveryCodesOn,
  securityPage,
  setUpApp,
} from '../support/second-factors.ts';

const step = 30_000;
const minute = 60_000;

describe('second factors', () => {
  let slipway: AccountsService;
  beforeAll(async () => {
    slipway = await startAccountsService('sqlite', ['mina', 'olga', 'pia', 'rosa', 'tess', 'vera', 'wanda']);
  });
  afterAll(() => slipway.close());

  const idOf = async (name: string) => (await slipway.data.owners.findOwner(name))?.id ?? '';
  const actionsOf = async (name: string) =>
    (await slipway.data.audit.list(await idOf(name), 50)).map(({ action }) => action);
  const subjects = async (from: number) => {
    await settleOutbox(slipway);
    return slipway.mailer.sent
      .slice(from)
      .map(({ to, subject }) => `${to.address}: ${subject}`)
      .filter((line) => !line.endsWith(securityTexts.emails.newSignIn));
  };
  const opens = async (cookie: string) =>
    (await get(slipway, '/settings', null, { headers: { Cookie: cookie, Accept: 'text/html' } })).status ===
    200;

  it('are set up with a code that proves the app has the secret, and required from then on', async () => {
    const mina = await slipway.browser('mina');
    const elsewhere = await slipway.browser('mina');
    const letters = slipway.mailer.sent.length;
    const page = '/settings/security/app';
    const shown = await mina.get(page);
    expect(shown.text).toContain('class="qr"');
    const { action, fields } = formOf(shown.text, 'enable');
    const app = readApp(slipway, shown.text);

    for (const [change, words] of [
      [{ code: app.code(5) }, 'Incorrect code. Check'],
      [{ code: 'abcdef' }, 'Incorrect code. Check'],
    ] as const) {
      const refused = await mina.post(action, { ...fields, ...change });
      expect(refused.status).toBe(400);
      expect(refused.text).toContain(words);
      // The phone need not scan again.
      expect(formOf(refused.text, 'enable').fields.pending).toBe(fields.pending);
    }
    const factors = await slipway.data.secondFactors.findFactors(await idOf('mina'));
    expect(factors).toEqual({ encryptedTotp: null, passkeys: 0, recoveryCodes: 0 });
    const olga = await slipway.browser('olga');
    const foreign = { ...fields, csrf: await olga.csrf(), code: app.code() };
    expect((await olga.post(action, foreign)).status).toBe(400);

    const done = await mina.post(action, { ...fields, code: app.code() });
    expect(done.status).toBe(200);
    expect(recoveryCodesOn(done.text)).toHaveLength(10);
    expect(recoveryCodesOn((await mina.get(securityPage)).text)).toEqual([]);
    expect(await opens(mina.cookie)).toBe(true);
    expect(await opens(elsewhere.cookie)).toBe(false);
    const after = await slipway.data.secondFactors.findFactors(await idOf('mina'));
    expect(after).toEqual({ encryptedTotp: expect.stringMatching(/^1\./), passkeys: 0, recoveryCodes: 10 });
    expect(await actionsOf('mina')).toContain('second-factor.on');
    expect(await subjects(letters)).toEqual([
      'mina@example.com: An authenticator app was added to your account',
    ]);
    expect((await mina.get(page)).headers.location).toBe(securityPage);
    expect((await mina.post(action, { ...fields, code: app.code(1) })).status).toBe(400);

    const second = await afterPassword(slipway, 'mina', { to: '/docs' });
    expect(second.first.status).toBe(303);
    expect(second.first.headers.location).toBe('/sign-in/second-factor?to=%2Fdocs');
    expect(second.cookie).toMatch(/^__Secure-slipway_second_step=/);
    expect(second.first.headers['set-cookie']?.[0]).toMatch(
      /; Path=\/sign-in; HttpOnly; SameSite=Lax|HttpOnly/,
    );
    expect(await opens(second.cookie)).toBe(false);
    expect((await second.get()).text).toContain('Confirm that you are mina');
    // The code that confirmed the app is used up.
    expect((await second.prove('code', app.code())).status).toBe(401);
    const signedIn = await second.prove('code', app.code(1));
    expect(signedIn.status).toBe(303);
    expect(signedIn.headers.location).toBe('/docs');
    const cookies = signedIn.headers['set-cookie'] ?? [];
    expect(cookies.some((cookie) => cookie.startsWith('__Secure-slipway_second_step=;'))).toBe(true);
    const session =
      cookies.find((cookie) => cookie.startsWith('__Host-slipway_session='))?.split(';')[0] ?? '';
    expect(await opens(session)).toBe(true);
  });

  it('accept each code once, also in concurrent requests', async () => {
    const app = await setUpApp(slipway, await slipway.browser('olga'));
    slipway.clock.now += 10 * step;
    const browsers = await Promise.all(Array.from({ length: 4 }, () => afterPassword(slipway, 'olga')));
    const code = app.code();
    const answers = await Promise.all(browsers.map((browser) => browser.prove('code', code)));
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 401, 401, 401]);
    // Steps before the last used one are used up, too.
    const [browser] = browsers;
    expect((await browser?.prove('code', app.code(-1)))?.status).toBe(401);
    expect((await browser?.prove('code', app.code(1)))?.status).toBe(303);
  });

  it('accept a recovery code instead of a code, once, and email the person', async () => {
    const { recoveryCodes } = await setUpApp(slipway, await slipway.browser('pia'));
    const [first = '', second = ''] = recoveryCodes;
    await subjects(0);
    const letters = slipway.mailer.sent.length;
    const browsers = await Promise.all([1, 2, 3].map(() => afterPassword(slipway, 'pia')));
    const answers = await Promise.all(browsers.map((browser) => browser.prove('recovery', first)));
    expect(answers.map(({ status }) => status).sort()).toEqual([303, 401, 401]);
    expect(await subjects(letters)).toEqual(['pia@example.com: A recovery code was used to sign in']);
    expect(await actionsOf('pia')).toContain('recovery-code.used');
    const submitted = ` ${second.toUpperCase().replaceAll('-', ' ')}`;
    const again = await afterPassword(slipway, 'pia');
    const wrong = recoveryCodes[2]?.replace(/.$/, (last) => (last === 'z' ? 'y' : 'z')) ?? '';
    expect((await again.prove('recovery', wrong)).status).toBe(401);
    const pia = browserAfter(slipway, sessionOf(await again.prove('recovery', submitted)));
    expect((await pia.get(securityPage)).text).toContain('8 codes left');

    const made = await pia.submit(securityPage, 'recovery-codes/create');
    expect(recoveryCodesOn(made.text)).toHaveLength(10);
    expect(recoveryCodesOn(made.text)).not.toContain(recoveryCodes[3]);
    const last = await afterPassword(slipway, 'pia');
    expect((await last.prove('recovery', recoveryCodes[3] ?? '')).status).toBe(401);
    expect((await last.prove('recovery', recoveryCodesOn(made.text)[0] ?? '')).status).toBe(303);
  });

  it("can't be guessed: ten attempts in 15 minutes, from any browser", async () => {
    const app = await setUpApp(slipway, await slipway.browser('rosa'));
    slipway.clock.now += 10 * step;
    const [one, other] = [await afterPassword(slipway, 'rosa'), await afterPassword(slipway, 'rosa')];
    const guesses = await Promise.all(
      Array.from({ length: 10 }, (_, at) => (at % 2 ? one : other).prove('code', app.code(50 + at))),
    );
    expect(guesses.map(({ status }) => status)).toEqual(Array(10).fill(401));
    const refused = await one.prove('code', app.code());
    expect(refused.status).toBe(429);
    expect(refused.headers['retry-after']).toBe('900');
    // Recovery codes can't be guessed and keep working.
    for (let at = 0; at < 9; at++)
      expect((await other.prove('recovery', `0000-0000-0000-000${at}`)).status).toBe(401);
    expect((await other.prove('recovery', app.recoveryCodes[0] ?? '')).status).toBe(303);
    for (let at = 0; at < 10; at++) await other.prove('recovery', `0000-0000-0000-000${at}`);
    expect((await other.prove('recovery', app.recoveryCodes[1] ?? '')).status).toBe(429);
    slipway.clock.now += 16 * minute;
    const later = await afterPassword(slipway, 'rosa');
    expect((await later.prove('code', app.code())).status).toBe(303);
  });

  it('are not requested after a wrong password, which does not reveal who has one', async () => {
    const wrong = await postForm(slipway, '/sign-in', { login: 'olga', password: 'not the password' });
    const nobody = await postForm(slipway, '/sign-in', { login: 'nemo', password: 'not the password' });
    expect(wrong.status).toBe(401);
    const withoutToken = (html: string) => html.replace(/(name="csrf" value=)"[^"]*"/g, '$1');
    expect(withoutToken(wrong.text).replaceAll('olga', 'LOGIN')).toBe(
      withoutToken(nobody.text).replaceAll('nemo', 'LOGIN'),
    );
    expect(Object.keys(wrong.headers)).toEqual(Object.keys(nobody.headers));
    for (const cookie of ['', '__Secure-slipway_second_step=x', '__Secure-slipway_second_step=eyJ9.x']) {
      const page = await get(slipway, '/sign-in/second-factor', null, {
        headers: { Cookie: cookie, Accept: 'text/html' },
      });
      expect(page.headers.location).toBe('/sign-in');
      const posted = await postForm(
        slipway,
        '/sign-in/second-factor/use-code',
        { code: '000000' },
        { Cookie: cookie },
        { anonymous: true },
      );
      expect(posted.headers.location).toBe('/sign-in');
      expect(posted.headers['set-cookie']).toBeUndefined();
    }
  });

  it('expire after ten minutes, and when the password changes', async () => {
    const slow = await afterPassword(slipway, 'olga');
    slipway.clock.now += 11 * minute;
    expect((await slow.get()).headers.location).toBe('/sign-in');
    const early = await afterPassword(slipway, 'olga');
    const owner = await slipway.data.owners.findOwner('olga');
    const account = await slipway.data.accounts.findAccount(owner?.id ?? '');
    await slipway.data.accounts.setPassword(owner?.id ?? '', 'another hash', false);
    expect((await early.get()).headers.location).toBe('/sign-in');
    await slipway.data.accounts.setPassword(owner?.id ?? '', account?.passwordHash ?? '', false);
  });

  it('refuse forms from other sites, and never redirect to another site', async () => {
    const browser = await afterPassword(slipway, 'olga', { to: '//evil.example' });
    expect(browser.first.headers.location).toBe('/sign-in/second-factor');
    const foreign = await postForm(
      slipway,
      '/sign-in/second-factor/use-code',
      { code: '000000' },
      { Cookie: browser.cookie, Origin: 'https://evil.example' },
      { anonymous: true },
    );
    expect(foreign.status).toBe(403);
  });

  it('are still required after a password reset by email', async () => {
    const app = await setUpApp(slipway, await slipway.browser('tess'));
    slipway.clock.now += 10 * step;
    await slipway.letters();
    await slipway.stranger.post('/forgot-password', { login: 'tess' });
    const link = await slipway.linkInEmail('tess@example.com');
    const fresh = 'seven grey gulls';
    const reset = await slipway.stranger.post(link, { password: fresh, again: fresh });
    expect(reset.status).toBe(303);
    expect(reset.headers['set-cookie']).toBeUndefined();
    const browser = await afterPassword(slipway, 'tess', { password: fresh });
    expect(browser.first.headers.location).toBe('/sign-in/second-factor');
    expect(browser.first.headers['set-cookie']?.join()).not.toContain('slipway_session');
    expect((await browser.prove('code', app.code())).status).toBe(303);
    expect((await subjects(0)).filter((line) => line.startsWith('tess'))).toContain(
      'tess@example.com: Your Slipway password was changed',
    );
  });

  it('are required before replacing a temporary password', async () => {
    const vera = await slipway.browser('vera');
    const app = await setUpApp(slipway, vera);
    slipway.clock.now += 10 * step;
    const account = await slipway.data.accounts.findAccount(await idOf('vera'));
    await slipway.data.accounts.setPassword(await idOf('vera'), account?.passwordHash ?? '', true);
    const browser = await afterPassword(slipway, 'vera');
    expect(browser.first.headers.location).toBe('/sign-in/second-factor');
    expect((await browser.prove('code', app.code())).headers.location).toBe('/welcome');
  });

  it('are removed together with the recovery codes', async () => {
    const wanda = await slipway.browser('wanda');
    const app = await setUpApp(slipway, wanda);
    slipway.clock.now += 10 * step;
    const elsewhere = sessionOf(await (await afterPassword(slipway, 'wanda')).prove('code', app.code()));
    await subjects(0);
    const letters = slipway.mailer.sent.length;
    const off = await wanda.submit(securityPage, 'disable');
    expect(off.headers.location).toBe(`${securityPage}?done=app-off`);
    expect((await wanda.get(`${securityPage}?done=app-off`)).text).toContain('Authenticator app removed');
    expect(await opens(browserAfter(slipway, elsewhere).cookie)).toBe(false);
    const factors = await slipway.data.secondFactors.findFactors(await idOf('wanda'));
    expect(factors).toEqual({ encryptedTotp: null, passkeys: 0, recoveryCodes: 0 });
    expect(await subjects(letters)).toEqual([
      'wanda@example.com: The authenticator app was removed from your account',
    ]);
    const plain = await afterPassword(slipway, 'wanda');
    expect(plain.first.headers['set-cookie']?.join()).toContain('slipway_session');
    expect((await wanda.submit(securityPage, 'rename').catch((error) => error)).message).toContain('no form');
  });

  it('are reset by the operator with every session, and the person is emailed', async () => {
    await slipway.user('lost');
    const browser = await slipway.browser('lost');
    await setUpApp(slipway, browser);
    await subjects(0);
    const letters = slipway.mailer.sent.length;
    const user = { id: await idOf('lost'), name: 'lost' };
    const had = await resetFactors(
      { data: slipway.data, now: () => slipway.clock.now },
      user,
      'command-line',
    );
    expect(had).toEqual({ app: true, passkeys: 0, recoveryCodes: 10, any: true });
    expect(await opens(browser.cookie)).toBe(false);
    const factors = await slipway.data.secondFactors.findFactors(user.id);
    expect(factors).toEqual({ encryptedTotp: null, passkeys: 0, recoveryCodes: 0 });
    expect(await subjects(letters)).toEqual(['lost@example.com: Your second factors were removed']);
    const rows = await slipway.data.audit.list(user.id, 50);
    expect(rows.find(({ action }) => action === 'second-factor.reset')).toMatchObject({
      actorName: 'command-line',
      details: { app: true, passkeys: 0 },
    });
    const plain = await afterPassword(slipway, 'lost');
    expect(plain.first.headers.location).toBe('/');
  });

  it('have recovery codes only together with an app or a passkey', async () => {
    await slipway.user('keyed');
    const pia = await slipway.browser('keyed');
    const codes = await pia.post(`${securityPage}/recovery-codes/create`, { csrf: await pia.csrf() });
    expect(codes.status).toBe(409);
    expect(codes.text).toContain(
      'Slipway creates them when you add your first authenticator app or passkey.',
    );
  });
});

/** The response with its session cookie first. */
function sessionOf<T extends { headers: { 'set-cookie'?: string[] | undefined } }>(answer: T): T {
  const cookies = answer.headers['set-cookie'] ?? [];
  const session = cookies.filter((cookie) => cookie.startsWith('__Host-slipway_session='));
  return { ...answer, headers: { ...answer.headers, 'set-cookie': session } };
}
