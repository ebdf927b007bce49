/** The stream of the audit log to a file, to syslog over TLS and to a webhook, with receivers that fail. */
import { appendFile, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, type TLSSocket } from 'node:tls';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createAuditArea } from '../../src/audit/area.ts';
import { type AuditStreamConfig, readAuditConfig, streamName } from '../../src/audit/audit-config.ts';
import { createReceiver, syslogFrame } from '../../src/audit/audit-receivers.ts';
import { readAuditStatus, streamEntries } from '../../src/audit/audit-stream.ts';
import { createAuditChain, sealAll } from '../../src/audit/seal-entries.ts';
import { verifyCopy } from '../../src/audit/verify-chain.ts';
import { createOutbound } from '../../src/core/outbound/outbound-target.ts';
import { createSettings } from '../../src/core/settings.ts';
import { createData, type Data } from '../../src/db/data.ts';
import { auditQueries } from '../../src/owners/audit-queries.ts';
import { createPostWebhook } from '../../src/webhooks/post-webhook-http.ts';
import { openTestData, type TestData } from '../support/open-test-data.ts';
import { createTlsIdentity } from '../support/tls-identity.ts';
import { answer, isSignatureValid, startWebhookReceiver } from '../support/webhook-receiver.ts';

const secret = 'a secret of the server that is long enough';
const webhookSecret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
const chain = createAuditChain(secret);

