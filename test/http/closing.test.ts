/** Connections that end: clients that disconnect, and a server that closes with clients connected. */
import { readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { closeServer } from '../../src/http/close-server.ts';
import { buildApk } from '../support/build-apk.ts';
import { openRaw, rawRequest } from '../support/http-client.ts';
import { bearer, resultsOf, uploaded } from '../support/interface-client.ts';
import { multipart } from '../support/multipart-body.ts';
import { runsEverything } from '../support/runs-everything.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

const mebibyte = 1024 * 1024;

describe('closing the server', () => {
  it('does not wait for idle connections', async () => {
    const slipway = await startTestService({ blobs: 'memory' });
    const silent = await openRaw(slipway.port);
    const idle = await openRaw(slipway.port);
    await idle.write(rawRequest('GET', '/healthz', {}));
    expect((await idle.answer()).status).toBe(200);
    const halfway = await openRaw(slipway.port);
    await halfway.write('GET /healthz HTTP/1.1\r\nHost: a\r\nX-Never: ends');
    // Within the time limit of the test, which is shorter than a connection may be idle.
    await slipway.close();
    for (const connection of [silent, idle, halfway]) connection.destroy();
  });

  /** Half of an upload has arrived. */
  const startUpload = async (slipway: TestService) => {
    const content = buildApk({ fillerBytes: mebibyte });
    const { contentType, body } = multipart([{ name: 'file', content, fileName: 'a.apk' }]);
    const connection = await openRaw(slipway.port);
    const headers = {
      ...bearer(slipway.adminKey),
      'Content-Type': contentType,
      'Content-Length': body.length,
    };
    const half = mebibyte / 2;
    await connection.write(rawRequest('POST', '/api/users/admin/apps', headers, body.subarray(0, half)));
    await expect.poll(async () => (await slipway.leftBehind()).spool.length).toBe(1);
    return { connection, rest: body.subarray(half) };
  };

  it('waits for an upload in progress', async () => {
    const slipway = await startTestService({ blobs: 'memory' });
    const { connection, rest } = await startUpload(slipway);
    const closed = slipway.close();
    await connection.write(rest);
    resultsOf(await connection.answer());
    await closed;
    connection.destroy();
  });

  it('aborts an upload that exceeds the grace period, and leaves nothing of it', async () => {
    const slipway = await startTestService({ blobs: 'memory' });
    const before = await slipway.leftBehind();
    const { connection } = await startUpload(slipway);
    await closeServer(slipway.service.http, 50);
    await connection.closed;
    expect(connection.unread().length).toBe(0);
    await expect.poll(() => slipway.leftBehind()).toEqual(before);
    await slipway.close();
  });

  const openBlobs = (folder: string) =>
    readdirSync('/proc/self/fd').filter((fd) => {
      try {
        return readlinkSync(join('/proc/self/fd', fd)).startsWith(folder);
      } catch {
        return false;
      }
    }).length;

  it.runIf(runsEverything && process.platform === 'linux')(
    'closes the files of interrupted downloads (needs /proc)',
    async () => {
      const slipway = await startTestService();
      const { file } = await uploaded(slipway, { file: buildApk({ fillerBytes: 14 * mebibyte }) });
      const { pathname, search } = new URL(file);
      const folder = join(slipway.config.dataFolder, 'blobs');
      for (let round = 0; round < 3; round++) {
        const connection = await openRaw(slipway.port);
        await connection.write(rawRequest('GET', pathname + search, {}));
        await expect.poll(() => connection.unread().length).toBeGreaterThan(100);
        connection.destroy();
      }
      const head = await openRaw(slipway.port);
      await head.write(rawRequest('HEAD', pathname + search, {}));
      await expect.poll(() => head.unread().length).toBeGreaterThan(100);
      head.destroy();
      await expect.poll(() => openBlobs(folder)).toBe(0);
      await slipway.close();
    },
  );
});
