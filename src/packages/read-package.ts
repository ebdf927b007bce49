import { isDeepStrictEqual } from 'node:util';
import { findUniversalApk, partOf } from './apk/apk-set.ts';
import { readPackageCommit } from './apk/package-commit.ts';
import { readApk, readUnsignedApk } from './apk/read-apk.ts';
import { type SigningKey, signingFactsOf } from './apk/signing/signing-key.ts';
import { isBundle } from './bundle/bundle-modules.ts';
import { openBundle, type UniversalApk } from './bundle/open-bundle.ts';
import { conversionNeedsOf, writeUniversalApk } from './bundle/write-universal-apk.ts';
import { describeArchive, describeBytes } from './classify-package.ts';
import { hasAppInPayload } from './ipa/app-bundle.ts';
import { readIpa } from './ipa/read-ipa.ts';
import { say } from './messages/package-messages.ts';
import {
  type ConvertedBundle,
  type PackageInfo,
  type ReadPackage,
  UnreadablePackage,
} from './package-info.ts';
import { maxVerifiedInflatedBytes } from './verify-signature.ts';
import { openRandomAccessFile } from './zip/open-file.ts';
import { openZip } from './zip/open-zip.ts';
import { maxApkBytes } from './zip/write-zip.ts';
import type { RandomAccessFile, ZipArchive, ZipLimits } from './zip/zip-archive.ts';

/** How many bytes at the start of a file are used to classify it. */
const headBytes = 4096;
/** Apps have one for watches. */
const maxListedApks = 3;
/** Android 5 loads `classes2.dex` and so on without support in the app. */
const firstSdkWithSeveralDexFiles = 21;

/**
 * Reads the facts of an APK or IPA, recognized by its content and not its name.
 * @throws UnreadablePackage with a message for users that states what the file is instead, or what is wrong with it
 * @throws the system's error if the file cannot be opened
 */
export async function readPackage(path: string): Promise<PackageInfo> {
  const file = await openRandomAccessFile(path);
  try {
    return await readPackageFile(file);
  } finally {
    await file.close();
  }
}

/**
 * Like `readPackage`, but also reads app bundles and sets of APKs, and returns the facts of the APK generated from them or
 * contained in them.
 */
export async function readPackageOrBundle(path: string): Promise<ReadPackage> {
  const file = await openRandomAccessFile(path);
  try {
    return await readAnyFile(file);
  } finally {
    await file.close();
  }
}

/** Like `readPackageOrBundle`, for an open file. */
export async function readAnyFile(file: RandomAccessFile): Promise<ReadPackage> {
  const archive = await openArchive(file);
  if (isBundle(archive)) {
    const apk = await openBundle(archive);
    const conversion = conversionNeedsOf(apk);
    if (conversion.apkBytes > maxApkBytes) throw new UnreadablePackage(say('bundle-too-large'));
    const commit = await readPackageCommit(apk.archive);
    return { info: await readBundle(apk), conversion, universalApk: null, commit };
  }
  const universalApk = await findUniversalApk(archive);
  const read = universalApk ? await openArchive(partOf(file, universalApk)) : archive;
  const info = await readArchive(read);
  const commit = info.platform === 'android' ? await readPackageCommit(read) : null;
  return { info, conversion: null, universalApk, commit };
}

async function readBundle(apk: UniversalApk): Promise<PackageInfo> {
  const info = cleanFacts(await readUnsignedApk(apk.archive));
  const { config } = apk;
  const isForAndroid4 = Number(info.sdkVersion) < firstSdkWithSeveralDexFiles;
  const notes = [
    ...(apk.hasCodeOfSeveralModules && isForAndroid4 ? [say('code-not-merged')] : []),
    ...(apk.has32BitScripts ? [say('only-32-bit')] : []),
    ...(apk.usesRuntimeSdks ? [say('runtime-sdks-missing')] : []),
    ...apk.embeddedApks.slice(0, maxListedApks).map((name) => say('embedded-apk-unsigned', { name })),
    ...(config.collapsesResourceNames ? [say('names-not-collapsed')] : []),
    ...(config.injectsLocaleConfig ? [say('locale-config-missing')] : []),
    ...(config.ignoredSettings.length > 0
      ? [say('bundle-settings-ignored', { names: config.ignoredSettings.join(', ') })]
      : []),
  ];
  return { ...info, warnings: [...info.warnings, ...notes] };
}

