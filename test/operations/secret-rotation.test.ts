/** Rotation of the server's secret: earlier signed or encrypted values work while the previous secret is accepted, and not after. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createEmailChangeTokens } from '../../src/accounts/profile/email-change-token.ts';
import { createKnownBrowsers } from '../../src/accounts/sign-in/known-browser-http.ts';
import { createSingleSignOnCookies } from '../../src/accounts/single-sign-on/single-sign-on-cookie-http.ts';
import { createFileTokens } from '../../src/apps/files/file-token.ts';
import { createEncryption } from '../../src/core/encrypted-text.ts';
import { createSigner, type ServerSecret } from '../../src/core/signature.ts';
import { browserTokenFormat, createTokenCodec } from '../../src/core/signed-token.ts';
import { createDeviceTokens } from '../../src/distributions/access/device-tokens.ts';
import { createPasscodeTokens } from '../../src/distributions/access/passcode-token.ts';
import {
  createDirectInstallTokens,
  createInstallMemberTokens,
} from '../../src/distributions/install/install-member.ts';
import { createInstallTokens, newInstallVisit } from '../../src/distributions/install/install-token.ts';
import type { Client } from '../../src/http/routes/client.ts';
import { createUnsubscribeTokens } from '../../src/mail/pages/unsubscribe-token.ts';
import { createProbeTokens } from '../../src/operations/doctor/doctor-probe.ts';
import { reencryptStoredSecrets } from '../../src/operations/reencrypt-secrets.ts';
import { createSigningKeys } from '../../src/owners/signing-keys/signing-keys.ts';
import { newWebhookSecret } from '../../src/webhooks/payload/webhook-signature.ts';
import { createWebhookEncryption, decryptSecrets, encryptSecrets } from '../../src/webhooks/send-webhook.ts';
import { type AccountsService, startAccountsService } from '../support/accounts-service.ts';
import { postForm, sessionCookieOf } from '../support/browser-session.ts';
import { send } from '../support/http-client.ts';
import { uploaded } from '../support/interface-client.ts';
import { openTestData } from '../support/open-test-data.ts';
import { runsEverything } from '../support/runs-everything.ts';
import { addApp, addUser } from '../support/sample-rows.ts';
import { afterPassword, setUpApp } from '../support/second-factors.ts';
import { openSecondNode } from '../support/second-node.ts';
import { dialects } from '../support/test-database.ts';
import { testPassword } from '../support/test-service.ts';

const old = 'o'.repeat(64);
const current = 'c'.repeat(64);
const rotated = { current, previous: old };
const now = Date.UTC(2026, 10, 21, 9, 40);
const clock = () => now;
const ids = { user: '0'.repeat(26), app: '1'.repeat(26), build: '2'.repeat(26) };
const page = { id: ids.app, accessKey: 'key', access: 'passcode' as const, passcodeHash: 'hash' };
const clientWith = (set: readonly { name: string; value: string }[]) =>
  ({
    origin: 'http://127.0.0.1',
    address: '127.0.0.1',
    cookies: Object.fromEntries(set.map(({ name, value }) => [name, value])),
  }) as unknown as Client;

/** Issues a value with one secret; returns whether another one accepts it. */
const issued: Record<string, (by: ServerSecret) => (secret: ServerSecret) => boolean> = {
  link: (by) => {
    const app = { secret: 'a'.repeat(40), secretRotations: 1 };
    const tokens = (secret: ServerSecret) => createFileTokens({ secret, now: () => now });
    const keys = [
      tokens(by).issueLasting('file', app, ids.build),
      tokens(by).issueForPage('file', app, ids.build),
    ];
    return (secret) => keys.every((key) => tokens(secret).check('file', app, ids.build, key) === 'valid');
  },
  'e-mail change': (by) => {
    const change = { userId: ids.user, from: null, to: 'mina@example.com', expiresAt: now + 1 };
    const token = createEmailChangeTokens(by).issue(change);
    return (secret) => createEmailChangeTokens(secret).read(token, now) !== null;
  },
  unsubscribe: (by) => {
    const token = createUnsubscribeTokens(by).issue({ userId: ids.user, subjectId: ids.app });
    return (secret) => createUnsubscribeTokens(secret).readExpired(token) !== null;
  },
  passcode: (by) => {
    const token = createPasscodeTokens(by).issue({ expiresAt: now + 1 }, page);
    return (secret) => createPasscodeTokens(secret).read(token, now, page) !== null;
  },
  ticket: (by) => {
    const context = { purpose: 'file', page, app: { secret: 'a'.repeat(40) }, buildId: ids.build } as const;
    const token = createInstallTokens(by).issue(newInstallVisit(now), context);
    return (secret) => createInstallTokens(secret).read(token, now, context) !== null;
  },
  'invite link': (by) => {
    const signature = createSigner(by, 'invite link').sign(ids.user);
    return (secret) => createSigner(secret, 'invite link').accepted(ids.user).includes(signature);
  },
  'install-member': (by) => {
    const visit = newInstallVisit(now);
    const token = createInstallMemberTokens(by).issue(ids.user, visit);
    return (secret) => createInstallMemberTokens(secret).read(token, now, visit) !== null;
  },
  'direct-install': (by) => {
    const token = createDirectInstallTokens(by).issue(
      { userId: ids.user, openedAt: now },
      { buildId: ids.build },
    );
    return (secret) =>
      createDirectInstallTokens(secret).read(token, now, { buildId: ids.build })?.userId === ids.user;
  },
  device: (by) => {
    const registrant = { browser: ids.user, userId: null, expiresAt: now + 1 };
    const token = createDeviceTokens(by).challenge.issue(registrant, page);
    return (secret) => createDeviceTokens(secret).challenge.read(token, now, page) !== null;
  },
  doctor: (by) => {
    const { text } = createProbeTokens(by).issue('reach', now);
    return (secret) => createProbeTokens(secret).prove('reach', text, now) !== null;
  },
  'known browser': (by) => {
    const account = { id: ids.user, stamp: 'stamp' };
    const cookie = createKnownBrowsers({ secret: by, now: clock }).remember(clientWith([]), account);
    const client = clientWith([{ name: cookie.name, value: cookie.value ?? '' }]);
    return (secret) => createKnownBrowsers({ secret, now: clock }).isKnown(client, account);
  },
  'single sign-on': (by) => {
    const identity = { issuer: 'https://id.example.com', subject: 'mina' };
    const step = { identity, linkFor: ids.user } as never;
    const cookie = createSingleSignOnCookies({ secret: by, now: clock }, '/sign-in/sso').proven.keep(
      clientWith([]),
      step,
    );
    const client = clientWith([{ name: cookie.name, value: cookie.value ?? '' }]);
    return (secret) =>
      createSingleSignOnCookies({ secret, now: clock }, '/sign-in/sso').proven.read(client) !== null;
  },
};
for (const purpose of ['passkey', 'new passkey', 'second step']) {
  issued[purpose] = (by) => {
    const tokens = (secret: ServerSecret) => createTokenCodec(secret, purpose, browserTokenFormat);
    const token = tokens(by).issue({ values: ['value'], expiresAt: now + 1 }, 'browser');
    return (secret) => tokens(secret).read(token, now, 'browser') !== null;
  };
}
for (const purpose of [
  'audit log',
  'hooks',
  'idempotent answer',
  'signing key',
  'totp secret',
  'totp secret to be confirmed',
]) {
  issued[purpose] = (by) => {
    const encrypted = createEncryption(by, purpose).encrypt(Buffer.from('secret'), ids.user);
    return (secret) => createEncryption(secret, purpose).decrypt(encrypted, ids.user) !== null;
  };
}

