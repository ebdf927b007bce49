import { say } from '../messages/package-messages.ts';
import { type AndroidFacts, type PackageInfo, UnreadablePackage } from '../package-info.ts';
import type { ZipArchive, ZipEntry } from '../zip/zip-archive.ts';
import { type DeclaredSdk, type ManifestFacts, maxNames, readManifest } from './android-manifest.ts';
import { apiLevelOfCodename } from './android-releases.ts';
import { parseBinaryXml, type XmlElement } from './binary-xml.ts';
import { phone } from './choose-config.ts';
import { chooseIcon } from './choose-icon.ts';
import { containerWarnings } from './container-warnings.ts';
import { manifestWarnings } from './manifest-warnings.ts';
import { nativeCodeWarnings } from './native-code-warnings.ts';
import { resolveInLocales, resolveValue } from './resolve-resource.ts';
import { parseResourceTable, type ResourceTable } from './resource-table.ts';
import { readSigningFacts } from './signature/signing-facts.ts';
import { type TypedValue, textOf } from './typed-value.ts';

/** The largest real manifests have about one megabyte. */
export const maxManifestBytes = 8 * 1024 * 1024;
/** The largest apps have tables of about 20 megabytes. */
export const maxResourceTableBytes = 64 * 1024 * 1024;
/** The platform truncates labels to `PackageItemInfo.MAX_SAFE_LABEL_LENGTH`. */
export const maxLabelLength = 1_000;
/** Files that the platform finds by name. If there are duplicates, readers disagree about which one to use. */
const uniqueNames = /^(AndroidManifest\.xml|resources\.arsc|classes\d*\.dex)$/;

/**
 * Reads the facts of an APK: the directory, AndroidManifest.xml, resources.arsc if the manifest refers to it, the signing block
 * and the icon's header.
 * @throws UnreadablePackage if Android would find no app: a missing or damaged manifest, a split, bytes before the archive,
 * duplicate entries that must be unique, or an entry that inflates beyond its limit
 */
export async function readApk(archive: ZipArchive): Promise<PackageInfo> {
  await checkContainer(archive);
  return readContents(archive, async ({ extractNativeLibs }, targetSdkVersion) => ({
    ...(await readSigningFacts(archive)),
    containerWarnings: [
      ...(await containerWarnings(archive, targetSdkVersion)),
      ...(await nativeCodeWarnings(archive, extractNativeLibs)),
    ],
  }));
}

/** Reads the facts of an APK that is not generated yet, so that its signature and alignment are unknown. */
export async function readUnsignedApk(archive: ZipArchive): Promise<PackageInfo> {
  const signing = { schemes: [], certificates: [], lineage: [], sourceStamp: false };
  return readContents(archive, async () => ({
    signing,
    signature: null,
    warnings: [],
    containerWarnings: [],
  }));
}

type ContainerFacts = Awaited<ReturnType<typeof readSigningFacts>> & { containerWarnings: string[] };

async function readContents(
  archive: ZipArchive,
  readContainer: (manifest: ManifestFacts, targetSdkVersion: number) => Promise<ContainerFacts>,
): Promise<PackageInfo> {
  const manifestBytes = await readUnique(archive, 'AndroidManifest.xml', maxManifestBytes);
  if (!manifestBytes) throw new UnreadablePackage(say('manifest-missing'));
  const root = parseManifest(manifestBytes);
  const { table, warnings: tableWarnings } = await readTable(archive, root);
  const device = phone(160);
  const manifest = readManifest(root, (value) =>
    table ? resolveValue(table, value, device) : notReference(value),
  );
  const labels = readLabels(table, manifest.labels);
  const minSdk = readMinSdk(manifest);
  const targetSdkVersion = readTargetSdk(manifest, minSdk.level);
  const container = await readContainer(manifest, targetSdkVersion);
  const { signing, signature } = container;
  return {
    platform: 'android',
    packageName: manifest.packageName,
    name: chooseName(labels) ?? manifest.packageName,
    labels,
    versionCode: String(manifest.versionCode),
    versionName: manifest.versionName,
    sdkVersion: String(minSdk.level),
    rawSdkVersion: minSdk.stated,
    targetSdkVersion,
    signature,
    signing,
    icon: await chooseIcon(archive, table, manifest.icons),
    android: androidFacts(archive, manifest),
    ios: null,
    warnings: [
      ...container.containerWarnings,
      ...manifestWarnings(manifest, targetSdkVersion),
      ...tableWarnings,
      ...container.warnings,
    ],
  };
}

/** Since the Janus attack (CVE-2017-13156), Android rejects archives that do not begin with an entry. */
async function checkContainer(archive: ZipArchive): Promise<void> {
  const start = archive.file.sizeBytes >= 4 ? await archive.file.read(0, 4) : Buffer.alloc(4);
  if (start.readUInt32LE(0) !== 0x04034b50) {
    throw new UnreadablePackage(say('archive-other-bytes-first'));
  }
  if (archive.declaredEntryCount !== archive.entries.length) {
    throw new UnreadablePackage(say('archive-hidden-entries'));
  }
  const duplicate = archive.duplicateNames.find((name) => uniqueNames.test(name));
  if (duplicate !== undefined) throw new UnreadablePackage(say('archive-file-twice', { name: duplicate }));
}

