/** The S3 store against a real service: the contract of all stores, and the features of S3. */
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import {
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { iconKey, packageKey } from '../../src/blobs/blob-key.ts';
import { BlobExists, type BlobStore } from '../../src/blobs/blob-store.ts';
import { openBlobStore } from '../../src/blobs/open-blob-store.ts';
import { createS3BlobStore } from '../../src/blobs/s3/s3-blob-store.ts';
import { minPartBytes, partSizeFor } from '../../src/blobs/s3/s3-put.ts';
import { describeBlobStore } from '../contracts/blob-store.ts';
import { createS3Scratch, hasS3, type S3Scratch } from '../support/s3-service.ts';
import { makeScratch, type Scratch } from './scratch.ts';

const mebibyte = 1024 * 1024;

describe.skipIf(!hasS3)('on S3 (needs Ceph)', () => {
  describeBlobStore('S3 blob store', async () => {
    const scratch = await createS3Scratch();
    return { store: createS3BlobStore(scratch.config), leftovers: scratch.uploads, close: scratch.remove };
  });

  describe('an S3 blob store', () => {
    let s3: S3Scratch;
    let files: Scratch;
    let store: BlobStore;
    beforeEach(async () => {
      s3 = await createS3Scratch();
      files = makeScratch();
      store = createS3BlobStore(s3.config);
    });
    afterEach(async () => {
      await s3.remove();
      files.remove();
    });

    async function spooled(bytes: Uint8Array) {
      const path = join(files.folder, randomUUID());
      await writeFile(path, bytes);
      return { path, sizeBytes: bytes.length, synced: true };
    }
    const target = (key: string) => ({ Bucket: s3.config.bucket, Key: s3.config.prefix + key });

    test('is opened from the settings', async () => {
      const opened = await openBlobStore(s3.config);
      await opened.putBytes(packageKey('b1'), Buffer.from('x'));
      expect(await s3.objects()).toEqual(['packages/b1']);
      expect(opened.localPath).toBeUndefined();
    });

    test('adds its prefix to every key and ignores foreign objects', async () => {
      await store.putBytes(packageKey('b1'), Buffer.from('x'));
      for (const key of ['note.txt', 'packages/B', 'packages/b1/more']) {
        await s3.client.send(new PutObjectCommand({ ...target(key), Body: 'foreign' }));
      }
      const other = createS3BlobStore({ ...s3.config, prefix: `${s3.config.prefix}deeper/` });
      await other.putBytes(packageKey('b2'), Buffer.from('y'));
      expect((await Array.fromAsync(store.list(''))).map(({ key }) => key)).toEqual(['packages/b1']);
      expect((await Array.fromAsync(other.list(''))).map(({ key }) => key)).toEqual(['packages/b2']);
      expect(await other.open(packageKey('b1'))).toBeNull();
    });

    test('works without a prefix', async () => {
      const bare = createS3BlobStore({ ...s3.config, prefix: '' });
      const key = packageKey(randomUUID());
      await bare.putBytes(key, Buffer.from('x'));
      expect((await Array.fromAsync(bare.list(key))).map((blob) => blob.key)).toEqual([key]);
      await bare.remove(key);
      expect(await bare.open(key)).toBeNull();
    });

    test('lists objects page by page', async () => {
      const keys = Array.from({ length: 7 }, (_, index) => iconKey('a', `r${index}`));
      for (const key of keys) await store.putBytes(key, Buffer.from('x'));
      const paged = createS3BlobStore(s3.config, { pageSize: 3 });
      expect((await Array.fromAsync(paged.list('icons/'))).map(({ key }) => key)).toEqual(keys);
    });

    test.each([minPartBytes, minPartBytes + 1, 2 * minPartBytes + 5])(
      'stores %i bytes, at the boundary of a part',
      async (length) => {
        const bytes = randomBytes(length);
        await store.put(packageKey('b1'), await spooled(bytes));
        const { ETag } = await s3.client.send(new HeadObjectCommand(target('packages/b1')));
        const parts = Math.ceil(length / minPartBytes);
        expect(ETag).toMatch(parts > 1 ? new RegExp(`-${parts}"$`) : /^"[0-9a-f]{32}"$/);
        expect(digest(await read(store))).toBe(digest(bytes));
      },
    );

    test('chooses part sizes within the limits of S3', () => {
      for (const size of [minPartBytes + 1, 4 * 1024 * mebibyte, 5 * 1024 * 1024 * mebibyte]) {
        const partBytes = partSizeFor(size);
        expect(partBytes).toBeGreaterThanOrEqual(minPartBytes);
        expect(partBytes).toBeLessThan(5 * 1024 * mebibyte);
        expect(Math.ceil(size / partBytes)).toBeLessThanOrEqual(10_000);
      }
    });

    test('writes a key only once in a multipart upload too', async () => {
      const file = await spooled(randomBytes(minPartBytes + 1));
      await store.put(packageKey('b1'), file);
      await expect(store.put(packageKey('b1'), file)).rejects.toThrow(BlobExists);
      await expect(store.putBytes(packageKey('b1'), Buffer.from('x'))).rejects.toThrow(BlobExists);
      expect((await read(store))?.length).toBe(file.sizeBytes);
      expect(await s3.uploads()).toEqual([]);
    });

    test('stores many blobs concurrently', async () => {
      const file = await spooled(randomBytes(minPartBytes + 1000));
      const keys = Array.from({ length: 12 }, (_, index) => packageKey(`b${index}`));
      await Promise.all(keys.map((key) => store.put(key, file)));
      const blobs = await Array.fromAsync(store.list(''));
      expect(blobs.map(({ sizeBytes }) => sizeBytes)).toEqual(keys.map(() => file.sizeBytes));
    });

    test('removes only its own old unfinished uploads', async () => {
      const begin = (key: string) => s3.client.send(new CreateMultipartUploadCommand(target(key)));
      for (const key of ['packages/b1', 'packages/b2', 'packages/b3', 'notes/of-another']) {
        const { UploadId } = await begin(key);
        const part = { ...target(key), UploadId, PartNumber: 1, Body: 'begun' };
        await s3.client.send(new UploadPartCommand(part));
      }
      const paged = createS3BlobStore(s3.config, { pageSize: 2 });
      expect(await paged.removeLeftovers?.(Date.now() - 60_000)).toBe(0);
      expect(await s3.uploads()).toHaveLength(4);
      expect(await paged.removeLeftovers?.(Date.now() + 60_000)).toBe(3);
      expect(await s3.uploads()).toEqual(['notes/of-another']);
      expect(await s3.objects()).toEqual([]);
    });

    test('checks that it can write and leaves nothing behind', async () => {
      await store.check();
      await store.check();
      expect(await s3.objects()).toEqual([]);
      expect(await s3.uploads()).toEqual([]);
    });

    describe('links', () => {
      const bytes = randomBytes(100_000);
      const options = {
        expiresInSeconds: 60,
        contentType: 'application/vnd.android.package-archive',
        contentDisposition: `attachment; filename="a_b.apk"; filename*=UTF-8''a%20%C3%A4b.apk`,
      };
      const link = async (from = store, wanted = options) => {
        const address = await from.link?.(packageKey('b1'), wanted);
        if (!address) throw new Error('no link');
        return address;
      };
      beforeEach(() => store.putBytes(packageKey('b1'), bytes));

      test('serve the blob with the given name and type', async () => {
        const answer = await fetch(await link());
        expect(answer.status).toBe(200);
        expect(answer.headers.get('content-type')).toBe(options.contentType);
        expect(answer.headers.get('content-disposition')).toBe(options.contentDisposition);
        expect(answer.headers.get('cache-control')).toContain('private');
        expect(digest(Buffer.from(await answer.arrayBuffer()))).toBe(digest(bytes));
      });

      test('serve a range', async () => {
        const answer = await fetch(await link(), { headers: { Range: 'bytes=10-19' } });
        expect(answer.status).toBe(206);
        expect(answer.headers.get('content-range')).toBe(`bytes 10-19/${bytes.length}`);
        expect(Buffer.from(await answer.arrayBuffer())).toEqual(bytes.subarray(10, 20));
      });

      test('are signed for one blob and for reading only', async () => {
        await store.putBytes(packageKey('b2'), bytes);
        const address = await link();
        const changed = [
          String(address).replace('packages/b1', 'packages/b2'),
          String(address).replace('X-Amz-Expires=60', 'X-Amz-Expires=600'),
          String(address).replace('android', 'pwned'),
          `${address.origin}${address.pathname}`,
        ];
        for (const other of changed) expect((await fetch(other)).status).toBe(403);
        for (const method of ['PUT', 'DELETE']) expect((await fetch(address, { method })).status).toBe(403);
        expect((await fetch(address)).status).toBe(200);
      });

      test('expire', async () => {
        const address = await link(store, { ...options, expiresInSeconds: 1 });
        await expect.poll(async () => (await fetch(address)).status, { timeout: 20_000 }).toBe(403);
      });

      test('point to the public endpoint', async () => {
        const publicEndpoint = 'https://files.example.com';
        const address = await link(createS3BlobStore({ ...s3.config, publicEndpoint }));
        expect(address.origin).toBe(publicEndpoint);
        expect(address.pathname).toBe(`/${s3.config.bucket}/${s3.config.prefix}packages/b1`);
        const virtual = createS3BlobStore({ ...s3.config, publicEndpoint, pathStyle: false });
        expect((await link(virtual)).host).toBe(`${s3.config.bucket}.files.example.com`);
      });

      test('can be disabled', () => {
        expect(createS3BlobStore({ ...s3.config, links: false }).link).toBeUndefined();
      });
    });

    test('returns null for a blob that another process removed', async () => {
      await store.putBytes(packageKey('b1'), Buffer.from('x'));
      await s3.client.send(new DeleteObjectCommand(target('packages/b1')));
      expect(await store.open(packageKey('b1'))).toBeNull();
    });
  });
});

async function read(store: BlobStore): Promise<Buffer | null> {
  const blob = await store.open(packageKey('b1'));
  return blob === null ? null : buffer(blob.stream);
}

const digest = (bytes: Buffer | null) =>
  bytes === null ? null : createHash('sha256').update(bytes).digest('hex');
