/**
 * A stolen session gains no lasting access without a password, app or passkey: the attack, and the ways to confirm
 * access.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashSessionToken, newSessionToken } from '../../src/accounts/sessions/session.ts';
import {
  type AccountsService,
  type Browser,
  browserWith,
  startAccountsService,
} from '../support/accounts-service.ts';
import { addPerson, mailSettings } from '../support/mail-service.ts';
import { formOf, postedForms } from '../support/page-forms.ts';
import { runsEverything } from '../support/runs-everything.ts';
import { passkeyOptionsOn, readApp, securityPage, setUpApp } from '../support/second-factors.ts';
import { openSecondNode } from '../support/second-node.ts';
import { createAuthenticator } from '../support/software-authenticator.ts';
import { testPassword } from '../support/test-service.ts';

const minute = 60_000;
const origin = 'https://apps.example.com';
const keyForm = { name: 'stolen <key>', expires: 'never', until: '', scope: 'upload' };
const isAsked = ({ status, text }: { status: number; text: string }) =>
  status === 403 && text.includes('Confirm access');
const confirmPath = `${securityPage}/confirm/passkey`;

describe('confirming access', () => {
  let slipway: AccountsService;
  beforeAll(async () => {
    const names = ['mina', 'olga', 'pia', 'rosa', 'tess', 'vera'];
    slipway = await startAccountsService('sqlite', names);
    await slipway.project('crew', { members: { mina: 'owner' } });
  });
  afterAll(() => slipway.close());

  const idOf = async (name: string) => (await slipway.data.owners.findOwner(name))?.id ?? '';
  /** Signed in too long ago for the password to count as a recent proof. */
  const staleBrowser = async (name: string) => {
    const browser = await slipway.browser(name);
    slipway.clock.now += 10 * minute;
    return browser;
  };
  const keysOf = async (name: string) => slipway.data.keys.listKeys(await idOf(name));
  const addPasskey = async (browser: Browser) => {
    const authenticator = createAuthenticator(origin);
    const csrf = await browser.csrf();
    const asked = passkeyOptionsOn(
      (await browser.post(`${securityPage}/passkeys/create`, { csrf, name: 'Phone' })).text,
    );
    const credential = authenticator.create(asked.publicKey);
    const fields = { csrf, name: 'Phone', ticket: asked.ticket, credential };
    expect((await browser.post(`${securityPage}/passkeys/add`, fields)).status).toBeLessThan(400);
    return authenticator;
  };

  it('is required of a stolen session for everything that grants lasting access, and nothing changes', async () => {
    const owner = await slipway.browser('mina');
    await setUpApp(slipway, owner);
    await addPasskey(owner);
    const [passkey] = await slipway.data.secondFactors.listPasskeys(await idOf('mina'));
    await owner.submit('/settings', 'change', { email: 'mina@new.example' });
    const emailLink = await slipway.linkInEmail('mina@new.example');
    slipway.clock.now += 10 * minute;

    const thief = browserWith(slipway, owner.cookie);
    const csrf = await thief.csrf();
    const attack: Record<string, Record<string, string>> = {
      '/settings/keys/create': keyForm,
      '/organizations/crew/keys/create': keyForm,
      '/settings/email/change': { email: 'thief@evil.example' },
      [`${emailLink}/confirm`]: {},
      [`${securityPage}/app/disable`]: {},
      [`${securityPage}/app/enable`]: { pending: 'x', code: '000000' },
      [`${securityPage}/recovery-codes/create`]: {},
      [`${securityPage}/passkeys/create`]: { name: 'Mine' },
      [`${securityPage}/passkeys/add`]: { name: 'Mine', ticket: 'x', credential: '{}' },
      [`${securityPage}/passkeys/${passkey?.id}/remove`]: {},
    };
    const before = await slipway.data.secondFactors.findFactors(await idOf('mina'));
    for (const [path, fields] of Object.entries(attack)) {
      expect(isAsked(await thief.post(path, { csrf, ...fields })), path).toBe(true);
      const guess = await thief.post(path, { csrf, ...fields, proof: 'a guess' });
      expect([path, [403, 429].includes(guess.status)]).toEqual([path, true]);
    }
    expect(await slipway.data.secondFactors.findFactors(await idOf('mina'))).toEqual(before);
    expect((await keysOf('mina')).map(({ name }) => name)).not.toContain(keyForm.name);
    expect(await slipway.data.owners.findOwner('mina')).toMatchObject({ email: 'mina@example.com' });
    expect(await slipway.letters()).toBe(0);
    // Its own form asks for the current password, however recent the proof.
    const password = { csrf, current: 'a guess', password: 'seven grey gulls', again: 'seven grey gulls' };
    slipway.clock.now += 15 * minute;
    expect((await thief.post('/settings/password', password)).status).toBe(400);
  });

  it('resubmits the fields of the form, and is valid for ten minutes', async () => {
    const olga = await staleBrowser('olga');
    const csrf = await olga.csrf();
    const more = { token: 'not a field of this form', proof: '' };
    const asked = await olga.post('/settings/keys/create', { csrf, ...keyForm, ...more });
    expect(isAsked(asked)).toBe(true);
    expect(asked.headers['cache-control']).toContain('no-store');
    expect(asked.text).toContain('Signed in as <strong><bdi>olga</bdi></strong>');
    expect(asked.text).not.toContain('not a field of this form');
    expect(asked.text).not.toContain('<key>');
    const form = formOf(asked.text, 'create');
    expect(form).toEqual({
      action: '/settings/keys/create',
      fields: { csrf: expect.any(String), ...keyForm, proof: '' },
    });
    expect(asked.text).toContain('href="/settings/keys"');
    expect(await keysOf('olga')).toHaveLength(1);

    const wrong = await olga.post(form.action, { ...form.fields, proof: 'not the password' });
    expect(isAsked(wrong)).toBe(true);
    expect(wrong.text).toContain('Incorrect password.');
    expect(wrong.text).toContain('aria-invalid');
    expect(wrong.text).not.toContain('not the password');
    expect(formOf(wrong.text, 'create').fields).toMatchObject(keyForm);
    const done = await olga.post(form.action, { ...form.fields, proof: testPassword });
    expect(done.status).toBe(200);
    expect(done.text).toContain('slw_');
    const next = await olga.post(form.action, { ...form.fields, name: 'second' });
    expect(next.status).toBe(200);
    slipway.clock.now += 10 * minute;
    expect(isAsked(await olga.post(form.action, { ...form.fields, name: 'third' }))).toBe(true);
    expect((await keysOf('olga')).map(({ name }) => name)).toEqual(
      expect.arrayContaining([keyForm.name, 'second']),
    );
  });

  it('reports to API clients what is missing', async () => {
    const olga = await staleBrowser('olga');
    const asked = await fetch(`http://127.0.0.1:${slipway.port}/settings/keys/create`, {
      method: 'POST',
      headers: { Cookie: olga.cookie, Accept: 'application/json' },
      body: new URLSearchParams({ csrf: await olga.csrf(), ...keyForm }),
    });
    expect(asked.status).toBe(403);
    expect(await asked.json()).toMatchObject({ error: true, error_type: 'reauthentication_required' });
  });

  it('applies to a single session', async () => {
    const [first, second] = [await slipway.browser('olga'), await staleBrowser('olga')];
    const post = async (browser: Browser, proof: string) =>
      browser.post('/settings/keys/create', { csrf: await browser.csrf(), ...keyForm, name: 'k', proof });
    expect((await post(first, testPassword)).status).toBe(200);
    expect(isAsked(await post(second, ''))).toBe(true);
  });

  it('accepts a code of the authenticator app instead of the password, each code once', async () => {
    const pia = await slipway.browser('pia');
    const shown = await pia.get(`${securityPage}/app`);
    const app = readApp(slipway, shown.text);
    const enable = formOf(shown.text, 'enable');
    expect((await pia.post(enable.action, { ...enable.fields, code: app.code() })).status).toBe(200);
    slipway.clock.now += 10 * minute;
    const asked = await pia.submit(securityPage, 'recovery-codes/create');
    expect(asked.text).toContain('Or a code from your authenticator app.');
    const form = formOf(asked.text, 'recovery-codes/create');
    const wrong = await pia.post(form.action, { ...form.fields, proof: '000000' });
    expect(wrong.text).toContain('Incorrect password or code.');
    const code = app.code();
    expect((await pia.post(form.action, { ...form.fields, proof: code })).status).toBe(200);
    slipway.clock.now += 10 * minute;
    expect(isAsked(await pia.post(form.action, { ...form.fields, proof: code }))).toBe(true);
  });

  it('accepts a passkey of the account, in the session that requested it', async () => {
    const rosa = await slipway.browser('rosa');
    const own = await addPasskey(rosa);
    const elsewhere = await slipway.browser('vera');
    const foreign = await addPasskey(elsewhere);
    slipway.clock.now += 10 * minute;
    const asked = await rosa.submit('/settings/keys', 'create', keyForm);
    expect(asked.text).toContain('Use a passkey');
    expect(asked.text).toContain(`data-options="${confirmPath}-options"`);
    expect(asked.text).toContain('data-submits="confirm-access"');
    const ask = async (browser: Browser) => {
      const answer = await browser.post(`${confirmPath}-options`, { csrf: await browser.csrf() });
      expect(answer.headers['cache-control']).toBe('no-store');
      return JSON.parse(answer.text);
    };
    const confirm = async (browser: Browser, ticket: string, credential: string) =>
      browser.post(confirmPath, { csrf: await browser.csrf(), ticket, credential });
    const proof = await ask(rosa);
    expect(proof.publicKey.allowCredentials).toMatchObject([{ id: own.id }]);
    expect((await confirm(rosa, proof.ticket, foreign.get(proof.publicKey))).status).toBe(400);
    const next = await ask(rosa);
    const credential = own.get(next.publicKey);
    expect((await confirm(elsewhere, next.ticket, credential)).status).toBe(400);
    expect(isAsked(await rosa.submit('/settings/keys', 'create', keyForm))).toBe(true);
    const third = await ask(rosa);
    const right = own.get(third.publicKey);
    expect((await confirm(rosa, third.ticket, right)).status).toBe(204);
    expect((await confirm(rosa, third.ticket, right)).status).toBe(400);
    const [form] = postedForms(asked.text).filter(({ action }) => action === '/settings/keys/create');
    expect((await rosa.post('/settings/keys/create', { ...form?.fields })).status).toBe(200);
  });

  it("can't be guessed: ten attempts in 15 minutes, which do not block other sessions", async () => {
    const thief = await staleBrowser('tess');
    const csrf = await thief.csrf();
    const guess = (proof: string) => thief.post('/settings/keys/create', { csrf, ...keyForm, proof });
    for (let at = 0; at < 10; at++) expect(isAsked(await guess(`guess number ${at}`))).toBe(true);
    const refused = await guess(testPassword);
    expect(refused.status).toBe(429);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    // The owner signs in and confirms in the meantime.
    const owner = await staleBrowser('tess');
    const own = await owner.post('/settings/keys/create', {
      csrf: await owner.csrf(),
      ...keyForm,
      proof: testPassword,
    });
    expect(own.status).toBe(200);
    slipway.clock.now += 15 * minute;
    expect((await guess(testPassword)).status).toBe(200);
  });

  it('sends an account without any proof to set a password', async () => {
    const bare = await addPerson(slipway, 'bare');
    const token = newSessionToken();
    await slipway.data.sessions.insertSession({
      userId: bare.id,
      tokenHash: hashSessionToken(token),
      userAgent: '',
      address: '',
      authenticatedAt: null,
      createdAt: slipway.clock.now,
      expiresAt: slipway.clock.now + 60 * minute,
    });
    const browser = browserWith(slipway, `__Host-slipway_session=${token}`);
    const asked = await browser.submit('/settings/keys', 'create', keyForm);
    expect(isAsked(asked)).toBe(true);
    expect(asked.text).toContain('href="/forgot-password"');
    expect(asked.text).not.toContain('type="password"');
    const csrf = await browser.csrf();
    for (const proof of ['x', '000000'])
      expect(isAsked(await browser.post('/settings/keys/create', { csrf, ...keyForm, proof }))).toBe(true);
    expect(await keysOf('bare')).toEqual([]);
  });
});

describe.runIf(runsEverything)('a proof of identity', () => {
  it('is valid on every node', async () => {
    const settings = { SLIPWAY_SECRET: 's'.repeat(40) };
    const first = await startAccountsService('postgres', ['mina'], { settings });
    const second = await openSecondNode(first, { ...mailSettings, ...settings }, () => first.clock.now);
    try {
      const here = await first.browser('mina');
      const there = browserWith({ ...first, port: second.port }, here.cookie);
      first.clock.now += 10 * minute;
      const form = { csrf: await here.csrf(), ...keyForm };
      expect(isAsked(await here.post('/settings/keys/create', form))).toBe(true);
      expect(isAsked(await there.post('/settings/keys/create', form))).toBe(true);
      const proven = await here.post('/settings/keys/create', { ...form, proof: testPassword });
      expect(proven.status).toBe(200);
      expect((await there.post('/settings/keys/create', form)).status).toBe(200);
    } finally {
      await second.close();
      await first.close();
    }
  });
});
