/**
 * Sets of split APKs (`.apks`) that bundletool generates: the APKs that the reference device gets, as one archive. Which APK is for
 * which devices is in `toc.pb`, a `BuildApksResult` of bundletool's `commands.proto` and `targeting.proto`.
 */
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { partOf } from '../apk/apk-set.ts';
import { type MessageType, messageType, type ProtobufMessage, readProtobuf } from '../bundle/protobuf.ts';
import { say } from '../messages/package-messages.ts';
import { UnreadablePackage } from '../package-info.ts';
import { defaultZipLimits, openZip } from '../zip/open-zip.ts';
import type { RandomAccessFile, ZipArchive, ZipEntry, ZipLimits } from '../zip/zip-archive.ts';
import { abiPreference, isBetterDensity, referenceDensity, referenceLanguage } from './bundle-delivery.ts';

/** Real ones have some kilobytes. */
export const maxTocBytes = 4 * 1024 * 1024;
/** What the reference device gets: one per module, and a few for its ABI, density and language. */
export const maxDeliveredApks = 500;
/** Variants, modules, APKs and what they are for. A bundle with thirty modules in a hundred languages has about ten thousand. */
export const maxTocMessages = 200_000;
/** Limits the time for compressing APKs, most of which are compressed files. */
export const maxCompressedSplitBytes = 48 * 1024 * 1024;
const chunkBytes = 1024 * 1024;
/** Node's zlib then compresses APKs about as well as gzip, within 2 %; by default it is worse. */
const likeGzip = { memLevel: 7 };
/** Positions in an APK keep their alignment. */
const alignmentBytes = 64 * 1024;

const tocType = messageType('BuildApksResult', [], [1, 3]);
const variantType = messageType('Variant', [1], [2]);
const moduleType = messageType('ApkSet', [1], [2]);
const metadataType = messageType('ModuleMetadata', [1, 2, 6]);
const assetMetadataType = messageType('AssetModuleMetadata', [1, 2, 4]);
const apkType = messageType('ApkDescription', [1, 2, 3, 4, 7]);
const splitType = messageType('SplitApkMetadata', [1, 2]);
const variantTargetingType = messageType('VariantTargeting', [1, 2, 3]);
const targetingType = messageType('ApkTargeting', [1, 3, 4, 6, 9, 10]);
const valuesType = messageType('values', [], [1, 2]);
const aliasType = messageType('alias', [1, 2]);
const ignoreUnknown = () => undefined;

const installTime = 1;
/** By `Abi.AbiAlias`. */
const abiNames = ['', 'armeabi', 'armeabi-v7a', 'arm64-v8a', 'x86', 'x86_64', 'mips', 'mips64', 'riscv64'];
/** By `ScreenDensity.DensityAlias`. */
const densities = [0, 0, 120, 160, 213, 240, 320, 480, 640];

interface ListedApk {
  path: string;
  isMaster: boolean;
  /** Values of the dimension that it is split by; empty if the APK is for every device in this respect. */
  abis: string[];
  densities: number[];
  languages: string[];
  /** Texture formats, tiers and countries: a default has no value. */
  hasOtherValue: boolean;
}

export interface SplitApks {
  /** The first APK has the base module. */
  apks: readonly { name: string; file: RandomAccessFile }[];
  archive: ZipArchive;
}

export const isApkSet = (archive: ZipArchive): boolean => archive.find('toc.pb') !== null;

/**
 * Opens the APKs of the reference device. Files of the base module have their paths in its APK; those of others are in a folder with
 * the name of their APK.
 * @throws UnreadablePackage if the set has no APK for the device, or one of them cannot be read in place
 */
export async function openSplitApks(set: ZipArchive, limits: Partial<ZipLimits>): Promise<SplitApks> {
  const toc = set.find('toc.pb');
  if (!toc) throw new UnreadablePackage(say('zip-apks'));
  const paths = choosePaths(await set.read(toc, maxTocBytes));
  if (paths.length === 0 || paths.length > maxDeliveredApks) throw new UnreadablePackage(say('zip-apks'));
  const apks: { name: string; file: RandomAccessFile }[] = [];
  for (const path of paths) {
    const entry = set.find(path);
    if (!entry) throw new UnreadablePackage(say('zip-apks'));
    if (entry.method !== 0) throw new UnreadablePackage(say('zip-apks-compressed'));
    const part = { position: await set.dataPosition(entry), sizeBytes: entry.uncompressedBytes };
    apks.push({ name: path.slice(path.lastIndexOf('/') + 1), file: partOf(set.file, part) });
  }
  const opened: Opened[] = [];
  let start = 0;
  // The limits of an archive apply to all APKs together.
  let { maxEntries, maxDirectoryBytes } = { ...defaultZipLimits, ...limits };
  for (const { name, file } of apks) {
    const archive = await openZip(file, { ...limits, maxEntries, maxDirectoryBytes });
    maxEntries -= archive.entries.length;
    maxDirectoryBytes -= archive.centralDirectoryBytes;
    opened.push({ name, start, archive });
    start += Math.ceil(file.sizeBytes / alignmentBytes) * alignmentBytes;
  }
  return { apks, archive: joinArchives(opened) };
}

