/** Breached passwords, checked with a local service that has the range API of Have I Been Pwned. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { accountTexts } from '../../src/accounts/account-texts.ts';
import { createRefuseBreached } from '../../src/accounts/passwords/breached-passwords.ts';
import { readConfig } from '../../src/config.ts';
import { type AccountsService, startAccountsService } from '../support/accounts-service.ts';
import { postForm } from '../support/browser-session.ts';
import { createInstallation, type Installation } from '../support/run-cli.ts';
import { testPassword } from '../support/test-service.ts';

const breached = 'seven breached gulls';
const good = 'nine unseen gulls';
const sha1 = (text: string) => createHash('sha1').update(text).digest('hex').toUpperCase();
const words = accountTexts.password.breached;

type Respond = (request: IncomingMessage, response: ServerResponse) => void;

async function startRangeService() {
  const asked: IncomingMessage[] = [];
  const padding = `${sha1('padding').slice(5)}:0\r\n`;
  const known: Respond = ({ url = '' }, response) => {
    const prefix = url.slice('/range/'.length);
    const lines = sha1(breached).startsWith(prefix) ? `${sha1(breached).slice(5)}:42\r\n` : '';
    // Padding is not a match, even if it has the same suffix.
    const padded = sha1(good).startsWith(prefix) ? `${sha1(good).slice(5)}:0\r\n` : '';
    response.end(`${padding}${lines}${padded}`);
  };
  const service = { asked, respond: known, known, url: '', close: async (): Promise<void> => undefined };
  const server = createServer((request, response) => {
    asked.push(request);
    service.respond(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  service.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/range/`;
  service.close = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  };
  return service;
}

let range: Awaited<ReturnType<typeof startRangeService>>;
beforeAll(async () => {
  range = await startRangeService();
});
afterAll(() => range.close());
beforeEach(() => {
  range.respond = range.known;
  range.asked.length = 0;
});

describe('the breached-password service', () => {
  const logged: string[] = [];
  const log = { warn: (facts: object) => logged.push(JSON.stringify(facts)) };
  beforeEach(() => {
    logged.length = 0;
  });
  const refuse = (password: string, timeoutMs = 5_000) =>
    createRefuseBreached({ url: range.url, log, timeoutMs })(password);

  it('receives five hex digits of the SHA-1 with a request for padding', async () => {
    await refuse(good);
    expect(range.asked.map(({ url, method }) => `${method} ${url}`)).toEqual([
      `GET /range/${sha1(good).slice(0, 5)}`,
    ]);
    expect(range.asked[0]?.headers['add-padding']).toBe('true');
    expect(logged).toEqual([]);
  });

  it('refuses the passwords it knows, with hex digits in either case', async () => {
    await expect(refuse(breached)).rejects.toMatchObject({ errors: { password: [words] } });
    range.respond = (_, response) => response.end(`${sha1(breached).slice(5).toLowerCase()}:1\n`);
    await expect(refuse(breached)).rejects.toMatchObject({ kind: 'invalid' });
  });

  it.each<[string, Respond, timeoutMs?: number]>([
    ['an error', (_, response) => response.writeHead(503).end()],
    ['no answer in time', () => undefined, 20],
    ['a body that never ends', (_, response) => response.write('A'), 20],
    ['too many bytes', (_, response) => response.end('A'.repeat(2 ** 20))],
    ['a redirect', (_, response) => response.writeHead(302, { Location: '/range/00000' }).end()],
    ['a broken connection', (request) => request.socket.destroy()],
  ])('accepts every password on %s, and logs it without the password', async (_, respond, timeoutMs) => {
    range.respond = respond;
    await refuse(breached, timeoutMs);
    expect(logged).toEqual([expect.stringContaining('"event":"breached-passwords.failed"')]);
    for (const secret of [breached, sha1(breached)]) expect(logged.join()).not.toContain(secret);
  });

  it('requires an https address, or one on this machine', () => {
    const urlOf = (SLIPWAY_BREACHED_PASSWORDS_URL: string) =>
      readConfig({ SLIPWAY_BREACHED_PASSWORDS_URL }).breachedPasswordsUrl;
    expect(urlOf('https://api.pwnedpasswords.com/range')).toBe('https://api.pwnedpasswords.com/range/');
    expect(urlOf('http://127.0.0.1:8099/range/')).toBe('http://127.0.0.1:8099/range/');
    for (const bad of [
      'http://example.com/',
      'example.com',
      'https://u:p@example.com/',
      'https://example.com/?x',
    ])
      expect(() => urlOf(bad)).toThrow(/SLIPWAY_BREACHED_PASSWORDS_URL must be an https address/);
  });
});

describe('every place that hashes a password', () => {
  it('checks for breaches first, except for page passcodes', () => {
    const src = fileURLToPath(new URL('../../src/', import.meta.url));
    const hashing = readdirSync(src, { recursive: true, encoding: 'utf8' })
      .filter((path) => /\.tsx?$/.test(path))
      .map((path) => ({ path, text: readFileSync(join(src, path), 'utf8') }))
      .filter(
        ({ path, text }) =>
          text.includes('hashPassword(') && path !== join('accounts', 'passwords', 'password.ts'),
      );
    expect(hashing.length).toBeGreaterThan(4);
    const unasked = hashing.filter(({ text }) => !/await (?:deps\.)?refuseBreached/.test(text));
    expect(unasked.map(({ path }) => path)).toEqual([
      join('distributions', 'settings', 'page-settings-change.ts'),
    ]);
  });
});

describe('a breached password', () => {
  let slipway: AccountsService;
  beforeAll(async () => {
    slipway = await startAccountsService('sqlite', ['mina', 'olga'], {
      settings: { SLIPWAY_BREACHED_PASSWORDS_URL: range.url, SLIPWAY_SIGN_UP: 'open' },
    });
  });
  afterAll(() => slipway.close());

  const chosen = (password: string) => ({ password, again: password });
  const invited = async () => {
    const admin = await slipway.browser('admin');
    const made = await admin.submit('/administration/invitations', 'create', { email: '' });
    return /\/invitation\/[\w-]+/.exec(made.text)?.[0] ?? '';
  };

  it('is refused at sign-up, and no account is created', async () => {
    const refused = await postForm(slipway, '/sign-up', { name: 'nora', email: '', ...chosen(breached) });
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining(words)]);
    expect(await slipway.data.owners.findOwner('nora')).toBeNull();
    const made = await postForm(slipway, '/sign-up', { name: 'nora', email: '', ...chosen(good) });
    expect(made.status).toBe(303);
  });

  it('is refused in a password change, which keeps the old password', async () => {
    const mina = await slipway.browser('mina');
    const csrf = await mina.csrf();
    const change = (password: string) =>
      mina.post('/settings/password', { csrf, current: testPassword, ...chosen(password) });
    const refused = await change(breached);
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining(words)]);
    expect((await slipway.browser('mina')).cookie).toBeTruthy();
    expect((await change(good)).status).toBe(303);
  });

  it('is refused with a reset link, which stays valid', async () => {
    await postForm(slipway, '/forgot-password', { login: 'olga' });
    const link = await slipway.linkInEmail('olga@example.com');
    const refused = await postForm(slipway, link, chosen(breached));
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining(words)]);
    expect((await postForm(slipway, link, chosen(good))).status).toBe(303);
  });

  it('is refused with an invitation, which stays valid', async () => {
    const link = await invited();
    expect(link).not.toBe('');
    const join = (password: string) =>
      postForm(slipway, `${link}/create-account`, { name: 'vera', email: '', ...chosen(password) });
    const refused = await join(breached);
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining(words)]);
    expect((await join(good)).status).toBe(303);
  });
});

describe('a breached password on the command line', () => {
  let slipway: Installation;
  beforeAll(async () => {
    slipway = await createInstallation('sqlite');
    slipway.environment.SLIPWAY_BREACHED_PASSWORDS_URL = range.url;
  });
  afterEach(() => {
    delete slipway.environment.SLIPWAY_ADMIN_PASSWORD;
  });
  afterAll(() => slipway.remove());

  it('is refused for the first administrator, for a new user and for a new password', async () => {
    slipway.environment.SLIPWAY_ADMIN_PASSWORD = breached;
    const started = await slipway.run(['serve']);
    expect([started.code, started.stderr]).toEqual([1, expect.stringContaining(words)]);
    const add = (password: string) =>
      slipway.run(['user', 'add', 'mina', '--email', 'mina@example.com', '--password-stdin'], {
        input: `${password}\n`,
        environment: { SLIPWAY_ADMIN_PASSWORD: '' },
      });
    const refused = await add(breached);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining(words)]);
    expect((await add(good)).code).toBe(0);
    const change = (password: string) =>
      slipway.run(['user', 'password', 'mina', '--password-stdin'], {
        input: `${password}\n`,
        environment: { SLIPWAY_ADMIN_PASSWORD: '' },
      });
    expect([(await change(breached)).code, (await change(good)).code]).toEqual([1, 0]);
  });
});
