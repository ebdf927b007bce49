/** Presents an Android App Bundle as the universal APK that `bundletool build-apks --mode=universal` would generate from it. */
import { isJarSignatureFile } from '../apk/signing/jar-signature-writer.ts';
import { say } from '../messages/package-messages.ts';
import { UnreadablePackage } from '../package-info.ts';
import type { ZipArchive, ZipEntry } from '../zip/zip-archive.ts';
import { placeAssets } from './asset-suffixes.ts';
import { writeBinaryXml } from './binary-xml-writer.ts';
import { type BundleConfig, readBundleConfig } from './bundle-config.ts';
import {
  applicationOf,
  type BundleModule,
  baseName,
  hasRenderScript,
  type ModuleFile,
  readFusedModules,
  without64BitLibraries,
} from './bundle-modules.ts';
import { addMetaData, mergeManifests } from './merge-manifests.ts';
import type { SelectsFor } from './resource-entry-message.ts';
import { readResourceTables } from './resource-table-message.ts';
import { writeResourceTable } from './resource-table-writer.ts';
import { addSplitsXml } from './splits-xml.ts';
import { readXml, type XmlElement } from './xml-message.ts';

const extractNativeLibsId = 0x010104ea;
export const configName = 'BundleConfig.pb';
/** Real configurations have a few hundred bytes. */
export const maxConfigMessageBytes = 1024 * 1024;
/** Limits the messages of all modules, which are about as large as the table. The largest real tables have about 20 megabytes. */
export const maxTableMessageBytes = 64 * 1024 * 1024;
/** The metadata `com.google.android.wearable.beta.app` refers to a file in `res/raw`. */
const embeddedApkPath = /^res\/raw[^/]*\/[^/]+\.apk$/;
const packageNameOf = ({ attributes }: XmlElement) =>
  attributes.find(({ id, name }) => id === 0 && name === 'package')?.value ?? '';

/** Files in `BUNDLE-METADATA` that are included in an APK, by their paths in it. */
const metadataPaths: readonly (readonly [path: string, names: readonly string[]])[] = [
  ...['baseline.prof', 'baseline.profm'].map(
    (name) =>
      [
        `assets/dexopt/${name}`,
        [`com.android.tools.build.profiles/${name}`, `assets.dexopt/${name}`],
      ] as const,
  ),
  [
    'META-INF/code_transparency_signed.jwt',
    ['com.android.tools.build.bundletool/code_transparency_signed.jwt'],
  ],
];

export interface UniversalApk {
  /** The files of the APK by path. Their sizes and positions are those in the bundle. */
  archive: ZipArchive;
  files: ApkFile[];
  config: BundleConfig;
  /** From the manifest. Libraries that Android does not extract are stored uncompressed. */
  extractsNativeLibs: boolean;
  /** Whether more than one module has code, which bundletool would merge for Android 4. */
  hasCodeOfSeveralModules: boolean;
  /** Paths of APKs for watches with Wear OS 1, which bundletool would sign with the key of the app. */
  embeddedApks: string[];
  /** Whether there is RenderScript code, because of which 64-bit libraries are left out. */
  has32BitScripts: boolean;
  /** Whether it has SDKs that Android 14 loads at runtime (bundletool: `RuntimeEnabledSdkConfig`). */
  usesRuntimeSdks: boolean;
}

export interface ApkFile {
  /** Path in the APK. */
  path: string;
  /** The entry in the bundle; null for files that are only in the APK. */
  source: ZipEntry | null;
  /** Whether its bytes differ from those of the source. */
  isConverted: boolean;
  /** Whether it is never compressed, regardless of the rules for its path. */
  isStored: boolean;
}

export interface BundleOptions {
  /** Larger tables, of all modules together, are left out with the files in `res`. */
  maxTableBytes?: number;
  /** Which configurations of resources are converted. Files that only others refer to are left out. All by default. */
  selectsFor?: SelectsFor;
}

/**
 * The manifest, the table and XML resources are converted, byte for byte like aapt2.
 * @throws UnreadablePackage if the bundle is damaged, or its modules contradict each other
 */
