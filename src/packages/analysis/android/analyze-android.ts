/** Analyzes an APK or an Android App Bundle. */
import type { Resolve } from '../../apk/android-manifest.ts';
import { parseBinaryXml, type XmlElement } from '../../apk/binary-xml.ts';
import { phone } from '../../apk/choose-config.ts';
import { readVersionControl, versionControlPath } from '../../apk/package-commit.ts';
import { maxManifestBytes, maxResourceTableBytes } from '../../apk/read-apk.ts';
import { resolveValue } from '../../apk/resolve-resource.ts';
import { parseResourceTable, type ResourceTable } from '../../apk/resource-table.ts';
import { booleanOf } from '../../apk/typed-value.ts';
import { readBundleConfig } from '../../bundle/bundle-config.ts';
import { configName, maxConfigMessageBytes, openBundle } from '../../bundle/open-bundle.ts';
import { UnreadablePackage } from '../../package-info.ts';
import type { ZipArchive } from '../../zip/zip-archive.ts';
import type { AnalysisGap, AndroidAnalysis, DependencyAnalysis } from '../analysis.ts';
import { maxAnalyzedTableBytes, selectsForDevice } from '../bundle-delivery.ts';
import { addGap, checkSize, collectGap } from '../gaps.ts';
import { readWhole } from '../read-frugally.ts';
import { readBackup } from './backup-rules.ts';
import { maxReportBytes, readR8Report } from './build-reports.ts';
import { type ClassNames, maxMapBytes, packageOfClass, readClassNames } from './class-names.ts';
import { type DexFacts, maxDexBytes, type PackageCode, readDex } from './dex.ts';
import {
  dependenciesPath,
  findEvidence,
  maxDependenciesBytes,
  nativeDependencies,
  readDeclaredLibraries,
} from './libraries.ts';
import { fileAttribute, readManifestSecurity } from './manifest-security.ts';
import { readNativeLibraries } from './native-libraries.ts';
import { maxNamedXmlBytes, readNetworkSecurity } from './network-security.ts';

/** An app of a million methods has about twenty files. */
export const maxDexFiles = 200;
/** For all files of code together. */
export const maxDexTotalBytes = 512 * 1024 * 1024;
/** Only the largest are listed. */
export const maxCodePackages = 500;
/** The limit for all files of code, to limit memory. Large apps have about ten thousand. */
export const maxDistinctPackages = 50_000;
/** The share of classes with a name of one or two letters from which names are those of an obfuscator. */
const obfuscatedShare = 0.1;
const mapPath = 'BUNDLE-METADATA/com.android.tools.build.obfuscation/proguard.map';
const reportPath = 'BUNDLE-METADATA/com.android.tools/r8.json';

const emptyManifest: AndroidAnalysis['manifest'] = {
  debuggable: false,
  testOnly: false,
  allowBackup: null,
  usesCleartextTraffic: null,
  extractNativeLibs: null,
  isGame: false,
  targetSdk: null,
  minSdk: null,
  permissions: [],
  features: [],
  exported: [],
  deepLinks: [],
};

/**
 * @param archive the file itself, also if it is a bundle
 * @param gaps receives what could not be analyzed
 */
export async function analyzeAndroid(
  archive: ZipArchive,
  isBundle: boolean,
  gaps: AnalysisGap[],
): Promise<{ android: AndroidAnalysis; dependencies: DependencyAnalysis }> {
  const readReport = async <T>(path: string, read: (bytes: Buffer) => T): Promise<T | null> => {
    const entry = archive.find(path);
    return (
      entry &&
      collectGap(gaps, 'metadata', entry, async () =>
        read(await readWhole(archive, { entry, maxBytes: maxReportBytes })),
      )
    );
  };
  const code = await analyzeCode(archive, gaps);
  const nativeLibraries = await readNativeLibraries(archive, isBundle, gaps);
  const android: AndroidAnalysis = {
    ...code,
    nativeLibraries,
    r8: await readReport(reportPath, readR8Report),
    versionControl: await readReport(
      isBundle ? `base/root/${versionControlPath}` : versionControlPath,
      readVersionControl,
    ),
    bundleAlignment: isBundle ? await readBundleAlignment(archive, gaps) : null,
    mapping: await locateMapping(archive, gaps),
    ...(await analyzeManifest(archive, isBundle, gaps)),
  };
  const known = await findLibraries(archive, gaps);
  const libraries = [...known.libraries, ...nativeDependencies(nativeLibraries)];
  const source = known.source === 'none' && libraries.length > 0 ? 'evidence' : known.source;
  return { android, dependencies: { ...known, source, libraries } };
}

