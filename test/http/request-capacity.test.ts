/** Limits on concurrent requests and connections, per network and in total. */
import { afterEach, describe, expect, it } from 'vitest';
import { requestCapacityOf } from '../../src/http/request-capacity-config.ts';
import { buildApk } from '../support/build-apk.ts';
import { openRaw, type RawConnection, rawRequest, send } from '../support/http-client.ts';
import { bearer, refusalOf, resultsOf, upload, uploaded, uploadParts } from '../support/interface-client.ts';
import { multipart } from '../support/multipart-body.ts';
import { createInstallation, type Installation } from '../support/run-cli.ts';
import { runsEverything } from '../support/runs-everything.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

const mebibyte = 1024 * 1024;
const connections: RawConnection[] = [];
const open = async (port: number) => {
  const connection = await openRaw(port);
  connections.push(connection);
  return connection;
};
const destroyAll = () => {
  for (const connection of connections.splice(0)) connection.destroy();
};

describe('concurrent requests', () => {
  let slipway: TestService;
  const start = async (settings: Record<string, string>) => {
    slipway = await startTestService({
      blobs: 'memory',
      settings: { SLIPWAY_TRUST_PROXY: '127.0.0.1', ...settings },
      limits: { refusedBodyDrainSeconds: 1 },
    });
  };
  afterEach(async () => {
    destroyAll();
    await slipway.close();
  });

  /** An upload of which half has arrived. */
  const beginUpload = async (from: string) => {
    const { contentType, body } = multipart(uploadParts({}));
    const connection = await open(slipway.port);
    const headers = {
      ...bearer(slipway.adminKey),
      'X-Forwarded-For': from,
      'Content-Type': contentType,
      'Content-Length': body.length,
    };
    const half = Math.floor(body.length / 2);
    await connection.write(rawRequest('POST', '/api/users/admin/apps', headers, body.subarray(0, half)));
    return { connection, rest: body.subarray(half) };
  };
  const uploadsUnderWay = async (count: number) => {
    await expect.poll(async () => (await slipway.leftBehind()).spool.length).toBe(count);
  };
  const list = (from: string) =>
    send(slipway.port, '/api/organizations', {
      headers: { ...bearer(slipway.adminKey), 'X-Forwarded-For': from },
    });

  it('are limited per network: one more gets 429 until another has ended', async () => {
    await start({ SLIPWAY_MAX_REQUESTS_PER_ADDRESS: '2' });
    const first = await beginUpload('2001:db8:1::1');
    await beginUpload('2001:db8:1::2');
    await uploadsUnderWay(2);
    const refused = await list('2001:db8:1::3');
    expect(refusalOf(refused, 429)).toMatchObject({
      message: 'too many requests at once from your network',
      error_type: 'too_many_requests',
    });
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect((await list('2001:db8:2::1')).status).toBe(200);
    await first.connection.write(first.rest);
    resultsOf(await first.connection.answer());
    expect((await list('2001:db8:1::3')).status).toBe(200);
  });

  it('are limited in total: one more gets 503 in the documented shape, and health checks do not count', async () => {
    await start({ SLIPWAY_MAX_REQUESTS: '2', SLIPWAY_MAX_REQUESTS_PER_ADDRESS: 'off' });
    const first = await beginUpload('192.0.2.1');
    await beginUpload('192.0.2.2');
    await uploadsUnderWay(2);
    const refused = await list('192.0.2.3');
    expect(refusalOf(refused, 503).error_type).toBe('unavailable');
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect((await send(slipway.port, '/healthz')).status).toBe(200);
    expect((await send(slipway.port, '/readyz')).status).toBe(200);
    first.connection.destroy();
    await uploadsUnderWay(1);
    expect((await list('192.0.2.3')).status).toBe(200);
  });

  it('are counted individually on a pipelining connection', async () => {
    await start({ SLIPWAY_MAX_REQUESTS_PER_ADDRESS: '3' });
    const connection = await open(slipway.port);
    const request = rawRequest('GET', '/sign-in', { 'X-Forwarded-For': '192.0.2.1' });
    await connection.write(Buffer.concat(Array.from({ length: 8 }, () => request)));
    const statuses = [];
    for (let count = 0; count < 8; count++) statuses.push((await connection.answer()).status);
    expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(3);
    expect(new Set(statuses)).toEqual(new Set([200, 429]));
    expect((await list('192.0.2.1')).status).toBe(200);
  });

  it('reserve a quarter for valid keys and sessions, regardless of anonymous requests', async () => {
    await start({ SLIPWAY_MAX_REQUESTS: '4' });
    expect((await list('192.0.2.9')).status).toBe(200);
    const form = { 'Content-Type': 'application/x-www-form-urlencoded', 'Content-Length': 100 };
    for (const address of ['198.51.100.1', '198.51.100.2', '198.51.100.3']) {
      const stranger = await open(slipway.port);
      await stranger.write(
        rawRequest('POST', '/sign-in', { ...form, 'X-Forwarded-For': address }, 'login=x'),
      );
    }
    const fromElsewhere = { headers: { 'X-Forwarded-For': '192.0.2.10' } };
    await expect.poll(async () => (await send(slipway.port, '/sign-in', fromElsewhere)).status).toBe(503);
    expect((await list('192.0.2.9')).status).toBe(200);
  });

  it('are limited to eight unanswered ones per connection', async () => {
    await start({});
    const connection = await open(slipway.port);
    const request = rawRequest('GET', '/assets/none', { 'X-Forwarded-For': '192.0.2.1' });
    await connection.write(Buffer.concat(Array.from({ length: 5000 }, () => request)));
    await expect.poll(() => connection.socket.destroyed || connection.socket.readableEnded).toBe(true);
    expect((await list('192.0.2.1')).status).toBe(200);
  });

  it('count only toward the total if they are from this machine, unless a limit is set', async () => {
    await start({ SLIPWAY_MAX_REQUESTS: '120' });
    const idle = await Promise.all(Array.from({ length: 101 }, () => beginUpload('127.0.0.1')));
    await uploadsUnderWay(101);
    for (const { connection } of idle) connection.destroy();
  });
});