/** Returns the paths of the APKs for the reference device, that of the base module first. */
function choosePaths(bytes: Buffer): string[] {
  const toc = readProtobuf(bytes, tocType, ignoreUnknown);
  const left = { messages: maxTocMessages };
  const variants = [...counted(toc.messages(1, variantType), left)]
    .map((one) => readVariant(one, left))
    .filter(({ apks }) => apks.length > 0);
  const split = variants.filter(({ isSplit }) => isSplit).sort((a, b) => b.minSdk - a.minSdk);
  const chosen = split[0] ?? variants.sort((a, b) => rank(a) - rank(b) || b.minSdk - a.minSdk)[0];
  const assets = [...counted(toc.messages(3, moduleType), left)].flatMap((module) =>
    readModule(module, { type: assetMetadataType, deliveryField: 4, left }),
  );
  const apks = [...(chosen?.apks ?? []), ...(chosen?.isSplit ? assets : [])];
  const isBase = ({ path }: ListedApk) => /(?:^|\/)base-master[^/]*$/.test(path);
  const delivered = chosen?.isSplit ? selectForDevice(apks) : apks.slice(0, 1);
  return [...new Set([...delivered.filter(isBase), ...delivered].map(({ path }) => path))];
}

interface Left {
  messages: number;
}

/** @throws UnreadablePackage above `maxTocMessages` */
function* counted<T>(messages: Iterable<T>, left: Left): Generator<T> {
  for (const message of messages) {
    if (--left.messages < 0) throw new UnreadablePackage(say('too-much-metadata'));
    yield message;
  }
}

interface Variant {
  minSdk: number;
  isSplit: boolean;
  abis: string[];
  densities: number[];
  apks: ListedApk[];
}

function readVariant(variant: ProtobufMessage, left: Left): Variant {
  const targeting = variant.message(1, variantTargetingType);
  const apks = [...counted(variant.messages(2, moduleType), left)].flatMap((module) =>
    readModule(module, { type: metadataType, deliveryField: 6, left }),
  );
  const level = targeting?.message(1, valuesType)?.messages(1, aliasType).next().value;
  return {
    minSdk: level ? (level.message(1, aliasType)?.number(1) ?? 0) : 0,
    isSplit: apks.some(({ isMaster }) => isMaster),
    abis: targeting ? abisOf(targeting.message(2, valuesType), left) : [],
    densities: targeting ? densitiesOf(targeting.message(3, valuesType), left) : [],
    apks,
  };
}

/** The best first, for complete APKs that are for one kind of device each. */
function rank({ abis, densities: own }: Variant): number {
  return (
    leastOf(abis, preferenceOf) * 10_000 + leastOf(own, (density) => Math.abs(density - referenceDensity))
  );
}

/** Without spreading the values into arguments, of which there can be too many. 0 without values. */
const leastOf = <T>(values: readonly T[], rankOf: (value: T) => number) =>
  values.length === 0
    ? 0
    : values.reduce((least, value) => Math.min(least, rankOf(value)), Number.POSITIVE_INFINITY);

const preferenceOf = (abi: string) => {
  const at = abiPreference.indexOf(abi as (typeof abiPreference)[number]);
  return at === -1 ? abiPreference.length : at;
};

/** The APKs of one module that is delivered with the app; none of others, and none for instant apps. */
function readModule(
  module: ProtobufMessage,
  { type, deliveryField, left }: { type: MessageType; deliveryField: number; left: Left },
): ListedApk[] {
  const metadata = module.message(1, type);
  const delivery = metadata?.number(deliveryField) ?? 0;
  const isOnDemand = delivery === 0 ? metadata?.number(2) === 1 : delivery !== installTime;
  if (isOnDemand) return [];
  return [...counted(module.messages(2, apkType), left)].flatMap((apk): ListedApk[] => {
    const split = apk.message(3, splitType) ?? apk.message(7, splitType);
    if (!split && !apk.has(4)) return [];
    const targeting = apk.message(1, targetingType);
    const values = (field: number) => targeting?.message(field, valuesType) ?? null;
    return [
      {
        path: apk.text(2),
        isMaster: split?.number(2) === 1,
        abis: abisOf(values(1), left),
        densities: densitiesOf(values(4), left),
        languages: values(3)?.texts(1) ?? [],
        hasOtherValue: [6, 9, 10].some((field) => values(field)?.has(1)),
      },
    ];
  });
}