async function findLibraries(archive: ZipArchive, gaps: AnalysisGap[]): Promise<DependencyAnalysis> {
  const entry = archive.find(dependenciesPath);
  const declared =
    entry &&
    (await collectGap(gaps, 'metadata', entry, async () =>
      readDeclaredLibraries(await readWhole(archive, { entry, maxBytes: maxDependenciesBytes })),
    ));
  return declared ?? findEvidence(archive, gaps);
}

async function analyzeCode(
  archive: ZipArchive,
  gaps: AnalysisGap[],
): Promise<Pick<AndroidAnalysis, 'dex' | 'codePackages' | 'renamed'>> {
  const names = await readMap(archive, gaps);
  const packageOf = (className: string) => names?.packages.get(className) ?? packageOfClass(className);
  const dex: AndroidAnalysis['dex'] = [];
  const packages = new Map<string, PackageCode>();
  let bytesLeft = maxDexTotalBytes;
  let classes = 0;
  let shortNames = 0;
  for (const entry of archive.entries) {
    if (!/^(?:[^/]+(?:\/dex|\.apk)\/)?classes\d*\.dex$/.test(entry.name)) continue;
    bytesLeft -= entry.uncompressedBytes;
    if (dex.length === maxDexFiles || bytesLeft < 0) {
      addGap(gaps, 'dex', entry.name, dex.length === maxDexFiles ? 'too_many' : 'too_large');
      break;
    }
    const facts = await collectGap(gaps, 'dex', entry, async () =>
      readDex(
        await readWhole(archive, { entry, maxBytes: maxDexBytes }),
        packageOf,
        maxDistinctPackages - packages.size,
      ),
    );
    // V8 collects buffers late, so several files of code would be in memory at once.
    globalThis.gc?.();
    if (!facts) continue;
    const { packages: own, shortNames: short, ...counts } = facts;
    dex.push({ path: entry.name, ...counts, bytes: entry.uncompressedBytes });
    classes += facts.classes;
    shortNames += short;
    addPackages(packages, own);
  }
  const codePackages = [...packages]
    .map(([name, code]) => ({ name, ...code }))
    .sort((one, other) => other.codeBytes - one.codeBytes || (one.name < other.name ? -1 : 1))
    .slice(0, maxCodePackages);
  return { dex, codePackages, renamed: classes === 0 ? null : namesOf(names, shortNames / classes) };
}

function namesOf(names: ClassNames | null, shortShare: number): NonNullable<AndroidAnalysis['renamed']> {
  if (names) return names.isRenamed ? 'mapped' : 'original_names';
  return shortShare >= obfuscatedShare ? 'obfuscated' : 'original_names';
}

function addPackages(packages: Map<string, PackageCode>, own: DexFacts['packages']): void {
  for (const [name, { codeBytes, classes }] of own) {
    const known = packages.get(name) ?? { codeBytes: 0, classes: 0 };
    packages.set(name, { codeBytes: known.codeBytes + codeBytes, classes: known.classes + classes });
  }
}

async function readBundleAlignment(archive: ZipArchive, gaps: AnalysisGap[]): Promise<number | null> {
  const entry = archive.find(configName);
  if (!entry) return readBundleConfig(Buffer.alloc(0)).libraryAlignment;
  return collectGap(gaps, 'metadata', entry, async () => {
    checkSize(entry, maxConfigMessageBytes);
    return readBundleConfig(await archive.read(entry, maxConfigMessageBytes)).libraryAlignment;
  });
}

/** Where the mapping is in the file, so that it can be sent without a copy. */
async function locateMapping(archive: ZipArchive, gaps: AnalysisGap[]): Promise<AndroidAnalysis['mapping']> {
  const entry = archive.find(mapPath);
  const isReadable = entry?.method === 0 || entry?.method === 8;
  if (!entry || !isReadable || entry.uncompressedBytes > maxMapBytes) return null;
  return collectGap(gaps, 'metadata', entry, async () => ({
    position: await archive.dataPosition(entry),
    compressedBytes: entry.compressedBytes,
    bytes: entry.uncompressedBytes,
    isDeflated: entry.method === 8,
  }));
}