export interface ConversionOptions {
  /** The current key comes last; see `writeSigningBlock`. */
  keys: readonly SigningKey[];
  /** A larger APK is refused before it is written completely; 4 GB by default. */
  maxApkBytes?: number;
  /** Called with the completed share of the work, from 0 to 1. */
  onProgress?: (part: number) => void;
}

/**
 * Writes the signed universal APK of a bundle to `apkPath`.
 * @throws UnreadablePackage if the file is not a bundle or is damaged; a file at `apkPath` is then unusable
 */
export async function convertBundle(
  bundlePath: string,
  apkPath: string,
  options: ConversionOptions,
): Promise<ConvertedBundle> {
  const file = await openRandomAccessFile(bundlePath);
  try {
    return await convertBundleFile(file, apkPath, options);
  } finally {
    await file.close();
  }
}

/** Like `convertBundle`, for an open file. */
export async function convertBundleFile(
  file: RandomAccessFile,
  apkPath: string,
  { keys, ...options }: ConversionOptions,
): Promise<ConvertedBundle> {
  // All of it is inflated, one file at a time.
  const archive = await openArchive(file, { maxInflatedBytes: maxVerifiedInflatedBytes });
  if (!isBundle(archive)) throw new UnreadablePackage(say('not-bundle'));
  const apk = await openBundle(archive);
  const unsigned = await readBundle(apk);
  const expected = { ...unsigned, ...signingFactsOf(keys, Number(unsigned.sdkVersion)) };
  const written = await writeUniversalApk(apk, apkPath, {
    keys,
    minSdk: Number(expected.sdkVersion),
    ...options,
  });
  const made = await readPackage(apkPath);
  requireSameFacts(made, expected);
  return { info: { ...made, warnings: [...new Set([...made.warnings, ...expected.warnings])] }, ...written };
}

/**
 * Compares everything except warnings, some of which depend on the positions of files in the archive.
 * @throws UnreadablePackage
 */
export function requireSameFacts(
  { warnings: _, ...made }: PackageInfo,
  { warnings: __, ...shown }: PackageInfo,
): void {
  if (!isDeepStrictEqual(made, shown)) throw new UnreadablePackage(say('bundle-facts-differ'));
}

/** Like `readPackage`, for an open file. */
export async function readPackageFile(file: RandomAccessFile): Promise<PackageInfo> {
  return readArchive(await openArchive(file));
}

async function readArchive(archive: ZipArchive): Promise<PackageInfo> {
  if (archive.find('AndroidManifest.xml')) return cleanFacts(await readApk(archive));
  if (hasAppInPayload(archive)) return cleanFacts(await readIpa(archive));
  throw new UnreadablePackage(describeArchive(archive));
}

async function openArchive(file: RandomAccessFile, limits: Partial<ZipLimits> = {}): Promise<ZipArchive> {
  try {
    return await openZip(file, limits);
  } catch (error) {
    if (!(error instanceof UnreadablePackage)) throw error;
    const head = await file.read(0, Math.min(headBytes, file.sizeBytes));
    const description = describeBytes(head);
    throw description === null ? error : new UnreadablePackage(description, { cause: error });
  }
}

/** In JSON text: an escaped backslash, a NUL, or a lone surrogate (pairs are not escaped). */
const escapes = /\\\\|\\u0000|\\ud[89a-f][0-9a-f]{2}/gi;

/**
 * Removes characters that databases cannot store from every text and key: drops NUL characters, and replaces lone surrogates with
 * U+FFFD.
 * @throws UnreadablePackage if nothing is left of the identifier
 */
export function cleanFacts(info: PackageInfo): PackageInfo {
  const json = JSON.stringify(info);
  const cleanJson = json.replace(escapes, cleanEscape);
  if (cleanJson === json) return info;
  const clean: PackageInfo = JSON.parse(cleanJson);
  if (clean.packageName === '') throw new UnreadablePackage(say('identifier-damaged'));
  return { ...clean, name: clean.name.trim() || clean.packageName };
}

function cleanEscape(found: string): string {
  if (found === '\\\\') return found;
  return found === '\\u0000' ? '' : '\ufffd';
}
