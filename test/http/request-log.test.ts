/** The log of a running service: one line per request with its id, slow statements, and never a secret. */
import { PassThrough } from 'node:stream';
import { sql } from 'kysely';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { openDatabase } from '../../src/db/open-database.ts';
import { createLogger } from '../../src/operations/observability/logger.ts';
import { postForm, signIn } from '../support/browser-session.ts';
import { buildApk } from '../support/build-apk.ts';
import { send } from '../support/http-client.ts';
import { bearer, upload, uploaded } from '../support/interface-client.ts';
import {
  startTestService,
  type TestService,
  type TestServiceOptions,
  testPassword,
} from '../support/test-service.ts';

interface Line {
  level: number;
  msg: string;
  request?: string;
  route?: string | null;
  status?: number;
  caller?: string;
  [field: string]: unknown;
}

const patience = { timeout: 20_000, interval: 5 };
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

describe('the request log', () => {
  let slipway: TestService;
  let text = '';
  afterEach(() => slipway.close());

  const start = async (options: TestServiceOptions = {}) => {
    text = '';
    const stream = new PassThrough({ encoding: 'utf8' }).on('data', (chunk) => {
      text += chunk;
    });
    slipway = await startTestService({ blobs: 'memory', ...options, logger: createLogger('debug', stream) });
  };
  const lines = (): Line[] =>
    text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line));
  /** The line of a request is written just after its response. */
  const lineOf = (request: unknown): Promise<Line> =>
    vi.waitFor(() => {
      const found = lines().filter((line) => line.request === request && 'route' in line);
      expect(found).toHaveLength(1);
      return found[0] as Line;
    }, patience);
  const idOf = (answer: { headers: Record<string, unknown> }) => String(answer.headers['x-request-id']);

  it('has one line per request, with its route pattern and caller', async () => {
    await start();
    await slipway.project('acme');
    const projectKey = await slipway.projectKey('acme');
    const listed = await send(slipway.port, '/api/organizations?x=1', { headers: bearer(slipway.adminKey) });
    expect(await lineOf(idOf(listed))).toMatchObject({
      level: 30,
      msg: 'GET /api/organizations 200',
      method: 'GET',
      route: '/api/organizations',
      status: 200,
      caller: 'user',
      ms: expect.any(Number),
    });
    const refused = await send(slipway.port, '/api/organizations', { headers: bearer(projectKey) });
    expect(await lineOf(idOf(refused))).toMatchObject({ status: 400, caller: 'project' });
    const nobody = await send(slipway.port, '/users/admin?key=abc');
    expect(await lineOf(idOf(nobody))).toMatchObject({ route: '/users/:owner', caller: 'nobody' });
    const lost = await send(slipway.port, '/no/such/thing');
    expect(await lineOf(idOf(lost))).toMatchObject({ route: null, status: 404 });
    const wrong = await send(slipway.port, '/users/%zz');
    expect(await lineOf(idOf(wrong))).toMatchObject({ status: 400, caller: 'nobody' });
    const method = await send(slipway.port, '/healthz', { method: 'DELETE' });
    expect(await lineOf(idOf(method))).toMatchObject({ route: '/healthz', status: 405 });
    const slashes = await send(slipway.port, `//api//organizations/?token=${slipway.adminKey}`);
    expect(await lineOf(idOf(slashes))).toMatchObject({ route: '/api/organizations', caller: 'user' });
    const sent = await upload(slipway, { file: buildApk({ fillerBytes: 50_000 }) });
    const line = await lineOf(idOf(sent));
    expect(line).toMatchObject({ status: 200, caller: 'user', route: '/api/users/:owner/apps' });
    expect(line.receivedBytes).toBeGreaterThan(50_000);
    expect(line.bytes).toBeGreaterThan(sent.text.length);
    const byField = await upload(slipway, { key: null, fields: { token: projectKey }, owner: 'acme' });
    expect(await lineOf(idOf(byField))).toMatchObject({ status: 200, caller: 'project' });
  });

  it('accepts only a well-formed request id from a trusted proxy', async () => {
    await start({ settings: { SLIPWAY_TRUST_PROXY: '127.0.0.0/8' } });
    const answerTo = async (id: string) =>
      idOf(await send(slipway.port, '/healthz', { headers: { 'X-Request-Id': id } }));
    expect(await answerTo('edge-7f3a.12:9_x=')).toBe('edge-7f3a.12:9_x=');
    expect(await answerTo('x'.repeat(128))).toBe('x'.repeat(128));
    for (const bad of ['', 'a b', 'x'.repeat(129), '<b>', '"', '-a', 'a\tb', 'é']) {
      expect(await answerTo(bad)).toMatch(uuid);
    }
    await slipway.close();
    await start();
    expect(await answerTo('edge-7f3a')).toMatch(uuid);
    await slipway.close();
    await start({ settings: { SLIPWAY_TRUST_PROXY: '10.0.0.0/8,::1' } });
    expect(await answerTo('edge-7f3a')).toMatch(uuid);
  });

  it('records a failure under the id that its page shows', async () => {
    await start();
    const database = await openDatabase(slipway.config.database);
    await sql`alter table apps rename to away`.execute(database.queries);
    await database.close();
    const path = '/users/admin/platforms/android/apps/com.example.app';
    const headers = { ...bearer(slipway.adminKey), Accept: 'text/html' };
    await uploaded(slipway).catch(() => undefined);
    const answer = await send(slipway.port, '/?q=hidden-in-the-address', { headers });
    const other = await send(slipway.port, path, { headers });
    const failed = [answer, other].find((one) => one.status === 500);
    expect(failed?.text).toContain(idOf(failed ?? answer));
    const told = lines().find((line) => line.level === 50 && line.request === idOf(failed ?? answer));
    expect(told).toMatchObject({
      err: { message: expect.stringContaining('apps'), stack: expect.any(String) },
    });
    expect(text).not.toContain('hidden-in-the-address');
  });

  it('marks interrupted responses', async () => {
    await start();
    const { file } = await uploaded(slipway, { file: buildApk({ fillerBytes: 14_000_000 }) });
    const cutting = new AbortController();
    const answer = await fetch(file, { signal: cutting.signal });
    await answer.body?.getReader().read();
    cutting.abort();
    const line = await lineOf(answer.headers.get('x-request-id'));
    expect(line).toMatchObject({ cut: true, route: '/builds/:build/file' });
  });

  it('never contains a key, a password, a session or a link', async () => {
    await start({ settings: { SLIPWAY_SLOW_QUERY_MS: '0' } });
    const { adminKey, port } = slipway;
    const wrongKey = 'slw_wrong-key-that-nobody-has';
    const result = await uploaded(slipway, {
      fields: { distribution_name: 'main', message: 'words-of-a-message' },
    });
    const linkKeys = [result.file, result.icon].map((address) => new URL(address).searchParams.get('key'));
    for (const key of [adminKey, wrongKey]) {
      for (const authorization of [`Bearer ${key}`, `token ${key}`, key, `Basic ${btoa(`x:${key}`)}`]) {
        await send(port, '/api/organizations', { headers: { Authorization: authorization } });
      }
      await send(port, `/api/organizations?token=${key}`);
      await send(port, `/api/${key}?token=${key}`);
      await send(port, `/users/%zz?token=${key}`);
      await send(port, `/users/${'x'.repeat(2000)}?token=${key}`);
      await upload(slipway, { key: null, fields: { token: key } });
      await upload(slipway, { headers: { Authorization: `Bearer ${key}`, 'Idempotency-Key': 'one' } });
    }
    await postForm(slipway, '/sign-in', { login: 'admin', password: 'wrong-password-of-somebody' });
    const { cookie } = await signIn(slipway, 'admin');
    const session = cookie.split('=')[1] ?? '';
    expect(session.length).toBeGreaterThan(20);
    const page = await send(port, new URL(result.distribution?.url ?? '').pathname, {
      headers: { Cookie: cookie, Accept: 'text/html' },
    });
    const [, ticket] = /[?&;]ticket=([\w.~-]+)/.exec(page.text) ?? [];
    await send(port, '/', { headers: { Cookie: cookie } });
    await send(port, `${new URL(result.file).pathname}?key=${linkKeys[0]}`);
    await send(port, `${result.path}?key=${result.secret}`);
    const last = await send(port, '/healthz');
    await lineOf(idOf(last));
    const secrets = [adminKey, wrongKey, testPassword, 'wrong-password-of-somebody', session, result.secret];
    secrets.push('words-of-a-message', btoa(`x:${adminKey}`), ...linkKeys.map(String));
    if (ticket) secrets.push(ticket);
    expect(lines().filter((line) => 'route' in line).length).toBeGreaterThan(20);
    expect(lines().filter((line) => 'sql' in line).length).toBeGreaterThan(20);
    for (const secret of secrets) {
      expect(secret.length).toBeGreaterThan(9);
      for (const form of [secret, encodeURIComponent(secret)]) {
        expect(text.includes(form), `the log holds ${form}`).toBe(false);
      }
    }
  });

  it('records only statements slower than the limit, by their text', async () => {
    await start({ settings: { SLIPWAY_SLOW_QUERY_MS: '0' } });
    await send(slipway.port, '/api/organizations', { headers: bearer(slipway.adminKey) });
    const told = lines().filter((line) => 'sql' in line);
    expect(told.map((line) => line.sql)).toContainEqual(expect.stringMatching(/^select .* = \(select \?\)/));
    expect(told[0]).toMatchObject({ level: 40, ms: expect.any(Number) });
    await slipway.close();
    await start({ settings: { SLIPWAY_SLOW_QUERY_MS: '3600000' } });
    await send(slipway.port, '/api/organizations', { headers: bearer(slipway.adminKey) });
    expect(lines().filter((line) => 'sql' in line)).toEqual([]);
  });
});
