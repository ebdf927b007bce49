/** Programs without a browser sign in with a code that a person approves. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  deviceCodeLifetimeMs,
  formatUserCode,
  hashDeviceSecret,
  hashUserCode,
  makeRoom,
  maxPendingDeviceCodes,
  newUserCode,
  pollIntervalSeconds,
  readUserCode,
} from '../../src/accounts/terminal-sign-in/device-code.ts';
import { type AccountsService, type Browser, startAccountsService } from '../support/accounts-service.ts';
import { json, send } from '../support/http-client.ts';
import { get, refusalOf } from '../support/interface-client.ts';
import { formOf } from '../support/page-forms.ts';
import { testAdminKey } from '../support/test-service.ts';

const grant = 'urn:ietf:params:oauth:grant-type:device_code';
const day = 24 * 60 * 60_000;

interface Started {
  device_code: string;
  user_code: string;
  verification_uri_complete: string;
  expires_in: number;
  interval: number;
}

describe('signing in a terminal', () => {
  let slipway: AccountsService;
  let mina: Browser;
  beforeAll(async () => {
    slipway = await startAccountsService('sqlite', ['mina', 'olga']);
    mina = await slipway.browser('mina');
  });
  afterAll(() => slipway.close());

  const post = (path: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
    send(slipway.port, path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...headers },
      body: new URLSearchParams(fields).toString(),
    });
  const start = async (fields: Record<string, string> = {}) => {
    slipway.clock.now += 60_000;
    const answer = await post('/oauth/device_authorization', { client_id: 'slipway-cli', ...fields });
    expect([answer.status, answer.text]).toEqual([200, answer.text]);
    expect(answer.headers['cache-control']).toBe('no-store');
    return json<Started & Record<string, unknown>>(answer);
  };
  const poll = async ({ device_code: code }: Started) => {
    const answer = await post('/oauth/token', { grant_type: grant, device_code: code });
    return { status: answer.status, ...json<{ access_token?: string }>(answer) };
  };
  const wait = () => {
    slipway.clock.now += pollIntervalSeconds * 1000;
  };
  const approve = (browser: Browser, { user_code: code }: Started, days = '30') =>
    browser.submit(`/device?code=${code}`, 'approve', { days });

  /** With the second button of the form. */
  const deny = async (browser: Browser, code: string) =>
    browser.post('/device/deny', formOf((await browser.get(`/device?code=${code}`)).text, 'approve').fields);

  it('works as RFC 8628 says, and the key is listed and revoked like others', async () => {
    const metadata = json(await send(slipway.port, '/.well-known/oauth-authorization-server'));
    expect(metadata).toMatchObject({
      issuer: 'https://apps.example.com',
      device_authorization_endpoint: 'https://apps.example.com/oauth/device_authorization',
      token_endpoint: 'https://apps.example.com/oauth/token',
      grant_types_supported: [grant, 'urn:ietf:params:oauth:grant-type:token-exchange'],
    });
    const started = await start({ client_label: 'slipway on laptop', scope: 'read upload' });
    expect(started).toMatchObject({
      user_code: expect.stringMatching(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/),
      verification_uri: 'https://apps.example.com/device',
      verification_uri_complete: `https://apps.example.com/device?code=${started.user_code}`,
      expires_in: deviceCodeLifetimeMs / 1000,
      interval: pollIntervalSeconds,
    });
    expect(await poll(started)).toMatchObject({ status: 400, error: 'authorization_pending' });
    expect(await poll(started)).toMatchObject({ status: 400, error: 'slow_down' });
    wait();
    const page = await mina.get(`/device?code=${started.user_code.toLowerCase()}`);
    for (const shown of ['slipway on laptop', started.user_code, '127.0.0.1', 'Upload', 'Read'])
      expect(page.text).toContain(shown);
    const approved = await approve(mina, started);
    expect(approved.headers.location).toBe('/device?done=approved');
    expect((await mina.get('/device?done=approved')).text).toContain('return to the terminal');
    const token = await poll(started);
    expect(token).toMatchObject({
      status: 200,
      token_type: 'Bearer',
      expires_in: (30 * day) / 1000,
      scope: 'upload read',
      user: 'mina',
    });
    const key = String(token.access_token);
    expect((await get(slipway, '/api/v1/me', key)).status).toBe(200);
    expect(await poll(started)).toMatchObject({ status: 400, error: 'expired_token' });
    const list = (await mina.get('/settings/keys')).text;
    expect(list).toContain('slipway on laptop');
    expect(list).toContain('Signed in from a terminal');
    expect((await post('/oauth/revoke', { token: key })).status).toBe(200);
    expect((await get(slipway, '/api/v1/me', key)).status).toBe(401);
    // Again, and for keys that are not from a terminal, nothing happens.
    for (const other of [key, 'slw_unknown', testAdminKey])
      expect((await post('/oauth/revoke', { token: other })).status).toBe(200);
    expect((await get(slipway, '/api/v1/me', testAdminKey)).status).toBe(200);
  });

  it('issues the key once, of requests at the same time', async () => {
    const started = await start();
    await approve(mina, started);
    const answers = await Promise.all([1, 2, 3, 4].map(() => poll(started)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400, 400]);
  });

  it('is denied, expires, and knows no other codes', async () => {
    const denied = await start();
    const answer = await deny(mina, denied.user_code);
    expect(answer.headers.location).toBe('/device?done=denied');
    expect(await poll(denied)).toMatchObject({ status: 400, error: 'access_denied' });
    const late = await start();
    slipway.clock.now += deviceCodeLifetimeMs;
    expect(await poll(late)).toMatchObject({ status: 400, error: 'expired_token' });
    for (const code of [late.user_code, denied.user_code, 'BBBB-BBBB', '<b>', '\0', 'x'.repeat(500)]) {
      const page = await mina.get(`/device?code=${encodeURIComponent(code)}`);
      expect([code, page.status, page.text.includes('approve')]).toEqual([code, 200, false]);
    }
    expect(await poll({ ...late, device_code: 'unknown' })).toMatchObject({ error: 'expired_token' });
    const wrongGrant = await post('/oauth/token', { grant_type: 'password' });
    expect([wrongGrant.status, json(wrongGrant).error]).toEqual([400, 'unsupported_grant_type']);
    const noCode = await post('/oauth/token', { grant_type: grant });
    expect([noCode.status, json(noCode).error]).toEqual([400, 'invalid_request']);
    const started = await start();
    const query = new URLSearchParams({ grant_type: grant, device_code: started.device_code });
    const inAddress = await post(`/oauth/token?${query}`, {});
    expect([inAddress.status, json(inAddress).error]).toEqual([400, 'unsupported_grant_type']);
    const halfInAddress = await post(`/oauth/token?${query}`, { grant_type: grant });
    expect([halfInAddress.status, json(halfInAddress).error]).toEqual([400, 'invalid_request']);
    const scope = await post('/oauth/device_authorization', { scope: 'read everything' });
    expect([scope.status, json(scope).error]).toEqual([400, 'invalid_scope']);
  });

  it('gives nobody more than they may do, and asks who they are', async () => {
    const started = await start({ scope: 'read admin' });
    expect((await mina.post('/device/approve', { code: started.user_code, days: '30' })).status).toBe(403);
    const signedOut = await slipway.stranger.get(`/device?code=${started.user_code}`);
    expect(signedOut.headers.location).toMatch(/^\/sign-in\?/);
    slipway.clock.now += 11 * 60_000;
    const fresh = await start({ scope: 'read admin' });
    const asked = await approve(mina, fresh);
    expect([asked.status, asked.text.includes('name="proof"')]).toEqual([403, true]);
    const olga = await slipway.browser('olga');
    await approve(olga, fresh);
    wait();
    expect(await poll(fresh)).toMatchObject({ status: 200, scope: 'read', user: 'olga' });
    const bad = await olga.submit(`/device?code=${(await start()).user_code}`, 'approve', { days: '4000' });
    expect(bad.status).toBe(400);
  });

  it('shows names without control characters', async () => {
    const started = await start({ client_label: `a\u202e\u0007\n${'b'.repeat(200)}` });
    const page = await (await slipway.browser('mina')).get(`/device?code=${started.user_code}`);
    expect(page.text).toContain(`Let a ${'b'.repeat(58)} sign in as you?`);
  });

  describe('with many codes open', () => {
    const { network, site, everyone } = maxPendingDeviceCodes;
    const fill = async (count: number, from: (at: number) => string, viewed = false) => {
      const now = slipway.clock.now;
      const { deviceCodes } = slipway.data;
      for (let at = 0; at < count; at++) {
        const code = newUserCode();
        await deviceCodes.insert({
          secretHash: hashDeviceSecret(code),
          userCodeHash: hashUserCode(code),
          client: 'x',
          network: from(at),
          scopes: [],
          state: 'pending',
          userId: null,
          keyDays: null,
          signOns: [],
          createdAt: now,
          expiresAt: now + deviceCodeLifetimeMs,
        });
      }
      if (!viewed) return;
      for (const { id } of await deviceCodes.listPending(now, everyone)) await deviceCodes.setViewed(id, now);
    };
    const pending = () => slipway.data.deviceCodes.listPending(slipway.clock.now, 2 * everyone);
    beforeEach(() => {
      slipway.clock.now += 2 * deviceCodeLifetimeMs;
    });

    it('gives a code to everyone, also when strangers have filled the table', async () => {
      await fill(everyone, (at) => `2001:db8:${at % 30}:${at}::/64`);
      const oldest = (await pending())[0];
      const started = await start();
      expect(await pending()).toHaveLength(everyone);
      expect((await pending()).map(({ id }) => id)).not.toContain(oldest?.id);
      await approve(await slipway.browser('mina'), started);
      wait();
      expect((await poll(started)).status).toBe(200);
    });

    it('drops no code that a person has looked at, and refuses when there is no other', async () => {
      const started = await start();
      expect((await (await slipway.browser('mina')).get(`/device?code=${started.user_code}`)).status).toBe(
        200,
      );
      await fill(network, () => '127.0.0.1');
      await start();
      expect(await poll(started)).toMatchObject({ error: 'authorization_pending' });
      await fill(0, () => '', true);
      refusalOf(await post('/api/sessions/codes', {}, { 'X-Client-Nonce': 'n'.repeat(32) }), 429);
      // Approved codes do not count toward the limit.
      const browser = await slipway.browser('mina');
      expect((await browser.submit('/cli/login?port=64126&client=dg', 'approve')).status).toBe(200);
    });

    it.each([
      ['a network', network, '2001:db8:1:1::/64', () => '2001:db8:1:1::/64', '2001:db8:1:2::/64'],
      ['a site', site, '2001:db8:1:ffff::/64', (at: number) => `2001:db8:1:${at}::/64`, '2001:db8:2:1::/64'],
      ['an IPv4 address', network, '192.0.2.1', () => '192.0.2.1', '192.0.2.2'],
    ])('takes the room of %s only from itself', (_, max, newcomer, from, other) => {
      const codes = Array.from({ length: max }, (_, at) => ({
        id: `${at}`,
        network: from(at),
        isViewed: at === 0,
      }));
      expect(makeRoom(codes.slice(1), newcomer)).toEqual([]);
      expect(makeRoom(codes, newcomer)).toEqual(['1']);
      expect(makeRoom(codes, other)).toEqual([]);
      expect(
        makeRoom(
          codes.map((code) => ({ ...code, isViewed: true })),
          newcomer,
        ),
      ).toBeNull();
    });

    it('counts none that were approved', async () => {
      const started = await start();
      const browser = await slipway.browser('mina');
      await approve(browser, started);
      expect(await pending()).toEqual([]);
    });
  });

  it('lets a person try sixty codes in ten minutes, whatever they do with them', async () => {
    slipway.clock.now += deviceCodeLifetimeMs;
    const olga = await slipway.browser('olga');
    const csrf = await olga.csrf();
    const attempts = [
      () => olga.get('/device?code=BBBBBBBB'),
      () => olga.post('/device/deny', { csrf, code: 'BBBBBBBB' }),
      () => olga.post('/device/approve', { csrf, code: 'BBBBBBBB', days: '30' }),
    ];
    for (let round = 0; round < 20; round++)
      for (const attempt of attempts) expect((await attempt()).status).not.toBe(429);
    for (const attempt of attempts) expect((await attempt()).status).toBe(429);
    const started = await start();
    expect((await olga.post('/device/deny', { csrf, code: started.user_code })).status).toBe(429);
    expect(await poll(started)).toMatchObject({ error: 'authorization_pending' });
  });

  describe('as clients of DeployGate do it', () => {
    const nonce = 'n'.repeat(40);
    const ask = (code: string, withNonce = nonce) =>
      send(slipway.port, `/api/sessions/codes/${code}`, { headers: { 'X-Client-Nonce': withNonce } });
    const startCode = async () => {
      slipway.clock.now += 60_000;
      const answer = await send(slipway.port, '/api/sessions/codes', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'X-Client-Nonce': nonce },
        body: JSON.stringify({ client_label: 'agent' }),
      });
      return json<{ error: false; results: { code: string; verification_uri_complete: string } }>(answer)
        .results;
    };

    it('with a code and a nonce, until they sign out', async () => {
      const { code, verification_uri_complete: address } = await startCode();
      expect(json(await ask(code))).toEqual({ error: false, results: { status: 'pending' } });
      refusalOf(await ask(code), 429);
      expect(refusalOf(await ask(code, 'm'.repeat(40)), 400).message).toBe('Client nonce mismatch.');
      wait();
      const browser = await slipway.browser('mina');
      await browser.submit(new URL(address).pathname + new URL(address).search, 'approve');
      const { results } = json<{ results: { api_token: string; status: string; user: object } }>(
        await ask(code),
      );
      expect(results).toMatchObject({
        status: 'authorized',
        user: { name: 'mina', email: 'mina@example.com' },
      });
      refusalOf(await ask(code), 401);
      const signOut = (key: string) =>
        send(slipway.port, '/api/sessions/current_token', {
          method: 'DELETE',
          headers: { Authorization: `Bearer ${key}` },
        });
      expect((await signOut(results.api_token)).status).toBe(204);
      refusalOf(await signOut(results.api_token), 401);
      refusalOf(await signOut(testAdminKey), 403);
    });

    it('tells sixty wrong guesses of a network apart from pending codes, and no more', async () => {
      slipway.clock.now += deviceCodeLifetimeMs;
      const { code } = await startCode();
      for (let at = 0; at < 30; at++) {
        expect((await ask(code, 'm'.repeat(40))).status).toBe(400);
        expect((await ask('BBBBBBBB')).status).toBe(401);
      }
      expect((await ask(code, 'm'.repeat(40))).status).toBe(429);
      expect((await ask('BBBBBBBB')).status).toBe(429);
      expect(json(await ask(code))).toMatchObject({ results: { status: 'pending' } });
      slipway.clock.now += deviceCodeLifetimeMs;
    });

    it('are refused without a nonce, with a long label, and when they are denied', async () => {
      const bad = await post('/api/sessions/codes', {}, { 'X-Client-Nonce': 'short' });
      expect(refusalOf(bad, 400).message).toBe('Invalid X-Client-Nonce format.');
      const long = { client_label: 'x'.repeat(61) };
      expect(
        refusalOf(await post('/api/sessions/codes', long, { 'X-Client-Nonce': nonce }), 400).message,
      ).toBe('client_label is too long');
      const { code } = await startCode();
      const browser = await slipway.browser('mina');
      await deny(browser, code);
      refusalOf(await ask(code), 401);
    });

    it.each([
      ['dg', 'http://localhost:64126/?key='],
      ['gradle', 'http://localhost:64126/token?key='],
    ])('in the browser that %s opens', async (client, expected) => {
      const browser = await slipway.browser('mina');
      const answer = await browser.submit(`/cli/login?port=64126&client=${client}`, 'approve');
      const refresh = String(answer.headers.refresh);
      expect(refresh).toContain(`0;url=${expected}`);
      const key = refresh.split('key=')[1] ?? '';
      const credential = json(await send(slipway.port, `/cli/credential?key=${key}`));
      expect(credential).toEqual({ name: 'mina', token: expect.stringMatching(/^slw_/) });
      expect((await get(slipway, '/api/sessions/user', String(credential.token))).status).toBe(200);
      expect((await send(slipway.port, `/cli/credential?key=${key}`)).status).toBe(401);
      expect((await post('/cli/notify', { key, command_action: 'finished' })).status).toBe(200);
    });

    it.each(['port=0&client=dg', 'port=99999&client=dg', 'port=80&client=other', 'client=dg'])(
      'but not with %s',
      async (query) => {
        const browser = await slipway.browser('mina');
        expect((await browser.get(`/cli/login?${query}`)).status).toBe(400);
      },
    );
  });
});

it('reads codes in every way that people type them', () => {
  const code = newUserCode();
  for (const typed of [
    code,
    formatUserCode(code),
    code.toLowerCase(),
    ` ${code.slice(0, 4)} ${code.slice(4)} `,
  ])
    expect(readUserCode(typed)).toBe(code);
  for (const wrong of ['', 'BCDF', `${code}B`, 'AAAAAAAA', '12345678'])
    expect(readUserCode(wrong)).toBeNull();
});
