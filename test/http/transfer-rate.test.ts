/** Clients slower than the minimum transfer rate are disconnected in either direction; others are not. */
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { buildApk } from '../support/build-apk.ts';
import { openRaw, type RawConnection, rawRequest } from '../support/http-client.ts';
import {
  bearer,
  leavesNothing,
  refusalOf,
  resultsOf,
  uploaded,
  uploadParts,
} from '../support/interface-client.ts';
import { multipart } from '../support/multipart-body.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

const mebibyte = 1024 * 1024;
const address = '/api/users/admin/apps';

describe('a slow client', () => {
  let slipway: TestService;
  const connections: RawConnection[] = [];
  const open = async () => {
    const connection = await openRaw(slipway.port);
    connections.push(connection);
    return connection;
  };
  const start = async (settings: Record<string, string> = {}, windowSeconds = 1) => {
    slipway = await startTestService({
      settings,
      limits: { transferWindowSeconds: windowSeconds, refusedBodyDrainSeconds: 1 },
    });
  };
  afterEach(async () => {
    for (const connection of connections.splice(0)) connection.destroy();
    await slipway.close();
  });
  const apk = () => multipart(uploadParts({ file: buildApk({ fillerBytes: 200_000 }) }));
  const beginUpload = async (bytes: number, headers: Record<string, string> = {}) => {
    const { contentType, body } = apk();
    const connection = await open();
    const all = {
      ...bearer(slipway.adminKey),
      ...headers,
      'Content-Type': contentType,
      'Content-Length': body.length,
    };
    await connection.write(rawRequest('POST', address, all, body.subarray(0, bytes)));
    return { connection, rest: body.subarray(bytes) };
  };
  /** Reads that many bytes at a time, and only on request. */
  const beginDownload = async (path: string, headers: Record<string, string> = {}) => {
    const connection = await open();
    connection.socket.pause();
    await connection.write(rawRequest('GET', path, headers));
    return connection;
  };
  const download = async () => {
    const { file } = await uploaded(slipway, { file: buildApk({ fillerBytes: 32 * mebibyte }) });
    const { pathname, search } = new URL(file);
    return pathname + search;
  };
  const reset = ({ socket }: RawConnection) => new Promise((resolve) => socket.once('close', resolve));

  it('gets 408 during an upload after one window, and leaves nothing', async () => {
    await start();
    await leavesNothing(slipway, async () => {
      const { connection } = await beginUpload(1000);
      const startedAt = performance.now();
      const answer = await connection.answer();
      expect(refusalOf(answer, 408)).toMatchObject({ error_type: 'request_timeout' });
      expect(answer.headers.connection).toBe('close');
      expect(performance.now() - startedAt).toBeGreaterThan(950);
      await connection.closed;
    });
  });

  it('is detected when it sends slowly as well as when it stops', async () => {
    await start({ SLIPWAY_MIN_TRANSFER_RATE: '4KiB/s' });
    await leavesNothing(slipway, async () => {
      const { connection, rest } = await beginUpload(1000);
      let sent = 0;
      const drip = setInterval(() => void connection.write(rest.subarray(sent, ++sent)), 20);
      refusalOf(await connection.answer(), 408);
      clearInterval(drip);
    });
  });

  it.each([
    ['a form', '/sign-in', 'application/x-www-form-urlencoded'],
    ['JSON', '/oauth/token', 'application/json'],
  ])('gets 408 during %s in the same way', async (_body, path, type) => {
    await start();
    const connection = await open();
    const headers = { 'Content-Type': type, 'Content-Length': 100 };
    await connection.write(rawRequest('POST', path, headers, 'login=admin'));
    expect(refusalOf(await connection.answer(), 408).error_type).toBe('request_timeout');
    await connection.closed;
  });

  it('is not detected above the minimum rate', async () => {
    await start({ SLIPWAY_MIN_TRANSFER_RATE: '8KiB' });
    const { connection, rest } = await beginUpload(150_000);
    for (let at = 0; at < rest.length; at += 2000) {
      await connection.write(rest.subarray(at, at + 2000));
      // The test requires the pace of the client.
      await pause(100);
    }
    resultsOf(await connection.answer());
  });

  it('is not detected while it waits for 100 Continue or for a slow response', async () => {
    await start();
    const { connection } = await beginUpload(0, { Expect: '100-continue', Authorization: 'Bearer wrong' });
    refusalOf(await connection.answer(), 401);
    const idle = await open();
    await idle.write(rawRequest('GET', '/healthz', {}));
    expect((await idle.answer()).status).toBe(200);
    await pause(1500);
    await idle.write(rawRequest('GET', '/healthz', {}));
    expect((await idle.answer()).status).toBe(200);
  });

  it('is disconnected only when it stalls completely if the rate is `off`', async () => {
    await start({ SLIPWAY_MIN_TRANSFER_RATE: 'off' });
    const { connection, rest } = await beginUpload(200_000);
    for (let at = 0; at < 10; at++) {
      await connection.write(rest.subarray(at, at + 1));
      await pause(300);
    }
    await connection.write(rest.subarray(10));
    resultsOf(await connection.answer());
    const stalled = await beginUpload(1000);
    expect(refusalOf(await stalled.connection.answer(), 408).message).toContain('the client sent no data');
  });

  it('is reset when it does not read a download', async () => {
    await start();
    const path = await download();
    const unread = await Promise.all(Array.from({ length: 5 }, () => beginDownload(path)));
    const closed = unread.map(reset);
    // A client that reads gets the reset.
    await expect.poll(() => openConnections(slipway), { timeout: 5000 }).toBe(0);
    for (const { socket } of unread) socket.resume();
    await Promise.all(closed);
  });

  it('is not detected when it reads a download above the minimum rate', async () => {
    await start({ SLIPWAY_MIN_TRANSFER_RATE: '16KiB' }, 2);
    const path = await download();
    const { socket } = await beginDownload(path);
    let received = 0;
    socket.removeAllListeners('data').on('data', (chunk) => {
      received += chunk.length;
      // The test requires the pace of the client: 256 KiB per second.
      socket.pause();
      setTimeout(() => socket.resume(), chunk.length / 256);
    });
    socket.resume();
    await expect.poll(() => received, { timeout: 12_000 }).toBeGreaterThan(1.5 * mebibyte);
    expect(await openConnections(slipway)).toBe(1);
  });

  it('is reset during a response that is not a file, too', async () => {
    await start();
    const connection = await beginDownload('/docs', { Accept: 'text/html' });
    // One page fits into the kernel's buffers; enough of them do not.
    for (let count = 0; count < 400; count++)
      await Promise.race([connection.write(rawRequest('GET', '/docs', {})), pause(50)]);
    await expect.poll(() => openConnections(slipway), { timeout: 8000 }).toBe(0);
  });

  it('cannot hold a connection with the unread rest of a body', async () => {
    await start();
    const connection = await open();
    const headers = { 'Content-Length': 1_000_000 };
    await connection.write(rawRequest('GET', '/healthz', headers, 'x'));
    expect((await connection.answer()).status).toBe(200);
    const drip = setInterval(() => void connection.write('x'), 20);
    await connection.closed;
    clearInterval(drip);
  });
});

/** The number of connections of the server, according to the operating system. */
function openConnections({ service }: TestService): Promise<number> {
  return new Promise((resolve, reject) => {
    service.http.server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
  });
}
