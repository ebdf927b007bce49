/** Commands that call a server which is not the one of the key, or which answers to attack the terminal. */
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createInstallation, type Installation } from '../support/run-cli.ts';

const app = ['crew', 'com.example.tide'];
const commands = [
  ['whoami'],
  ['app', 'list', 'crew'],
  ['app', 'show', ...app],
  ['app', 'rotate-secret', ...app],
  ['build', 'list', ...app],
  ['build', 'show', ...app, '1'],
  ['build', 'delete', ...app, '1'],
  ['page', 'list', ...app],
  ['page', 'show', ...app, 'beta'],
  ['publish', ...app, '1', '--page', 'beta'],
  ['rollback', ...app, '1', '--page', 'beta'],
  ['tester', 'list', ...app],
  ['tester', 'add', ...app, 'mina'],
  ['tester', 'remove', ...app, 'mina'],
  ['device', 'list', 'crew'],
  ['key', 'list'],
  ['key', 'add', '--name', 'CI', '--scope', 'read'],
  ['key', 'revoke', 'some-id'],
  ['webhook', 'list', 'crew'],
  ['webhook', 'add', 'crew', 'https://hooks.example.com'],
  ['webhook', 'test', 'crew', 'some-id'],
];

describe('an untrusted server', { timeout: 60_000 }, () => {
  let slipway: Installation;
  let server: Server;
  let origin: string;
  let received: IncomingMessage[] = [];
  let answer: () => { status: number; body: unknown };
  beforeAll(async () => {
    slipway = await createInstallation('sqlite');
    server = createServer((request, response) => {
      received.push(request);
      request.resume();
      const { status, body } = answer();
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await mkdir(join(slipway.folder, '.config', 'slipway'), { recursive: true });
  });
  afterAll(async () => {
    server.close();
    await slipway.remove();
  });
  beforeEach(async () => {
    received = [];
    answer = () => ({ status: 200, body: {} });
    await signIn({});
  });

  const signIn = (servers: Record<string, string>, current: string | null = null) => {
    const tokens = Object.entries(servers).map(([at, token]) => [at, { token, user: 'x', expiresAt: null }]);
    const stored = { current, servers: Object.fromEntries(tokens) };
    return writeFile(join(slipway.folder, '.config', 'slipway', 'credentials.json'), JSON.stringify(stored));
  };
  const keysReceived = () => [...new Set(received.map(({ headers }) => headers.authorization))];
  const elsewhere = { SLIPWAY_API_KEY: 'slw_key-of-another', SLIPWAY_URL: 'https://apps.example.com' };

  it.each([
    ['another server in SLIPWAY_URL', elsewhere],
    ['no SLIPWAY_URL', { SLIPWAY_API_KEY: 'slw_key-of-another' }],
    ['the same host over https', { ...elsewhere, SLIPWAY_URL: 'https://127.0.0.1' }],
  ])('never receives the key of the environment with %s', async (_what, environment) => {
    for (const command of commands) {
      const { code, stderr } = await slipway.run([...command, '--server', origin], { environment });
      expect([command, code, stderr]).toEqual([
        command,
        2,
        expect.stringMatching(/you are not signed in to .* \(SLIPWAY_API_KEY is/),
      ]);
    }
    await writeFile(join(slipway.folder, 'app.apk'), 'x');
    const upload = ['upload', join(slipway.folder, 'app.apk'), '-o', 'crew', '--url', origin];
    if ('SLIPWAY_URL' in environment) {
      const { code, stderr } = await slipway.run(upload, { environment, process: true });
      expect([code, stderr]).toEqual([2, expect.stringContaining(`is not sent to ${origin}`)]);
    }
    expect(received).toEqual([]);
  });

  it('never receives the key of the environment because .env in the working folder names it', async () => {
    await writeFile(join(slipway.folder, '.env'), `SLIPWAY_URL=${origin}\n`);
    await writeFile(join(slipway.folder, 'app.apk'), 'x');
    const environment = { SLIPWAY_API_KEY: 'slw_key-of-another' };
    for (const command of [['whoami'], ['upload', 'app.apk', '-o', 'crew']]) {
      const { code, stderr } = await slipway.run(command, { environment, process: true });
      expect([code, stderr]).toEqual([
        2,
        expect.stringContaining('SLIPWAY_API_KEY is not used: SLIPWAY_URL is'),
      ]);
    }
    expect(received).toEqual([]);
  });

  it('receives its own token, with the key of another server in the environment', async () => {
    await signIn({ [origin]: 'slw_token-of-this', 'https://apps.example.com': 'slw_another' }, origin);
    await slipway.run(['app', 'list', 'crew', '--server', origin], { environment: elsewhere });
    // Without SLIPWAY_URL, the server that the person signed in to last is meant.
    await slipway.run(['app', 'list', 'crew'], { environment: { SLIPWAY_API_KEY: 'slw_key-of-another' } });
    expect(received).toHaveLength(2);
    expect(keysReceived()).toEqual(['Bearer slw_token-of-this']);
  });

  it('receives the key of the environment if it is the server in SLIPWAY_URL', async () => {
    await signIn({ [origin]: 'slw_token-of-this' }, origin);
    const environment = { SLIPWAY_API_KEY: 'slw_key-of-this', SLIPWAY_URL: `${origin}/` };
    await slipway.run(['app', 'list', 'crew'], { environment });
    await slipway.run(['app', 'list', 'crew', '--server', origin], { environment });
    expect(received).toHaveLength(2);
    expect(keysReceived()).toEqual(['Bearer slw_key-of-this']);
  });

  const attack = '\x1b]0;title\x07\x1b[2J\x9b31m\x85\u202eev\u200bil\u2028\ufeff\x7f\nslipway: forged\r';
  /** Everything that acts on a terminal; lines of output end with \n. */
  const acts = /[^\P{Cc}\n\t]|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\u200b\ufeff]/u;
  const item = () => ({
    ...Object.fromEntries(
      [
        'name',
        'id',
        'key',
        'detail',
        'message',
        'secret',
        'url',
        'hint',
        'user',
        'version_name',
        'label',
        'access',
      ].map((name) => [name, attack]),
    ),
    ...{ revision: attack, revisions: [attack], package_name: attack, platform: 'android', scopes: [attack] },
    ...{ key: { scopes: [attack] }, error: attack, error_description: attack, warnings: [attack] },
    ...{ people: [{ name: attack, login: attack, outcome: attack, text: attack }], teams: [attack] },
    ...{ app: { owner: attack, platform: attack, package_name: attack }, events: [attack] },
  });

  it.each([
    ['answers', 200],
    ['refusals', 403],
    ['missing things', 404],
  ])('cannot act on the terminal with its %s', async (_what, status) => {
    const environment = { SLIPWAY_API_KEY: 'slw_key-of-this', SLIPWAY_URL: origin };
    answer = () => ({ status, body: { ...item(), data: [item()], next_cursor: null } });
    let lines = 0;
    for (const command of [...commands, ['login']]) {
      for (const json of [[], ['--json']]) {
        const args = [...command, '--server', origin, ...json];
        const { stdout, stderr } = await slipway.run(args, { environment });
        expect([args, acts.exec(stdout + stderr)]).toEqual([args, null]);
        expect([args, /^slipway: forged/m.test(stdout)]).toEqual([args, false]);
        lines += stdout.split('\n').length - 1;
        if (json.length > 0 && status === 200)
          for (const line of stdout.split('\n').filter(Boolean))
            expect(JSON.parse(line)).toBeTypeOf('object');
      }
    }
    expect(received.length).toBeGreaterThan(commands.length);
    if (status === 200) expect(lines).toBeGreaterThan(commands.length / 2);
  });

  it.each([
    ['null', null],
    ['a list', []],
    ['a text', 'x'],
    ['an empty object', {}],
    ['no list', { data: null, next_cursor: null }],
    ['an object for a list', { data: {}, next_cursor: null }],
    ['a list of nothing', { data: [null], next_cursor: null }],
    ['a list of texts', { data: ['x'], next_cursor: null }],
    [
      'nulls',
      { key: null, app: null, people: null, events: null, teams: null, scopes: null, warnings: null },
    ],
    ['texts', { key: 'x', app: 'x', people: 'x', events: 'x', teams: 'x', scopes: 'x', warnings: 'x' }],
  ])('is named when it answers with %s, instead of a stack', async (_what, body) => {
    const environment = { SLIPWAY_API_KEY: 'slw_key-of-this', SLIPWAY_URL: origin };
    const stacks: unknown[] = [];
    for (const status of [200, 403]) {
      answer = () => ({ status, body });
      for (const command of [...commands, ['login']]) {
        for (const json of [[], ['--json']]) {
          const { stderr } = await slipway.run([...command, '--server', origin, ...json], { environment });
          if (/^\s+at /m.test(stderr)) stacks.push([status, ...command, ...json, stderr.slice(0, 120)]);
        }
      }
    }
    expect(stacks).toEqual([]);
  });

  it('cannot make a command run forever with lists that never end', async () => {
    const environment = { SLIPWAY_API_KEY: 'slw_key-of-this', SLIPWAY_URL: origin };
    answer = () => ({ status: 200, body: { data: [], next_cursor: 'again' } });
    const { stderr } = await slipway.run(['device', 'list', 'crew', '--server', origin], { environment });
    expect(stderr).toMatch(/^slipway: .* is not a Slipway server/);
  });
});
