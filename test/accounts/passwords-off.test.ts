/** A server without passwords: people sign in by single sign-on, and no page asks for or accepts a password. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashSessionToken } from '../../src/accounts/sessions/session.ts';
import {
  type AccountsService,
  browserWith,
  leadsTo,
  startAccountsService,
} from '../support/accounts-service.ts';
import { upload } from '../support/interface-client.ts';
import { type OidcServer, signInAtProvider, startOidcServer } from '../support/oidc-provider-server.ts';
import { testPassword } from '../support/test-service.ts';

/** The settings as the documentation shows them. */
const documented = Object.fromEntries(
  [
    ...readFileSync(new URL('../../docs/accounts.md', import.meta.url), 'utf8').matchAll(
      /^(SLIPWAY_\w+)=(.+)$/gm,
    ),
  ].map(([, name = '', value = '']) => [name, value]),
);

describe('a server without passwords', () => {
  let provider: OidcServer;
  let slipway: AccountsService;
  beforeAll(async () => {
    provider = await startOidcServer();
    slipway = await startAccountsService('sqlite', ['mina'], {
      mail: false,
      settings: { ...documented, ...provider.settings, SLIPWAY_SIGN_UP: 'open' },
    });
    provider.allow('https://apps.example.com/sign-in/sso/callback');
  });
  afterAll(async () => {
    await slipway.close();
    await provider.close();
  });

  const enter = async (login: string, email: string, confirmed = true) => {
    provider.people.set(login, { email, email_verified: confirmed });
    const begun = await slipway.stranger.get('/sign-in/sso');
    const { pathname, search } = new URL(await signInAtProvider(leadsTo(begun), login));
    const way = browserWith(slipway, begun.headers['set-cookie']?.[0]?.split(';')[0] ?? '');
    const answer = await way.get(`${pathname}${search}`);
    const cookie = answer.headers['set-cookie']?.find((one) => one.startsWith('__Host-slipway_session='));
    return { answer, browser: browserWith(slipway, cookie?.split(';')[0] ?? '') };
  };

  it('only shows the provider', async () => {
    const page = await slipway.stranger.get('/sign-in');
    expect(page.status).toBe(200);
    expect(page.text).toContain('Continue with Example');
    expect(page.text).not.toMatch(/type="password"|forgot-password|\/sign-up"/);
  });

  it('refuses everything that uses or sets a password, in the same way for existing and unknown users', async () => {
    const fresh = { password: 'seven grey gulls', again: 'seven grey gulls' };
    const { stranger } = slipway;
    const answers = await Promise.all([
      stranger.post('/sign-in', { login: 'mina', password: testPassword }),
      stranger.post('/sign-in', { login: 'nobody', password: testPassword }),
      stranger.get('/forgot-password'),
      stranger.post('/forgot-password', { login: 'mina' }),
      stranger.post('/forgot-password', { login: 'nobody' }),
      stranger.get('/reset-password/token'),
      stranger.post('/reset-password/token', fresh),
      stranger.get('/sign-up'),
      stranger.post('/sign-up', { name: 'newone', ...fresh }),
    ]);
    for (const { status, text, headers } of answers) {
      expect(status).toBe(403);
      expect(text).toContain('This server does not use passwords');
      expect(headers['set-cookie']).toBeUndefined();
    }
    expect(await slipway.data.owners.findOwner('newone')).toBeNull();
    const passkey = await stranger.post('/sign-in/passkey', { ticket: 't', credential: 'c' });
    expect(passkey.status).toBe(404);
  });

  it('signs in the administrator from the settings, without asking for a new password', async () => {
    const { answer, browser } = await enter('chief', 'chief@example.com');
    expect(answer.headers.location).toBe('/');
    expect((await browser.get('/administration/mail')).status).toBe(200);
    const profile = await browser.get('/settings');
    expect(profile.text).toContain('chief@example.com');
    expect(profile.text).not.toMatch(/type="password"|href="\/settings\/password"/);
    for (const path of ['/settings/sessions', '/settings/keys', '/settings/mail']) {
      expect((await browser.get(path)).status, path).toBe(200);
    }
    expect((await browser.get('/settings/password')).status).toBe(403);
    const csrf = await browser.csrf();
    const change = { csrf, current: testPassword, password: 'seven grey gulls', again: 'seven grey gulls' };
    expect((await browser.post('/settings/password', change)).status).toBe(403);
    expect((await browser.post('/settings/email/change', { csrf, email: 'x@example.com' })).status).toBe(403);
    const [identity] = await slipway.data.identities.listIdentities(
      (await slipway.data.owners.findFirstAdministrator())?.id ?? '',
    );
    const fields = { csrf, issuer: identity?.issuer ?? '', subject: identity?.subject ?? '' };
    expect((await browser.post('/settings/single-sign-on/unlink', fields)).status).toBe(409);
  });

  it('creates accounts only for confirmed addresses of the permitted domains', async () => {
    expect((await enter('one', 'one@EXAMPLE.org')).answer.status).toBe(303);
    expect(await slipway.data.owners.findOwner('one')).toMatchObject({ email: 'one@EXAMPLE.org' });
    for (const [login, email, confirmed] of [
      ['two', 'two@example.org', false],
      ['three', 'three@sub.example.org', true],
      ['four', 'four@example.org.evil.example', true],
      ['five', 'five@notexample.org', true],
    ] as const) {
      const { answer } = await enter(login, email, confirmed);
      expect(answer.status, email).toBe(403);
      expect(await slipway.data.owners.findOwner(login)).toBeNull();
    }
  });

  it('creates no account with a password from an invitation', async () => {
    const { browser } = await enter('chief', 'chief@example.com');
    const token = browser.cookie.split('=')[1] ?? '';
    await slipway.data.sessions.recordProof(hashSessionToken(token), slipway.clock.now);
    const invited = await browser.submit('/administration/invitations', 'create');
    const link = /(\/invitation\/[\w-]+)/.exec(invited.text)?.[1] ?? '';
    const page = await slipway.stranger.get(link);
    expect(page.text).toContain('Continue with Example');
    expect(page.text).not.toContain('type="password"');
    const fresh = { name: 'newtwo', password: 'seven grey gulls', again: 'seven grey gulls' };
    expect((await slipway.stranger.post(`${link}/create-account`, fresh)).status).toBe(403);
    expect(await slipway.data.owners.findOwner('newtwo')).toBeNull();
  });

  it('accepts API keys', async () => {
    expect((await upload(slipway)).status).toBe(200);
  });
});

describe('a server without single sign-on', () => {
  it('has no single sign-on addresses', async () => {
    const slipway = await startAccountsService('sqlite', ['mina'], { mail: false });
    try {
      for (const path of [
        '/sign-in/sso',
        '/sign-in/sso/callback?code=c&state=s',
        '/sign-in/sso/link',
        '/sign-in/sso/confirm-access',
      ]) {
        expect((await slipway.stranger.get(path)).status, path).toBe(404);
      }
      const mina = await slipway.browser('mina');
      expect((await mina.get('/sign-in/sso/confirm')).status).toBe(404);
      expect((await mina.post('/settings/single-sign-on/unlink', { csrf: await mina.csrf() })).status).toBe(
        404,
      );
      expect((await slipway.stranger.get('/sign-in')).text).not.toContain('Continue with');
    } finally {
      await slipway.close();
    }
  });
});
