/**
 * Estimates what a reference device downloads of an Android App Bundle, as `bundletool get-size total` measures it: every split is
 * the gzip size of its APK. The table of resources and XML files are converted for the device, so that nothing is derived from the
 * size of their messages. Own code instead of APKs, because only sizes are needed.
 */
import { createHash } from 'node:crypto';
import { deflateRawSync } from 'node:zlib';
import { firstSdkWithoutJarSignature } from '../apk/signing/signing-key.ts';
import { placeAssets } from '../bundle/asset-suffixes.ts';
import { writeBinaryXml } from '../bundle/binary-xml-writer.ts';
import { type BundleConfig, readBundleConfig } from '../bundle/bundle-config.ts';
import { type BundleModule, type ModuleFile, readInstallTimeModules } from '../bundle/bundle-modules.ts';
import { maxConfigMessageBytes } from '../bundle/open-bundle.ts';
import type { SelectConfigs, SelectsFor } from '../bundle/resource-entry-message.ts';
import { type ResourceTableMessage, readResourceTables } from '../bundle/resource-table-message.ts';
import { writeResourceTable } from '../bundle/resource-table-writer.ts';
import type { TableConfig } from '../bundle/table-configs.ts';
import { isElement, readXml, type XmlElement } from '../bundle/xml-message.ts';
import { UnreadablePackage } from '../package-info.ts';
import { writeDirectoryEntry, writeLocalHeader } from '../zip/write-zip.ts';
import type { ZipArchive, ZipEntry } from '../zip/zip-archive.ts';
import { checkSize } from './gaps.ts';

/** The reference device: a phone with 480 dpi in English, with the first of these ABIs that the app has. */
export const abiPreference = ['arm64-v8a', 'armeabi-v7a', 'x86_64', 'x86', 'armeabi', 'riscv64'] as const;
export const referenceDensity = 480;
export const referenceLanguage = 'en';
/** `ResTable_config`: the language at 8, the density at 14. */
const [languageAt, densityAt] = [8, 14] as const;
/** Values for any density, such as vector images, are in every download. */
const [anyDensity, noDensity] = [0xfffe, 0xffff] as const;
/** The density of values without one. */
const defaultDensity = 160;

/** Limits memory. Large apps have tables of some megabytes. */
export const maxAnalyzedTableBytes = 8 * 1024 * 1024;
export const maxXmlFileBytes = 4 * 1024 * 1024;
/** Larger compressed files do not get smaller with gzip. */
export const maxRecompressedBytes = 64 * 1024;
/** Limits the time for compressing files that are stored in the bundle. */
export const maxCompressedBytes = 48 * 1024 * 1024;
const chunkBytes = 1024 * 1024;
const filesPerCollection = 128;
/** Usual size of a signing block with schemes v2 and v3, what gzip makes of it, and that of the manifest and end record of a split. */
const [signingBlockBytes, compressedBlockBytes, splitBytes] = [4096, 1500, 900] as const;
/** Certificate and signature in `META-INF/*.RSA`. */
const jarSignatureBytes = 1100;
const minSdkId = 0x0101020c;

type Dimension = keyof BundleConfig['splitsBy'];

export interface BundleDelivery {
  downloadBytes: number;
  /** Size of the APKs on the device, without code that Android compiles. */
  installBytes: number;
}

/** @throws UnreadablePackage if the bundle is damaged or a part exceeds a limit */
export async function estimateBundle(bundle: ZipArchive): Promise<BundleDelivery> {
  globalThis.gc?.();
  const configEntry = bundle.find('BundleConfig.pb');
  const config = readBundleConfig(
    configEntry ? await bundle.read(configEntry, maxConfigMessageBytes) : Buffer.alloc(0),
  );
  const modules = await readInstallTimeModules(bundle);
  const dimensions = new Set<Dimension>();
  const table = await readTable(bundle, modules, { config, dimensions });
  const files = selectFiles(modules, config, table);
  globalThis.gc?.();
  const sizes = createDeliverySizes(bundle);
  const content: Converted[] = [
    { path: 'AndroidManifest.xml', bytes: writeBinaryXml(baseManifest(modules), 'utf-16') },
  ];
  if (table) content.push({ path: 'resources.arsc', bytes: writeResourceTable(table), isStored: true });
  for (const one of content) sizes.addContent(one);
  for (const [at, { path, entry }] of files.entries()) {
    // Converting a file leaves many times its size behind.
    if (at % filesPerCollection === 0) globalThis.gc?.();
    if (table?.files.xmlPaths.has(path)) {
      checkSize(entry, maxXmlFileBytes);
      const root = readXml(await bundle.read(entry, maxXmlFileBytes));
      sizes.addContent({ path, bytes: writeBinaryXml(root, 'utf-8') });
    } else await sizes.addEntry(path, entry, /^lib\/|\.dex$/.test(path));
  }
  if (config.splitsBy.abi && files.some(({ path }) => libraryAbi(path) !== null)) dimensions.add('abi');
  const splits = modules.length + dimensions.size;
  return sizes.total(splits, minSdkOf(baseManifest(modules)) < firstSdkWithoutJarSignature);
}

