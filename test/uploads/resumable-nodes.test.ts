/** Resumable uploads on two nodes of one PostgreSQL database, with shared files on disk and on S3. */
import { createHash, randomBytes } from 'node:crypto';
import { readdir, rm, stat, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { ListMultipartUploadsCommand, S3Client } from '@aws-sdk/client-s3';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseBlobKey } from '../../src/blobs/blob-key.ts';
import type { Queries } from '../../src/db/database.ts';
import { openDatabase } from '../../src/db/open-database.ts';
import { canMount, mountSmallDisk } from '../blobs/scratch.ts';
import { buildApk } from '../support/build-apk.ts';
import { chunkedBody, json, openRaw, type RequestOptions, rawRequest, send } from '../support/http-client.ts';
import { bearer } from '../support/interface-client.ts';
import { hasS3 } from '../support/s3-service.ts';
import { openSecondNode } from '../support/second-node.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

interface Uploaded {
  build: { sha256: string };
}
const mebibyte = 1024 * 1024;
const chunkType = 'application/offset+octet-stream';
const path = '/api/v1/uploads';
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const apk = (packageName: string, sizeBytes: number) =>
  buildApk({ packageName, extraEntries: [{ name: 'assets/random', content: randomBytes(sizeBytes) }] });

describe.each([
  ['disk', true],
  ['s3-streamed', hasS3],
] as const)('resumable uploads on two nodes with %s', (blobs, isPresent) => {
  describe.runIf(isPresent)('when installed', { timeout: 120_000 }, () => {
    const clock = { offsetMs: 0 };
    const now = () => Date.now() + clock.offsetMs;
    let first: TestService;
    let second: Awaited<ReturnType<typeof openSecondNode>>;
    let key: string;
    beforeAll(async () => {
      first = await startTestService({ dialect: 'postgres', blobs, now });
      second = await openSecondNode(first, {}, now);
      key = await first.user('mina');
    });
    afterAll(async () => {
      await second?.close();
      await first?.close();
    });

    const call = (port: number, target: string, { headers, ...options }: RequestOptions = {}) =>
      send(port, target, { ...options, headers: { 'Tus-Resumable': '1.0.0', ...bearer(key), ...headers } });
    const begun = async (length: number) => {
      const metadata = `filename ${btoa('app.apk')},owner ${btoa('mina')}`;
      const headers = { 'Upload-Length': String(length), 'Upload-Metadata': metadata };
      const { status, headers: found } = await call(first.port, path, { method: 'POST', headers });
      expect(status).toBe(201);
      return String(found.location);
    };
    const patch = (port: number, target: string, offset: number, body: Buffer) =>
      call(port, target, {
        method: 'PATCH',
        headers: { 'Content-Type': chunkType, 'Upload-Offset': String(offset) },
        body,
      });
    const offsetOn = async (port: number, target: string) =>
      Number((await call(port, target, { method: 'HEAD' })).headers['upload-offset']);
    /** What an upload has stored: files of sessions, objects of tails, and unfinished multipart uploads. */
    const stored = async (target: string) => {
      const id = target.split('/').at(-1) ?? '';
      const found: string[] = [];
      for await (const blob of first.blobs.list('')) if (blob.key.includes(id)) found.push(blob.key);
      if (first.config.blobs.kind === 's3') {
        const { bucket, prefix, endpoint, credentials } = first.config.blobs;
        const client = new S3Client({
          region: 'us-east-1',
          forcePathStyle: true,
          endpoint: endpoint ?? '',
          credentials: credentials ?? { accessKeyId: '', secretAccessKey: '' },
        });
        const listed = await client.send(new ListMultipartUploadsCommand({ Bucket: bucket, Prefix: prefix }));
        found.push(
          ...(listed.Uploads ?? [])
            .map(({ Key = '' }) => `unfinished ${Key}`)
            .filter((one) => one.includes(id)),
        );
      } else {
        const names = await readdir(join(first.config.dataFolder, 'blobs', '.incoming'));
        found.push(...names.filter((name) => name.includes(id)));
      }
      return found;
    };
    const query = async <T>(run: (queries: Queries) => Promise<T>): Promise<T> => {
      const database = await openDatabase(first.config.database);
      return run(database.queries).finally(() => database.close());
    };
    const offsetOf = async (target: string) => {
      const id = target.split('/').at(-1) ?? '';
      const found = await query((queries) =>
        queries
          .selectFrom('resumable_uploads')
          .select('received_bytes as bytes')
          .where('id', '=', id)
          .executeTakeFirstOrThrow(),
      );
      return Number(found.bytes);
    };
    const storedFile = async ({ build }: Uploaded) => {
      const found = await query((queries) =>
        queries
          .selectFrom('builds')
          .select('package_blob')
          .where('sha256', '=', build.sha256)
          .executeTakeFirstOrThrow(),
      );
      const blob = await first.blobs.open(parseBlobKey(found.package_blob));
      return buffer(blob?.stream as Readable);
    };

    it('continues on the other node after each request, and keeps nothing else', async () => {
      const file = apk('com.example.turns', 42 * mebibyte);
      const target = await begun(file.length);
      const ports = [first.port, second.port];
      // Shorter than a part, several parts, nothing but the rest of a part, the end.
      const ends = [5, 6, 7, 35, 36, 40].map((end) => end * mebibyte).concat(file.length);
      let offset = 0;
      let last = await offsetOn(second.port, target).then(
        () => null as Awaited<ReturnType<typeof patch>> | null,
      );
      for (const [turn, end] of ends.entries()) {
        last = await patch(ports[turn % 2] ?? 0, target, offset, file.subarray(offset, end));
        offset = end;
        if (end < file.length)
          expect([last.status, await offsetOn(ports[(turn + 1) % 2] ?? 0, target)]).toEqual([204, end]);
      }
      const answer = json<Uploaded>(last as NonNullable<typeof last>);
      expect(answer.build.sha256).toBe(sha256(file));
      expect((await storedFile(answer)).equals(file)).toBe(true);
      const left = (await stored(target)).filter((name) => !name.startsWith('packages/'));
      expect(left).toEqual([]);
      expect(await stored(target)).toHaveLength(blobs === 'disk' ? 0 : 1);
    });

    it('receives an upload in one request', async () => {
      const file = apk('com.example.once', 20 * mebibyte);
      const target = await begun(file.length);
      const answer = json<Uploaded>(await patch(first.port, target, 0, file));
      expect((await storedFile(answer)).equals(file)).toBe(true);
    });

    it('ignores a node that has lost its claim', async () => {
      const file = apk('com.example.frozen', 40 * mebibyte);
      const target = await begun(file.length);
      const connection = await openRaw(first.port);
      const head = [
        `PATCH ${target} HTTP/1.1`,
        'Host: localhost',
        `Authorization: Bearer ${key}`,
        'Tus-Resumable: 1.0.0',
        `Content-Type: ${chunkType}`,
        'Upload-Offset: 0',
        `Content-Length: ${file.length}`,
      ];
      await connection.write(`${head.join('\r\n')}\r\n\r\n`);
      await connection.write(file.subarray(0, 20 * mebibyte));
      while ((await offsetOn(second.port, target)) === 0) await new Promise(setImmediate);
      expect((await patch(second.port, target, await offsetOn(second.port, target), file)).status).not.toBe(
        204,
      );
      // As when its lease ends while it is frozen.
      await query((queries) =>
        queries.updateTable('resumable_uploads').set({ held_by: null, leased_until: null }).execute(),
      );
      const offset = await offsetOn(second.port, target);
      const wrong = Buffer.alloc(20 * mebibyte, 'x');
      const [continued] = await Promise.all([
        patch(second.port, target, offset, file.subarray(offset, offset + 1000)),
        connection.write(wrong),
      ]);
      expect(continued.status).toBe(204);
      expect((await connection.answer()).status).toBe(423);
      connection.destroy();
      const rest = await offsetOn(first.port, target);
      const done = await patch(first.port, target, rest, file.subarray(rest));
      expect([done.status, done.text.slice(0, 300)]).toEqual([200, expect.anything()]);
      expect([done.status, json<{ build: { sha256: string } }>(done).build.sha256]).toEqual([
        200,
        sha256(file),
      ]);
    });

    it('keeps nothing of an upload that another node terminates while it is received', async () => {
      const bytes = randomBytes(20 * mebibyte);
      const target = await begun(bytes.length);
      const sessions = () =>
        query((queries) =>
          queries
            .selectFrom('resumable_uploads')
            .select('sessions')
            .where('id', '=', target.split('/').at(-1) ?? '')
            .executeTakeFirstOrThrow(),
        );
      const connection = await openRaw(first.port);
      const head = [
        `PATCH ${target} HTTP/1.1`,
        'Host: localhost',
        `Authorization: Bearer ${key}`,
        'Tus-Resumable: 1.0.0',
        `Content-Type: ${chunkType}`,
        'Upload-Offset: 0',
        `Content-Length: ${bytes.length}`,
      ];
      await connection.write(`${head.join('\r\n')}\r\n\r\n`);
      await connection.write(bytes.subarray(0, mebibyte));
      while ((await sessions()).sessions === 0) await new Promise(setImmediate);
      expect((await call(second.port, target, { method: 'DELETE' })).status).toBe(204);
      await connection.write(bytes.subarray(mebibyte));
      expect((await connection.answer()).status).toBe(404);
      connection.destroy();
      expect(await stored(target)).toEqual([]);
    });

    it('creates no build of an upload that is terminated in the meantime, and says that it is gone', async () => {
      const file = buildApk({ packageName: 'com.example.terminated' });
      const target = await begun(file.length);
      const database = await openDatabase(first.config.database);
      const answer = await database.queries
        .transaction()
        .execute(async (tx) => {
          // The transaction that creates the build waits for this lock.
          await sql`select id from owners where name = 'mina' for update`.execute(tx);
          const patched = patch(first.port, target, 0, file);
          while ((await offsetOf(target)) < file.length) await new Promise(setImmediate);
          expect((await call(second.port, target, { method: 'DELETE' })).status).toBe(204);
          return { patched };
        })
        .finally(() => database.close());
      expect((await answer.patched).status).toBe(404);
      expect(await stored(target)).toEqual([]);
    });

    it('removes what a node that is gone had received', async () => {
      const file = randomBytes(20 * mebibyte);
      const [refused, expired] = [await begun(file.length), await begun(file.length)];
      await patch(second.port, refused, 0, file.subarray(0, 18 * mebibyte));
      await patch(second.port, expired, 0, file.subarray(0, 18 * mebibyte));
      expect((await stored(expired)).length).toBeGreaterThan(0);
      const answer = await patch(first.port, refused, 18 * mebibyte, file.subarray(18 * mebibyte));
      expect([answer.status, await stored(refused)]).toEqual([400, []]);
      await second.close();
      clock.offsetMs += 24 * 60 * 60_000;
      await first.service.startupSweep();
      expect(await stored(expired)).toEqual([]);
    });
  });
});

