/** The S3 store when the service or the connection fails: it reports the failure and keeps nothing wrong or incomplete. */
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { PutObjectCommand } from '@aws-sdk/client-s3';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { S3BlobConfig } from '../../src/blobs/blob-config.ts';
import { packageKey } from '../../src/blobs/blob-key.ts';
import { BlobExists, type BlobStore, type LocalFile } from '../../src/blobs/blob-store.ts';
import { createS3BlobStore } from '../../src/blobs/s3/s3-blob-store.ts';
import { defaultTimeouts, type S3Timeouts } from '../../src/blobs/s3/s3-connection.ts';
import { minPartBytes } from '../../src/blobs/s3/s3-put.ts';
import { AppError } from '../../src/core/errors.ts';
import { type Fault, type FaultyProxy, startFaultyProxy } from '../support/faulty-proxy.ts';
import { createS3Scratch, hasS3, type S3Scratch } from '../support/s3-service.ts';
import { makeScratch, type Scratch } from './scratch.ts';

const mebibyte = 1024 * 1024;
const key = packageKey('b1');
const small = randomBytes(3 * mebibyte);
const large = randomBytes(minPartBytes + mebibyte);
/** The number of repetitions for tests that do not depend on it: always. */
const always = Number.POSITIVE_INFINITY;