interface Converted {
  path: string;
  bytes: Buffer;
  isStored?: boolean;
}

function baseManifest([base]: readonly BundleModule[]): XmlElement {
  if (!base) throw new UnreadablePackage('the bundle has no base module');
  return base.manifest;
}

function minSdkOf(manifest: XmlElement): number {
  const usesSdk = manifest.children.filter(isElement).find(({ name }) => name === 'uses-sdk');
  return usesSdk?.attributes.find(({ id }) => id === minSdkId)?.compiled?.data ?? 1;
}

async function readTable(
  bundle: ZipArchive,
  modules: readonly BundleModule[],
  { config, dimensions }: { config: BundleConfig; dimensions: Set<Dimension> },
): Promise<ResourceTableMessage | null> {
  const messages: Buffer[] = [];
  let left = maxAnalyzedTableBytes;
  for (const { files } of modules) {
    const entry = files.find(({ path }) => path === 'resources.pb')?.entry;
    if (!entry) continue;
    checkSize(entry, left);
    messages.push(await bundle.read(entry, left));
    left -= entry.uncompressedBytes;
  }
  const selects = selectsForDevice(config.splitsBy, dimensions);
  return messages.length === 0 ? null : readResourceTables(messages, () => true, selects);
}

/**
 * What the reference device needs of resources, if the bundle is split by these dimensions.
 * @param found receives the dimensions in which values differ, for which there are splits
 */
export const selectsForDevice =
  (
    splitsBy: BundleConfig['splitsBy'] = { abi: true, density: true, language: true },
    found = new Set<Dimension>(),
  ): SelectsFor =>
  (typeName) =>
    selectsFor(splitsBy, found, typeName);

/**
 * Like bundletool, keeps the best match of values that differ only in their density, and every density of launcher icons. The lowest
 * density of what the manifest refers to is left out, although bundletool adds it to the master split.
 */
function selectsFor(
  splitsBy: BundleConfig['splitsBy'],
  found: Set<Dimension>,
  typeName: string,
): SelectConfigs {
  const hasSplits = splitsBy.density && typeName !== 'mipmap';
  return (configs) => {
    const selected = new Set<TableConfig>();
    const best = new Map<string, TableConfig>();
    for (const config of configs) {
      if (splitsBy.language && !isForLanguage(config)) {
        found.add('language');
        continue;
      }
      const density = config.bytes.readUInt16LE(densityAt);
      if (!hasSplits || density === anyDensity || density === noDensity) {
        selected.add(config);
        continue;
      }
      const key = keyWithoutDensity(config);
      const known = best.get(key);
      if (known) found.add('density');
      if (!known || isBetterDensity(densityOf(config), densityOf(known))) best.set(key, config);
    }
    for (const config of best.values()) selected.add(config);
    return selected;
  };
}

function isForLanguage({ bytes }: TableConfig): boolean {
  const language = bytes.toString('latin1', languageAt, languageAt + 2);
  return language === '\0\0' || language === referenceLanguage;
}

function keyWithoutDensity({ bytes }: TableConfig): string {
  const key = Buffer.from(bytes);
  key.writeUInt16LE(0, densityAt);
  return key.toString('latin1');
}

const densityOf = ({ bytes }: TableConfig) => bytes.readUInt16LE(densityAt) || defaultDensity;

/** Android rather shrinks an image than enlarges one. */
export function isBetterDensity(density: number, known: number): boolean {
  const isEnough = density >= referenceDensity;
  if (isEnough !== known >= referenceDensity) return isEnough;
  return isEnough ? density < known : density > known;
}

/** Files of the delivered APKs, by their paths in them. */
function selectFiles(
  modules: readonly BundleModule[],
  { assetDimensions, splitsBy }: BundleConfig,
  table: ResourceTableMessage | null,
): ModuleFile[] {
  const abis = new Set(modules.flatMap(({ files }) => files.map(({ path }) => libraryAbi(path))));
  const abi = splitsBy.abi ? (abiPreference.find((one) => abis.has(one)) ?? null) : null;
  return modules.flatMap(({ name, files }) => {
    const assets = placeAssets(
      name,
      files.map(({ path }) => path).filter((path) => path.startsWith('assets/')),
      assetDimensions,
    );
    return files.flatMap(({ path, entry }) => {
      const place = path.startsWith('assets/') ? assets.get(path) : placeOf(path);
      if (place === undefined || place === null) return [];
      if (place.startsWith('res/') && !table?.files.paths.has(place)) return [];
      const own = libraryAbi(path);
      return own !== null && abi !== null && own !== abi ? [] : [{ path: place, entry }];
    });
  });
}