describe('what the secret signs and encrypts', () => {
  it.each(Object.keys(issued))(
    '%s: is accepted under the previous secret, and invalid without it',
    (purpose) => {
      const isTaken = issued[purpose]?.(old);
      const fresh = issued[purpose]?.(rotated);
      expect([old, rotated, current].map((secret) => isTaken?.(secret))).toEqual([true, true, false]);
      // New values need only the current secret.
      expect([old, rotated, current].map((secret) => fresh?.(secret))).toEqual([false, true, true]);
    },
  );

  it('is covered completely by these tests', () => {
    const src = fileURLToPath(new URL('../../src/', import.meta.url));
    const found = readdirSync(src, { recursive: true, encoding: 'utf8' })
      .filter((path) => /\.tsx?$/.test(path))
      .flatMap((path) => [
        ...readFileSync(join(src, path), 'utf8').matchAll(
          /\bcreate(?:Signer|TokenCodec|Encryption)\((?:\w+\.)?\w+, '([^']+)'/g,
        ),
      ])
      .map(([, purpose]) => purpose ?? '');
    // The first three are used below, through the server; the last is never compared.
    const others = [
      'form token',
      'account of a second step',
      'account of a known browser',
      'name that nobody has',
    ];
    expect([...new Set(found)].sort()).toEqual([...Object.keys(issued), ...others].sort());
  });
});

