/** The limits of the estimate of what a device downloads of a bundle: what exceeds them is listed as a gap or counts as it is. */
import { deflateRawSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { analyzeFile } from '../../../src/packages/analysis/analyze-package.ts';
import {
  maxAnalyzedTableBytes,
  maxCompressedBytes,
  maxRecompressedBytes,
  maxXmlFileBytes,
} from '../../../src/packages/analysis/bundle-delivery.ts';
import { buildZip, fileInMemory, type ZipEntrySpec } from '../../support/build-zip.ts';
import { encode, type Field, manifestMessage, tableMessage } from '../bundle/bundle-messages.ts';

async function analyze(files: readonly ZipEntrySpec[], table = tableMessage) {
  const { gaps, size } = await analyzeFile(
    fileInMemory(
      buildZip([
        { name: 'base/manifest/AndroidManifest.xml', content: manifestMessage },
        { name: 'base/resources.pb', content: table, method: 8 },
        ...files,
      ]),
    ),
  );
  return { gaps, downloadBytes: size.download.bytes };
}

/** A message that is as long as wanted, because of a field whose content is not read. */
function padded(message: Buffer, field: number, bytes: number): Buffer {
  const filled = (length: number) => Buffer.concat([message, encode([field, Buffer.alloc(length)])]);
  const overhead = filled(bytes).length - bytes;
  return filled(bytes - overhead);
}

/** An element with as many short texts as fit, and one that fills the rest. */
function commented(bytes: number): Buffer {
  const text = (length: number): Field => [5, encode([2, ' '.repeat(length)])];
  const element = (count: number, last: number) =>
    encode([1, encode([3, 'a'], ...Array.from({ length: count }, () => text(10_000)), text(last))]);
  const count = Math.floor((bytes - 2_000) / 10_008);
  return element(count, 1_000 + bytes - element(count, 1_000).length);
}

const sourcePool = 1;
/** FileReference.Type. */
const protoXml = 3;
const tooLarge = { part: 'resources', path: null, reason: 'too_large' };

describe('resources', () => {
  it('are converted up to maxAnalyzedTableBytes', async () => {
    const table = padded(tableMessage, sourcePool, maxAnalyzedTableBytes);
    expect(table).toHaveLength(maxAnalyzedTableBytes);
    expect((await analyze([], table)).gaps).toEqual([]);
    expect((await analyze([], padded(tableMessage, sourcePool, table.length + 1))).gaps).toEqual([tooLarge]);
  });

  it('may be XML files up to maxXmlFileBytes', async () => {
    const path = 'res/layout/a.xml';
    const file = encode([5, encode([1, path], [2, protoXml])]);
    const entry = encode([2, 'a'], [6, encode([1, Buffer.alloc(0)], [2, encode([4, file])])]);
    const type = encode([1, encode([1, 1])], [2, 'layout'], [3, entry]);
    const table = encode([2, encode([1, encode([1, 0x7f])], [2, 'com.example.bundle'], [3, type])]);
    const withXml = (bytes: number) =>
      analyze([{ name: `base/${path}`, content: commented(bytes), method: 8 }], table);
    expect((await withXml(maxXmlFileBytes)).gaps).toEqual([]);
    expect((await withXml(maxXmlFileBytes + 1)).gaps).toEqual([tooLarge]);
  });
});

describe('files', () => {
  const zeros = (bytes: number) => Buffer.alloc(bytes);

  it('are compressed again up to maxRecompressedBytes', async () => {
    const asset = (bytes: number) => {
      const content = zeros(bytes - 10);
      const packed = deflateRawSync(content, { level: 0 });
      return { bytes: packed.length, entry: { name: 'base/assets/a', content, packed, method: 8 } };
    };
    const [small, large] = [asset(maxRecompressedBytes), asset(maxRecompressedBytes + 20)];
    expect(small.bytes).toBeLessThanOrEqual(maxRecompressedBytes);
    expect(large.bytes).toBeGreaterThan(maxRecompressedBytes);
    const none = (await analyze([])).downloadBytes;
    expect((await analyze([small.entry])).downloadBytes - none).toBeLessThan(1_000);
    expect((await analyze([large.entry])).downloadBytes - none).toBeGreaterThan(maxRecompressedBytes);
  });

  it('are compressed up to maxCompressedBytes together, and further ones count as they are', async () => {
    const asset = (name: string, bytes: number) => ({ name: `base/assets/${name}`, content: zeros(bytes) });
    const within = await analyze([asset('a', maxCompressedBytes)]);
    expect(within.downloadBytes).toBeLessThan(200_000);
    const beyond = await analyze([asset('a', maxCompressedBytes), asset('b', 300_000)]);
    expect(beyond.downloadBytes - within.downloadBytes).toBeGreaterThanOrEqual(300_000);
  });
});