describe('stream of the audit log', () => {
  let folder: string;
  let test: TestData;
  let data: Data;
  let clock = 1_000;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'slipway-audit-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));
  beforeEach(async () => {
    clock = 1_000;
    test = await openTestData('sqlite');
    data = createData(test.database);
  });
  afterEach(() => test.close());

  const fill = async (...subjects: readonly string[]) => {
    for (const subject of subjects)
      await auditQueries(data).record({
        at: clock,
        actor: 'system',
        action: 'project.made',
        ownerId: null,
        subject,
      });
    await sealAll(data, chain);
  };
  const deps = (networks: readonly string[] = []) => ({
    post: createPostWebhook(createOutbound(networks)),
    now: () => clock,
    userAgent: 'Slipway/1',
    host: 'node 1',
  });
  const run = (config: AuditStreamConfig, networks?: readonly string[]) =>
    streamEntries(data, createReceiver(config, deps(networks)), () => clock);
  const subjectsOf = (lines: readonly string[]) =>
    lines.filter((line) => line !== '').map((line) => JSON.parse(line).entry.subject);
  const linesOf = async (path: string) => (await readFile(path, 'utf8')).split('\n');
  const status = () => readAuditStatus(data);

  it('appends to a file, to a new one after a rename, and continues after an incomplete line', async () => {
    const path = join(folder, 'audit.jsonl');
    const config = { kind: 'file', path } as const;
    await fill('one', 'two');
    expect(await run(config)).toBe(null);
    await rename(path, `${path}.1`);
    await fill('three');
    await run(config);
    // As after a full disk.
    await appendFile(path, '{"seq":4,"sal');
    await fill('four');
    await run(config);
    expect(subjectsOf(await linesOf(`${path}.1`))).toEqual(['one', 'two']);
    expect(await linesOf(path)).toHaveLength(4);
    const lines = [...(await linesOf(`${path}.1`)), ...(await linesOf(path))];
    const copy = (async function* () {
      yield* lines;
    })();
    expect(await verifyCopy(data, copy)).toMatchObject({
      lines: 4,
      incomplete: 1,
      first: 1,
      last: 4,
      problems: [],
    });
    expect((await status()).stream).toEqual({ seq: 4, at: 1_000, failures: 0, error: null, retryAt: 0 });
  });

  it('keeps the position and the reason while a file cannot be written, with longer pauses', async () => {
    const config = { kind: 'file', path: join(folder, 'missing', 'audit.jsonl') } as const;
    await fill('one');
    for (const failures of [1, 2, 3, 4, 5, 6, 7]) {
      expect(await run(config)).toContain('ENOENT');
      const { stream } = await status();
      const pauseMs = Math.min(1000 * 2 ** failures, 60_000);
      expect(stream).toMatchObject({
        seq: 0,
        failures,
        retryAt: clock + pauseMs,
        error: expect.stringContaining('ENOENT'),
      });
      clock = stream.retryAt;
    }
    const path = join(folder, 'later.jsonl');
    await run({ kind: 'file', path });
    expect(subjectsOf(await linesOf(path))).toEqual(['one']);
    expect((await status()).stream).toMatchObject({ seq: 1, failures: 0, error: null });
  });

  describe('to syslog over TLS', () => {
    const identity = createTlsIdentity(['localhost']);
    let server: ReturnType<typeof createServer>;
    let frames: string[];
    let read: (socket: TLSSocket) => void;
    const config = () =>
      ({
        kind: 'syslog',
        host: 'localhost',
        port: (server.address() as AddressInfo).port,
        tls: true,
        authorities: identity.cert,
      }) as const;
    /** Reads frames by their length (RFC 6587, section 3.4.1), independently of the sender. */
    const readAll = (socket: TLSSocket) => {
      let rest = Buffer.alloc(0);
      socket.on('data', (chunk: Buffer) => {
        rest = Buffer.concat([rest, chunk]);
        for (;;) {
          const space = rest.indexOf(' ');
          const length = Number(rest.subarray(0, space).toString());
          if (space < 1 || rest.length < space + 1 + length) return;
          frames.push(rest.subarray(space + 1, space + 1 + length).toString());
          rest = rest.subarray(space + 1 + length);
        }
      });
    };
    beforeEach(async () => {
      frames = [];
      read = readAll;
      server = createServer(identity, (socket) => {
        socket.on('error', () => undefined);
        read(socket);
      });
      await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
    });
    afterEach(() => new Promise((resolve) => server.close(resolve)));

    it('sends messages of RFC 5424 with their lengths', async () => {
      await fill('one', '日本語');
      expect(await run(config())).toBe(null);
      expect(frames).toHaveLength(2);
      const [, header, body = ''] = /^(.*?) \uFEFF(.*)$/s.exec(frames[1] ?? '') ?? [];
      expect(header).toBe('<110>1 1970-01-01T00:00:01.000Z node-1 slipway - audit [meta sequenceId="2"]');
      expect(JSON.parse(body)).toMatchObject({
        seq: 2,
        entry: { subject: '日本語', actor: { kind: 'system' } },
      });
      // Bytes, not characters; sequence ids start again after the highest one.
      expect(syslogFrame('a', { seq: 2_147_483_648, at: 't', text: 'é' })).toBe(
        '54 <110>1 t a slipway - audit [meta sequenceId="1"] \u{FEFF}é',
      );
    });

    it('sends everything again to a receiver that died in the middle of a line', async () => {
      await fill('one', 'two'.repeat(50_000));
      read = (socket) => {
        socket.once('data', () => socket.destroy());
      };
      expect(await run(config())).toMatch(/closed the connection early|ECONNRESET|EPIPE/);
      expect((await status()).stream).toMatchObject({ seq: 0, failures: 1 });
      read = readAll;
      expect(await run(config())).toBe(null);
      expect(frames).toHaveLength(2);
    });

    it('refuses a receiver with another certificate', async () => {
      await fill('one');
      expect(await run({ ...config(), authorities: createTlsIdentity(['localhost']).cert })).not.toBe(null);
      expect(await run({ ...config(), authorities: null })).not.toBe(null);
      expect(frames).toEqual([]);
    });
  });

  it('posts signed lines to a webhook, and again what it did not accept', async () => {
    const receiver = await startWebhookReceiver();
    try {
      const config = { kind: 'webhook', address: receiver.address, secret: webhookSecret } as const;
      await fill('one', 'two');
      receiver.respond = answer(503);
      expect(await run(config, ['127.0.0.1'])).toBe('the receiver answered 503');
      receiver.respond = answer(204);
      expect(await run(config, ['127.0.0.1'])).toBe(null);
      const [first, second] = receiver.received;
      expect(first?.body).toBe(second?.body);
      expect(first?.headers['webhook-id']).toBe(second?.headers['webhook-id']);
      expect(second?.headers).toMatchObject({
        'webhook-id': expect.stringMatching(/^audit-1-2-[0-9a-f]{16}$/),
        'content-type': 'application/x-ndjson; charset=utf-8',
      });
      expect(second && isSignatureValid(second, webhookSecret)).toBe(true);
      await fill('three');
      expect(await run(config)).toBe('the request failed: not-allowed');
      expect(receiver.received).toHaveLength(2);
    } finally {
      await receiver.close();
    }
  });

  it('sends lines again if the process died before it could remember them', async () => {
    const sent: string[] = [];
    await fill('one', 'two');
    const send = async (lines: readonly { text: string }[]) =>
      void sent.push(...lines.map(({ text }) => text));
    await expect(
      streamEntries(
        data,
        async (lines) => {
          await send(lines);
          await test.database.queries.schema.alterTable('installation_facts').renameTo('gone').execute();
        },
        () => clock,
      ),
    ).rejects.toThrow();
    await test.database.queries.schema
      .alterTable('gone' as 'installation_facts')
      .renameTo('installation_facts')
      .execute();
    await streamEntries(data, send, () => clock);
    expect(subjectsOf(sent)).toEqual(['one', 'two', 'one', 'two']);
  });

  it('adds a job for entries that are not sealed, and one for those that are not sent', async () => {
    const path = join(folder, 'planned.jsonl');
    const area = createAuditArea({
      config: {
        audit: { stream: { kind: 'file', path }, days: null, signInDays: 90, addressDays: 30, eraseDays: 30 },
      },
      data,
      secret,
      outbound: createOutbound([]),
      version: '1',
      now: () => clock,
      log: { error: () => undefined, warn: () => undefined },
    });
    const planned = async () => {
      const rows = await test.database.queries
        .selectFrom('outbox')
        .select(['kind', 'run_at'])
        .orderBy('kind')
        .execute();
      await test.database.queries.deleteFrom('outbox').execute();
      return rows.map(({ kind, run_at: at }) => `${kind} ${at}`);
    };
    await area.plan();
    expect(await planned()).toEqual([]);
    await auditQueries(data).record({
      at: 1,
      actor: 'system',
      action: 'project.made',
      ownerId: null,
      subject: 'one',
    });
    await area.plan();
    expect(await planned()).toEqual([]);
    clock += 5_000;
    await area.plan();
    expect(await planned()).toEqual(['seal-audit 6000']);
    await area.jobs['seal-audit']({ kind: 'seal-audit' }, '');
    expect(await planned()).toEqual(['stream-audit 6000']);
    await area.jobs['stream-audit']({ kind: 'stream-audit' }, '');
    expect(subjectsOf(await linesOf(path))).toEqual(['one']);
    expect(await status()).toMatchObject({ unsealed: false, sealed: 1, stream: { seq: 1 } });
    clock += 5_000;
    await area.plan();
    expect(await planned()).toEqual([]);
  });

  it.each([
    ['file:///var/log/audit.jsonl', '/var/log/audit.jsonl'],
    ['syslog+tls://logs.example.com', 'syslog+tls://logs.example.com:6514'],
    ['syslog+tcp://127.0.0.1', 'syslog+tcp://127.0.0.1:601'],
    ['syslog+tcp://[::1]:1601', 'syslog+tcp://::1:1601'],
    ['http://localhost:8080/audit', 'http://localhost:8080'],
    ['https://logs.example.com/audit?key=secret', 'https://logs.example.com'],
  ])('understands %s', (text, name) => {
    const settings = createSettings({
      SLIPWAY_AUDIT_STREAM: text,
      SLIPWAY_AUDIT_STREAM_SECRET: webhookSecret,
    });
    const { stream } = readAuditConfig(settings);
    expect(settings.errors).toEqual([]);
    expect(stream && streamName(stream)).toBe(name);
  });

  it.each([
    'audit.jsonl',
    'file://host/x',
    'file:///folder/',
    'syslog://x',
    'syslog+tls://',
    'ftp://x',
    'https://u:p@x',
  ])('refuses %s', (text) => {
    const settings = createSettings({
      SLIPWAY_AUDIT_STREAM: text,
      SLIPWAY_AUDIT_STREAM_SECRET: webhookSecret,
    });
    expect(readAuditConfig(settings).stream).toBe(null);
    expect(settings.errors).toEqual([
      expect.stringContaining('SLIPWAY_AUDIT_STREAM: must be an address such as'),
    ]);
  });

  it.each([
    ['http://logs.example.com/audit', 'https'],
    ['http://127.0.0.1.example.com/audit', 'https'],
    ['syslog+tcp://10.0.0.1', 'syslog+tls'],
  ])('refuses %s, because it is not encrypted', (text, scheme) => {
    const settings = createSettings({
      SLIPWAY_AUDIT_STREAM: text,
      SLIPWAY_AUDIT_STREAM_SECRET: webhookSecret,
    });
    expect(readAuditConfig(settings).stream).toBe(null);
    expect(settings.errors).toEqual([
      `SLIPWAY_AUDIT_STREAM: must start with ${scheme}: unless the receiver runs on this machine (localhost or 127.0.0.1)`,
    ]);
  });

  it('requires a strong secret for a webhook', () => {
    for (const weak of [undefined, 'whsec_abc']) {
      const settings = createSettings({
        SLIPWAY_AUDIT_STREAM: 'https://x.example.com',
        SLIPWAY_AUDIT_STREAM_SECRET: weak,
      });
      readAuditConfig(settings);
      expect(settings.errors.length).toBeGreaterThan(0);
    }
  });
});