const libraryAbi = (path: string) => /^lib\/([^/]+)\//.exec(path)?.[1] ?? null;

/** Null for what is only in the bundle. */
function placeOf(path: string): string | null {
  const [, folder, rest] = /^(dex|root|res|lib)\/(.+)$/s.exec(path) ?? [];
  if (folder === undefined || rest === undefined) return null;
  return folder === 'dex' || folder === 'root' ? rest : path;
}

/** Adds up the APKs: what gzip makes of them, and their size. */
function createDeliverySizes(bundle: ZipArchive) {
  const headers: Buffer[] = [];
  const names: string[] = [];
  // Reused, because V8 frees buffers late. One window for many small files, as in the APK.
  const waiting = Buffer.allocUnsafeSlow(chunkBytes);
  const read = Buffer.allocUnsafeSlow(chunkBytes);
  let waitingBytes = 0;
  let [downloadBytes, installBytes, compressLeft] = [0, 0, maxCompressedBytes];
  const compress = (bytes: Buffer) => {
    for (let done = 0; done < bytes.length; ) {
      const copied = bytes.copy(waiting, waitingBytes, done);
      done += copied;
      waitingBytes += copied;
      if (waitingBytes === chunkBytes) flush();
    }
  };
  const flush = () => {
    downloadBytes += deflateRawSync(waiting.subarray(0, waitingBytes)).length;
    waitingBytes = 0;
    globalThis.gc?.();
  };
  const addHeader = (path: string, method: 'stored' | 'deflated', stated: Omit<ZipSizes, 'bytes'>) => {
    const entry = { name: path, method, alignment: 1, ...stated };
    compress(writeLocalHeader(entry, 0));
    headers.push(writeDirectoryEntry(entry, installBytes >>> 0));
    names.push(path);
  };
  return {
    addContent({ path, bytes, isStored = false }: Converted): void {
      const packed = isStored ? bytes : deflateRawSync(bytes, { level: 9 });
      const sizes = { crc32: 0, compressedBytes: packed.length, uncompressedBytes: bytes.length };
      addHeader(path, isStored ? 'stored' : 'deflated', sizes);
      compress(packed);
      installBytes += packed.length;
    },
    /** @param isMapped whether Android uses the file without extracting it, so that its APK stores it */
    async addEntry(path: string, entry: ZipEntry, isMapped: boolean): Promise<void> {
      const { compressedBytes, uncompressedBytes, method, crc32 } = entry;
      addHeader(path, method === 0 ? 'stored' : 'deflated', { crc32, compressedBytes, uncompressedBytes });
      installBytes += isMapped ? uncompressedBytes : Math.min(compressedBytes, uncompressedBytes);
      const isWorthwhile = method === 0 || compressedBytes <= maxRecompressedBytes;
      if (!isWorthwhile || compressLeft < compressedBytes) {
        downloadBytes += compressedBytes;
        return;
      }
      compressLeft -= compressedBytes;
      const start = await bundle.dataPosition(entry);
      for (let done = 0; done < compressedBytes; done += chunkBytes)
        compress(await bundle.file.read(start + done, Math.min(chunkBytes, compressedBytes - done), read));
    },
    total(splits: number, hasJarSignature: boolean): BundleDelivery {
      const jar = hasJarSignature ? jarSignatureOf(names) : [];
      for (const bytes of [...headers, ...jar]) compress(bytes);
      flush();
      const perSplit = splitBytes + (hasJarSignature ? jarSignatureBytes : 0);
      const directoryBytes = headers.reduce((sum, { length }) => sum + 2 * length, 0);
      const jarBytes = jar.reduce((sum, { length }) => sum + length, 0);
      return {
        downloadBytes: downloadBytes + splits * (perSplit + compressedBlockBytes),
        installBytes: installBytes + directoryBytes + jarBytes + splits * (perSplit + signingBlockBytes),
      };
    },
  };
}

interface ZipSizes {
  bytes: Buffer;
  crc32: number;
  compressedBytes: number;
  uncompressedBytes: number;
}

/** Two files with a digest for each file, which gzip cannot compress; compressed, as in the APK. */
function jarSignatureOf(names: readonly string[]): Buffer[] {
  return ['manifest', 'signature'].map((salt) => {
    const digestOf = (name: string) => createHash('sha256').update(`${salt} ${name}`).digest('base64');
    const lines = names.map((name) => `Name: ${name}\r\nSHA-256-Digest: ${digestOf(name)}\r\n\r\n`);
    return deflateRawSync(lines.join(''));
  });
}
