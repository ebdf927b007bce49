/** Writes the universal APK of an Android App Bundle, and signs it. */
import { createHash } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { crc32, createDeflateRaw, deflateRawSync } from 'node:zlib';
import { type ApkOutput, createApkOutput, type WrittenApk } from '../apk/signing/apk-output.ts';
import { jarDigestFor, writeJarSignature } from '../apk/signing/jar-signature-writer.ts';
import { algorithmOf, writeSigningBlock } from '../apk/signing/signing-block-writer.ts';
import { firstSdkWithoutJarSignature, type SigningKey } from '../apk/signing/signing-key.ts';
import type { ConversionNeeds } from '../package-info.ts';
import { maxApkBytes } from '../zip/write-zip.ts';
import type { ZipArchive, ZipEntry } from '../zip/zip-archive.ts';
import { isAtLeast } from './bundle-config.ts';
import type { ApkFile, UniversalApk } from './open-bundle.ts';

/** Files up to this size are held in memory; larger ones are streamed. */
const bufferedBytes = 4 * 1024 * 1024;
/** Alignment of libraries that Android maps from the APK. Pages of 16 KiB are also aligned for 4 KiB. */
const pageBytes = 16_384;
/** Never compressed by versions of bundletool before 0.7.3. */
const compressedExtensions = new Set(
  '3g2 3gp 3gpp 3gpp2 aac amr awb gif imy jet jpeg jpg m4a m4v mid midi mkv mp2 mp3 mp4 mpeg mpg ogg png rtttl smf wav webm wma wmv xmf'.split(
    ' ',
  ),
);

export interface ApkOptions {
  /** The current key last; see `writeSigningBlock`. */
  keys: readonly SigningKey[];
  minSdk: number;
  maxApkBytes?: number;
  /** Called with the completed share of the work, from 0 to 1. */
  onProgress?: (part: number) => void;
}

/** The data of a file, as it is stored in the APK. */
interface Packed {
  method: 'stored' | 'deflated';
  crc32: number;
  compressedBytes: number;
  uncompressedBytes: number;
}

/**
 * Replaces the file at `path`. Data that is compressed in the bundle is copied after its checksum was verified.
 * @throws UnreadablePackage if a file of the bundle is damaged, or the APK would exceed a limit
 */
export async function writeUniversalApk(
  apk: UniversalApk,
  path: string,
  options: ApkOptions,
): Promise<WrittenApk> {
  const file = await open(path, 'w');
  try {
    const written = await writeFiles(apk, file, options);
    await file.sync();
    return written;
  } finally {
    await file.close();
  }
}

/** Headers and names of an entry, and padding for its alignment. */
const entryBytes = 150;
/** Size of the signing block. */
const signatureBytes = 16 * 1024;

/** Based on the sizes stated in the directory of the bundle, which are verified when the files are read. */
export function conversionNeedsOf(apk: UniversalApk): ConversionNeeds {
  const isStored = storageRules(apk);
  let [apkBytes, contentBytes] = [signatureBytes, 0];
  for (const file of apk.files) {
    const { compressedBytes = 0, uncompressedBytes = 0 } = apk.archive.find(file.path) ?? {};
    const isWhole = file.source === null || isStored(file);
    apkBytes += entryBytes + (isWhole ? uncompressedBytes : Math.min(compressedBytes, uncompressedBytes));
    contentBytes += uncompressedBytes;
  }
  return { apkBytes, contentBytes };
}

