/** One webhook request over real sockets: only to the validated address, whatever the receiver does. */
import { createServer, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { createOutboundNetworks } from '../../src/core/outbound/outbound-networks.ts';
import {
  createFindTarget,
  type FindTarget,
  type OutboundTarget,
  type ResolvedAddress,
  type ResolveName,
} from '../../src/core/outbound/outbound-target.ts';
import { createPostWebhook, maxResponseBytes } from '../../src/webhooks/post-webhook-http.ts';
import { maxAnswerCharacters, type PostOutcome } from '../../src/webhooks/webhook.ts';
import { runsEverything } from '../support/runs-everything.ts';
import { createTlsIdentity } from '../support/tls-identity.ts';
import { answer, startWebhookReceiver, type WebhookReceiver } from '../support/webhook-receiver.ts';

const local: ResolvedAddress = { address: '127.0.0.1', family: 4 };
const elsewhere: ResolvedAddress = { address: '93.184.216.34', family: 4 };
const waitTimeoutMs = 20_000;

describe('webhook request', () => {
  const receivers: WebhookReceiver[] = [];
  const servers: Server[] = [];
  const sockets = new Set<Socket>();
  afterEach(async () => {
    for (const receiver of receivers.splice(0)) await receiver.close();
    for (const socket of sockets) socket.destroy();
    for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve));
  });

  const start = async (options: Parameters<typeof startWebhookReceiver>[0] = {}) => {
    const receiver = await startWebhookReceiver(options);
    receivers.push(receiver);
    return receiver;
  };
  /** A server that sends arbitrary bytes. */
  const startRaw = async (talk: (socket: Socket) => void): Promise<number> => {
    const server = createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
      talk(socket);
    });
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const bound = server.address();
    return typeof bound === 'object' && bound !== null ? bound.port : 0;
  };
  const post = (
    address: string,
    options: { resolve?: ResolveName; networks?: string[]; authorities?: string[]; timeoutMs?: number } = {},
  ): Promise<PostOutcome> => {
    const { resolve = async () => [local], networks = ['127.0.0.0/8'], ...rest } = options;
    const findTarget = createFindTarget({ networks: createOutboundNetworks(networks), resolve });
    const send = createPostWebhook({ findTarget, timeoutMs: waitTimeoutMs, ...rest });
    return send({
      address,
      headers: { 'Content-Type': 'application/json', 'X-Told': 'yes' },
      body: '{"ä":1}',
    });
  };
  const fault = (name: string) => ({ kind: 'failed', fault: name });

  it('sends method, path, headers, body and the host name in Host', async () => {
    const receiver = await start();
    const outcome = await post(`http://hooks.example:${receiver.port}/a/b?c=d#e`);
    expect(outcome).toMatchObject({ kind: 'answered', status: 204, retryAfterMs: null });
    expect(outcome.durationMs).toBeGreaterThanOrEqual(0);
    const [webhook] = receiver.received;
    expect(webhook).toMatchObject({ method: 'POST', path: '/a/b?c=d', body: '{"ä":1}' });
    expect(webhook?.headers).toMatchObject({
      host: `hooks.example:${receiver.port}`,
      'content-length': '8',
      'x-told': 'yes',
      connection: 'close',
    });
  });

  it('verifies the certificate for the host name although it connects to an IP address', async () => {
    const tls = createTlsIdentity(['hooks.example']);
    const receiver = await start({ tls });
    const authorities = [tls.cert];
    const at = (name: string) => `https://${name}:${receiver.port}/`;
    expect(await post(at('hooks.example'), { authorities })).toMatchObject({ status: 204 });
    expect(await post(at('hooks.example'))).toMatchObject(fault('untrusted'));
    expect(await post(at('other.example'), { authorities })).toMatchObject(fault('untrusted'));
    expect(await post(at('127.0.0.1'), { authorities })).toMatchObject(fault('untrusted'));
    expect(receiver.received).toHaveLength(1);
    const plain = await start();
    expect(await post(`https://hooks.example:${plain.port}/`)).toMatchObject(fault('untrusted'));
  });

  it('resolves the host name once, so DNS rebinding has no effect', async () => {
    const receiver = await start();
    const answers = [[elsewhere], [local]];
    const asked: string[] = [];
    const resolve = async (name: string) => {
      asked.push(name);
      return answers.shift() ?? [];
    };
    // Not allowed without TLS, and the name is not resolved again.
    const address = `http://rebound.example:${receiver.port}/`;
    expect(await post(address, { resolve })).toMatchObject(fault('not-allowed'));
    expect(await post(address, { resolve })).toMatchObject({ status: 204 });
    expect(asked).toEqual(['rebound.example', 'rebound.example']);
    const turned = [[local], [elsewhere]];
    const once = await post(address, { resolve: async () => turned.shift() ?? [] });
    expect(once).toMatchObject({ status: 204 });
    expect(turned).toHaveLength(1);
  });

  it('rejects internal addresses without connecting', async () => {
    let connections = 0;
    const port = await startRaw((socket) => {
      connections += 1;
      socket.destroy();
    });
    const networks: string[] = [];
    for (const host of [
      '127.0.0.1',
      '2130706433',
      '0x7f.1',
      '0177.1',
      '[::ffff:127.0.0.1]',
      '[::1]',
      'in.example',
    ]) {
      for (const scheme of ['http', 'https']) {
        const outcome = await post(`${scheme}://${host}:${port}/`, { networks });
        expect(outcome, `${scheme} ${host}`).toMatchObject(fault('not-allowed'));
      }
    }
    const mixed = async () => [elsewhere, local];
    expect(await post(`https://mixed.example:${port}/`, { networks, resolve: mixed })).toMatchObject(
      fault('not-allowed'),
    );
    expect(connections).toBe(0);
    // The server is reachable if it is allowed.
    expect(await post(`http://127.0.0.1:${port}/`)).toMatchObject(fault('cut'));
    expect(connections).toBe(1);
  });

  it('follows no redirect', async () => {
    const [receiver, other] = [await start(), await start()];
    for (const [status, to] of [
      [301, 'http://169.254.169.254/latest/meta-data/'],
      [302, other.address],
      [307, other.address],
      [308, other.address],
    ] as const) {
      receiver.respond = answer(status, { Location: to });
      expect(await post(receiver.address)).toMatchObject({ kind: 'answered', status });
    }
    expect(receiver.received).toHaveLength(4);
    expect(other.received).toHaveLength(0);
  });

  it('ignores proxies from the environment', async () => {
    const [receiver, proxy] = [await start(), await start()];
    const before = { ...process.env };
    Object.assign(process.env, {
      NODE_USE_ENV_PROXY: '1',
      HTTP_PROXY: proxy.address,
      http_proxy: proxy.address,
      NO_PROXY: '',
    });
    try {
      expect(await post(receiver.address)).toMatchObject({ status: 204 });
    } finally {
      for (const name of ['NODE_USE_ENV_PROXY', 'HTTP_PROXY', 'http_proxy', 'NO_PROXY']) {
        if (before[name] === undefined) delete process.env[name];
        else process.env[name] = before[name];
      }
    }
    expect(proxy.received).toHaveLength(0);
  });

  it('reads a limited part of the response, and keeps none of a private network', async () => {
    let taken = 0;
    const port = await startRaw((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      const chunk = Buffer.alloc(16 * 1024);
      const more = () => {
        while (!socket.destroyed && socket.write(chunk)) taken += chunk.length;
      };
      socket.on('drain', more);
      more();
    });
    const outcome = await post(`http://127.0.0.1:${port}/`);
    expect(outcome).toMatchObject({ kind: 'answered', status: 200 });
    expect(outcome).toMatchObject({ answer: { body: null } });
    // The server never stops sending, so an end proves the limit; buffers in between add some bytes.
    expect(taken).toBeGreaterThanOrEqual(maxResponseBytes / 2);
  });

  it('keeps the beginning of a text from the public internet, and headers without secrets', async () => {
    const receiver = await start({ path: '/services/T0LD/pa%74h-that-is-secret?key=services-secret' });
    const findTarget: FindTarget = async (address) => ({
      url: new URL(address),
      addresses: [local],
      isPublic: true,
    });
    const send = (isPublic: boolean) => {
      const find: FindTarget = async (address) =>
        ({ ...(await findTarget(address)), isPublic }) as OutboundTarget;
      const deliver = createPostWebhook({ findTarget: find, timeoutMs: waitTimeoutMs });
      return deliver({ address: receiver.address, headers: {}, body: '{}' });
    };
    const signature = `v1,${'A'.repeat(43)}=`;
    const echo = `Cannot POST /services/T0LD/pa%74h-that-is-secret?key=services-secret (path-that-is-secret) ${signature}\u0000`;
    const headers = { 'Content-Type': 'text/plain', 'Set-Cookie': 'a=b', 'X-Request-Id': 'services-secret' };
    receiver.respond = answer(404, headers, echo + 'x'.repeat(5000));
    const outcome = await send(true);
    expect(outcome).toMatchObject({ kind: 'answered', status: 404 });
    const kept = outcome.kind === 'answered' ? outcome.answer : null;
    expect(Object.keys(kept?.headers ?? {})).not.toContain('set-cookie');
    expect(kept?.headers['x-request-id']).toBe('…');
    expect(kept?.body).toMatch(/^Cannot POST \/…\/T0LD\/…\?… \(…\) v1,…x{100}/);
    expect(kept?.body).toHaveLength(maxAnswerCharacters + 1);
    expect(JSON.stringify(kept)).not.toMatch(/secret|0000|AAAA/);
    // Others could read internal pages of the server's network through it.
    expect(await send(false)).toMatchObject({ status: 404, answer: { body: null } });
    receiver.respond = answer(200, { 'Content-Type': 'image/png' }, 'x');
    expect(await send(true)).toMatchObject({ answer: { body: null } });
  });

  it('times out without a response', async () => {
    const silent = await startRaw(() => undefined);
    expect(await post(`http://127.0.0.1:${silent}/`, { timeoutMs: 100 })).toMatchObject(fault('timeout'));
    const dripping = await startRaw((socket) => socket.write('HTTP/1.1 200 OK\r\nX-A: b\r\n'));
    expect(await post(`http://127.0.0.1:${dripping}/`, { timeoutMs: 100 })).toMatchObject(fault('timeout'));
    const never = new Promise<readonly ResolvedAddress[]>(() => undefined);
    expect(await post('http://slow.example/', { resolve: () => never, timeoutMs: 100 })).toMatchObject(
      fault('timeout'),
    );
  });

  it.runIf(runsEverything)('reports the status of a response whose body does not end', async () => {
    const stalling = await startRaw((socket) =>
      socket.write('HTTP/1.1 202 Accepted\r\nContent-Length: 100\r\n\r\nfirst'),
    );
    expect(await post(`http://127.0.0.1:${stalling}/`, { timeoutMs: 3000 })).toMatchObject({ status: 202 });
  });

  it('reports connection errors', async () => {
    const cutting = await startRaw((socket) => socket.once('data', () => socket.destroy()));
    expect(await post(`http://127.0.0.1:${cutting}/`)).toMatchObject(fault('cut'));
    const babbling = await startRaw((socket) => socket.end('SSH-2.0-OpenSSH_9.9\r\n'));
    expect(await post(`http://127.0.0.1:${babbling}/`)).toMatchObject(fault('cut'));
    const closed = await startRaw(() => undefined);
    const gone = servers.pop();
    await new Promise((resolve) => gone?.close(resolve));
    expect(await post(`http://127.0.0.1:${closed}/`)).toMatchObject({
      ...fault('unreachable'),
      detail: `connect ECONNREFUSED 127.0.0.1:${closed}`,
    });
    expect(await post('http://nobody.example/', { resolve: async () => [] })).toMatchObject(
      fault('no-such-name'),
    );
    const broken = async () => Promise.reject(new Error('no DNS'));
    expect(await post('http://nobody.example/', { resolve: broken })).toMatchObject({
      ...fault('no-such-name'),
      detail: 'no DNS',
    });
  });

  it('honors Retry-After up to a limit', async () => {
    const receiver = await start();
    for (const [text, expected] of [
      ['120', 120_000],
      ['999999999', 3_600_000],
      ['soon', null],
    ] as const) {
      receiver.respond = answer(429, { 'Retry-After': text });
      expect(await post(receiver.address)).toMatchObject({ status: 429, retryAfterMs: expected });
    }
  });
});
