/** Rate limits: uploads by key and by owner, wrong keys by network, requests by caller. */
import type { FastifyRequest } from 'fastify';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Limits, readConfig } from '../../src/config.ts';
import { TooManyRequests } from '../../src/core/errors.ts';
import { hashSubject } from '../../src/limits/attempts.ts';
import { createRequestLimit } from '../../src/limits/limit-requests-http.ts';
import { countedBytes, createCountText, textLimit, textSubject } from '../../src/limits/text-limit.ts';
import { signIn } from '../support/browser-session.ts';
import { buildApk } from '../support/build-apk.ts';
import { freePort } from '../support/free-port.ts';
import { type Answer, openRaw, rawRequest, send } from '../support/http-client.ts';
import {
  bearer,
  leavesNothing,
  refusalOf,
  resultsOf,
  upload,
  uploaded,
} from '../support/interface-client.ts';
import { type FormPart, multipart } from '../support/multipart-body.ts';
import { dialects } from '../support/test-database.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

const hourMs = 60 * 60_000;

describe.each(dialects)('rate limits on %s', (dialect) => {
  let slipway: TestService;
  let clock: number;
  let metrics: number;

  const start = async (settings: Record<string, string>, limits: Partial<Limits> = {}) => {
    clock = Date.UTC(2026, 10, 21);
    metrics = await freePort();
    refusedBefore.clear();
    slipway = await startTestService({
      dialect,
      blobs: 'memory',
      now: () => clock,
      settings: { SLIPWAY_METRICS: `127.0.0.1:${metrics}`, SLIPWAY_TRUST_PROXY: '127.0.0.1', ...settings },
      limits: { refusedBodyDrainSeconds: 1, ...limits },
    });
  };
  const refusedBefore = new Map<string, number>();
  /** Since the last call. */
  const refusedSoFar = async (kind: string) => {
    const { text } = await send(metrics, '/metrics');
    const line = text.split('\n').find((one) => one.startsWith(`slipway_rate_limited_total{kind="${kind}"}`));
    const total = Number(line?.split(' ')[1] ?? 0);
    const refused = total - (refusedBefore.get(kind) ?? 0);
    refusedBefore.set(kind, total);
    return refused;
  };
  const retryAfter = (answer: Answer) => Number(answer.headers['retry-after']);
  const list = (key: string | null, from: string, headers: Record<string, string> = {}) =>
    send(slipway.port, '/api/organizations', {
      headers: { ...(key === null ? {} : bearer(key)), 'X-Forwarded-For': from, ...headers },
    });

  describe('for packages that fail', () => {
    beforeAll(() => start({ SLIPWAY_FAILED_PACKAGE_SECONDS_PER_HOUR: '12' }));
    afterAll(() => slipway.close());

    it('apply to their uploader alone, and refuse before reading the body', async () => {
      const dora = await slipway.user('dora');
      await slipway.project('harbour', { members: { dora: 'developer' } });
      const file = Buffer.from('no package');
      for (const owner of ['admin', 'harbour']) refusalOf(await upload(slipway, { owner, file }), 400);
      clock += 60_000;
      const message =
        'application create error: too many of your files could not be read as packages within the last hour';
      await leavesNothing(slipway, async () => {
        const refused = await upload(slipway);
        expect(refusalOf(refused, 429)).toEqual({
          error: true,
          message,
          because: message,
          error_type: 'too_many_requests',
        });
        expect(retryAfter(refused)).toBe(59 * 60);
      });
      expect(await refusedSoFar('failed-package')).toBe(1);
      await uploaded(slipway, { owner: 'harbour', key: dora });
      clock += 59 * 60_000;
      await uploaded(slipway);
    });
  });

  describe('for uploads', () => {
    beforeAll(() =>
      start({
        SLIPWAY_UPLOADS_PER_HOUR_BY_KEY: '3',
        SLIPWAY_UPLOADS_PER_HOUR_BY_OWNER: '4',
        SLIPWAY_REFUSED_UPLOADS_PER_HOUR: '6',
        SLIPWAY_MAX_UPLOAD: '2MiB',
      }),
    );
    afterAll(() => slipway.close());
    // Nothing counts any longer.
    beforeEach(async () => {
      clock += 2 * hourMs;
      for (const kind of ['upload-by-key', 'upload-by-owner', 'refused-upload']) await refusedSoFar(kind);
    });

    it('apply per key and hour, and refuse before reading the body', async () => {
      const other = await slipway.user('dora');
      await slipway.project('harbour', { members: { dora: 'developer' } });
      for (let count = 0; count < 3; count++) await uploaded(slipway);
      await leavesNothing(slipway, async () => {
        clock += 60_000;
        const refused = await upload(slipway);
        expect(refusalOf(refused, 429)).toEqual({
          error: true,
          message: 'application create error: too many uploads with this key. The limit is 3 per hour',
          because: 'application create error: too many uploads with this key. The limit is 3 per hour',
          error_type: 'too_many_requests',
        });
        expect(retryAfter(refused)).toBe(59 * 60);
        // Only the header announcing the body.
        const waiting = await openRaw(slipway.port);
        try {
          const headers = {
            ...bearer(slipway.adminKey),
            Expect: '100-continue',
            'Content-Type': 'multipart/form-data; boundary=x',
            'Content-Length': 1_000_000,
          };
          await waiting.write(rawRequest('POST', '/api/users/admin/apps', headers));
          refusalOf(await waiting.answer(), 429);
        } finally {
          waiting.destroy();
        }
        const parts = [
          { name: 'token', value: slipway.adminKey },
          { name: 'file', content: Buffer.alloc(1000), fileName: 'app.apk' },
        ];
        refusalOf(await upload(slipway, { key: null, parts }), 429);
      });
      expect(await refusedSoFar('upload-by-key')).toBe(3);
      // Uploads refused with 403 or 404 do not count.
      for (const owner of ['admin', 'nobody']) {
        for (let count = 0; count < 3; count++) {
          expect((await upload(slipway, { owner, key: other })).status).not.toBe(429);
        }
      }
      await uploaded(slipway, { owner: 'harbour', key: other });
      clock += 59 * 60_000;
      await uploaded(slipway);
    });

    it('do not count those refused with 400 or 413', async () => {
      const file = (content: Buffer) => ({ name: 'file', content, fileName: 'app.apk' });
      const token = { name: 'token', value: slipway.adminKey };
      const refused = [
        [400, [file(Buffer.alloc(1000))], slipway.adminKey],
        [400, [{ name: 'message', value: 'no file' }], slipway.adminKey],
        [400, [token, file(Buffer.alloc(1000))], null],
        [400, [file(Buffer.alloc(1000)), token], null],
        [413, [file(Buffer.alloc(3 * 1024 * 1024))], slipway.adminKey],
        [413, [file(Buffer.alloc(9 * 1024 * 1024))], slipway.adminKey],
        [413, [token, file(Buffer.alloc(3 * 1024 * 1024))], null],
      ] as const;
      for (const [status, parts, key] of refused)
        refusalOf(await upload(slipway, { parts: [...parts], key }), status);
      for (let count = 0; count < 3; count++) await uploaded(slipway);
      refusalOf(await upload(slipway), 429);
    });

    it('apply per owner and hour, no matter who uploads', async () => {
      const keys = [await slipway.user('lena'), await slipway.user('emil')];
      await slipway.project('marina', { members: { lena: 'developer', emil: 'owner' } });
      await slipway.project('lagoon', { members: { lena: 'developer' } });
      const statuses: number[] = [];
      const at = async (owner: string, key = '') => {
        statuses.push((await upload(slipway, { owner, key })).status);
      };
      for (let count = 0; count < 4; count++) await at('marina', keys[0]);
      await at('marina', keys[1]);
      await leavesNothing(slipway, () => at('marina', keys[1]));
      // Only lena's key reached its limit, and other owners are not affected.
      await at('lagoon', keys[0]);
      await at('emil', keys[1]);
      expect(statuses).toEqual([200, 200, 200, 429, 200, 429, 429, 200]);
      expect([await refusedSoFar('upload-by-key'), await refusedSoFar('upload-by-owner')]).toEqual([2, 1]);
    });

    it('apply to concurrent ones', async () => {
      const before = await slipway.leftBehind();
      const answers = await Promise.all(Array.from({ length: 10 }, () => upload(slipway)));
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(3);
      expect(answers.filter(({ status }) => status === 429)).toHaveLength(7);
      expect(await slipway.leftBehind()).toMatchObject({ spool: [], builds: before.builds + 3 });
    });

    it('apply to a person in the browser, and keep the form values', async () => {
      const key = await slipway.user('dina');
      const dina = await signIn(slipway, 'dina');
      const { text } = await dina.get('/users/dina/upload');
      const csrf = /name="csrf" value="([^"]+)"/.exec(text)?.[1] ?? '';
      const post = (accept: string, content: Buffer = Buffer.alloc(1000, 'x'), headers = {}) => {
        const { contentType, body } = multipart([
          { name: 'csrf', value: csrf },
          { name: 'message', value: 'as it was typed' },
          ...[{ name: 'file', content, fileName: 'app.apk' }],
        ]);
        return send(slipway.port, '/users/dina/upload', {
          method: 'POST',
          headers: { Cookie: dina.cookie, 'Content-Type': contentType, Accept: accept, ...headers },
          body,
        });
      };
      // A refused upload does not count, wherever it is refused.
      for (const accept of ['application/json', 'text/html']) expect((await post(accept)).status).toBe(400);
      const longKey = { 'Idempotency-Key': 'x'.repeat(1000) };
      expect((await post('application/json', buildApk(), longKey)).status).toBe(400);
      for (let count = 0; count < 3; count++)
        expect((await post('application/json', buildApk())).status).toBe(200);
      await leavesNothing(slipway, async () => {
        const page = await post('text/html');
        expect(page.status).toBe(429);
        expect(retryAfter(page)).toBe(3600);
        expect(page.text).toContain('as it was typed');
        expect(page.text).toContain('Too many uploads in the last hour. Try again in 60 minutes.');
        const script = await post('application/json');
        expect(refusalOf(script, 429).message).toMatch(/^Too many uploads/);
        expect(retryAfter(script)).toBe(3600);
      });
      resultsOf(await upload(slipway, { owner: 'dina', key }));
    });

    it('stop revealing whether a name exists after several requests, without affecting others', async () => {
      const mara = await slipway.user('mara');
      const otto = await slipway.user('otto');
      await slipway.project('quay', { members: { mara: 'developer' } });
      const page = (await uploaded(slipway, { fields: { distribution_name: 'main' } })).distribution;
      const office = { 'X-Forwarded-For': '203.0.113.7' };
      const asMara = (path: string, fields: Record<string, string> = {}, headers = office) =>
        upload(slipway, { path, key: mara, fields, headers });
      const late = (owner: string, parts: FormPart[]) =>
        upload(slipway, { owner, key: null, parts, headers: office });
      const token = { name: 'token', value: mara };
      const file = { name: 'file', content: buildApk(), fileName: 'app.apk' };
      const known = [
        () => asMara('/api/users/admin/apps'),
        () => asMara('/api/users/admin/platforms/android/apps'),
        () => late('admin', [token, file]),
        () => late('admin', [file, token]),
      ];
      const unknown = [
        () => asMara('/api/users/nobody/apps'),
        () => asMara('/api/users/nobody/platforms/ios/apps'),
        () => late('nobody', [token, file]),
        () => late('nobody', [file, token]),
      ];
      const guesses = [
        () => asMara('/api/users/mara/apps', { distribution_key: 'f'.repeat(40) }),
        () => asMara('/api/users/mara/apps', { distribution_key: page?.access_key ?? '' }),
      ];
      const statuses = async (requests: (() => Promise<Answer>)[]) =>
        (await Promise.all(requests.map((ask) => ask()))).map(({ status }) => status);
      await leavesNothing(slipway, async () => {
        expect(await statuses(known.slice(0, 2))).toEqual([403, 403]);
        expect(await statuses(unknown.slice(2))).toEqual([404, 404]);
        expect(await statuses(guesses)).toEqual([404, 404]);
        for (const ask of [...known, ...unknown, ...guesses]) {
          const answer = await ask();
          expect(refusalOf(answer, 429).message).toBe(
            'application create error: too many of your uploads were refused. The limit is 6 per hour',
          );
          expect(retryAfter(answer)).toBe(3600);
        }
      });
      expect(await refusedSoFar('refused-upload')).toBe(10);
      // In another network it is the same caller; permitted uploads are not affected.
      const elsewhere = { 'X-Forwarded-For': '203.0.113.8' };
      refusalOf(await asMara('/api/users/nobody/apps', {}, elsewhere), 429);
      for (const owner of ['mara', 'quay']) resultsOf(await asMara(`/api/users/${owner}/apps`));
      // The limit of the network is used up.
      const inOffice = await upload(slipway, { owner: 'nobody', key: otto, headers: office });
      expect(refusalOf(inOffice, 429).message).toMatch(/from your network/);
      refusalOf(await upload(slipway, { owner: 'nobody', key: otto, headers: elsewhere }), 404);
      resultsOf(await upload(slipway, { owner: 'otto', key: otto, headers: office }));
      clock += hourMs;
      expect(await statuses(unknown.slice(0, 1))).toEqual([404]);
    });

    it('do not count requests without a valid key, which receive no details', async () => {
      for (const owner of ['admin', 'nobody', 'nobody']) {
        refusalOf(await upload(slipway, { owner, key: null }), 401);
        refusalOf(await upload(slipway, { owner, key: 'slw_wrong' }), 401);
      }
      for (let count = 0; count < 6; count++) refusalOf(await upload(slipway, { owner: 'nobody' }), 404);
      refusalOf(await upload(slipway, { owner: 'nobody' }), 429);
    });

    it('do not count those with an Idempotency-Key that is too long', async () => {
      const headers = { 'Idempotency-Key': 'k'.repeat(256) };
      for (let count = 0; count < 4; count++) refusalOf(await upload(slipway, { headers }), 400);
      resultsOf(await upload(slipway));
    });
  });

  describe('with other settings', () => {
    afterEach(() => slipway.close());

    it('can be turned off for uploads', async () => {
      await start({ SLIPWAY_UPLOADS_PER_HOUR_BY_KEY: 'off', SLIPWAY_UPLOADS_PER_HOUR_BY_OWNER: '0' });
      await uploaded(slipway);
      const owner = await slipway.data.owners.findOwner('admin');
      const subject = hashSubject(['upload to', owner?.id ?? '']);
      expect(await slipway.data.attempts.countAttempts([subject], clock, hourMs)).toMatchObject([
        { count: 1 },
      ]);
    });

    it('return 429 for wrong keys after too many from their network, and accept valid ones', async () => {
      await start({}, { wrongKeysPerHour: 3 });
      const office = '203.0.113.7';
      const wrong = (from = office) => list(`slw_${'x'.repeat(43)}`, from);
      for (let count = 0; count < 3; count++) refusalOf(await wrong(), 401);
      const refused = await wrong();
      expect(refusalOf(refused, 429).message).toBe(
        'you are not authenticated: too many wrong keys came from your network',
      );
      expect(retryAfter(refused)).toBe(3600);
      await leavesNothing(slipway, async () => {
        const answer = await upload(slipway, { key: 'wrong', headers: { 'X-Forwarded-For': office } });
        refusalOf(answer, 429);
      });
      expect(await refusedSoFar('wrong-key')).toBe(2);
      expect((await list(slipway.adminKey, office)).status).toBe(200);
      // A request without a key, or with a malformed one, is not a guess.
      refusalOf(await list(null, office), 401);
      refusalOf(await list('x'.repeat(513), office), 401);
      refusalOf(await wrong('203.0.113.8'), 401);
      clock += hourMs;
      refusalOf(await wrong(), 401);
      const addresses = ['2001:db8::1', '2001:db8::2:1', '2001:db8:0:0:ffff::9', '2001:db8::4'];
      for (const from of addresses.slice(0, 3)) refusalOf(await wrong(from), 401);
      refusalOf(await wrong(addresses[3]), 429);
      refusalOf(await wrong('2001:db8:0:1::1'), 401);
    });
  });

  describe('for requests', () => {
    const page = { Accept: 'text/html' };
    beforeAll(() => start({ SLIPWAY_REQUESTS_PER_MINUTE: '5' }));
    afterAll(() => slipway.close());
    // All may ask again.
    beforeEach(async () => {
      clock += hourMs;
      for (const kind of ['request-by-network', 'request-by-caller']) await refusedSoFar(kind);
    });

    it('apply per network, with twice the burst, and not to static files and health checks', async () => {
      const ask = (path: string, from = '203.0.113.7', headers: Record<string, string> = {}) =>
        send(slipway.port, path, { headers: { 'X-Forwarded-For': from, ...headers } });
      const rateLimitExempt = ['/healthz', '/readyz', '/favicon.ico', '/robots.txt', '/assets/none.css'];
      for (let time = 0; time < 4; time++) for (const path of rateLimitExempt) await ask(path);
      for (let count = 0; count < 10; count++) expect((await ask('/sign-in')).status).toBe(200);
      const refused = await ask('/sign-in');
      refusalOf(refused, 429);
      expect(retryAfter(refused)).toBe(12);
      for (const path of ['/nothing', '/api/organizations', '/robots.txt/x', '/users/none']) {
        expect((await ask(path)).status, path).toBe(429);
      }
      for (const path of ['/healthz', '/readyz', '/favicon.ico']) {
        expect((await ask(path)).status, path).toBe(200);
      }
      expect((await ask('/sign-in', '203.0.113.8')).status).toBe(200);
      clock += 12_000;
      expect([(await ask('/sign-in')).status, (await ask('/sign-in')).status]).toEqual([200, 429]);
      expect(await refusedSoFar('request-by-network')).toBe(6);
      const shown = await ask('/sign-in', undefined, page);
      expect(shown.status).toBe(429);
      expect(shown.headers['content-type']).toBe('text/html; charset=utf-8');
      expect(shown.text).toContain('Too many requests from your network.');
      expect(shown.text).toContain('Wait a moment, then try again.');
    });

    it('apply to the networks of an IPv6 site together', async () => {
      const statuses = async (from: string) => {
        const found: number[] = [];
        for (let count = 0; count < 11; count++)
          found.push((await send(slipway.port, '/sign-in', { headers: { 'X-Forwarded-For': from } })).status);
        return found.filter((status) => status === 200).length;
      };
      const served: number[] = [];
      for (let network = 1; network <= 7; network++) served.push(await statuses(`2001:db8:5:${network}::1`));
      expect(served).toEqual([10, 10, 10, 10, 10, 0, 0]);
      expect(await statuses('2001:db8:6:1::1')).toBe(10);
    });

    it('bound the text that a caller can send in a day, on every route', async () => {
      const key = await slipway.user('writer');
      const { id } = (await slipway.data.owners.findOwner('writer')) ?? {};
      const subject = hashSubject(textSubject(id ?? ''));
      await slipway.data.attempts.countAttempts([subject], clock, textLimit.windowMs, textLimit.limit - 5000);
      const create = (bytes: number, name: string) =>
        send(slipway.port, '/api/v1/projects', {
          method: 'POST',
          headers: { ...bearer(key), 'Content-Type': 'application/json' },
          body: JSON.stringify({ name, description: 'x'.repeat(bytes) }),
        });
      const statuses: number[] = [];
      for (const bytes of [4090, 4090, 400])
        statuses.push((await create(bytes, `text${statuses.length}`)).status);
      expect(statuses).toEqual([201, 429, 429]);
      clock += textLimit.windowMs;
      expect((await create(4090, 'text9')).status).toBe(201);
    });

    it('count text in chunks and in an address like that of a form', async () => {
      const key = await slipway.user('talker');
      const { id } = (await slipway.data.owners.findOwner('talker')) ?? {};
      const counted = async () =>
        (await slipway.data.attempts.findAttempts(hashSubject(textSubject(id ?? ''))))?.count ?? 0;
      const text = 'x'.repeat(4090);
      const body = JSON.stringify({ name: 'chunked', description: text });
      const headers = { ...bearer(key), 'Content-Type': 'application/json' };
      expect((await send(slipway.port, '/api/v1/projects', { method: 'POST', headers, body })).status).toBe(
        201,
      );
      const inBody = await counted();
      expect(inBody).toBeGreaterThan(4096);
      const address = `/api/organizations?name=addressed&description=${text}`;
      expect((await send(slipway.port, address, { method: 'POST', headers: bearer(key) })).status).toBe(201);
      expect(await counted()).toBeGreaterThan(inBody + 4096);
    });

    it('add short texts up, and refuse all of them over the limit', async () => {
      const counts: number[] = [];
      let refuses = false;
      const countText = createCountText({
        count: async (_subject, _limit, weight = 1) => {
          counts.push(weight);
          if (refuses) throw new TooManyRequests('text', 60);
        },
      });
      for (let sent = 0; sent < 2 * countedBytes; sent += 512) await countText('ann', 512);
      await countText('ben', 512);
      expect(counts).toEqual([countedBytes, countedBytes]);
      refuses = true;
      await expect(countText('ann', countedBytes)).rejects.toThrow(TooManyRequests);
      await expect(countText('ann', 1)).rejects.toThrow(TooManyRequests);
      await countText('ben', 1);
      refuses = false;
      await countText('ann', 1);
      await countText('ann', 1);
      expect(counts).toHaveLength(5);
    });

    it('count a valid key or session separately from its network', async () => {
      const office = '203.0.113.7';
      const other = await slipway.user('dora');
      const dora = await signIn(slipway, 'dora');
      const home = () => dora.get('/', { headers: { 'X-Forwarded-For': office } });
      const twice = async () => [(await list(other, office)).status, (await home()).status];
      expect(await twice()).toEqual([200, 200]);
      // Unknown keys count against their network, each of them.
      const wrong = async (index: number) => (await list(`slw_${index}${'x'.repeat(40)}`, office)).status;
      const statuses: number[] = [];
      for (let index = 0; index < 12; index++) statuses.push(await wrong(index));
      expect(statuses).toEqual([...Array(10).fill(401), 429, 429]);
      expect(await twice()).toEqual([200, 200]);
      for (let count = 0; count < 8; count++) expect(await twice()).toEqual([200, 200]);
      expect(await twice()).toEqual([429, 429]);
      expect(await refusedSoFar('request-by-caller')).toBe(2);
      // However a key is sent, it is the same one.
      for (const value of [`token ${other}`, other, `bearer  ${other}`]) {
        expect((await list(null, '203.0.113.99', { Authorization: value })).status).toBe(429);
      }
      const inQuery = await send(slipway.port, `/api/organizations?token=${other}`);
      expect(inQuery.status).toBe(429);
      expect((await list(slipway.adminKey, '203.0.113.99')).status).toBe(200);
    });

    it('refuse without using the database', async () => {
      await slipway.user('nora');
      const nora = await signIn(slipway, 'nora');
      const statements = async () => {
        const { text } = await send(metrics, '/metrics');
        const counts = text.matchAll(
          /^slipway_database_query_duration_seconds_count\{verb="select"\} (\d+)$/gm,
        );
        return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
      };
      while ((await list(slipway.adminKey, '203.0.113.7')).status === 200);
      while ((await nora.get('/')).status === 200);
      // The metrics themselves use a fixed number of statements.
      const first = await statements();
      const alone = (await statements()) - first;
      const before = await statements();
      for (let count = 0; count < 5; count++) {
        expect((await list(slipway.adminKey, '203.0.113.7')).status).toBe(429);
        expect((await nora.get('/')).status).toBe(429);
      }
      expect((await statements()) - before).toBe(alone);
    });

    it('count requests to unknown addresses, too', async () => {
      const statuses: number[] = [];
      for (let count = 0; count < 12; count++) statuses.push((await send(slipway.port, '/%zz')).status);
      expect(statuses).toEqual([...Array(10).fill(400), 429, 429]);
    });
  });
});

