/** Rejected request bodies from the client's view: it gets the JSON in bounded time, not a broken pipe. */

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { anonymousForm } from '../support/browser-session.ts';
import { chunkedBody, openRaw, type RawConnection, rawRequest } from '../support/http-client.ts';
import {
  bearer,
  leavesNothing,
  refusalOf,
  resultsOf,
  upload,
  uploadParts,
} from '../support/interface-client.ts';
import { multipart } from '../support/multipart-body.ts';
import { runsEverything } from '../support/runs-everything.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

const mebibyte = 1024 * 1024;
const address = '/api/users/admin/apps';
const bodyOf = (mebibytes: number) =>
  multipart([{ name: 'file', content: Buffer.alloc(mebibytes * mebibyte, 1), fileName: 'a.apk' }]);
/** More than the socket buffers between two processes on one machine. */
const large = bodyOf(14);
const small = multipart(uploadParts({ fields: { message: 'm' } }));

describe('refused bodies', () => {
  let slipway: TestService;
  let mina: string;
  const connections: RawConnection[] = [];
  const open = async () => {
    const connection = await openRaw(slipway.port);
    connections.push(connection);
    return connection;
  };
  beforeAll(async () => {
    slipway = await startTestService({ blobs: 'memory', limits: { maxUploadBytes: 8 * mebibyte } });
    mina = await slipway.user('mina');
  });
  afterAll(() => slipway.close());
  afterEach(() => {
    for (const connection of connections.splice(0)) connection.destroy();
  });

  const cases: [string, number, () => [string, Record<string, string>]][] = [
    ['nobody', 401, () => [address, bearer('slw_wrong')]],
    ['somebody who may not', 403, () => [address, bearer(mina)]],
    ['an owner who is not there', 404, () => ['/api/users/nobody/apps', bearer(slipway.adminKey)]],
    ['an address that is not there', 404, () => ['/api/none', bearer(slipway.adminKey)]],
    ['the wrong method', 405, () => ['/api/sessions/user', bearer(slipway.adminKey)]],
    ['an address that cannot be decoded', 400, () => ['/api/users/%zz/apps', bearer(slipway.adminKey)]],
    ['too much', 413, () => [address, bearer(slipway.adminKey)]],
  ];

  /** Announces the large file. */
  const announce = (to: () => [string, Record<string, string>], added = {}, start?: Buffer) => {
    const [path, headers] = to();
    const announced = {
      ...headers,
      ...added,
      'Content-Type': large.contentType,
      'Content-Length': large.body.length,
    };
    return rawRequest('POST', path, announced, start);
  };

  // Millions of bytes each.
  const dearCases = runsEverything ? cases : cases.filter(([name]) => /nobody|too much/.test(name));
  it.each(dearCases)(
    '%s: a client that sends everything before it reads gets the JSON and can reuse the connection',
    async (_name, status, to) => {
      await leavesNothing(slipway, async () => {
        const connection = await open();
        connection.socket.pause();
        await connection.write(announce(to));
        await connection.write(large.body);
        connection.socket.resume();
        refusalOf(await connection.answer(), status);
        await connection.write(rawRequest('GET', '/api/organizations', bearer(slipway.adminKey)));
        expect((await connection.answer()).status).toBe(200);
      });
    },
  );

  it.each(dearCases)(
    '%s: a client that asked to close gets the JSON and the connection closes',
    async (_name, status, to) => {
      const connection = await open();
      await connection.write(announce(to, { Connection: 'close' }));
      await connection.write(large.body);
      refusalOf(await connection.answer(), status);
      await connection.closed;
    },
  );

  it.each(cases)(
    '%s: the response is sent immediately, before the body has arrived',
    async (_name, status, to) => {
      const connection = await open();
      await connection.write(announce(to, {}, large.body.subarray(0, 1000)));
      refusalOf(await connection.answer(), status);
    },
  );

  it.each(cases.filter(([, , to]) => to.toString().includes('address') || to.toString().includes('nobody')))(
    '%s: a client that expects 100 Continue gets the final response instead',
    async (_name, status, to) => {
      const connection = await open();
      await connection.write(announce(to, { Expect: '100-continue' }));
      const answer = await connection.answer();
      expect(answer.interim).toEqual([]);
      refusalOf(answer, status);
      expect(answer.headers.connection).toBe('close');
    },
  );

  it('100 Continue is sent once to a client that may upload, and then the result', async () => {
    const connection = await open();
    const headers = {
      ...bearer(slipway.adminKey),
      Expect: '100-continue',
      'Content-Type': small.contentType,
      'Content-Length': small.body.length,
    };
    await connection.write(rawRequest('POST', address, headers));
    await expect.poll(() => connection.unread().toString()).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\n$/);
    await connection.write(small.body);
    const answer = await connection.answer();
    expect(answer.interim).toEqual([100]);
    expect(resultsOf(answer).message).toBe('m');
    await connection.write(rawRequest('GET', '/api/organizations', bearer(slipway.adminKey)));
    expect((await connection.answer()).status).toBe(200);
  });

  it('100 Continue is sent for a key in the form, and for a form that signs in', async () => {
    const form = multipart([...uploadParts({}), { name: 'token', value: slipway.adminKey }]);
    const { cookie, csrf } = await anonymousForm(slipway);
    const login = `login=admin&password=wrong-but-that-is-fine&csrf=${csrf}`;
    for (const [path, type, body] of [
      [address, form.contentType, form.body],
      ['/sign-in', 'application/x-www-form-urlencoded', Buffer.from(login)],
    ] as const) {
      const connection = await open();
      const headers = {
        Expect: '100-continue',
        'Content-Type': type,
        'Content-Length': body.length,
        Cookie: cookie,
      };
      await connection.write(rawRequest('POST', path, headers));
      await expect.poll(() => connection.unread().toString()).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\n$/);
      await connection.write(body);
      const answer = await connection.answer();
      expect([path, answer.status]).toEqual([path, path === address ? 200 : 401]);
    }
  });

  it('a declared length over the limit is refused with 413 immediately', async () => {
    const connection = await open();
    const headers = {
      ...bearer(slipway.adminKey),
      'Content-Type': large.contentType,
      'Content-Length': 5_000_000_000_000,
    };
    await connection.write(rawRequest('POST', address, headers));
    expect(refusalOf(await connection.answer(), 413).message).toMatch(/File too large. The limit is 8 MiB/);
  });

  it('a chunked body is aborted at the limit, as is a single file over its limit', async () => {
    await leavesNothing(slipway, async () => {
      const connection = await open();
      const headers = {
        ...bearer(slipway.adminKey),
        'Content-Type': large.contentType,
        'Transfer-Encoding': 'chunked',
      };
      await connection.write(rawRequest('POST', address, headers));
      await connection.write(chunkedBody(large.body));
      refusalOf(await connection.answer(), 413);
      await connection.write(rawRequest('GET', '/api/organizations', bearer(slipway.adminKey)));
      expect((await connection.answer()).status).toBe(200);
      const justOver = Buffer.alloc(8 * mebibyte + 1, 1);
      refusalOf(await upload(slipway, { file: justOver }), 413);
      const unknown = { name: 'unknown', content: large.body, fileName: 'x' };
      const other = await open();
      const chunked = multipart([unknown]);
      await other.write(rawRequest('POST', address, { ...headers, 'Content-Type': chunked.contentType }));
      await other.write(chunkedBody(chunked.body));
      refusalOf(await other.answer(), 413);
    });
  });

  it('a file of exactly the limit is accepted', async () => {
    const refusal = refusalOf(await upload(slipway, { file: Buffer.alloc(8 * mebibyte, 1) }), 400);
    expect(refusal.message).toMatch(/cannot detect the package\.$/);
  });
});