export async function openBundle(bundle: ZipArchive, options: BundleOptions = {}): Promise<UniversalApk> {
  const configEntry = bundle.find(configName);
  const config = readBundleConfig(
    configEntry ? await bundle.read(configEntry, maxConfigMessageBytes) : Buffer.alloc(0),
  );
  if (!config.isApp) throw new UnreadablePackage(say('bundle-without-app'));
  const has32BitScripts = hasRenderScript(bundle);
  const fused = await readFusedModules(bundle);
  const modules = has32BitScripts ? fused.map(without64BitLibraries) : fused;
  const [base, ...others] = modules;
  if (base?.name !== baseName) throw new UnreadablePackage(say('bundle-damaged'));
  const files = collectFiles(bundle, modules, config);

  const features = others.map(({ manifest }) => manifest);
  mergeManifests(base.manifest, features, config);
  const names = modules.map(({ name }) => name).sort();
  addMetaData(base.manifest, 'com.android.dynamic.apk.fused.modules', names.join(','));
  const { converted, xmlPaths } = await convertResources(bundle, modules, {
    manifest: base.manifest,
    files,
    ...options,
  });
  // V8 collects buffers late, so large tables would still be in memory during their conversion.
  globalThis.gc?.();
  converted.set('AndroidManifest.xml', writeBinaryXml(base.manifest, 'utf-16'));
  for (const path of converted.keys())
    addFile(files, { path, source: null, isConverted: true, isStored: path === 'resources.arsc' });
  for (const path of xmlPaths) {
    const file = files.get(path);
    if (file) files.set(path, { ...file, isConverted: true });
  }
  const sorted = [...files.values()].sort((one, other) => (one.path < other.path ? -1 : 1));
  return {
    archive: showAsApk(bundle, sorted, converted),
    files: sorted,
    config,
    extractsNativeLibs:
      applicationOf(base.manifest)?.attributes.find(({ id }) => id === extractNativeLibsId)?.compiled
        ?.data !== 0,
    hasCodeOfSeveralModules: modulesWithCode(modules).length > 1,
    embeddedApks: sorted
      .map(({ path }) => path)
      .filter((path) => config.embeddedApks.includes(path) || embeddedApkPath.test(path)),
    has32BitScripts,
    usesRuntimeSdks: bundle.entries.some(({ name }) => name.endsWith('/runtime_enabled_sdk_config.pb')),
  };
}

function addFile(files: Map<string, ApkFile>, file: ApkFile): void {
  const { source } = file;
  const known = files.get(file.path);
  const isSame =
    known?.source?.crc32 === source?.crc32 && known?.source?.uncompressedBytes === source?.uncompressedBytes;
  if (known && !(source && isSame))
    throw new UnreadablePackage(say('archive-file-twice', { name: file.path }));
  if (!known) files.set(file.path, file);
}

function collectFiles(
  bundle: ZipArchive,
  modules: readonly BundleModule[],
  config: BundleConfig,
): Map<string, ApkFile> {
  const files = new Map<string, ApkFile>();
  const dexNames = nameDexFiles(modules);
  for (const { name, isAssetPack, files: all } of modules) {
    const assets = placeAssets(
      name,
      all.map(({ path }) => path).filter((path) => path.startsWith('assets/')),
      config.assetDimensions,
    );
    const isStored = isAssetPack && !config.compressesInstallTimeAssets;
    for (const { path, entry } of all) {
      const place = assets.get(path) ?? dexNames.get(entry) ?? placeOf(path);
      if (place === null || (isAssetPack && !path.startsWith('assets/'))) continue;
      addFile(files, { path: place, source: entry, isConverted: false, isStored });
    }
  }
  for (const [path, names] of metadataPaths) {
    const source = names.map((one) => bundle.find(`BUNDLE-METADATA/${one}`)).find((one) => one !== null);
    const isStored = path.startsWith('assets/');
    if (source && !files.has(path)) files.set(path, { path, source, isConverted: false, isStored });
  }
  return files;
}

const codePath = /^dex\/classes(\d*)\.dex$/;
const isCode = ({ path }: ModuleFile) => codePath.test(path);
const codeOf = ({ files }: BundleModule) => files.filter(isCode);
const modulesWithCode = (modules: readonly BundleModule[]) =>
  modules.filter((module) => codeOf(module).length > 0);

/** Names for the code of several modules: `classes.dex`, `classes2.dex` and so on, starting with the base module. */
function nameDexFiles(modules: readonly BundleModule[]): Map<ZipEntry, string> {
  const withCode = modulesWithCode(modules);
  if (withCode.length < 2) return new Map();
  const [base, ...features] = withCode;
  const ordered = base?.name === baseName ? [base, ...inHashOrder(features, withCode.length)] : withCode;
  const numberOf = ({ path }: ModuleFile) => Number(codePath.exec(path)?.[1] || 1);
  const entries = ordered.flatMap((module) =>
    codeOf(module).sort((one, other) => numberOf(one) - numberOf(other)),
  );
  return new Map(entries.map(({ entry }, at) => [entry, at === 0 ? 'classes.dex' : `classes${at + 1}.dex`]));
}

