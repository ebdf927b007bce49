/** Files as response bodies: exact bytes through reused buffers, whatever clients do. */
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type FileHandle, mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  createSendBuffers,
  largeBufferBytes,
  type SendBuffers,
  smallBufferBytes,
} from '../../src/http/sending/send-buffers.ts';
import { createSendFile, type SentRange } from '../../src/http/sending/send-file.ts';
import { openRaw, rawRequest, send } from '../support/http-client.ts';

const mebibyte = 1024 * 1024;
/** More than the system buffers for a client that reads nothing. */
const content = randomBytes(14 * mebibyte + 4321);
const patience = { timeout: 20_000, interval: 5 };

describe('sending a file', () => {
  let folder: string;
  let path: string;
  let server: Server;
  let port: number;
  let buffers: SendBuffers;
  /** Every response that was started, in order. */
  let sendings: { done: Promise<unknown>; file: FileHandle }[];
  /** The declared size, if it differs from that of the file. */
  let announced: number;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'slipway-send-'));
    path = join(folder, 'file');
    await writeFile(path, content);
  });
  afterAll(() => rm(folder, { recursive: true }));

  const start = async (options: { maxLargeBuffers?: number } = {}) => {
    buffers = createSendBuffers(options);
    const sendFile = createSendFile(buffers);
    sendings = [];
    announced = content.length;
    server = createServer(async (request, response) => {
      const file = await open(path, 'r');
      const [, first, last] = /^\/(\d+)-(\d+)$/.exec(request.url ?? '') ?? [];
      const range: SentRange = { first: Number(first ?? 0), last: Number(last ?? announced - 1) };
      response.setHeader('Content-Length', range.last - range.first + 1);
      const done = sendFile(response, file, range).then(
        () => 'done',
        (error: unknown) => error,
      );
      sendings.push({ done, file });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
  };
  beforeEach(() => start());
  afterEach(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
    await Promise.all(sendings.map(({ done }) => done));
    // No buffer is in use and no file is open, whatever the result.
    expect(buffers.heldBytes()).toBe(0);
    expect(sendings.map(({ file }) => file.fd)).toEqual(sendings.map(() => -1));
  });

  const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
  const hashBetween = (first: number, last: number) => hashOf(content.subarray(first, last + 1));

  it('sends the whole file', async () => {
    const answer = await send(port, '/');
    expect(hashOf(answer.body)).toBe(hashOf(content));
    expect(await sendings[0]?.done).toBe('done');
  });

  it.each<[number, number]>([
    [0, 0],
    [1, smallBufferBytes],
    [0, largeBufferBytes - 1],
    [0, largeBufferBytes],
    [largeBufferBytes - 1, 3 * largeBufferBytes + 1],
    [content.length - 70_000, content.length - 1],
    [content.length - 1, content.length - 1],
  ])('sends the bytes %i to %i', async (first, last) => {
    const answer = await send(port, `/${first}-${last}`);
    expect(answer.body).toHaveLength(last - first + 1);
    expect(hashOf(answer.body)).toBe(hashBetween(first, last));
  });

  it('keeps concurrent files separate while other clients disconnect', async () => {
    const whole = Array.from({ length: 2 }, async () => hashOf((await send(port, '/')).body));
    const parts = Array.from({ length: 4 }, async (_, number) => {
      const [first, last] = [number * 700_001, number * 700_001 + 2 * mebibyte];
      expect(hashOf((await send(port, `/${first}-${last}`)).body)).toBe(hashBetween(first, last));
    });
    const broken = Array.from({ length: 4 }, async () => {
      const client = await openRaw(port);
      await client.write(rawRequest('GET', '/', {}));
      await once(client.socket, 'data');
      client.destroy();
    });
    await Promise.all([...parts, ...broken]);
    expect(await Promise.all(whole)).toEqual(whole.map(() => hashOf(content)));
  });

  it('sends several files over one connection', async () => {
    const client = await openRaw(port);
    for (const [first, last] of [
      [0, 999_999],
      [5, 5],
      [2_000_000, 3_000_000],
    ] as const) {
      await client.write(rawRequest('GET', `/${first}-${last}`, {}));
      const answer = await client.answer();
      expect(Number(answer.headers['content-length'])).toBe(last - first + 1);
      expect(answer.text).toBe(content.subarray(first, last + 1).toString());
    }
    client.destroy();
  });

  it('releases everything when the client disconnects midway', async () => {
    const client = await openRaw(port);
    client.socket.pause();
    await client.write(rawRequest('GET', '/', {}));
    await vi.waitFor(() => expect(buffers.heldBytes()).toBeGreaterThan(0), patience);
    client.destroy();
    await vi.waitFor(() => expect(sendings).toHaveLength(1), patience);
    expect(await sendings[0]?.done).toBe('done');
  });

  it('buffers little for stalled clients, and still serves the others', async () => {
    server.closeAllConnections();
    server.close();
    await start({ maxLargeBuffers: 3 });
    const slow = await Promise.all(Array.from({ length: 30 }, () => openRaw(port)));
    for (const client of slow) {
      client.socket.pause();
      await client.write(rawRequest('GET', '/', {}));
    }
    await vi.waitFor(() => expect(sendings).toHaveLength(30), patience);
    const limit = 3 * largeBufferBytes + 30 * 2 * smallBufferBytes;
    expect(buffers.heldBytes()).toBeLessThanOrEqual(limit);
    expect(hashOf((await send(port, '/')).body)).toBe(hashOf(content));
    expect(buffers.heldBytes()).toBeLessThanOrEqual(limit);
    for (const client of slow) client.destroy();
  });

  it('closes the connection when the file is shorter than declared, and logs why', async () => {
    announced = content.length + 10;
    await expect(send(port, '/')).rejects.toThrow('aborted');
    expect(await sendings[0]?.done).toMatchObject({ message: 'the file ends 10 bytes early' });
  });
});

describe('send buffers', () => {
  it('are reused, except those that were dropped', () => {
    const buffers = createSendBuffers({ maxLargeBuffers: 1 });
    const one = buffers.take(true);
    expect(one).toHaveLength(largeBufferBytes);
    expect(buffers.take(true)).toHaveLength(smallBufferBytes);
    buffers.release(one);
    expect(buffers.take(true)).toBe(one);
    buffers.forget(one);
    buffers.release(one);
    expect(buffers.take(true)).not.toBe(one);
  });

  it('are released after a while without use', () => {
    vi.useFakeTimers();
    try {
      const buffers = createSendBuffers({ idleMs: 1000 });
      const one = buffers.take(true);
      buffers.release(one);
      vi.advanceTimersByTime(1001);
      expect(buffers.take(true)).not.toBe(one);
    } finally {
      vi.useRealTimers();
    }
  });
});
