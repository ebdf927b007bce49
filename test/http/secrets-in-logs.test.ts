/** The log contains no secret, even at its most verbose level. */
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createMemoryMailer } from '../../src/mail/memory-mailer.ts';
import { createLogger } from '../../src/operations/observability/logger.ts';
import { browserWith } from '../support/accounts-service.ts';
import { postForm, signIn } from '../support/browser-session.ts';
import { upload, uploaded } from '../support/interface-client.ts';
import { settleOutbox } from '../support/mail-service.ts';
import { afterPassword, recoveryCodesOn, setUpApp } from '../support/second-factors.ts';
import { startTestService, type TestService, testPassword } from '../support/test-service.ts';
import { answer, startWebhookReceiver } from '../support/webhook-receiver.ts';

const smtpPassword = 'smtp-password-of-the-operator';
const clientSecret = 'client-secret-of-the-provider';
const serverSecret = 'secret-of-the-server-that-signs-everything';
const chosenPassword = 'a dozen new grey gulls';

describe('the log', () => {
  let slipway: TestService;
  let text = '';
  const clock = { now: Date.UTC(2026, 10, 21, 9, 40) };
  const mailer = createMemoryMailer(({ to }) =>
    to.address.startsWith('refused') ? { kind: 'refused', reason: 'not here' } : { kind: 'sent' },
  );
  beforeAll(async () => {
    const stream = new PassThrough({ encoding: 'utf8' }).on('data', (chunk) => {
      text += chunk;
    });
    slipway = await startTestService({
      blobs: 'memory',
      now: () => clock.now,
      mailer,
      logger: createLogger('debug', stream),
      settings: {
        SLIPWAY_URL: 'https://apps.example.com',
        SLIPWAY_SMTP_URL: `smtp://user:${smtpPassword}@127.0.0.1:1`,
        SLIPWAY_MAIL_FROM: 'builds@example.com',
        SLIPWAY_SECRET: serverSecret,
        SLIPWAY_SLOW_QUERY_MS: '0',
        SLIPWAY_SIGN_UP: 'open',
        SLIPWAY_HOOK_NETWORKS: '127.0.0.0/8',
        // Nothing responds there: the error is logged.
        SLIPWAY_OIDC_ISSUER: 'http://127.0.0.1:1',
        SLIPWAY_OIDC_CLIENT_ID: 'slipway',
        SLIPWAY_OIDC_CLIENT_SECRET: clientSecret,
      },
    });
  });
  afterAll(() => slipway.close());

  const browserOf = async (name: string) => browserWith(slipway, (await signIn(slipway, name)).cookie);

  it('contains no secret of emails, second factors, passcodes, webhooks, SMTP or identity providers', async () => {
    const secrets = [testPassword, smtpPassword, clientSecret, serverSecret, chosenPassword];
    const key = await slipway.user('mina');
    secrets.push(key);
    const stranger = browserWith(slipway, '');

    // A password reset by email.
    await stranger.post('/forgot-password', { login: 'mina' });
    await settleOutbox(slipway);
    const [, token = ''] =
      /\/reset-password\/([\w-]{43})/.exec(mailer.sent.map((letter) => letter.text).join()) ?? [];
    await stranger.post(`/reset-password/${token}`, { password: 'mina-2026', again: 'mina-2026' });
    const reset = await stranger.post(`/reset-password/${token}`, {
      password: chosenPassword,
      again: chosenPassword,
    });
    expect(reset.status).toBe(303);
    secrets.push(token);

    // A second factor: the secret of the app, codes, and the token between the steps.
    const mina = browserWith(slipway, (await signIn(slipway, 'mina', chosenPassword)).cookie);
    const setUp = await mina.get('/settings/security/app');
    const [, base32 = ''] = /secret=([A-Z2-7]+)/.exec(setUp.text) ?? [];
    const app = await setUpApp({ clock }, mina);
    const step = await afterPassword(slipway, 'mina', { password: chosenPassword });
    await step.prove('code', '000000');
    await step.prove('recovery', 'aaaa-bbbb-cccc-dddd');
    expect((await step.prove('recovery', app.recoveryCodes[0] ?? '')).status).toBe(303);
    secrets.push(
      base32,
      ...app.recoveryCodes,
      mina.cookie.split('=')[1] ?? '',
      step.cookie.split('=')[1] ?? '',
    );
    expect(recoveryCodesOn(app.recoveryCodes.join(' '))).toHaveLength(10);

    // An invitation, and an account created with it.
    const admin = await browserOf('admin');
    const invited = await admin.submit('/administration/invitations', 'create');
    const [, invitation = ''] = /\/invitation\/([\w-]{43})/.exec(invited.text) ?? [];
    await stranger.submit(`/invitation/${invitation}`, 'create-account', {
      name: 'newly',
      email: 'refused@example.com',
      password: chosenPassword,
      again: chosenPassword,
    });
    expect(await slipway.data.owners.findOwner('newly')).not.toBeNull();
    secrets.push(invitation, admin.cookie.split('=')[1] ?? '');

    // A page with a passcode, and attempts to enter it.
    const built = await uploaded(slipway, { fields: { distribution_name: 'main' } });
    const page = new URL(built.distribution?.url ?? '').pathname;
    const settings = `${page}/settings/access`;
    const saved = await admin.submit(settings, 'save', { access: 'passcode', passcode: 'open-sesame-now' });
    expect(saved.status).toBe(303);
    expect((await postForm(slipway, `${page}/passcode`, { passcode: 'a wrong passcode' })).status).toBe(403);
    const passed = await postForm(slipway, `${page}/passcode`, { passcode: 'open-sesame-now' });
    const pass = String(passed.headers['set-cookie']).split(';', 1)[0] ?? '';
    const tx = await browserWith(slipway, pass).get(page);
    const [, ticket = ''] = /[?&;]ticket=([\w.~-]+)/.exec(tx.text) ?? [];
    secrets.push('open-sesame-now', 'a wrong passcode', pass.split('=')[1] ?? '', ticket);

    // A webhook whose receiver returns errors, with a secret in its URL.
    const receiver = await startWebhookReceiver();
    receiver.respond = answer(410);
    const hooks = '/users/admin/hooks';
    const made = await admin.submit(hooks, 'create', {
      name: 'chat',
      url: `${receiver.address}-hidden-in-it`,
      event: 'build.uploaded',
    });
    const [signing = ''] = /whsec_[A-Za-z0-9+/=]+/.exec(made.text) ?? [];
    await upload(slipway, { fields: { message: 'second' } });
    await settleOutbox(slipway);
    expect(receiver.received.length).toBeGreaterThan(0);
    await receiver.close();
    secrets.push(signing, 'hidden-in-it');

    // A provider that does not exist, and an unsolicited response.
    expect((await stranger.get('/sign-in/sso')).status).toBeGreaterThanOrEqual(400);
    await stranger.get('/sign-in/sso/callback?code=code-of-the-provider&state=state-of-the-browser');
    secrets.push('code-of-the-provider', 'state-of-the-browser');

    // Failed sign-ins, whose input an error could quote.
    await stranger.post('/sign-in', { login: 'mina', password: 'typed-by-mistake' });
    await stranger.post('/sign-in', { login: 'typed-as-the-name', password: '' });
    secrets.push('typed-by-mistake', 'typed-as-the-name');

    const lines = text.split('\n').filter((line) => line !== '');
    expect(lines.filter((line) => line.includes('"sql"')).length).toBeGreaterThan(100);
    for (const told of [
      'single sign-on failed at the provider',
      'rejected an email',
      'delivery of a webhook',
    ])
      expect([told, text.includes(told)]).toEqual([told, true]);
    for (const secret of secrets) {
      expect([secret, secret.length > 9]).toEqual([secret, true]);
      for (const form of [secret, encodeURIComponent(secret), secret.replaceAll(' ', '+')])
        expect(text.includes(form), `the log holds ${form}`).toBe(false);
    }
  });
});
