/** Resumable uploads (tus 1.0) against a real server: its own client, and requests that no client sends. */
import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Upload } from 'tus-js-client';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createIssueKey } from '../../src/accounts/keys/issue-key.ts';
import {
  type ResumableUpload,
  tusMetadata,
  uploadChunkBytes,
  uploadResumably,
} from '../../src/commands/uploader/resumable-upload.ts';
import { openSource } from '../../src/commands/uploader/upload-source.ts';
import { defineQueries } from '../../src/db/data.ts';
import { buildApk } from '../support/build-apk.ts';
import { startFaultyProxy } from '../support/faulty-proxy.ts';
import {
  type Answer,
  chunkedBody,
  json,
  openRaw,
  type RequestOptions,
  rawRequest,
  send,
} from '../support/http-client.ts';
import { bearer, uploaded } from '../support/interface-client.ts';
import { multipart } from '../support/multipart-body.ts';
import { startTestService, type TestService } from '../support/test-service.ts';
import { issueTrustedKey } from '../support/trusted-key.ts';
import { temporaryFile } from '../uploader/upload-test-kit.ts';

const apk = (packageName: string, fillerBytes = 300_000) =>
  buildApk({ packageName, versionCode: 1, fillerBytes });
const base64 = (text: string | Buffer) => Buffer.from(text).toString('base64');
const metadata = (fields: Record<string, string>) =>
  Object.entries(fields)
    .map(([key, value]) => `${key} ${base64(value)}`)
    .join(',');
const path = '/api/v1/uploads';
const chunkType = 'application/offset+octet-stream';
const tus = { 'Tus-Resumable': '1.0.0' };
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

const endKey = defineQueries((db) => ({
  at: (id: string, time: number) =>
    db.updateTable('api_keys').set({ expires_at: time }).where('id', '=', id).execute(),
}));

interface Uploaded {
  app: { owner: string; package_name: string };
  build: { revision: number; sha256: string; size: number };
  page: { name: string } | null;
}