const abisOf = (values: ProtobufMessage | null, left: Left) =>
  [...counted(values?.messages(1, aliasType) ?? [], left)].map((one) => abiNames[one.number(1)] ?? '');
const densitiesOf = (values: ProtobufMessage | null, left: Left) =>
  [...counted(values?.messages(1, aliasType) ?? [], left)].map((one) =>
    one.has(2) ? one.number(2) : (densities[one.number(1)] ?? 0),
  );

function selectForDevice(apks: readonly ListedApk[]): ListedApk[] {
  const abis = new Set(apks.flatMap((apk) => apk.abis));
  const abi = abiPreference.find((one) => abis.has(one));
  let density = 0;
  for (const one of apks.flatMap((apk) => apk.densities))
    if (density === 0 || isBetterDensity(one, density)) density = one;
  return apks.filter(
    (apk) =>
      apk.isMaster ||
      (!apk.hasOtherValue &&
        (apk.abis.length === 0 || (abi !== undefined && apk.abis.includes(abi))) &&
        (apk.densities.length === 0 || apk.densities.includes(density)) &&
        (apk.languages.length === 0 || apk.languages.includes(referenceLanguage))),
  );
}

interface Opened {
  name: string;
  /** Position of the APK in the joined file. */
  start: number;
  archive: ZipArchive;
}

function joinArchives(opened: readonly Opened[]): ZipArchive {
  const [base] = opened;
  if (!base) throw new UnreadablePackage(say('zip-apks'));
  const sources = new Map<ZipEntry, { own: ZipEntry; from: Opened }>();
  for (const from of opened)
    for (const own of from.archive.entries) {
      const entry = from === base ? own : { ...own, name: `${from.name}/${own.name}` };
      sources.set(entry, { own, from });
    }
  const sourceOf = (entry: ZipEntry) => {
    const source = sources.get(entry);
    if (!source) throw new Error('the entry is of another archive');
    return source;
  };
  const names = new Map<string, ZipEntry>();
  for (const entry of sources.keys()) if (!names.has(entry.name)) names.set(entry.name, entry);
  return {
    ...base.archive,
    file: joinFiles(opened),
    entries: [...sources.keys()],
    find: (name) => names.get(name) ?? null,
    read: (entry, maxBytes) => sourceOf(entry).from.archive.read(sourceOf(entry).own, maxBytes),
    readAsStored: (entry, maxBytes) =>
      sourceOf(entry).from.archive.readAsStored(sourceOf(entry).own, maxBytes),
    stream: (entry) => sourceOf(entry).from.archive.stream(sourceOf(entry).own),
    dataPosition: async (entry) => {
      const { own, from } = sourceOf(entry);
      return from.start + (await from.archive.dataPosition(own));
    },
  };
}

/** Returns the path that a file of the joined archive has in its APK. */
export const pathInApk = (name: string): string => name.replace(/^[^/]+\.apk\//, '');

/** What gzip makes of each APK, as `bundletool get-size total` measures it. Of more bytes, the rest counts as it is. */
export async function compressedSizeOf(
  apks: SplitApks['apks'],
  maxBytes = maxCompressedSplitBytes,
): Promise<number> {
  let [total, left] = [0, maxBytes];
  for (const { file } of apks) {
    const bytes = Math.min(left, file.sizeBytes);
    left -= bytes;
    total += file.sizeBytes - bytes;
    if (bytes === 0) continue;
    await pipeline(chunksOf(file, bytes), createGzip(likeGzip), async (compressed) => {
      for await (const chunk of compressed) total += (chunk as Buffer).length;
    });
  }
  return total;
}

async function* chunksOf(file: RandomAccessFile, length: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < length; at += chunkBytes) {
    globalThis.gc?.();
    yield await file.read(at, Math.min(chunkBytes, length - at));
  }
}

/** The APKs one after another, each at a multiple of the largest alignment. */
function joinFiles(opened: readonly Opened[]): RandomAccessFile {
  const last = opened.at(-1);
  return {
    sizeBytes: last ? last.start + last.archive.file.sizeBytes : 0,
    read: async (position, length, into) => {
      const from = opened.findLast(({ start }) => start <= position) ?? opened[0];
      if (!from) throw new UnreadablePackage(say('file-truncated'));
      return from.archive.file.read(position - from.start, length, into);
    },
  };
}