describe('a refused body that never ends', () => {
  let slipway: TestService;
  beforeAll(async () => {
    slipway = await startTestService({
      blobs: 'memory',
      limits: { refusedBodyDrainSeconds: 1, transferWindowSeconds: 1 },
    });
  });
  afterAll(() => slipway.close());

  // A duration is the claim.
  it.runIf(runsEverything)(
    'is aborted after refusedBodyDrainSeconds, whether or not bytes arrive',
    async () => {
      const cut = async (dripping: boolean) => {
        const connection = await openRaw(slipway.port);
        const headers = {
          ...bearer('slw_wrong'),
          'Content-Type': large.contentType,
          'Content-Length': 1_000_000_000,
        };
        const startedAt = performance.now();
        await connection.write(rawRequest('POST', address, headers));
        const drip = dripping ? setInterval(() => void connection.write('x'), 20) : undefined;
        refusalOf(await connection.answer(), 401);
        await connection.closed;
        expect(performance.now() - startedAt).toBeGreaterThan(900);
        clearInterval(drip);
        connection.destroy();
      };
      await Promise.all([cut(false), cut(true)]);
    },
  );

  it('gets 408 when it stalls, and leaves nothing', async () => {
    const parts = [
      '',
      '--slipway-test-boundary\r\nContent-Dis',
      small.body.subarray(0, 400),
      large.body.subarray(0, mebibyte),
    ];
    await leavesNothing(slipway, async () => {
      const stalling = parts.map(async (part) => {
        const connection = await openRaw(slipway.port);
        const headers = {
          ...bearer(slipway.adminKey),
          'Content-Type': large.contentType,
          'Content-Length': large.body.length,
        };
        await connection.write(rawRequest('POST', address, headers, part));
        refusalOf(await connection.answer(), 408);
        connection.destroy();
      });
      await Promise.all(stalling);
    });
  });

  it('leaves nothing when the client disconnects in the middle of a file', async () => {
    for (const reset of [false, true]) {
      await leavesNothing(slipway, async () => {
        const connection = await openRaw(slipway.port);
        const headers = {
          ...bearer(slipway.adminKey),
          'Content-Type': large.contentType,
          'Content-Length': large.body.length,
        };
        await connection.write(rawRequest('POST', address, headers));
        await connection.write(large.body.subarray(0, 3 * mebibyte));
        await expect.poll(async () => (await slipway.leftBehind()).spool.length).toBe(1);
        if (reset) connection.socket.resetAndDestroy();
        else connection.destroy();
        await expect.poll(async () => (await slipway.leftBehind()).spool).toEqual([]);
      });
    }
  });
});
