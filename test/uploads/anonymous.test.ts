/** Uploads whose key comes in the form: bounded while nobody is known. And what a full disk refuses. */
import { afterEach, describe, expect, it } from 'vitest';
import type { Limits } from '../../src/config.ts';
import { buildApk } from '../support/build-apk.ts';
import { openRaw, type RawConnection, rawRequest } from '../support/http-client.ts';
import { bearer, leavesNothing, refusalOf, resultsOf, upload } from '../support/interface-client.ts';
import { multipart } from '../support/multipart-body.ts';
import { dialects } from '../support/test-database.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

const mebibyte = 1024 * 1024;
const address = '/api/users/admin/apps';
/** On a busy machine. */
const patient = { timeout: 15_000 };

describe.each(dialects)('uploads without a key in the header on %s', (dialect) => {
  let slipway: TestService;
  const connections: RawConnection[] = [];
  const start = async (limits: Partial<Limits>, now?: () => number) => {
    slipway = await startTestService({ dialect, limits: { refusedBodyDrainSeconds: 1, ...limits }, now });
  };
  afterEach(async () => {
    for (const connection of connections.splice(0)) connection.destroy();
    await slipway.close();
  });

  const form = () =>
    multipart([
      { name: 'file', content: buildApk({ fillerBytes: 100_000 }), fileName: 'a.apk' },
      { name: 'token', value: slipway.adminKey },
      { name: 'message', value: 'behind the key' },
    ]);
  /** Bytes at the end that begin behind the key. */
  const behindKey = 60;
  /** Sends all but the last `held` bytes of the form. */
  const begin = async (held: number, headers: Record<string, string> = {}) => {
    const { contentType, body } = form();
    const connection = await openRaw(slipway.port);
    connections.push(connection);
    const all = { ...headers, 'Content-Type': contentType, 'Content-Length': body.length };
    await connection.write(rawRequest('POST', address, all, body.subarray(0, body.length - held)));
    return { connection, rest: body.subarray(body.length - held) };
  };

  it('are so many at once, and the next gets 429; those that have come go on', async () => {
    await start({ anonymousUploadsAtOnce: 2 });
    const first = await begin(1000);
    const second = await begin(1000);
    await expect.poll(async () => (await slipway.leftBehind()).spool.length).toBe(2);
    const third = await begin(0);
    const refused = await third.connection.answer();
    refusalOf(refused, 429);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    const waiting = await openRaw(slipway.port);
    connections.push(waiting);
    const headers = {
      Expect: '100-continue',
      'Content-Type': 'multipart/form-data; boundary=x',
      'Content-Length': 100,
    };
    await waiting.write(rawRequest('POST', address, headers));
    const instead = await waiting.answer();
    expect(instead.interim).toEqual([]);
    refusalOf(instead, 429);
    resultsOf(await upload(slipway));
    for (const { connection, rest } of [first, second]) {
      await connection.write(rest);
      resultsOf(await connection.answer());
    }
    const last = await begin(0);
    resultsOf(await last.connection.answer());
  });

  it('do not count once their key has come, and give their place back when they fail or go away', async () => {
    await start({ anonymousUploadsAtOnce: 1 });
    const known = await begin(behindKey);
    await expect.poll(async () => (await slipway.leftBehind()).spool.length).toBe(1);
    await expect.poll(async () => (await (await begin(0)).connection.answer()).status, patient).toBe(200);
    await known.connection.write(known.rest);
    resultsOf(await known.connection.answer());
    for (let round = 0; round < 3; round++) {
      const gone = await begin(1000);
      await expect.poll(async () => (await slipway.leftBehind()).spool.length).toBe(1);
      gone.connection.destroy();
      await expect.poll(async () => (await slipway.leftBehind()).spool).toEqual([]);
      refusalOf(await upload(slipway, { key: null }), 401);
    }
    resultsOf(await (await begin(0)).connection.answer());
  });

  it('share so many bytes, and more get 429', async () => {
    await start({ anonymousSpoolBytes: mebibyte });
    await leavesNothing(slipway, async () => {
      const parts = [
        { name: 'file', content: Buffer.alloc(3 * mebibyte), fileName: 'a' },
        { name: 'token', value: slipway.adminKey },
      ];
      refusalOf(await upload(slipway, { key: null, parts }), 429);
    });
    resultsOf(await (await begin(0)).connection.answer());
  });

  it.each([
    [
      'its file',
      (token: string) =>
        multipart([
          { name: 'file', content: Buffer.alloc(100_000), fileName: 'a' },
          { name: 'token', value: token },
        ]).body,
    ],
    [
      'its fields',
      (token: string) =>
        multipart([
          { name: 'message', value: 'm'.repeat(100_000) },
          { name: 'token', value: token },
        ]).body,
    ],
    [
      'its preamble',
      (token: string) =>
        multipart([{ name: 'token', value: token }], { preamble: `${'p'.repeat(100_000)}\r\n` }).body,
    ],
  ])('are given up when %s comes too slowly', async (_name, bodyOf) => {
    let now = Date.UTC(2026, 10, 21);
    await start({}, () => now);
    await leavesNothing(slipway, async () => {
      const body = bodyOf(slipway.adminKey);
      const connection = await openRaw(slipway.port);
      connections.push(connection);
      const contentType = 'multipart/form-data; boundary=slipway-test-boundary';
      const headers = { Expect: '100-continue', 'Content-Type': contentType, 'Content-Length': body.length };
      await connection.write(rawRequest('POST', address, headers));
      await expect.poll(() => connection.unread().toString()).toMatch(/^HTTP\/1\.1 100 /);
      now += 60_000;
      await connection.write(body.subarray(0, 1000));
      refusalOf(await connection.answer(), 408);
    });
  });
});

describe.each(dialects)('a disk with little left on %s', (dialect) => {
  it('takes no body, and says so before it comes', async () => {
    const slipway = await startTestService({
      dialect,
      limits: { minimumFreeBytes: Number.MAX_SAFE_INTEGER },
    });
    const { contentType, body } = multipart([
      { name: 'file', content: Buffer.alloc(mebibyte), fileName: 'a' },
    ]);
    await leavesNothing(slipway, async () => {
      refusalOf(await upload(slipway), 507);
      refusalOf(await upload(slipway, { key: 'slw_wrong' }), 401);
      const connection = await openRaw(slipway.port);
      const headers = {
        ...bearer(slipway.adminKey),
        Expect: '100-continue',
        'Content-Type': contentType,
        'Content-Length': body.length,
      };
      await connection.write(rawRequest('POST', address, headers));
      const answer = await connection.answer();
      expect(answer.interim).toEqual([]);
      refusalOf(answer, 507);
      connection.destroy();
    });
    await slipway.close();
  });
});