describe.runIf(canMount())('resumable uploads on a disk that fills up', { timeout: 60_000 }, () => {
  it('keep what was acknowledged, free the rest and continue', async () => {
    const disk = mountSmallDisk(80 * mebibyte);
    const settings = { SLIPWAY_DATA_DIR: join(disk?.folder ?? '', 'data') };
    const slipway = await startTestService({ settings, limits: { minimumFreeBytes: 0 } });
    const file = apk('com.example.full', 30 * mebibyte);
    const call = (target: string, { headers, ...options }: RequestOptions = {}) =>
      send(slipway.port, target, {
        ...options,
        headers: { 'Tus-Resumable': '1.0.0', ...bearer(slipway.adminKey), ...headers },
      });
    const metadata = `filename ${btoa('app.apk')},owner ${btoa('admin')}`;
    const create = { 'Upload-Length': String(file.length), 'Upload-Metadata': metadata };
    const target = String((await call(path, { method: 'POST', headers: create })).headers.location);
    const patch = (offset: number) => {
      const headers = { 'Content-Type': chunkType, 'Upload-Offset': String(offset) };
      return call(target, { method: 'PATCH', headers, body: file.subarray(offset) });
    };
    const offsetOf = async () => Number((await call(target, { method: 'HEAD' })).headers['upload-offset']);
    const filler = join(disk?.folder ?? '', 'filler');
    const { bavail, bsize } = await statfs(disk?.folder ?? '');
    await writeFile(filler, Buffer.alloc(bavail * bsize - 20 * mebibyte));
    // The announced size is refused unread; a body of unknown length fills the disk.
    expect([(await patch(0)).status, await offsetOf()]).toEqual([507, 0]);
    const connection = await openRaw(slipway.port);
    const headers = {
      'Tus-Resumable': '1.0.0',
      ...bearer(slipway.adminKey),
      'Content-Type': chunkType,
      'Upload-Offset': 0,
      'Transfer-Encoding': 'chunked',
    };
    void connection.write(rawRequest('PATCH', target, headers, chunkedBody(file)));
    expect((await connection.answer()).status).toBe(507);
    connection.destroy();
    await rm(filler);
    const offset = await offsetOf();
    const [name = ''] = await readdir(join(slipway.config.dataFolder, 'blobs', '.incoming'));
    const { size } = await stat(join(slipway.config.dataFolder, 'blobs', '.incoming', name));
    expect(size).toBe(offset);
    const done = await patch(offset);
    expect([done.status, json<Uploaded>(done).build.sha256]).toEqual([200, sha256(file)]);
    await slipway.close();
    disk?.remove();
  });
});