async function readMap(archive: ZipArchive, gaps: AnalysisGap[]): Promise<ClassNames | null> {
  const entry = archive.find(mapPath);
  if (!entry) return null;
  return collectGap(gaps, 'metadata', entry, () => {
    checkSize(entry, maxMapBytes);
    return readClassNames(archive.stream(entry));
  });
}

/** A bundle is read as the universal APK that it becomes, with the manifests of its features. */
async function analyzeManifest(
  archive: ZipArchive,
  isBundle: boolean,
  gaps: AnalysisGap[],
): Promise<Pick<AndroidAnalysis, 'manifest' | 'networkSecurity' | 'backup'>> {
  const read = await collectGap(gaps, 'manifest', null, async () => {
    // The values for one device suffice, in a fraction of the memory.
    const options = { maxTableBytes: maxAnalyzedTableBytes, selectsFor: selectsForDevice() };
    const apk = isBundle ? (await openBundle(archive, options)).archive : archive;
    const root = parseBinaryXml(await readNamed(apk, 'AndroidManifest.xml', maxManifestBytes));
    const table = await readTable(apk, gaps);
    const resolve: Resolve = (value) => {
      if (table) return resolveValue(table, value, phone(160));
      return value.kind === 'reference' ? null : value;
    };
    const manifest = readManifestSecurity(root, resolve);
    const files = { apk, root, resolve, gaps };
    const networkSecurity = await readNamedXml(files, 'networkSecurityConfig', 'manifest');
    return {
      manifest,
      networkSecurity: networkSecurity && readNetworkSecurity(networkSecurity),
      backup: await analyzeBackup(files, manifest),
    };
  });
  globalThis.gc?.();
  return read ?? { manifest: emptyManifest, networkSecurity: null, backup: null };
}

/** An unknown compression method counts as stored, as in Android's own reader. */
async function readNamed(apk: ZipArchive, name: string, maxBytes: number): Promise<Buffer> {
  const entry = apk.find(name);
  if (!entry) throw new UnreadablePackage('a file of the package is missing');
  checkSize(entry, maxBytes);
  return entry.method === 0 || entry.method === 8
    ? apk.read(entry, maxBytes)
    : apk.readAsStored(entry, maxBytes);
}

async function readTable(apk: ZipArchive, gaps: AnalysisGap[]): Promise<ResourceTable | null> {
  const entry = apk.find('resources.arsc');
  return (
    entry &&
    collectGap(gaps, 'resources', entry, async () =>
      parseResourceTable(await readNamed(apk, entry.name, maxResourceTableBytes)),
    )
  );
}

interface ManifestFiles {
  apk: ZipArchive;
  root: XmlElement;
  resolve: Resolve;
  gaps: AnalysisGap[];
}

/** Returns the file that the attribute names; null without the attribute, or if the file cannot be read, which is then a gap. */
async function readNamedXml(
  { apk, root, resolve, gaps }: ManifestFiles,
  name: Parameters<typeof fileAttribute>[1],
  part: 'manifest' | 'resources',
): Promise<XmlElement | null> {
  const attribute = fileAttribute(root, name);
  if (!attribute) return null;
  const file = resolve(attribute);
  const path = file?.kind === 'string' ? file.text : null;
  return collectGap(gaps, part, path, async () =>
    parseBinaryXml(await readNamed(apk, path ?? '', maxNamedXmlBytes)),
  );
}

async function analyzeBackup(
  files: ManifestFiles,
  { allowBackup, targetSdk }: AndroidAnalysis['manifest'],
): Promise<AndroidAnalysis['backup']> {
  const { root, resolve } = files;
  const content = fileAttribute(root, 'fullBackupContent');
  const stated = content && resolve(content);
  // `PackageParser` of the platform takes every value that is not a file as a truth value.
  const isFlag = stated && stated.kind !== 'string';
  const fullBackupContent = isFlag
    ? booleanOf(stated) === true
    : await readNamedXml(files, 'fullBackupContent', 'resources');
  const dataExtractionRules = await readNamedXml(files, 'dataExtractionRules', 'resources');
  const isUnread =
    (content !== null && fullBackupContent === null) ||
    (fileAttribute(root, 'dataExtractionRules') !== null && dataExtractionRules === null);
  return isUnread ? null : readBackup({ allowBackup, fullBackupContent, dataExtractionRules, targetSdk });
}
