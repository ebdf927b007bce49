/** Provider responses that must sign nobody in, and two nodes that share the flow. */
import { createHmac } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashSessionToken } from '../../src/accounts/sessions/session.ts';
import { maxProviderResponseBytes } from '../../src/accounts/single-sign-on/oidc-provider.ts';
import {
  type AccountsService,
  browserWith,
  leadsTo,
  startAccountsService,
} from '../support/accounts-service.ts';
import {
  type HostileProvider,
  startHostileProvider,
  type TestTokens,
} from '../support/hostile-oidc-provider.ts';
import { send } from '../support/http-client.ts';
import { signInAtProvider, startOidcServer } from '../support/oidc-provider-server.ts';
import { runsEverything } from '../support/runs-everything.ts';
import { openSecondNode } from '../support/second-node.ts';

const returnPath = '/sign-in/sso/callback';

describe('an untrustworthy provider', () => {
  let hostile: HostileProvider;
  let slipway: AccountsService;
  beforeAll(async () => {
    hostile = await startHostileProvider();
    slipway = await startAccountsService('sqlite', [], { mail: false, settings: hostile.settings });
  });
  afterAll(async () => {
    await slipway.close();
    await hostile.close();
  });

  /** Runs the flow with `tokens` for the requested nonce, and returns Slipway's response. */
  const handleCallback = async (tokens: (made: TestTokens, nonce: string) => unknown, query = '') => {
    const begun = await slipway.stranger.get('/sign-in/sso');
    const asked = new URL(leadsTo(begun)).searchParams;
    hostile.token = (made) => ({ body: tokens(made, asked.get('nonce') ?? '') });
    const browser = browserWith(slipway, begun.headers['set-cookie']?.[0]?.split(';')[0] ?? '');
    return browser.get(`${returnPath}?code=c&state=${asked.get('state')}${query}`);
  };
  const answerOf = (idToken: string) => ({ access_token: 'a', token_type: 'Bearer', id_token: idToken });
  const refused = async (tokens: (made: TestTokens, nonce: string) => unknown, query = '') => {
    const answer = await handleCallback(tokens, query);
    expect(answer.status).toBe(400);
    expect(answer.text).toContain('can’t be used to sign you in');
    expect(answer.headers['set-cookie']?.join()).not.toContain('slipway_session');
    expect(await slipway.data.identities.findUserOfIdentity(hostile.issuer, 'mallory')).toBeNull();
  };
  const claimsWith = (changes: Record<string, unknown>) =>
    refused(({ claims, sign }, nonce) => answerOf(sign({ ...claims, nonce, ...changes })));

  it.each([
    ['a nonce of another sign-in', { nonce: 'another' }],
    ['no nonce', { nonce: undefined }],
    ['another issuer', { iss: 'https://login.example.com' }],
    ['another client', { aud: 'somebody-else' }],
    ['another client besides', { aud: ['slipway', 'somebody-else'], azp: 'somebody-else' }],
    ['a time long gone', { exp: 1_000_000_000 }],
    ['another client alone in azp', { azp: 'somebody-else' }],
    ['an issue time an hour ahead', { iat: Math.floor(Date.now() / 1000) + 3600 }],
    ['a time to come', { iat: 4_000_000_000, nbf: 4_000_000_000 }],
    ['no subject', { sub: undefined }],
    ['a subject without end', { sub: 's'.repeat(256) }],
    ['a subject with a line break', { sub: 'mal\nlory' }],
  ])('is refused with an ID token with %s', (_what, changes) => claimsWith(changes));

  it('is refused with a signature that is foreign, changed, missing or made with public data', async () => {
    await refused(({ claims, sign, stranger }, nonce) => answerOf(sign({ ...claims, nonce }, stranger)));
    await refused(({ claims, sign }, nonce) => {
      const [head, , signature] = sign({ ...claims, nonce }).split('.');
      const other = Buffer.from(JSON.stringify({ ...claims, nonce, sub: 'admin' })).toString('base64url');
      return answerOf(`${head}.${other}.${signature}`);
    });
    const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    await refused(({ claims }, nonce) => answerOf(`${part({ alg: 'none' })}.${part({ ...claims, nonce })}.`));
    await refused(({ claims }, nonce) => {
      const text = `${part({ alg: 'HS256', kid: 'first' })}.${part({ ...claims, nonce })}`;
      return answerOf(`${text}.${createHmac('sha256', 'first').update(text).digest('base64url')}`);
    });
  });

  it('confirms no access unless the token proves a recent sign-in', async () => {
    const seconds = () => Math.floor(Date.now() / 1000);
    const entered = await handleCallback(({ claims, sign }, nonce) =>
      answerOf(sign({ ...claims, nonce, sub: 'wanda', email: 'wanda@example.com', email_verified: true })),
    );
    const session = entered.headers['set-cookie']?.find((one) => one.startsWith('slipway_session='));
    const cookie = session?.split(';')[0] ?? '';
    expect(cookie).not.toBe('');
    const hash = hashSessionToken(cookie.split('=')[1] ?? '');
    const confirm = async (changes: Record<string, unknown>) => {
      const begun = await browserWith(slipway, cookie).get('/sign-in/sso/confirm-access?to=/settings/keys');
      const asked = new URL(leadsTo(begun)).searchParams;
      hostile.token = ({ claims, sign }) => ({
        body: answerOf(sign({ ...claims, nonce: asked.get('nonce'), sub: 'wanda', ...changes })),
      });
      const carried = begun.headers['set-cookie']?.[0]?.split(';')[0];
      const browser = browserWith(slipway, `${cookie}; ${carried}`);
      return browser.get(`${returnPath}?code=c&state=${asked.get('state')}`);
    };
    for (const time of [undefined, null, 'now', String(seconds()), seconds() - 700, seconds() + 200, 0, -1]) {
      const answer = await confirm({ auth_time: time });
      expect([400, 403], String(time)).toContain(answer.status);
      expect(await slipway.data.sessions.findProof(hash)).toBeNull();
    }
    expect((await confirm({})).text).toContain('did not ask you to sign in again');
    expect((await confirm({ auth_time: seconds(), nonce: 'another' })).status).toBe(400);
    expect((await confirm({ auth_time: seconds(), sub: 'mallory' })).status).toBe(403);
    expect(await slipway.data.sessions.findProof(hash)).toBeNull();
    expect((await confirm({ auth_time: seconds() - 500 })).headers.location).toBe('/settings/keys');
    expect(await slipway.data.sessions.findProof(hash)).toBe(slipway.clock.now);
  });

  it('vouches for an address only where it also says that it verified it', async () => {
    const attacker = { sub: 'mixed', email: 'attacker@example.com', email_verified: true };
    const other = await startHostileProvider();
    other.metadata.userinfo_endpoint = `${other.issuer}/userinfo`;
    const service = await startAccountsService('sqlite', [], { mail: false, settings: other.settings });
    const enter = async (sub: string, claims: object, userInfo: Record<string, unknown>) => {
      const begun = await service.stranger.get('/sign-in/sso');
      const asked = new URL(leadsTo(begun)).searchParams;
      other.userInfo = { ...userInfo, sub };
      other.token = (made) => ({
        body: answerOf(made.sign({ ...made.claims, nonce: asked.get('nonce'), sub, ...claims })),
      });
      const browser = browserWith(service, begun.headers['set-cookie']?.[0]?.split(';')[0] ?? '');
      const { status } = await browser.get(`${returnPath}?code=c&state=${asked.get('state')}`);
      const user = await service.data.identities.findUserOfIdentity(other.issuer, sub);
      return { status, email: user?.email };
    };
    try {
      await service.user('dan');
      const dan = await service.data.owners.findOwner('dan');
      if (dan?.kind !== 'user') throw new Error('there is no dan');
      await service.data.accounts.setEmail(dan.id, 'dan@example.com', dan.email, true);
      const inToken = { email: 'dan@example.com' };
      expect(await enter('one', inToken, attacker)).toEqual({ status: 303, email: null });
      const unverified = { email: 'ann@example.com', email_verified: false };
      expect(await enter('two', unverified, { email_verified: true })).toEqual({ status: 303, email: null });
      expect(await enter('three', { email_verified: true }, { email: 'eve@example.com' })).toEqual({
        status: 303,
        email: null,
      });
      expect(await enter('four', {}, attacker)).toEqual({ status: 303, email: attacker.email });
      const confirmed = { email: 'bob@example.com', email_verified: true };
      expect(await enter('five', confirmed, attacker)).toEqual({ status: 303, email: confirmed.email });
    } finally {
      await service.close();
      await other.close();
    }
  });

  it('signs nobody in as the holder of an address that only looks like theirs', async () => {
    await slipway.user('ki');
    const ki = await slipway.data.owners.findOwner('ki');
    if (ki?.kind !== 'user') throw new Error('there is no ki');
    await slipway.data.accounts.setEmail(ki.id, 'ki@example.com', ki.email, true);
    const enter = (sub: string, email: string) =>
      handleCallback(({ claims, sign }, nonce) =>
        answerOf(sign({ ...claims, nonce, sub, email, email_verified: true })),
      );
    expect((await enter('like-ki', '\u212ai@example.com')).status).toBe(303);
    const entered = await slipway.data.identities.findUserOfIdentity(hostile.issuer, 'like-ki');
    expect([entered?.name === 'ki', entered?.email]).toEqual([false, '\u212ai@example.com']);
    expect((await enter('ki', 'KI@Example.com')).status).toBe(303);
    expect((await slipway.data.identities.findUserOfIdentity(hostile.issuer, 'ki'))?.name).toBe('ki');
  });

  it('is refused with responses without a token, of another type and without end', async () => {
    await refused(() => ({ access_token: 'a', token_type: 'Bearer' }));
    await refused(() => answerOf('not a token'));
    await refused(() => 'not JSON');
    await refused(({ claims, sign }, nonce) => ({
      ...answerOf(sign({ ...claims, nonce })),
      padding: 'x'.repeat(maxProviderResponseBytes),
    }));
  });

  it('is unavailable, not refused, when it or a proxy in front of it fails', async () => {
    for (const path of ['/token', '/keys', '/userinfo']) {
      const service = await startAccountsService('sqlite', [], { mail: false, settings: hostile.settings });
      hostile.metadata.userinfo_endpoint = `${hostile.issuer}/userinfo`;
      hostile.failing = path;
      try {
        const begun = await service.stranger.get('/sign-in/sso');
        const asked = new URL(leadsTo(begun)).searchParams;
        hostile.token = ({ claims, sign }) => ({
          body: answerOf(sign({ ...claims, nonce: asked.get('nonce') })),
        });
        const browser = browserWith(service, begun.headers['set-cookie']?.[0]?.split(';')[0] ?? '');
        const answer = await browser.get(`${returnPath}?code=c&state=${asked.get('state')}`);
        expect([path, answer.status]).toEqual([path, 503]);
      } finally {
        hostile.failing = null;
        hostile.metadata = {};
        await service.close();
      }
    }
  });

  it('is refused with a response of another provider', async () => {
    await refused(
      ({ claims, sign }, nonce) => answerOf(sign({ ...claims, nonce })),
      '&iss=https%3A%2F%2Flogin.example.com',
    );
  });

  it('is refused with metadata of another issuer', async () => {
    const other = await startHostileProvider();
    other.metadata.issuer = 'https://login.example.com';
    const service = await startAccountsService('sqlite', [], { mail: false, settings: other.settings });
    try {
      const answer = await service.stranger.get('/sign-in/sso');
      expect(answer.status).toBe(503);
      expect(answer.headers['set-cookie']).toBeUndefined();
    } finally {
      await service.close();
      await other.close();
    }
  });

  it('signs in with a valid token', async () => {
    const answer = await handleCallback(({ claims, sign }, nonce) => answerOf(sign({ ...claims, nonce })));
    expect(answer.status).toBe(303);
    const known = await slipway.data.identities.findUserOfIdentity(hostile.issuer, 'mallory');
    expect(known?.name).toBe('user-1');
  });

  it('gives nobody an address with characters that cannot be seen', async () => {
    const answer = await handleCallback(({ claims, sign }, nonce) =>
      answerOf(
        sign({ ...claims, nonce, sub: 'hidden', email: 'boss\u200b@example.com', email_verified: true }),
      ),
    );
    expect(answer.status).toBe(303);
    expect((await slipway.data.identities.findUserOfIdentity(hostile.issuer, 'hidden'))?.email).toBeNull();
  });
});

describe.runIf(runsEverything)('two nodes', () => {
  it('finish sign-ins that the other node started', async () => {
    const provider = await startOidcServer();
    const settings = { ...provider.settings, SLIPWAY_SECRET: 's'.repeat(40), SLIPWAY_OIDC_SIGN_UP: 'open' };
    const first = await startAccountsService('postgres', [], { mail: false, settings });
    const second = await openSecondNode(first, settings, () => first.clock.now);
    try {
      // Both have one origin for the browser, behind a load balancer.
      const headers = { Host: 'apps.example.com', Accept: 'text/html' };
      provider.allow(`http://apps.example.com${returnPath}`);
      const begun = await send(first.port, '/sign-in/sso?to=/docs', { headers });
      const address = new URL(await signInAtProvider(leadsTo(begun), 'tess'));
      const Cookie = begun.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
      const answer = await send(second.port, `${returnPath}${address.search}`, {
        headers: { ...headers, Cookie },
      });
      expect(answer.headers.location).toBe('/docs');
      expect(await first.data.identities.findUserOfIdentity(provider.issuer, 'tess')).not.toBeNull();
    } finally {
      await second.close();
      await first.close();
      await provider.close();
    }
  });
});