describe.skipIf(!hasS3)('an S3 blob store (needs Ceph)', () => {
  let files: Scratch;
  let smallFile: LocalFile;
  let largeFile: LocalFile;
  let s3: S3Scratch;
  let proxy: FaultyProxy;
  beforeAll(async () => {
    files = makeScratch();
    smallFile = await spooled(small);
    largeFile = await spooled(large);
  });
  afterAll(() => files.remove());
  beforeEach(async () => {
    s3 = await createS3Scratch();
    proxy = await startFaultyProxy(new URL(s3.config.endpoint ?? ''));
  });
  afterEach(async () => {
    await proxy.close();
    await s3.remove();
  });

  async function spooled(bytes: Uint8Array): Promise<LocalFile> {
    const path = join(files.folder, randomUUID());
    await writeFile(path, bytes);
    return { path, sizeBytes: bytes.length, synced: true };
  }

  function storeBehind(timeouts: Partial<S3Timeouts> = {}, config: Partial<S3BlobConfig> = {}): BlobStore {
    return createS3BlobStore(
      { ...s3.config, endpoint: proxy.endpoint, ...config },
      { timeouts: { ...defaultTimeouts, firstPauseMs: 10, circuitOpenMs: 0, ...timeouts } },
    );
  }

  async function expectNothingLeft(): Promise<void> {
    expect(await s3.objects()).toEqual([]);
    expect(await s3.uploads()).toEqual([]);
  }

  async function expectStored(bytes: Buffer): Promise<void> {
    const blob = await createS3BlobStore(s3.config).open(key);
    expect(digest(blob === null ? null : await buffer(blob.stream))).toBe(digest(bytes));
    expect(await s3.objects()).toEqual([key]);
    expect(await s3.uploads()).toEqual([]);
  }

  const puts: [string, () => LocalFile, Buffer][] = [
    ['at once', () => smallFile, small],
    ['in parts', () => largeFile, large],
  ];

  describe.each(puts)('putting %s', (_name, file, bytes) => {
    const toParts: [string, Fault][] = [
      ['does not tell that it is done', { kind: 'cut-answer', to: '?uploadId=', afterBytes: 0, times: 1 }],
      ['breaks off telling it', { kind: 'cut-answer', to: '?uploadId=', afterBytes: 20, times: 1 }],
      ['breaks off after a part', { kind: 'cut-answer', to: 'partNumber=2', afterBytes: 0, times: 1 }],
    ];
    const toObject: [string, Fault][] = [
      ['breaks off before it answers', { kind: 'cut-answer', to: '=PutObject', afterBytes: 0, times: 1 }],
    ];
    const passing: [string, Fault][] = [
      ...(bytes === small ? toObject : toParts),
      ['fails twice with 500', { kind: 'answer', status: 500, times: 2 }],
      ['is overloaded twice', { kind: 'answer', status: 503, times: 2 }],
      ['breaks off in the middle', { kind: 'cut-request', afterBytes: 2 * mebibyte, times: 2 }],
      ['breaks off when it is asked', { kind: 'cut-answer', to: 'HEAD ', afterBytes: 0, times: 1 }],
      ['gets a changed byte', { kind: 'flip', times: 1 }],
    ];
    test.each(passing)('succeeds when the service %s', async (_fault, fault) => {
      proxy.set(fault);
      await storeBehind().put(key, file());
      await expectStored(bytes);
    });

    const lasting: [string, Fault][] = [
      ['refuses connections', { kind: 'refuse' }],
      ['fails with 500', { kind: 'answer', status: 500, times: always }],
      ['breaks off in the middle', { kind: 'cut-request', afterBytes: 2 * mebibyte, times: always }],
      ['gets changed bytes', { kind: 'flip', times: always }],
    ];
    test.each(lasting)(
      'reports the failure and leaves nothing behind when the service always %s',
      async (_fault, fault) => {
        proxy.set(fault);
        await expectUnavailable(() => storeBehind().put(key, file()), /is not available/);
        await expectNothingLeft();
      },
    );

    test('times out when no response arrives', async () => {
      proxy.set({ kind: 'hold', afterBytes: 0 });
      const store = storeBehind({ idleMs: 300, attempts: 2 });
      await expectUnavailable(() => store.put(key, file()), /is not available/);
      expect(proxy.connections()).toBeGreaterThanOrEqual(2);
      proxy.set({ kind: 'refuse' });
      await expectNothingLeft();
    });

    test('times out when responses arrive too slowly', async () => {
      proxy.set({ kind: 'trickle', everyMs: 100 });
      const timeouts = { responseTimeoutMs: 500, minBytesPerSecond: 100 * mebibyte, attempts: 2 };
      await expectUnavailable(() => storeBehind(timeouts).put(key, file()), /is not available/);
      proxy.set({ kind: 'none' });
      // The upload may have completed without a response: then the blob is complete, and the sweep decides about it.
      for (const name of await s3.objects()) expect(name).toBe(key);
    });

    test('recognizes its own blob after a lost response, and never mistakes a foreign one for it', async () => {
      const to = bytes === small ? '=PutObject' : '?uploadId=';
      const store = storeBehind();
      for (const outcome of ['stored', 'refused']) {
        proxy.set({ kind: 'cut-answer', to, afterBytes: 0, times: 1 });
        const put = store.put(key, file());
        await (outcome === 'stored' ? put : expect(put).rejects.toThrow(BlobExists));
      }
      await expectStored(bytes);
    });

    test('works with a service that does not support conditional writes', async () => {
      proxy.set({ kind: 'not-implemented', text: 'if-none-match' });
      const store = storeBehind();
      await store.put(key, file());
      await expect(store.put(key, file())).rejects.toThrow(BlobExists);
      await expectStored(bytes);
    });

    const refusing: [string, () => Partial<S3BlobConfig>, RegExp][] = [
      ['a wrong secret', () => ({ credentials: wrongSecret() }), /rejected the credentials/],
      ['an unknown key', () => ({ credentials: unknownKey() }), /rejected the credentials/],
      ['no such bucket', () => ({ bucket: 'nowhere-to-be-found' }), /bucket .* does not exist/],
    ];
    test.each(refusing)('reports a permanent error without retrying: %s', async (_name, config, words) => {
      const store = storeBehind({}, config());
      await expectUnavailable(() => store.put(key, file()), words);
      // Apart from canceled parts, there is one refused request, and another to look for an existing blob.
      expect(proxy.connections()).toBeLessThanOrEqual(2);
      await expectNothingLeft();
    });
  });

  const wrongSecret = () => ({ accessKeyId: 'slipway', secretAccessKey: 'not-the-secret' });
  const unknownKey = () => ({ accessKeyId: 'nobody', secretAccessKey: 'not-the-secret' });

  const asks: [string, (store: BlobStore) => Promise<unknown>][] = [
    ['opening', (store) => store.open(key)],
    ['opening a range', (store) => store.open(key, { first: 0, last: 9 })],
    ['removing', (store) => store.remove(key)],
    ['listing', (store) => Array.fromAsync(store.list(''))],
    ['removing leftovers', async (store) => store.removeLeftovers?.(Date.now())],
  ];
  const checking: (typeof asks)[number] = ['checking', (store) => store.check()];

  test.each([...asks, checking])('reports that the service does not respond when %s', async (_name, ask) => {
    await createS3BlobStore(s3.config).putBytes(key, small);
    proxy.set({ kind: 'refuse' });
    await expectUnavailable(() => ask(storeBehind()), /is not available/);
    await expectStored(small);
  });

  test.each([...asks, checking])('reports what the service refuses when %s', async (_name, ask) => {
    const credentials = wrongSecret();
    await expectUnavailable(() => ask(storeBehind({}, { credentials })), /rejected the credentials/);
    await expectUnavailable(() => ask(storeBehind({}, { bucket: 'nowhere-to-be-found' })), /does not exist/);
  });

  test.each(asks)('retries through an overload when %s', async (_name, ask) => {
    await createS3BlobStore(s3.config).putBytes(key, small);
    proxy.set({ kind: 'answer', status: 503, times: 2 });
    await ask(storeBehind());
    expect(proxy.connections()).toBe(3);
  });

  test('tries only once in a readiness check', async () => {
    proxy.set({ kind: 'answer', status: 503, times: 1 });
    const store = storeBehind();
    await expectUnavailable(() => store.check(), /is not available/);
    await store.check();
  });

  test('verifies on each check that it can write: a successful list is not enough', async () => {
    const store = storeBehind();
    await store.check();
    proxy.set({ kind: 'not-implemented', text: '?uploads' });
    // Retries until it is connected again.
    await Array.fromAsync(store.list(''));
    await store.ping();
    await expect(store.check()).rejects.toThrow('refused the request');
    proxy.set({ kind: 'none' });
    await store.check();
  });

  test('leaves an upload whose ID it never received to the sweep', async () => {
    proxy.set({ kind: 'cut-answer', to: '?uploads', afterBytes: 0, times: 1 });
    const store = storeBehind();
    await store.put(key, largeFile);
    expect(await s3.uploads()).toEqual([key]);
    expect(await store.removeLeftovers?.(Date.now() + 60_000)).toBe(1);
    await expectStored(large);
  });

  test('does not retry a service that has never responded', async () => {
    proxy.set({ kind: 'hold', afterBytes: 0 });
    const store = storeBehind({ circuitOpenMs: 600_000, idleMs: 300, failFastMs: 100 });
    await expectUnavailable(() => store.open(key), /not available/);
    expect(proxy.connections()).toBe(defaultTimeouts.attempts);
    await expectUnavailable(() => store.open(key), /not available/);
    expect(proxy.connections()).toBe(defaultTimeouts.attempts + 1);
    proxy.set({ kind: 'answer', status: 503, times: 2 });
    expect(await store.open(key)).toBeNull();
    proxy.set({ kind: 'hold', afterBytes: 0 });
    await expectUnavailable(() => store.open(key), /not available/);
    // The service has responded before; the first attempt may have used a connection that had already closed.
    expect(proxy.connections()).toBeGreaterThan(1);
  });

  test('never treats an interrupted download as complete', async () => {
    await createS3BlobStore(s3.config).putBytes(key, small);
    proxy.set({ kind: 'cut-answer', to: 'GET ', afterBytes: mebibyte, times: always });
    const blob = await storeBehind().open(key);
    expect(blob?.sizeBytes).toBe(small.length);
    await expect(blob === null ? null : buffer(blob.stream)).rejects.toThrow();
  });

  test('ends a stalled download', async () => {
    await createS3BlobStore(s3.config).putBytes(key, small);
    proxy.set({ kind: 'hold', afterBytes: mebibyte });
    const blob = await storeBehind({ idleMs: 500 }).open(key);
    await expect(blob === null ? null : buffer(blob.stream)).rejects.toThrow();
  });

  test('leaves no upload behind when the source file disappears', async () => {
    const file = await spooled(randomBytes(4 * minPartBytes));
    proxy.set({ kind: 'hold', afterBytes: 2 * mebibyte });
    const put = storeBehind()
      .put(key, file)
      .then(
        () => 'stored',
        () => 'refused',
      );
    await expect.poll(() => s3.uploads(), { timeout: 10_000 }).toEqual([key]);
    await writeFile(file.path, '');
    await rm(file.path);
    proxy.set({ kind: 'cut-request', afterBytes: 2 * mebibyte, times: 4 });
    expect(await put).toBe('refused');
    await expectNothingLeft();
  });

  test('keeps its own uploads in progress, and removes them once they have ended', async () => {
    proxy.set({ kind: 'hold', afterBytes: 2 * mebibyte });
    const store = storeBehind();
    const put = store.put(key, largeFile);
    await expect.poll(() => s3.uploads(), { timeout: 10_000 }).toEqual([key]);
    expect(await store.removeLeftovers?.(Date.now() + 60_000)).toBe(0);
    proxy.set({ kind: 'none' });
    await put;
    await expectStored(large);
  });

  test('removes unfinished uploads of a process that died', async () => {
    proxy.set({ kind: 'hold', afterBytes: 2 * mebibyte });
    const gone = storeBehind({ attempts: 1 })
      .put(key, largeFile)
      .catch(() => 'gone');
    await expect.poll(() => s3.uploads(), { timeout: 10_000 }).toEqual([key]);
    proxy.set({ kind: 'refuse' });
    expect(await gone).toBe('gone');
    expect(await s3.uploads()).toEqual([key]);
    expect(await createS3BlobStore(s3.config).removeLeftovers?.(Date.now() + 60_000)).toBe(1);
    await expectNothingLeft();
  });

  test('abandons its upload when another put has written the key', async () => {
    proxy.set({ kind: 'hold', afterBytes: 2 * mebibyte });
    const put = storeBehind().put(key, largeFile);
    const refused = expect(put).rejects.toThrow(BlobExists);
    await expect.poll(() => s3.uploads(), { timeout: 10_000 }).toEqual([key]);
    const target = { Bucket: s3.config.bucket, Key: s3.config.prefix + key };
    await s3.client.send(new PutObjectCommand({ ...target, Body: small }));
    proxy.set({ kind: 'none' });
    await refused;
    await expectStored(small);
  });

  test('keeps the error details for operators and shows clients only a generic message', async () => {
    const refusal = await storeBehind({}, { credentials: wrongSecret() })
      .open(key)
      .catch((error: unknown) => error);
    if (!(refusal instanceof AppError)) throw new Error('no refusal');
    expect(refusal.message).toBe('the file store rejected the credentials of this server');
    expect(refusal.cause).toMatchObject({ name: 'SignatureDoesNotMatch' });
    expect(JSON.stringify(refusal.cause)).not.toContain('not-the-secret');
  });
});

async function expectUnavailable(work: () => Promise<unknown>, words: RegExp): Promise<void> {
  const refusal = await work().then(
    () => 'no refusal',
    (error: unknown) => error,
  );
  expect(refusal).toBeInstanceOf(AppError);
  expect(refusal).toMatchObject({ kind: 'unavailable', message: expect.stringMatching(words) });
  expect(refusal).toHaveProperty('cause', expect.anything());
}

const digest = (bytes: Buffer | null) =>
  bytes === null ? null : createHash('sha256').update(bytes).digest('hex');