describe('resumable uploads', { timeout: 60_000 }, () => {
  const clock = { offsetMs: 0 };
  let slipway: TestService;
  let mina: string;
  let names = 0;
  beforeAll(async () => {
    slipway = await startTestService({ now: () => Date.now() + clock.offsetMs });
    mina = await slipway.user('mina');
  });
  afterAll(() => slipway.close());

  /** Every case has its own owner. */
  const newOwner = async () => {
    names += 1;
    const name = `crew-${names}`;
    await slipway.project(name, { members: { mina: 'developer' } });
    return name;
  };
  const call = (target: string, { headers, ...options }: RequestOptions = {}, key: string | null = mina) =>
    send(slipway.port, target, { ...options, headers: { ...tus, ...(key ? bearer(key) : {}), ...headers } });
  const create = (owner: string, length: number | string, options: RequestOptions = {}, key = mina) =>
    call(
      path,
      {
        method: 'POST',
        ...options,
        headers: {
          'Upload-Length': String(length),
          'Upload-Metadata': metadata({ filename: 'app.apk', owner }),
          ...options.headers,
        },
      },
      key,
    );
  const begun = async (owner: string, length: number) => {
    const answer = await create(owner, length);
    expect([answer.status, answer.text]).toEqual([201, expect.stringContaining('"offset":0')]);
    return String(answer.headers.location);
  };
  const patch = (target: string, offset: number | string, body: Buffer | string, more = {}, key = mina) =>
    call(
      target,
      {
        method: 'PATCH',
        headers: { 'Content-Type': chunkType, 'Upload-Offset': String(offset), ...more },
        body,
      },
      key,
    );
  const offsetOf = async (target: string) =>
    Number((await call(target, { method: 'HEAD' })).headers['upload-offset']);
  const detailOf = (answer: Answer) => [answer.status, json<{ detail: string }>(answer).detail];
  /** Files of uploads in progress. */
  const files = async () => {
    const folder = join(slipway.config.dataFolder, 'blobs', '.incoming');
    return (await readdir(folder).catch(() => [])).filter((name) => name.startsWith('upload-'));
  };
  const idOf = (target: string) => target.split('/').at(-1) ?? '';
  const filesOf = async (target: string) => (await files()).filter((name) => name.includes(idOf(target)));

  it('states its version, extensions and limits', async () => {
    const { status, headers } = await call(path, { method: 'OPTIONS' }, null);
    expect([status, headers]).toMatchObject([
      204,
      {
        'tus-resumable': '1.0.0',
        'tus-version': '1.0.0',
        'tus-extension': 'creation,creation-with-upload,checksum,expiration,termination',
        'tus-max-size': String(slipway.config.limits.maxUploadBytes),
        'tus-checksum-algorithm': 'sha256',
      },
    ]);
  });

  it('receives what tus-js-client sends in parts, with the fields of the form', async () => {
    const owner = await newOwner();
    const file = apk('com.example.parts');
    const bodies: string[] = [];
    await new Promise<void>((resolve, reject) => {
      new Upload(file, {
        endpoint: `${slipway.origin}${path}`,
        headers: bearer(mina),
        metadata: { filename: 'app.apk', owner, message: 'Grüße', distribution_name: 'nightly' },
        chunkSize: 100_000,
        onAfterResponse: (_, response) => void bodies.push(response.getBody()),
        onSuccess: () => resolve(),
        onError: reject,
      }).start();
    });
    const result = JSON.parse(bodies.at(-1) ?? '') as Uploaded;
    expect(result).toMatchObject({
      app: { owner, package_name: 'com.example.parts' },
      build: { revision: 1, sha256: sha256(file), size: file.length, message: 'Grüße' },
      page: { name: 'nightly' },
    });
    expect(await files()).toEqual([]);
  });

  it('answers like the upload of a form', async () => {
    const owner = await newOwner();
    const file = apk('com.example.form');
    const target = await begun(owner, file.length);
    const answer = json<Uploaded>(await patch(target, 0, file));
    const other = await newOwner();
    const parts = [{ name: 'file', content: file, fileName: 'app.apk' }];
    const { body, contentType } = multipart(parts);
    const form = await call(`/api/v1/owners/${other}/builds`, {
      method: 'POST',
      headers: { 'Content-Type': contentType },
      body,
    });
    const comparable = (text: string) =>
      JSON.parse(text.replaceAll(other, owner), (key, value) =>
        /^(id|.*_at|.*url|secret)$/.test(key) ? null : value,
      );
    expect(comparable(JSON.stringify(answer))).toEqual(comparable(form.text));
  });

  it('takes the first part with the creation, and the checksum of each part', async () => {
    const owner = await newOwner();
    const file = apk('com.example.creation');
    const [first, rest] = [file.subarray(0, 1000), file.subarray(1000)];
    const checksum = (bytes: Buffer) => ({
      'Upload-Checksum': `sha256 ${createHash('sha256').update(bytes).digest('base64')}`,
    });
    const created = await create(owner, file.length, {
      headers: { 'Content-Type': chunkType, ...checksum(first) },
      body: first,
    });
    expect([created.status, created.headers['upload-offset']]).toEqual([201, '1000']);
    const target = String(created.headers.location);
    const expires = Date.parse(String(created.headers['upload-expires'])) - Date.now() - clock.offsetMs;
    expect(expires / 3_600_000).toBeCloseTo(24, 1);

    const before = await filesOf(target);
    const wrong = await patch(target, 1000, rest, checksum(first));
    expect([wrong.status, json(wrong).code, wrong.headers['tus-resumable']]).toEqual([
      460,
      'checksum_mismatch',
      '1.0.0',
    ]);
    expect(await offsetOf(target)).toBe(1000);
    const { size } = await stat(join(slipway.config.dataFolder, 'blobs', '.incoming', before[0] ?? ''));
    expect(size).toBe(1000);
    const other = await patch(target, 1000, rest, { 'Upload-Checksum': 'sha1 deadbeef' });
    expect(detailOf(other)).toEqual([400, expect.stringContaining('sha256, the only supported')]);
    const done = await patch(target, 1000, rest, checksum(rest));
    expect([done.status, json<Uploaded>(done).build.sha256]).toEqual([200, sha256(file)]);

    const whole = apk('com.example.whole');
    const all = await create(owner, whole.length, { headers: { 'Content-Type': chunkType }, body: whole });
    expect([all.status, all.headers['upload-offset']]).toEqual([201, String(whole.length)]);
    expect(json<{ result: Uploaded }>(all).result.build.sha256).toBe(sha256(whole));
    expect(await files()).toEqual([]);
  });

  it('runs the commands of the documentation', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'slipway-tus-'));
    await writeFile(join(folder, 'app.apk'), apk('com.example.curl'));
    const text = await readFile(new URL('../../docs/resumable-uploads.md', import.meta.url), 'utf8');
    const [, commands = ''] = text.match(/## Upload with curl[\s\S]*?```sh\n([\s\S]*?)```/) ?? [];
    const env = { ...process.env, SLIPWAY_URL: slipway.origin, SLIPWAY_API_KEY: slipway.adminKey };
    const run = promisify(execFile);
    const { stdout } = await run('sh', ['-ec', commands], { cwd: folder, env });
    expect(JSON.parse(stdout)).toMatchObject({ app: { package_name: 'com.example.curl' } });
    await rm(folder, { recursive: true });
  });

  it('keeps what arrived before a connection broke', async () => {
    const owner = await newOwner();
    const file = apk('com.example.cut');
    const target = await begun(owner, file.length);
    const connection = await openRaw(slipway.port);
    const head = [
      `PATCH ${target} HTTP/1.1`,
      'Host: localhost',
      `Authorization: Bearer ${mina}`,
      'Tus-Resumable: 1.0.0',
      `Content-Type: ${chunkType}`,
      'Upload-Offset: 0',
      `Content-Length: ${file.length}`,
    ];
    await connection.write(`${head.join('\r\n')}\r\n\r\n`);
    await connection.write(file.subarray(0, 70_000));
    while ((await filesOf(target)).length === 0) await new Promise(setImmediate);
    connection.destroy();
    let offset = await offsetOf(target);
    while (offset === 0) offset = await offsetOf(target);
    expect(offset).toBeLessThanOrEqual(70_000);
    const done = await patch(target, offset, file.subarray(offset));
    expect(json<Uploaded>(done).build.sha256).toBe(sha256(file));
  });

  it('tells the result of the last part again, and makes one build', async () => {
    const owner = await newOwner();
    const file = apk('com.example.lost');
    const target = await begun(owner, file.length);
    const first = json<Uploaded>(await patch(target, 0, file));
    const again = await patch(target, file.length, '');
    expect([again.status, json(again)]).toEqual([200, first]);
    const head = await call(target, { method: 'HEAD' });
    expect([head.status, head.headers['upload-offset'], head.headers['upload-length']]).toEqual([
      200,
      String(file.length),
      String(file.length),
    ]);
    expect(json<{ result: Uploaded }>(await call(target)).result).toEqual(first);
    expect((await call(target, { method: 'DELETE' })).status).toBe(409);
    const { data } = json<{ data: object[] }>(
      await call(`/api/v1/apps/${owner}/android/com.example.lost/builds`),
    );
    expect(data).toHaveLength(1);
  });

  describe('from the uploader', () => {
    const send = async (file: Buffer, owner: string, more: Partial<ResumableUpload> = {}, before = noop) => {
      const source = await openSource(await temporaryFile({ onTestFinished }, 'app.apk', file));
      onTestFinished(source.close);
      const reasons: string[] = [];
      const answer = await uploadResumably({
        baseUrl: new URL(slipway.origin),
        metadata: tusMetadata([], owner, source.fileName) ?? '',
        source: {
          ...source,
          read: async (buffer, position) => {
            await before(position);
            return source.read(buffer, position);
          },
        },
        headers: {},
        idempotencyKey: owner,
        canContinueLater: false,
        credential: { get: async () => mina, renew: null },
        retries: null,
        timeouts: { connectMs: 10_000, continueMs: 1_000, idleMs: 60_000 },
        signal: AbortSignal.timeout(60_000),
        onProgress: () => undefined,
        onRetry: ({ reason }) => reasons.push(reason),
        ...more,
      });
      return { answer, reasons };
    };
    const noop = async (_position: number) => {};
    const buildsOf = async (owner: string, packageName: string) =>
      json<{ data: { sha256: string; source: object }[] }>(
        await call(`/api/v1/apps/${owner}/android/${packageName}/builds`),
      ).data;

    it('continue with another key of the same run when one ends in the middle', async () => {
      const owner = await newOwner();
      const file = apk('com.example.renewed', uploadChunkBytes + 1_000_000);
      const of = { ownerKind: 'project', ownerName: owner } as const;
      const first = await issueTrustedKey(slipway, of);
      const { id: ownerId = '' } = (await slipway.data.owners.findOwner(owner)) ?? {};
      const [listed] = await slipway.data.keys.listKeys(ownerId);
      let renewals = 0;
      const credential = {
        get: async () => first,
        renew: async () => {
          renewals += 1;
          return issueTrustedKey(slipway, of);
        },
      };
      let ended = false;
      const { answer, reasons } = await send(file, owner, { credential }, async (position) => {
        if (position < uploadChunkBytes || ended) return;
        ended = true;
        await endKey(slipway.data).at(listed?.id ?? '', Date.now() - 1);
      });
      expect([answer?.status, renewals, reasons]).toEqual([200, 1, []]);
      const builds = await buildsOf(owner, 'com.example.renewed');
      expect(builds).toMatchObject([{ sha256: sha256(file), source: { run_id: '42', verified: true } }]);
    });

    it('get the same build when the last answer is lost', async () => {
      const owner = await newOwner();
      const file = apk('com.example.unanswered');
      const proxy = await startFaultyProxy(new URL(slipway.origin));
      onTestFinished(proxy.close);
      proxy.set({ kind: 'cut-answer', to: `PATCH ${path}`, afterBytes: 20, times: 1 });
      const { answer, reasons } = await send(file, owner, { baseUrl: new URL(proxy.endpoint) });
      expect([answer?.status, reasons.length]).toEqual([200, 1]);
      const builds = await buildsOf(owner, 'com.example.unanswered');
      expect(builds).toMatchObject([{ sha256: sha256(file) }]);
      expect(JSON.parse(answer?.text ?? '').build).toMatchObject({ sha256: sha256(file), revision: 1 });
    });
  });

  it('refuses a package as the form does, says so again, and keeps nothing', async () => {
    const owner = await newOwner();
    const before = await slipway.leftBehind();
    const bytes = randomBytes(5000);
    const target = await begun(owner, bytes.length);
    const refused = await patch(target, 0, bytes);
    expect(detailOf(refused)).toEqual([400, expect.stringContaining('cannot detect the package')]);
    expect(detailOf(await call(target))).toEqual(detailOf(refused));
    expect((await call(target, { method: 'HEAD' })).status).toBe(400);
    expect([await files(), await slipway.leftBehind()]).toEqual([[], before]);
  });

  it('takes the method from X-HTTP-Method-Override, for networks that block PATCH and DELETE', async () => {
    const target = await begun(await newOwner(), 100);
    const post = (override: string, more = {}) =>
      call(target, {
        method: 'POST',
        headers: {
          'X-HTTP-Method-Override': override,
          'Content-Type': chunkType,
          'Upload-Offset': '0',
          ...more,
        },
        body: 'abc',
      });
    expect((await post('PUT')).status).toBe(405);
    expect((await post('PATCH')).headers['upload-offset']).toBe('3');
    expect((await post('DELETE')).status).toBe(204);
    expect((await call(target)).status).toBe(404);
    const elsewhere = await call(path, { method: 'POST', headers: { 'X-HTTP-Method-Override': 'DELETE' } });
    expect(elsewhere.status).toBe(400);
  });

  it('refuses parts that do not fit', async () => {
    const owner = await newOwner();
    const file = apk('com.example.fit');
    const target = await begun(owner, file.length);
    await patch(target, 0, file.subarray(0, 10));
    expect(detailOf(await patch(target, 9, 'x'))).toEqual([409, expect.stringContaining('has 10 bytes')]);
    expect((await patch(target, file.length, '')).status).toBe(409);
    for (const offset of ['1e1', '+10', '-1', '9007199254740992', '010', '', ' ', '10.0'])
      expect([offset, (await patch(target, offset, 'x')).status]).toEqual([offset, 400]);
    const long = Buffer.concat([file.subarray(10), Buffer.from('x')]);
    expect(detailOf(await patch(target, 10, long))).toEqual([
      413,
      expect.stringContaining('longer than the rest'),
    ]);
    const untyped = await call(target, { method: 'PATCH', headers: { 'Upload-Offset': '10' }, body: 'x' });
    expect(untyped.status).toBe(415);
    const old = await patch(target, 10, 'x', { 'Tus-Resumable': '0.2.2' });
    expect([old.status, old.headers['tus-version'], json(old).code]).toEqual([
      412,
      '1.0.0',
      'unsupported_tus_version',
    ]);
    expect(await offsetOf(target)).toBe(10);
    expect((await call(target, { method: 'DELETE' })).status).toBe(204);
  });

  it('lets one of several writers through', async () => {
    const owner = await newOwner();
    const file = apk('com.example.writers');
    const target = await begun(owner, file.length);
    const half = file.subarray(0, 150_000);
    const answers = await Promise.all(Array.from({ length: 8 }, () => patch(target, 0, half)));
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses).toEqual([204, ...Array(7).fill(423)]);
    const done = await patch(target, half.length, file.subarray(half.length));
    expect(json<Uploaded>(done).build.sha256).toBe(sha256(file));
  });

  it('checks everything before it receives a byte', async () => {
    const owner = await newOwner();
    const missing = await slipway.user(`stranger-${names}`);
    const of = (fields: Record<string, string> | string, more = {}) =>
      create(owner, 100, {
        headers: { 'Upload-Metadata': typeof fields === 'string' ? fields : metadata(fields), ...more },
      });
    const good = { filename: 'a.apk', owner };
    const trusted = await issueTrustedKey(slipway, { ownerKind: 'project', ownerName: owner });
    const stating = (fields: Record<string, string>) => ({
      headers: { 'Upload-Metadata': metadata(fields) },
    });
    const cases: [Promise<Answer>, number, string][] = [
      [create(owner, 0), 400, 'empty file'],
      [create(owner, 100, { headers: { 'Upload-Defer-Length': '1' } }), 400, 'Upload-Defer-Length'],
      [create(owner, 100, { headers: { 'Upload-Concat': 'partial' } }), 400, 'Upload-Concat'],
      ...['1e3', '+5', '-1', '9007199254740992', '0x10', '05', 'Infinity'].map(
        (length): [Promise<Answer>, number, string] => [create(owner, length), 400, 'Upload-Length must be'],
      ),
      [create(owner, slipway.config.limits.maxUploadBytes + 1), 413, 'SLIPWAY_MAX_UPLOAD'],
      [create(owner, 100, {}, missing), 403, 'permit'],
      [of({ ...good, owner: 'nobody-here' }), 404, 'is not found'],
      [of({ owner }), 400, 'must contain filename'],
      [of({ filename: 'a.apk' }), 400, 'must contain owner'],
      [of(''), 400, 'must contain filename'],
      [of({ ...good, distribution_nam: 'x' }), 400, 'the supported keys are'],
      [of({ ...good, token: 'x' }), 400, 'the supported keys are'],
      [of({ ...good, __proto__x: 'x' }), 400, 'the supported keys are'],
      [of(`${metadata(good)},owner ${base64('other')}`), 400, 'contains owner twice'],
      [of(`${metadata(good)},message %%%`), 400, 'Base64'],
      [of(`${metadata(good)},message ${base64('x').slice(0, -1)}`), 400, 'Base64'],
      [of(`${metadata(good)},message ${base64(Buffer.from([0xff, 0xfe]))}`), 400, 'UTF-8'],
      [of({ ...good, message: 'a\0b' }), 400, 'NUL'],
      [of({ ...good, distribution_name: 'x'.repeat(300) }), 400, 'istribution_name'],
      [of({ ...good, distribution_key: '0'.repeat(40) }), 404, 'is not found'],
      [create(owner, 100, stating({ ...good, branch: 'other' }), trusted), 400, 'ID token says'],
      [of({ ...good, branch: 'x'.repeat(300) }), 400, 'ranch'],
      [of({ ...good, message: 'x'.repeat(9500) }), 413, 'at most 12288'],
      [of(good, { 'Tus-Resumable': '2.0.0' }), 412, 'must be 1.0.0'],
      [of(good, { 'Content-Type': 'application/json', 'Content-Length': '2' }), 415, chunkType],
    ];
    for (const [answer, status, words] of cases) {
      const { status: found, text } = await answer;
      expect([found, text]).toEqual([status, expect.stringContaining(words)]);
    }
    expect((await of({ ...good, message: 'x'.repeat(1_000_000) })).status).toBe(431);
    expect((await call(path, { method: 'POST' }, null)).status).toBe(401);
  });

  it('answers for an upload of someone else as for none', async () => {
    const owner = await newOwner();
    const other = await slipway.user(`other-${names}`);
    const target = await begun(owner, 100);
    const comparable = ({ status, text }: Answer) => [status, text.replace(/"request_id":"[^"]*"/, '')];
    for (const method of ['GET', 'HEAD', 'PATCH', 'DELETE']) {
      const ask = (to: string) =>
        call(to, { method, headers: { 'Content-Type': chunkType, 'Upload-Offset': '0' } }, other);
      const [foreign, none] = [await ask(target), await ask(`${path}/${'0'.repeat(26)}`)];
      expect([method, comparable(foreign), foreign.status]).toEqual([method, comparable(none), 404]);
    }
    expect((await call(`${path}/%00`)).status).toBe(404);
  });

  it('reserves the announced size in the quota until the upload ends', async () => {
    const owner = await newOwner();
    const file = apk('com.example.quota');
    const found = await slipway.data.owners.findOwner(owner);
    const quota = { maxStorageBytes: Math.floor(file.length * 2.5), maxBuilds: null, maxProjects: null };
    await slipway.data.quotas.set(found?.id ?? '', quota);
    const many = await Promise.all(Array.from({ length: 6 }, () => create(owner, file.length)));
    expect(many.map(({ status }) => status).sort()).toEqual([201, 201, 403, 403, 403, 403]);
    const [one = '', two = ''] = many
      .filter(({ status }) => status === 201)
      .map(({ headers }) => String(headers.location));
    // A form counts them as well.
    await expect(uploaded(slipway, { owner, key: mina, file })).rejects.toThrow();
    expect((await call(one, { method: 'DELETE' })).status).toBe(204);
    expect((await call(one)).status).toBe(404);
    await uploaded(slipway, { owner, key: mina, file });
    const done = await patch(two, 0, file);
    expect([done.status, json<Uploaded>(done).build.revision]).toEqual([200, 2]);
    expect((await create(owner, file.length)).status).toBe(403);
  });

  it('refuses the build if the quota was lowered in the meantime, and keeps nothing', async () => {
    const owner = await newOwner();
    const file = apk('com.example.lowered');
    const before = await slipway.leftBehind();
    const target = await begun(owner, file.length);
    await patch(target, 0, file.subarray(0, 1000));
    const found = await slipway.data.owners.findOwner(owner);
    const quota = { maxStorageBytes: 1000, maxBuilds: null, maxProjects: null };
    await slipway.data.quotas.set(found?.id ?? '', quota);
    const refused = await patch(target, 1000, file.subarray(1000));
    expect(detailOf(refused)).toEqual([403, expect.stringContaining('limit')]);
    expect([await filesOf(target), await slipway.leftBehind()]).toEqual([[], before]);
  });

  it('refuses a body of unknown length that is longer than the rest', async () => {
    const owner = await newOwner();
    const file = apk('com.example.chunked');
    const target = await begun(owner, file.length);
    const headers = {
      ...tus,
      ...bearer(mina),
      'Content-Type': chunkType,
      'Upload-Offset': 0,
      'Transfer-Encoding': 'chunked',
    };
    const long = Buffer.concat([file, Buffer.from('x')]);
    const connection = await openRaw(slipway.port);
    await connection.write(rawRequest('PATCH', target, headers, chunkedBody(long, file.length)));
    expect((await connection.answer()).status).toBe(413);
    connection.destroy();
    const offset = await offsetOf(target);
    const rest = file.subarray(offset);
    const answer = await openRaw(slipway.port);
    const continued = { ...headers, 'Upload-Offset': offset };
    await answer.write(rawRequest('PATCH', target, continued, chunkedBody(rest)));
    expect((await answer.answer()).status).toBe(200);
    answer.destroy();
  });

  it('ends an upload whose bytes are gone, as after a backup was restored', async () => {
    const owner = await newOwner();
    const file = apk('com.example.gone');
    const target = await begun(owner, file.length);
    await patch(target, 0, file.subarray(0, 1000));
    const wrong = `sha256 ${base64(Buffer.alloc(32))}`;
    expect((await patch(target, 1000, 'x', { 'Upload-Checksum': wrong })).status).toBe(460);
    for (const name of await filesOf(target))
      await rm(join(slipway.config.dataFolder, 'blobs', '.incoming', name));
    expect((await patch(target, 1000, file.subarray(1000))).status).toBe(404);
    expect([(await call(target)).status, await filesOf(target)]).toEqual([404, []]);
  });

  it('refuses people who may no longer upload', async () => {
    const owner = await newOwner();
    const leaver = await slipway.user(`leaver-${names}`);
    await slipway.join(owner, 'developer', `leaver-${names}`);
    const { headers } = await create(owner, 100, {}, leaver);
    const target = String(headers.location);
    expect((await patch(target, 0, 'x', {}, leaver)).status).toBe(204);
    const person = `/api/v1/projects/${owner}/people/leaver-${names}`;
    expect((await call(person, { method: 'DELETE' }, slipway.adminKey)).status).toBe(204);
    expect((await patch(target, 1, 'x', {}, leaver)).status).toBe(403);
    const { id = '', kind = 'project' } = (await slipway.data.owners.findOwner(owner)) ?? {};
    const other = await begun(owner, 100);
    await patch(other, 0, 'x');
    await slipway.data.ownerDeletion.remove({ id, kind, email: null }, Date.now());
    expect((await patch(other, 1, 'x')).status).toBe(404);
    await slipway.service.startupSweep();
    expect([await filesOf(target), await filesOf(other)]).toEqual([[], []]);
  });

  it('limits unfinished uploads of a key', async () => {
    const owner = await newOwner();
    const key = await slipway.projectKey(owner);
    const answers: Answer[] = [];
    for (let count = 0; count < 21; count++) answers.push(await create(owner, 100, {}, key));
    expect(answers.map(({ status }) => status)).toEqual([...Array(20).fill(201), 409]);
    expect(detailOf(answers.at(-1) as Answer)[1]).toContain('20 uploads with this key are unfinished');
  });

  it('returns the upload that the same Idempotency-Key began', async () => {
    const owner = await newOwner();
    const file = apk('com.example.idempotency');
    const headers = { 'Idempotency-Key': `run-${names}` };
    const [one, two] = await Promise.all([
      create(owner, file.length, { headers }),
      create(owner, file.length, { headers }),
    ]);
    expect([one.status, two.status, two.headers.location]).toEqual([201, 201, one.headers.location]);
    const other = await create(owner, 5, { headers });
    expect([other.status, json(other).code]).toEqual([409, 'idempotency_conflict']);
    const built = json<Uploaded>(await patch(String(one.headers.location), 0, file));
    const again = await create(owner, file.length, { headers });
    expect(json<{ result: Uploaded }>(again).result).toEqual(built);
  });

  it('keeps an upload when its creation with an Idempotency-Key is repeated, and otherwise only with its bytes', async () => {
    const owner = await newOwner();
    const file = apk('com.example.repeated', 2_000_000);
    const begin = async (more: string[]) => {
      const connection = await openRaw(slipway.port);
      const head = [
        `POST ${path} HTTP/1.1`,
        'Host: localhost',
        `Authorization: Bearer ${mina}`,
        'Tus-Resumable: 1.0.0',
        `Upload-Length: ${file.length}`,
        `Upload-Metadata: ${metadata({ filename: 'app.apk', owner })}`,
        `Content-Type: ${chunkType}`,
        `Content-Length: ${file.length}`,
        ...more,
      ];
      await connection.write(`${head.join('\r\n')}\r\n\r\n`);
      await connection.write(file.subarray(0, 1_000_000));
      while ((await files()).length === 0) await new Promise(setImmediate);
      return connection;
    };
    const repeat = (more = {}) =>
      create(owner, file.length, {
        headers: { 'Idempotency-Key': `run-${owner}`, 'Content-Type': chunkType, ...more },
        body: file,
      });
    const running = await begin([`Idempotency-Key: run-${owner}`]);
    const { status, headers } = await repeat();
    expect([status, headers['retry-after']]).toEqual([423, '1']);
    expect((await repeat({ 'Upload-Checksum': `sha256 ${base64(Buffer.alloc(32))}` })).status).toBe(423);
    await running.write(file.subarray(1_000_000));
    const answer = await running.answer();
    expect([answer.status, json<{ result: Uploaded }>(answer).result.build.sha256]).toEqual([
      201,
      sha256(file),
    ]);
    running.destroy();
    // Without one, the client does not know the upload.
    (await begin([])).destroy();
    while ((await files()).length > 0) await new Promise(setImmediate);
  });

  it('does not let one key continue what the key of a trusted publisher began, or the reverse', async () => {
    const owner = await newOwner();
    const file = apk('com.example.provenance');
    const of = { ownerKind: 'project', ownerName: owner } as const;
    const plain = await slipway.projectKey(owner);
    const [trusted, renewed] = [await issueTrustedKey(slipway, of), await issueTrustedKey(slipway, of)];
    const otherRun = await issueTrustedKey(slipway, of, { run_id: '43' });
    const startedWith = async (key: string) =>
      String((await create(owner, file.length, {}, key)).headers.location);
    const [byPlain, byTrusted] = [await startedWith(plain), await startedWith(trusted)];
    expect((await patch(byPlain, 0, file, {}, trusted)).status).toBe(404);
    for (const key of [plain, otherRun]) expect((await patch(byTrusted, 0, file, {}, key)).status).toBe(404);
    expect((await patch(byTrusted, 0, file.subarray(0, 1000), {}, trusted)).status).toBe(204);
    const done = await patch(byTrusted, 1000, file.subarray(1000), {}, renewed);
    expect([done.status, json<{ build: { source: object } }>(done).build.source]).toMatchObject([
      200,
      { run_id: '42', verified: true },
    ]);
  });

  it('tells clients of tus to wait while the build is created, not to begin again', async () => {
    const owner = await newOwner();
    const target = await begun(owner, 100);
    const claims = defineQueries((db) => ({
      hold: (set: object) =>
        db.updateTable('resumable_uploads').where('id', '=', idOf(target)).set(set).execute(),
    }));
    await claims(slipway.data).hold({ received_bytes: 100, held_by: 'another', leased_until: 9e15 });
    for (const method of ['HEAD', 'GET']) {
      const { status, headers } = await call(target, { method });
      expect([status, headers['retry-after']]).toEqual([423, '1']);
    }
    expect((await patch(target, 100, '')).status).toBe(423);
    expect((await call(target, { method: 'DELETE' })).status).toBe(204);
  });

  it('ends uploads that expire or that nobody may continue, and removes their bytes', async () => {
    const owner = await newOwner();
    const file = apk('com.example.ends');
    const issueKey = createIssueKey({ data: slipway.data, now: Date.now });
    const issued = await issueKey({
      ownerName: owner,
      ownerKind: 'project',
      name: 'ci',
      expiresAt: null,
      by: 'command-line',
      notify: false,
    });
    const started = async (key: string) => {
      const { headers } = await create(owner, file.length, {}, key);
      const target = String(headers.location);
      expect((await patch(target, 0, file.subarray(0, 1000), {}, key)).status).toBe(204);
      return target;
    };
    const [revoked, expired] = [await started(issued.key), await started(mina)];
    const { id: ownerId = '' } = (await slipway.data.owners.findOwner(owner)) ?? {};
    const [listed] = await slipway.data.keys.listKeys(ownerId);
    await slipway.data.keys.revokeKey(ownerId, listed?.id ?? '', Date.now());
    expect((await patch(revoked, 1000, 'x', {}, issued.key)).status).toBe(401);
    // The next creation ends what nobody can continue, before the sweep removes its bytes.
    const third = await begun(owner, 100);
    expect((await call(third, { method: 'DELETE' })).status).toBe(204);
    clock.offsetMs += 24 * 60 * 60_000;
    expect(detailOf(await patch(expired, 1000, 'x'))).toEqual([404, expect.stringContaining('expired')]);
    await slipway.service.startupSweep();
    expect([await filesOf(revoked), await filesOf(expired)]).toEqual([[], []]);
  });
});