/** bundletool numbers the files of features in the order of a `java.util.HashMap` with `BundleModuleName` keys. */
function inHashOrder(modules: readonly BundleModule[], keys: number): BundleModule[] {
  let buckets = 32;
  while (keys > 0.75 * buckets) buckets *= 2;
  const bucketOf = ({ name }: BundleModule) => {
    const hash =
      [...name].reduce((sum, letter) => (Math.imul(31, sum) + letter.charCodeAt(0)) | 0, 0) ^ 1000003;
    return (hash ^ (hash >>> 16)) & (buckets - 1);
  };
  return modules.toSorted((one, other) => bucketOf(one) - bucketOf(other));
}

/**
 * Null for assets, which have their own rule, and for files that are not in the APK, including code for the address sanitizer,
 * and signatures.
 */
function placeOf(path: string): string | null {
  if (/^lib\/[^/]+-hwasan\//.test(path)) return null;
  const [, folder, rest] = /^(dex|root|res|lib)\/(.+)$/s.exec(path) ?? [];
  if (folder === undefined || rest === undefined || isJarSignatureFile(rest)) return null;
  return folder === 'dex' || folder === 'root' ? rest : path;
}

/** Converts the table. Like aapt2, leaves out references to resources that are not in it. */
async function convertResources(
  bundle: ZipArchive,
  modules: readonly BundleModule[],
  {
    manifest,
    files,
    maxTableBytes = Number.POSITIVE_INFINITY,
    selectsFor,
  }: BundleOptions & { manifest: XmlElement; files: Map<string, ApkFile> },
): Promise<{ converted: Map<string, Buffer>; xmlPaths: ReadonlySet<string> }> {
  const converted = new Map<string, Buffer>();
  const messages: Buffer[] = [];
  let left = maxTableMessageBytes;
  const entries = modules.flatMap(({ name }) => bundle.find(`${name}/resources.pb`) ?? []);
  const tableBytes = entries.reduce((sum, { uncompressedBytes }) => sum + uncompressedBytes, 0);
  for (const entry of tableBytes > maxTableBytes ? [] : entries) {
    messages.push(await bundle.read(entry, left));
    left -= entry.uncompressedBytes;
  }
  const table =
    messages.length === 0 ? null : readResourceTables(messages, (path) => files.has(path), selectsFor);
  for (const path of files.keys())
    if (path.startsWith('res/') && !table?.files.paths.has(path)) files.delete(path);
  if (!table) return { converted, xmlPaths: new Set() };
  const splits = addSplitsXml(table, packageNameOf(manifest), (path) => files.has(path));
  addMetaData(manifest, 'com.android.vending.splits', splits.id);
  converted.set(splits.path, writeBinaryXml(splits.content, 'utf-8'));
  converted.set('resources.arsc', writeResourceTable(table));
  return { converted, xmlPaths: table.files.xmlPaths };
}

function showAsApk(
  bundle: ZipArchive,
  files: readonly ApkFile[],
  converted: ReadonlyMap<string, Buffer>,
): ZipArchive {
  const sources = new Map<ZipEntry, ApkFile>();
  const byName = new Map<string, ZipEntry>();
  for (const file of files) {
    const uncompressedBytes = converted.get(file.path)?.length ?? file.source?.uncompressedBytes ?? 0;
    const shown = { ...(file.source ?? emptyEntry), name: file.path, uncompressedBytes };
    sources.set(shown, file);
    byName.set(file.path, shown);
  }
  const sourceOf = (entry: ZipEntry) => sources.get(entry)?.source ?? entry;
  const read = async (entry: ZipEntry, maxBytes: number): Promise<Buffer> => {
    const known = converted.get(entry.name);
    if (known) return known;
    const content = await bundle.read(sourceOf(entry), maxBytes);
    return sources.get(entry)?.isConverted ? writeBinaryXml(readXml(content), 'utf-8') : content;
  };
  return {
    ...bundle,
    entries: [...byName.values()],
    duplicateNames: [],
    find: (name) => byName.get(name) ?? null,
    read,
    readAsStored: read,
    dataPosition: (entry) => bundle.dataPosition(sourceOf(entry)),
    stream: (entry) => bundle.stream(sourceOf(entry)),
  };
}

const emptyEntry: Omit<ZipEntry, 'name' | 'uncompressedBytes'> = {
  hasValidName: true,
  method: 0,
  compressedBytes: 0,
  crc32: 0,
  flags: 0,
  localHeaderPosition: 0,
  unixMode: 0,
};