async function writeFiles(apk: UniversalApk, file: FileHandle, options: ApkOptions): Promise<WrittenApk> {
  const { keys, minSdk, maxApkBytes: maxBytes = maxApkBytes, onProgress } = options;
  const [oldest, current] = [keys[0], keys.at(-1)];
  if (!oldest || !current) throw new Error('no key');
  const { digestName } = algorithmOf(current.privateKey);
  const output = createApkOutput(file, digestName, maxBytes);
  const jarDigestName = minSdk < firstSdkWithoutJarSignature ? jarDigestFor(minSdk) : null;
  const jarDigests = new Map<string, string>();
  const totalBytes = apk.files.reduce((sum, { source }) => sum + (source?.uncompressedBytes ?? 0), 1);
  const isStored = storageRules(apk);
  let doneBytes = 0;
  for (const one of apk.files) {
    const digest = jarDigestName && createHash(jarDigestName);
    await writeFile(one, digest ? (bytes) => digest.update(bytes) : () => undefined);
    if (digest) jarDigests.set(one.path, digest.digest('base64'));
    doneBytes += one.source?.uncompressedBytes ?? 0;
    onProgress?.(doneBytes / totalBytes);
  }
  const signatureFiles = jarDigestName ? writeJarSignature(jarDigests, jarDigestName, oldest) : [];
  for (const { name, content } of signatureFiles) {
    const packed = deflateRawSync(content);
    await begin(name, { ...sizesOf(content), method: 'deflated', compressedBytes: packed.length });
    await output.write(packed);
  }
  return output.finish((digest) => writeSigningBlock(keys, digest));

  async function begin(name: string, packed: Packed): Promise<void> {
    const alignment = packed.method === 'deflated' ? 1 : name.endsWith('.so') ? pageBytes : 4;
    await output.beginEntry({ name, ...packed, alignment });
  }

  async function writeFile(one: ApkFile, digest: (bytes: Buffer) => void): Promise<void> {
    const { path: name, source } = one;
    const entry = apk.archive.find(name);
    if (!entry) throw new Error('a file of the APK is missing');
    if (source && !one.isConverted && source.uncompressedBytes > bufferedBytes) {
      await writeLarge(name, entry, isStored(one), digest);
      return;
    }
    const content = await apk.archive.read(entry, Number.MAX_SAFE_INTEGER);
    digest(content);
    const packed = isStored(one) ? null : deflateRawSync(content, { level: levelFor(name) });
    const stays = packed === null || isLowGain(name, packed.length, content.length);
    const data = stays ? content : packed;
    const method = stays ? 'stored' : 'deflated';
    await begin(name, { ...sizesOf(content), method, compressedBytes: data.length });
    await output.write(data);
  }

  /** Copies data that is deflated in the bundle, after a first pass that verifies it. */
  async function writeLarge(
    name: string,
    entry: ZipEntry,
    mustStore: boolean,
    digest: (bytes: Buffer) => void,
  ): Promise<void> {
    const { crc32: checksum, uncompressedBytes, method } = entry;
    const isDeflated = method === 8;
    for await (const chunk of apk.archive.stream(entry)) digest(chunk);
    const deflated = () => {
      const source = apk.archive.stream(entry);
      const deflater = createDeflateRaw({ level: levelFor(name) });
      source.on('error', (cause) => deflater.destroy(cause));
      return source.pipe(deflater);
    };
    let compressedBytes = isDeflated ? entry.compressedBytes : 0;
    if (!isDeflated && !mustStore) for await (const chunk of deflated()) compressedBytes += chunk.length;
    if (mustStore || isLowGain(name, compressedBytes, uncompressedBytes)) {
      await begin(name, {
        method: 'stored',
        crc32: checksum,
        compressedBytes: uncompressedBytes,
        uncompressedBytes,
      });
      for await (const chunk of apk.archive.stream(entry)) await output.write(chunk);
      return;
    }
    await begin(name, { method: 'deflated', crc32: checksum, compressedBytes, uncompressedBytes });
    if (isDeflated) await copyData(apk.archive, entry, output);
    else for await (const chunk of deflated()) await output.write(chunk);
  }
}

async function copyData(archive: ZipArchive, entry: ZipEntry, output: ApkOutput): Promise<void> {
  const start = await archive.dataPosition(entry);
  for (let done = 0; done < entry.compressedBytes; done += bufferedBytes) {
    const length = Math.min(bufferedBytes, entry.compressedBytes - done);
    await output.write(await archive.file.read(start + done, length));
  }
}

const sizesOf = (content: Buffer) => ({ crc32: crc32(content), uncompressedBytes: content.length });
const isResource = (path: string) => path.startsWith('res/');
const levelFor = (path: string) => (isResource(path) || path === 'AndroidManifest.xml' ? 9 : 6);

/** Resources are only compressed if that saves a tenth; other files if it saves anything. */
const isLowGain = (path: string, packedBytes: number, bytes: number) =>
  isResource(path) ? bytes === 0 || packedBytes + Math.floor(packedBytes / 10) > bytes : packedBytes >= bytes;

/** Returns whether a file is stored uncompressed in any case: bundletool's `ModuleSplitSerializer`. */
function storageRules({ config, extractsNativeLibs }: UniversalApk): (file: ApkFile) => boolean {
  const hasExtensions = !isAtLeast(config, 0, 7, 3);
  return ({ path, isStored }) => {
    if (isStored) return true;
    if (path === 'AndroidManifest.xml') return false;
    const extension = path.slice(path.lastIndexOf('.') + 1);
    return (
      config.isUncompressed(path) ||
      (hasExtensions && compressedExtensions.has(extension)) ||
      (!extractsNativeLibs && /^lib\/[^/]+\/[^/]+\.so$/.test(path))
    );
  };
}
