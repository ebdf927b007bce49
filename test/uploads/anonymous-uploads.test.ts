/** Uploads with the key in the form: limited by network until the key is known. Also uploads on a full disk. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Limits } from '../../src/config.ts';
import { buildApk } from '../support/build-apk.ts';
import { openRaw, type RawConnection, rawRequest } from '../support/http-client.ts';
import { bearer, leavesNothing, refusalOf, resultsOf, upload } from '../support/interface-client.ts';
import { multipart } from '../support/multipart-body.ts';
import { runsEverything } from '../support/runs-everything.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

const mebibyte = 1024 * 1024;
const address = '/api/users/admin/apps';
/** On a busy machine. */
const patient = { timeout: 15_000 };

let slipway: TestService;
let now = Date.UTC(2026, 10, 21);
const connections: RawConnection[] = [];
const start = async (limits: Partial<Limits>) => {
  slipway = await startTestService({
    now: () => now,
    settings: { SLIPWAY_TRUST_PROXY: '127.0.0.1' },
    limits: { refusedBodyDrainSeconds: 1, ...limits },
  });
};
afterEach(async () => {
  for (const connection of connections.splice(0)) connection.destroy();
  await expect.poll(spooled).toBe(0);
});

const form = () =>
  multipart([
    { name: 'file', content: buildApk({ fillerBytes: 100_000 }), fileName: 'a.apk' },
    { name: 'token', value: slipway.adminKey },
    { name: 'message', value: 'behind the key' },
  ]);
/** A number of bytes at the end of the form that are all after the key. */
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

const from = (address: string) => ({ 'X-Forwarded-For': address });
async function spooled() {
  return (await slipway.leftBehind()).spool.length;
}

describe('uploads without a key in the header', () => {
  beforeAll(() =>
    start({ anonymousUploadsPerNetwork: 1, anonymousUploadWaitSeconds: 0, anonymousSpoolBytes: mebibyte }),
  );
  afterAll(() => slipway.close());

  it('store a limited number of files per network at a time, and return 429 to further ones', async () => {
    const first = await begin(1000);
    await expect.poll(spooled).toBe(1);
    const third = await begin(1000);
    const refused = await third.connection.answer();
    expect(refusalOf(refused, 429).message).toBe(
      'too many uploads from your network send the file before the API key: send the key in the Authorization header, or try again later',
    );
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    resultsOf(await upload(slipway));
    const key = { name: 'token', value: slipway.adminKey };
    const parts = [key, { name: 'file', content: buildApk(), fileName: 'a.apk' }];
    resultsOf(await upload(slipway, { key: null, parts }));
    const elsewhere = await begin(0, from('203.0.113.7'));
    resultsOf(await elsewhere.connection.answer());
    await first.connection.write(first.rest);
    resultsOf(await first.connection.answer());
    const last = await begin(0);
    resultsOf(await last.connection.answer());
  });

  it('take no slot before bytes of a file arrive', async () => {
    const { body } = form();
    const beforeFile = body.length - body.indexOf('\r\n\r\n') - 4;
    for (const held of [body.length, body.length - 10, beforeFile, beforeFile]) {
      const { connection } = await begin(held, { Expect: '100-continue' });
      await expect.poll(() => connection.unread().toString()).toMatch(/^HTTP\/1\.1 100 /);
    }
    for (let round = 0; round < 3; round++) resultsOf(await (await begin(0)).connection.answer());
  });

  it('release their slot when their key arrives, when they fail and when they disconnect', async () => {
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

  it('can use half of the remaining bytes per network, and get 429 beyond that', async () => {
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
  ])('are aborted when %s arrives too slowly', async (_name, bodyOf) => {
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

describe('uploads that wait for a slot', () => {
  beforeAll(() => start({ anonymousUploadsPerNetwork: 1, anonymousUploadWaitSeconds: 60 }));
  afterAll(() => slipway.close());

  it('all succeed', async () => {
    const parts = (index: number) => [
      { name: 'file', content: buildApk({ fillerBytes: mebibyte }), fileName: 'a.apk' },
      { name: 'message', value: String(index) },
      { name: 'token', value: slipway.adminKey },
    ];
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) => upload(slipway, { key: null, parts: parts(index) })),
    );
    expect(answers.map((answer) => resultsOf(answer).message)).toEqual([...'01234567']);
  });

  it('continue in the queue when their key arrives, or end with their connection', async () => {
    const first = await begin(1000);
    await expect.poll(spooled).toBe(1);
    // Small enough that its key arrives while it waits.
    const small = await begin(0);
    resultsOf(await small.connection.answer());
    const large = multipart([{ name: 'file', content: Buffer.alloc(4 * mebibyte), fileName: 'a' }]);
    const gone = await openRaw(slipway.port);
    const headers = { 'Content-Type': large.contentType, 'Content-Length': large.body.length };
    await gone.write(rawRequest('POST', address, headers, large.body.subarray(0, 100_000)));
    gone.destroy();
    await first.connection.write(first.rest);
    resultsOf(await first.connection.answer());
    expect(await spooled()).toBe(0);
  });
});

describe.runIf(runsEverything)('uploads without a key with the default limits', () => {
  beforeAll(() => start({}));
  afterAll(() => slipway.close());

  it('succeed eight at a time from one network with the defaults while other networks stall', async () => {
    const stalled = 24;
    for (let index = 0; index < stalled; index++) await begin(1000, from(`203.0.113.${index % 12}`));
    await expect.poll(spooled, patient).toBe(stalled);
    const eight = await Promise.all(Array.from({ length: 8 }, () => begin(1000, from('198.51.100.1'))));
    await expect.poll(spooled, patient).toBe(stalled + 8);
    for (const { connection, rest } of eight) await connection.write(rest);
    for (const { connection } of eight) resultsOf(await connection.answer());
  });
});

describe('a nearly full disk', () => {
  beforeAll(() => start({ minimumFreeBytes: Number.MAX_SAFE_INTEGER }));
  afterAll(() => slipway.close());

  it('rejects uploads before receiving the body', async () => {
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
  });
});