describe('rate limits for requests', () => {
  /** How many of 2,500 requests of an address are refused. */
  const refusedOf = (remoteAddress: string, settings: Record<string, string> = {}) => {
    const { rates } = readConfig({ SLIPWAY_DATA_DIR: '/nowhere', ...settings });
    const origin = 'http://127.0.0.1';
    const limit = createRequestLimit({
      rates,
      originOf: () => origin,
      now: () => 0,
      refused: () => undefined,
    });
    const request = { ip: remoteAddress, headers: {}, url: '/', cookies: {} } as FastifyRequest;
    return Array.from({ length: 2500 }).filter(() => {
      try {
        limit.admit(request);
        return false;
      } catch {
        return true;
      }
    }).length;
  };

  it('apply by default, except to this machine', () => {
    expect(refusedOf('203.0.113.7')).toBe(100);
    expect(refusedOf('127.0.0.2')).toBe(0);
    expect(refusedOf('::1')).toBe(0);
  });

  it('can be turned off', () => {
    expect(refusedOf('203.0.113.7', { SLIPWAY_REQUESTS_PER_MINUTE: 'off' })).toBe(0);
  });

  it('apply to this machine if the operator sets one', () => {
    expect(refusedOf('127.0.0.1', { SLIPWAY_REQUESTS_PER_MINUTE: '5' })).toBe(2490);
  });
});
