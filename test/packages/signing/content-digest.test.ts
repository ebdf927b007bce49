import { describe, expect, it } from 'vitest';
import {
  digestChunkBytes,
  readContentDigests,
} from '../../../src/packages/apk/signature/signature-content-digest.ts';
import { createVerityDigest } from '../../../src/packages/apk/signature/signature-verity-digest.ts';
import { findSigningBlock } from '../../../src/packages/apk/signature/signing-block.ts';
import { openZip } from '../../../src/packages/zip/open-zip.ts';
import { buildApk } from '../../support/build-apk.ts';
import { fileInMemory } from '../../support/build-zip.ts';
import { runsEverything } from '../../support/runs-everything.ts';
import { signApk, verityDigest } from '../../support/sign-apk.ts';
import { createTestKey } from '../../support/test-key.ts';

describe('the fs-verity digest', () => {
  const page = 4096;
  it.each([
    1,
    page - 1,
    page,
    page + 1,
    128 * page,
    128 * page + 1,
    129 * page,
    ...(runsEverything ? [128 * 128 * page] : []),
    128 * 128 * page + 5,
  ])('of %i bytes is the digest of the whole tree', (length) => {
    const bytes = Buffer.alloc(length, 'some bytes');
    const digest = createVerityDigest();
    for (let start = 0; start < length; start += 5000) digest.update(bytes.subarray(start, start + 5000));
    expect(digest.finish()).toEqual(verityDigest(bytes));
  });
});

describe('the content digests', () => {
  it('read the file once for all algorithms, one chunk at a time', async () => {
    const key = createTestKey();
    const apk = signApk(buildApk({ fillerBytes: 3 * digestChunkBytes + 17 }), {
      v2: [{ key }],
      aligned: true,
    });
    const file = fileInMemory(apk);
    const archive = await openZip(file);
    const { block } = await findSigningBlock(archive);
    expect(block).not.toBeNull();
    if (block === null) return;
    const lengths: number[] = [];
    const watched = {
      ...archive,
      file: {
        sizeBytes: file.sizeBytes,
        read: (position: number, length: number) => {
          lengths.push(length);
          return file.read(position, length);
        },
      },
    };
    const kinds = new Set(['chunked-sha256', 'chunked-sha512', 'verity-sha256'] as const);
    const digests = await readContentDigests(watched, block, kinds);
    expect([...digests].map(([kind, digest]) => [kind, digest.length])).toEqual([
      ['chunked-sha256', 32],
      ['chunked-sha512', 64],
      ['verity-sha256', 40],
    ]);
    expect(Math.max(...lengths)).toBe(digestChunkBytes);
    expect(lengths.reduce((sum, length) => sum + length, 0)).toBe(apk.length - block.sizeBytes);
  });
});
