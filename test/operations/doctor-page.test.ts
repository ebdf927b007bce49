/** The doctor's page and its probes over HTTP: permissions, and no data left behind. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findSecret } from '../../src/core/secret.ts';
import { createProbeTokens } from '../../src/operations/doctor/doctor-probe.ts';
import { signIn } from '../support/browser-session.ts';
import { type Answer, json, openRaw, rawRequest, send } from '../support/http-client.ts';
import { leavesNothing, refusalOf } from '../support/interface-client.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

const page = '/administration/doctor';
const form = { 'Content-Type': 'application/x-www-form-urlencoded' };

let slipway: TestService;
beforeAll(async () => {
  slipway = await startTestService({ settings: { SLIPWAY_MAX_UPLOAD: '1MiB' } });
});
afterAll(() => slipway.close());

const csrfIn = (answer: Answer) =>
  /action="\/administration\/doctor\/run"[\s\S]*?name="csrf" value="([^"]+)"/.exec(answer.text)?.[1] ?? '';
const post = (cookie: string, csrf: string) =>
  send(slipway.port, `${page}/run`, {
    method: 'POST',
    headers: { ...form, Cookie: cookie },
    body: new URLSearchParams({ csrf }).toString(),
  });

describe('the doctor’s page', () => {
  it('opens for an administrator, and runs when its form is posted', async () => {
    const { cookie } = await signIn(slipway, 'admin');
    const before = await send(slipway.port, page, { headers: { Cookie: cookie } });
    expect(before.status).toBe(200);
    expect(before.text).toContain('Run checks');
    const after = await leavesNothing(slipway, () => post(cookie, csrfIn(before)));
    expect(after.status).toBe(200);
    // Without SLIPWAY_URL, this server reports one problem and how to fix it.
    expect(after.text).toContain('Found one problem.');
    expect(after.text).toContain('SLIPWAY_URL is not set, so this server does not know its own address.');
    expect(after.text).toContain('docs/behind-a-proxy.md');
    expect(after.text.match(/<li id="/g)).toHaveLength(18);
    expect(after.headers['content-security-policy']).toContain("default-src 'none'");
  });
});

describe('the doctor’s probe', () => {
  const kinds = [
    ['reach', 'GET'],
    ['download', 'GET'],
    ['head', 'POST'],
    ['body', 'POST'],
  ] as const;
  const probeTokens = async () => createProbeTokens((await findSecret(slipway.config)) ?? '');

  it.each(kinds)('%s: requires a token that this server has just signed for it', async (kind, method) => {
    const own = await probeTokens();
    const now = Date.now();
    const other = kind === 'reach' ? 'download' : 'reach';
    const tokens = [
      undefined,
      '',
      'x',
      own.issue(other, now).text,
      own.issue(kind, now - 61_000).text,
      own.issue(kind, now + 90_000).text,
      `${own.issue(kind, now).text}x`,
      own.issue(kind, now).text.replace(/^\d+/, String(now + 1)),
      createProbeTokens('another secret').issue(kind, now).text,
    ];
    for (const token of tokens) {
      const headers: Record<string, string> = token === undefined ? {} : { 'Slipway-Probe': token };
      refusalOf(await send(slipway.port, `/doctor/probe/${kind}`, { method, headers }), 404);
    }
  });

  it.each(kinds)('%s: proves that the server knows the secret, and stores nothing', async (kind, method) => {
    const token = (await probeTokens()).issue(kind, Date.now());
    const answer = await leavesNothing(slipway, () =>
      send(slipway.port, `/doctor/probe/${kind}`, {
        method,
        headers: { 'Slipway-Probe': token.text },
        ...(method === 'POST' ? { body: Buffer.alloc(5_000_000) } : {}),
      }),
    );
    expect(answer.status).toBe(200);
    const proof = kind === 'download' ? String(answer.headers.etag).replaceAll('"', '') : json(answer).proof;
    expect(token.isProvedBy(proof)).toBe(true);
    expect(token.isProvedBy(`${proof}x`)).toBe(false);
  });

  it('head and body: responds before the body or at its first piece, and never requests the rest', async () => {
    const own = await probeTokens();
    const head = await openRaw(slipway.port);
    const headers = (kind: 'head' | 'body') => ({
      'Slipway-Probe': own.issue(kind, Date.now()).text,
      'Content-Length': 1024 ** 4,
    });
    await head.write(
      rawRequest('POST', '/doctor/probe/head', { ...headers('head'), Expect: '100-continue' }),
    );
    expect(await head.answer()).toMatchObject({ status: 200, interim: [], headers: { connection: 'close' } });
    head.destroy();
    const body = await openRaw(slipway.port);
    await body.write(rawRequest('POST', '/doctor/probe/body', headers('body'), 'x'));
    expect(await body.answer()).toMatchObject({ status: 200, interim: [], headers: { connection: 'close' } });
    body.destroy();
  });

  it('returns the request as the server received it', async () => {
    const token = (await probeTokens()).issue('reach', Date.now());
    const answer = await send(slipway.port, '/doctor/probe/reach', {
      headers: {
        Host: `127.0.0.1:${slipway.port}`,
        'Slipway-Probe': token.text,
        'X-Forwarded-For': '192.0.2.1',
        'X-Forwarded-Proto': 'https',
      },
    });
    expect(json(answer).seen).toMatchObject({
      scheme: 'http',
      host: `127.0.0.1:${slipway.port}`,
      client: '127.0.0.1',
      forwarded: { for: '192.0.2.1', proto: 'https', host: null },
    });
  });
});