describe.runIf(runsEverything)('rotation on several nodes', () => {
  let slipway: AccountsService;
  const nodes: Awaited<ReturnType<typeof openSecondNode>>[] = [];
  beforeAll(async () => {
    slipway = await startAccountsService('postgres', ['mina', 'olga'], {
      settings: { SLIPWAY_SECRET: old },
    });
  });
  afterEach(async () => {
    for (const node of nodes.splice(0)) await node.close();
  });
  afterAll(() => slipway.close());
  const nodeWith = async (settings: Record<string, string>) => {
    const node = await openSecondNode(slipway, settings, () => slipway.clock.now);
    nodes.push(node);
    return node;
  };

  it('keeps links, forms, known browsers and second factors while the previous secret is accepted', async () => {
    const mina = await slipway.browser('mina');
    const app = await setUpApp(slipway, mina);
    const link = new URL((await uploaded(slipway)).file);
    const session = (await slipway.browser('olga')).cookie;
    const csrf = /name="csrf" value="([^"]*)"/.exec(
      (await send(slipway.port, '/docs', { headers: { Cookie: session, Accept: 'text/html' } })).text,
    )?.[1];
    const begun = await afterPassword(slipway, 'mina');
    expect(begun.first.headers.location).toMatch(/second-factor/);

    const settings = { SLIPWAY_SECRET: current, SLIPWAY_URL: 'https://apps.example.com' };
    const after = await nodeWith({ ...settings, SLIPWAY_PREVIOUS_SECRET: old });
    const without = await nodeWith(settings);
    const statusOf = async (port: number) => (await send(port, `${link.pathname}${link.search}`)).status;
    expect([await statusOf(after.port), await statusOf(without.port)]).toEqual([200, 404]);

    // The step that the old node began, with a code of the app that it encrypted.
    slipway.clock.now += 60_000;
    const step = (port: number) =>
      postForm(
        { port },
        '/sign-in/second-factor/use-code',
        { code: app.code() },
        { Cookie: begun.cookie },
        { anonymous: true },
      );
    expect(sessionCookieOf(await step(without.port))).toBeUndefined();
    expect(sessionCookieOf(await step(after.port))).toBeDefined();

    const signOut = (port: number) =>
      postForm({ port }, '/sign-out', { csrf: csrf ?? '' }, { Cookie: session });
    expect([(await signOut(without.port)).status, (await signOut(after.port)).status]).toEqual([403, 303]);

    // The node encrypted it again when it started: it no longer needs the previous secret.
    slipway.clock.now += 60_000;
    const later = await afterPassword(without, 'mina', { password: testPassword });
    expect(sessionCookieOf(await later.prove('code', app.code()))).toBeDefined();
  });
});

describe.each(dialects)('stored secrets on %s', (dialect) => {
  it('are re-encrypted at startup, even those under a secret that is too short to sign', async () => {
    const { data, close } = await openTestData(dialect);
    for (const short of ['', 'short', old]) {
      const name = `person-${dialect}-${short.length}`;
      const { id } = await addUser(data, name);
      const { appId } = await addApp(data, id, { platform: 'ios' });
      const secrets = { address: 'https://hooks.example.com/', secret: newWebhookSecret(), oldSecret: null };
      const webhook = { id: `h${short.length}`.padEnd(26, '0'), ownerId: id, appId };
      await data.webhooks.insertWebhook(
        {
          ...webhook,
          name: '',
          kind: 'json',
          oldSecretUntil: null,
          state: 'on',
          shownAddress: 'hooks.example.com',
          subscribedEvents: ['build.uploaded', 'build.deleted', 'owner.deleted', 'page.published'],
          ...encryptSecrets(createWebhookEncryption(short), webhook.id, secrets),
        },
        now,
      );
      const before = createSigningKeys({ data, secret: short, now: clock });
      const { number } = await before.certificatesOf({ id, name });
      const signingKeys = await before.keysUpTo(id, number);
      const after = createSigningKeys({ data, secret: current, now: clock });
      await expect(after.keysUpTo(id, number)).rejects.toThrow('the private key is lost');
      expect(await reencryptStoredSecrets(data, current)).toBe(0);
      expect(await reencryptStoredSecrets(data, { current, previous: short })).toBe(2);
      expect(await after.keysUpTo(id, number)).toEqual(signingKeys);
      expect(await reencryptStoredSecrets(data, { current, previous: short })).toBe(0);
      const kept = await data.webhooks.findWebhook({ ownerId: id, appId }, webhook.id);
      expect(kept && decryptSecrets(createWebhookEncryption(current), kept)).toEqual(secrets);
    }
    await close();
  });
});