/** An unknown compression method counts as stored, as in Android's own reader of manifest and resources. */
async function readUnique(archive: ZipArchive, name: string, maxBytes: number): Promise<Buffer | null> {
  const entry = archive.find(name);
  if (!entry) return null;
  return hasKnownMethod(entry) ? archive.read(entry, maxBytes) : archive.readAsStored(entry, maxBytes);
}

const hasKnownMethod = (entry: ZipEntry) => entry.method === 0 || entry.method === 8;

function parseManifest(bytes: Buffer): XmlElement {
  if (/^\s*</.test(bytes.toString('latin1', 0, 64).replace(/^ï»¿/, ''))) {
    throw new UnreadablePackage(say('manifest-plain-text'));
  }
  // `aapt.pb.XmlNode` begins with field 1, the element. Compiled XML begins with 03 00.
  if (bytes[0] === 0x0a) throw new UnreadablePackage(say('manifest-in-proto-format'));
  try {
    return parseBinaryXml(bytes);
  } catch (cause) {
    if (cause instanceof UnreadablePackage) throw new UnreadablePackage(say('manifest-damaged'), { cause });
    throw cause;
  }
}

/** Reads the table only if the manifest refers to it. If it is damaged, label and icon are unknown. */
async function readTable(
  archive: ZipArchive,
  root: XmlElement,
): Promise<{ table: ResourceTable | null; warnings: string[] }> {
  if (!refersToTable(root)) return { table: null, warnings: [] };
  const bytes = await readUnique(archive, 'resources.arsc', maxResourceTableBytes);
  if (!bytes) return { table: null, warnings: [] };
  try {
    return { table: parseResourceTable(bytes), warnings: [] };
  } catch (error) {
    if (!(error instanceof UnreadablePackage)) throw error;
    return {
      table: null,
      warnings: [say('resources-damaged')],
    };
  }
}

function refersToTable(element: XmlElement): boolean {
  return (
    element.attributes.some((attribute) => attribute.value.kind === 'reference') ||
    element.children.some(refersToTable)
  );
}

const notReference = (value: TypedValue) => (value.kind === 'reference' ? null : value);

/** Returns the texts of the first label that has one: that of the application, otherwise one that its launcher shows. */
function readLabels(table: ResourceTable | null, candidates: readonly TypedValue[]): Record<string, string> {
  const texts = candidates.map((label) => readLabel(table, label));
  return texts.find((one) => chooseName(one) !== null) ?? texts[0] ?? {};
}

function readLabel(table: ResourceTable | null, label: TypedValue): Record<string, string> {
  if (table) {
    const labels = resolveInLocales(table, label, textOf);
    return Object.fromEntries(
      [...labels]
        .filter(([, text]) => text !== '')
        .map(([tag, text]) => [tag, text.slice(0, maxLabelLength)]),
    );
  }
  const text = textOf(label);
  return text ? { '': text.slice(0, maxLabelLength) } : {};
}

/** Returns the default text, otherwise an English one, otherwise the first; null if all are blank. */
function chooseName(labels: Record<string, string>): string | null {
  const tags = Object.keys(labels);
  const english = tags.filter((tag) => /^en(-|$)/.test(tag));
  for (const tag of ['', ...english, ...tags]) {
    const name = labels[tag]?.trim();
    if (name) return name;
  }
  return null;
}

/** A target codename also applies as the minimum if there is none: `ParsingPackageUtils.parseUsesSdk`. */
function readMinSdk({ minSdk, targetSdk }: ManifestFacts): { level: number; stated: string | null } {
  const stated = minSdk.level ?? minSdk.codename;
  return {
    level: levelOf(minSdk) ?? (targetSdk.codename === null ? 1 : apiLevelOfCodename(targetSdk.codename)),
    stated: stated === null ? null : String(stated),
  };
}

function readTargetSdk({ targetSdk }: ManifestFacts, minLevel: number): number {
  return levelOf(targetSdk) ?? minLevel;
}

function levelOf(stated: DeclaredSdk): number | null {
  return stated.level ?? (stated.codename === null ? null : apiLevelOfCodename(stated.codename));
}

function androidFacts(archive: ZipArchive, manifest: ManifestFacts): AndroidFacts {
  return {
    versionCodeMajor: manifest.versionCodeMajor,
    minSdkCodename: manifest.minSdk.codename,
    targetSdkCodename: manifest.targetSdk.codename,
    maxSdkVersion: manifest.maxSdkVersion,
    compileSdkVersion: manifest.compileSdkVersion,
    permissions: manifest.permissions,
    features: manifest.features,
    nativeAbis: readNativeAbis(archive),
    debuggable: manifest.debuggable,
    testOnly: manifest.testOnly,
  };
}

function readNativeAbis(archive: ZipArchive): string[] {
  const abis = new Set<string>();
  for (const { name } of archive.entries) {
    const abi = /^lib\/([A-Za-z0-9_-]{1,64})\/[^/]+$/.exec(name)?.[1];
    if (abi !== undefined && abis.size < maxNames) abis.add(abi);
  }
  return [...abis].toSorted();
}
