/** If the settings require a second factor, users must set one up before any other page opens. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AccountsService, browserAfter, startAccountsService } from '../support/accounts-service.ts';
import { postForm, signIn } from '../support/browser-session.ts';
import { bearer, get } from '../support/interface-client.ts';
import { formOf } from '../support/page-forms.ts';
import { afterPassword, readApp, securityPage, setUpApp } from '../support/second-factors.ts';
import { testAdminKey, testPassword } from '../support/test-service.ts';

describe('a second factor required for everyone', () => {
  let slipway: AccountsService;
  beforeAll(async () => {
    const settings = { SLIPWAY_REQUIRE_SECOND_FACTOR: 'everyone', SLIPWAY_SIGN_UP: 'open' };
    slipway = await startAccountsService('sqlite', ['mina', 'olga'], { settings });
  });
  afterAll(() => slipway.close());

  it('must be set up before any other page opens, and then continues to the requested page', async () => {
    const answer = await postForm(slipway, '/sign-in', {
      login: 'mina',
      password: testPassword,
      to: '/docs',
    });
    expect(answer.headers.location).toBe(`${securityPage}?to=%2Fdocs`);
    const mina = browserAfter(slipway, answer);
    for (const path of [
      '/settings',
      '/settings/password',
      '/settings/keys',
      '/settings/mail',
      '/projects/new',
    ]) {
      const closed = await mina.get(path);
      expect(closed.status, path).toBe(303);
      expect(closed.headers.location, path).toBe(`${securityPage}?to=${encodeURIComponent(path)}`);
    }
    expect((await mina.get('/')).text).not.toContain('/users/mina');
    expect((await mina.get('/sign-in?to=/docs')).headers.location).toBe(`${securityPage}?to=%2Fdocs`);
    expect((await mina.get('/welcome')).headers.location).toBe('/sign-in?to=%2F');
    const csrf = formOf((await mina.get('/settings/security/app')).text, 'enable').fields.csrf ?? '';
    for (const path of [
      '/settings/password',
      '/settings/keys/create',
      '/settings/sessions/end-others',
      '/projects/new',
    ])
      expect((await mina.post(path, { csrf })).status, path).toBe(303);

    const page = await mina.get(`${securityPage}?to=%2Fdocs`);
    expect(page.text).toContain('Second factor required');
    expect(page.text).toContain('/settings/security/app?to=%2Fdocs');
    await setUpApp(slipway, mina, { page: '/settings/security/app?to=%2Fdocs' });
    expect((await mina.get('/settings')).status).toBe(200);
    expect((await mina.get('/sign-in')).headers.location).toBe('/');
  });

  it('shows where to continue once it is set up', async () => {
    const olga = browserAfter(
      slipway,
      await postForm(slipway, '/sign-in', { login: 'olga', password: testPassword }),
    );
    const page = '/settings/security/app?to=%2Fusers%2Folga';
    const enable = '/settings/security/app/enable?to=%2Fusers%2Folga';
    const { action, fields } = formOf((await olga.get(page)).text, 'enable');
    expect(action).toBe(enable);
    const wrong = await olga.post(action, { ...fields, code: '000000' });
    expect(formOf(wrong.text, 'enable').action).toBe(enable);
    const hostile = await olga.get('/settings/security/app?to=%2F%2Fevil.example');
    expect(formOf(hostile.text, 'enable').action).toBe('/settings/security/app/enable');
    await setUpApp(slipway, olga, { page });
    const off = await olga.submit(securityPage, 'disable');
    expect(off.status).toBe(303);
    expect((await olga.get('/settings')).headers.location).toBe(`${securityPage}?to=%2Fsettings`);
    const again = await olga.get(page);
    const { fields: fresh } = formOf(again.text, 'enable');
    const form = { ...fresh, code: readApp(slipway, again.text).code() };
    const done = await olga.post(enable, form);
    expect(done.text).toContain('<a class="button button-primary" href="/users/olga">Continue</a>');
  });

  it('is required of new users, too, and never of a key', async () => {
    const fields = { name: 'newly', password: 'seven grey gulls', again: 'seven grey gulls' };
    const made = await slipway.stranger.post('/sign-up', fields);
    expect(made.headers.location).toBe(securityPage);
    const listed = await get(slipway, '/api/organizations', null, { headers: bearer(testAdminKey) });
    expect(listed.status).toBe(200);
  });

  it('is set up after replacing a temporary password', async () => {
    await slipway.user('pia');
    const owner = await slipway.data.owners.findOwner('pia');
    const account = await slipway.data.accounts.findAccount(owner?.id ?? '');
    await slipway.data.accounts.setPassword(owner?.id ?? '', account?.passwordHash ?? '', true);
    const first = await afterPassword(slipway, 'pia');
    expect(first.first.headers.location).toBe('/welcome');
    const browser = browserAfter(slipway, first.first);
    expect((await browser.get(securityPage)).headers.location).toBe(
      `/welcome?to=${encodeURIComponent(securityPage)}`,
    );
    const chosen = await browser.submit('/welcome', 'welcome', {
      password: 'seven grey gulls',
      again: 'seven grey gulls',
    });
    expect(chosen.headers.location).toBe(securityPage);
  });
});

describe('a second factor required for administrators', () => {
  let slipway: AccountsService;
  beforeAll(async () => {
    const settings = { SLIPWAY_REQUIRE_SECOND_FACTOR: 'administrators' };
    slipway = await startAccountsService('sqlite', ['mina'], { settings });
  });
  afterAll(() => slipway.close());

  it('is not required of other users', async () => {
    const mina = await signIn(slipway, 'mina');
    expect((await mina.get('/settings')).status).toBe(200);
    const admin = await signIn(slipway, 'admin');
    expect((await admin.get('/settings')).headers.location).toBe(`${securityPage}?to=%2Fsettings`);
    expect((await admin.get('/administration/doctor')).status).not.toBe(200);
  });
});