describe('concurrent connections', () => {
  let slipway: TestService;
  afterEach(async () => {
    destroyAll();
    await slipway.close();
  });
  const isOpen = ({ socket }: RawConnection) => !socket.destroyed && !socket.readableEnded;

  it('are closed when idle, oldest first, beyond twice the number of requests of one network', async () => {
    slipway = await startTestService({
      blobs: 'memory',
      settings: { SLIPWAY_MAX_REQUESTS_PER_ADDRESS: '2' },
    });
    const idle: RawConnection[] = [];
    for (let count = 0; count < 6; count++) {
      const connection = await open(slipway.port);
      await connection.write(rawRequest('GET', '/healthz', {}));
      expect((await connection.answer()).status).toBe(200);
      idle.push(connection);
    }
    await expect.poll(() => idle.map(isOpen)).toEqual([false, false, true, true, true, true]);
  });

  it('are closed when idle beyond the total, too, but never with a request in progress', async () => {
    slipway = await startTestService({ blobs: 'memory', settings: { SLIPWAY_MAX_REQUESTS: '2' } });
    const busy = await open(slipway.port);
    const { contentType, body } = multipart(uploadParts({}));
    const headers = {
      ...bearer(slipway.adminKey),
      'Content-Type': contentType,
      'Content-Length': body.length,
    };
    await busy.write(rawRequest('POST', '/api/users/admin/apps', headers, body.subarray(0, 500)));
    await expect.poll(async () => (await slipway.leftBehind()).spool.length).toBe(1);
    const idle: RawConnection[] = [];
    for (let count = 0; count < 20; count++) idle.push(await open(slipway.port));
    expect((await send(slipway.port, '/healthz')).status).toBe(200);
    await expect.poll(() => idle.filter(isOpen).length).toBeLessThanOrEqual(3);
    await busy.write(body.subarray(500));
    resultsOf(await busy.answer());
  });
});

describe('the capacity of a node', () => {
  it.each([
    [null, null, 1000],
    [null, 1_048_576, 1000],
    [null, 400, 120],
    [50, 400, 50],
    [5000, 400, 120],
    [5000, 1_048_576, 5000],
    [null, 50, 1],
  ])('is derived from the setting %s and %s descriptors: %i requests', (chosen, descriptors, expected) => {
    const { maxRequests, maxConnections } = requestCapacityOf(chosen, descriptors);
    expect(maxRequests).toBe(expected);
    expect(maxConnections).toBeGreaterThan(maxRequests);
    if (descriptors !== null && descriptors > 100)
      expect(maxConnections + maxRequests).toBeLessThan(descriptors - 50);
  });
});

describe.runIf(runsEverything && process.platform === 'linux')(
  'a server with 400 descriptors (needs ulimit)',
  () => {
    let slipway: Installation;
    afterEach(async () => {
      destroyAll();
      await slipway.remove();
    });

    it('responds to /healthz within a second while 600 clients stall their downloads', async () => {
      slipway = await createInstallation('sqlite');
      const key = 'slw_key-of-somebody-with-downloads';
      const server = await slipway.serve({
        descriptors: 400,
        environment: { SLIPWAY_ADMIN_API_KEY: key, SLIPWAY_REQUESTS_PER_MINUTE: 'off' },
      });
      const port = Number(new URL(server.origin).port);
      const service = { port, adminKey: key, origin: server.origin } as TestService;
      const { file } = await uploaded(service, { file: buildApk({ fillerBytes: 16 * mebibyte }) });
      const { pathname, search } = new URL(file);
      const health = async () => {
        const startedAt = performance.now();
        expect((await send(port, '/healthz')).status).toBe(200);
        return performance.now() - startedAt;
      };
      for (let round = 0; round < 15; round++) {
        await Promise.all(
          Array.from({ length: 40 }, async () => {
            const connection = await open(port);
            connection.socket.pause();
            await connection.write(rawRequest('GET', pathname + search, {}));
          }),
        );
        // Stalled downloads would delay every response; other work on the machine delays only some.
        await expect.poll(health, { timeout: 10_000 }).toBeLessThan(1000);
      }
      expect((await send(port, '/api/organizations', { headers: bearer(key) })).status).toBe(503);
      // Their capacity is available again immediately.
      destroyAll();
      await expect.poll(async () => (await upload(service)).status, { timeout: 10_000 }).toBe(200);
      expect(server.output()).not.toContain('EMFILE');
    });
  },
);
