/** The modules of an Android App Bundle, and which of them are in a universal APK (bundletool: `BundleModule`, `ModuleDeliveryType`). */
import { say } from '../messages/package-messages.ts';
import { UnreadablePackage } from '../package-info.ts';
import type { ZipArchive, ZipEntry } from '../zip/zip-archive.ts';
import { childrenOf, isElement, readXml, type XmlElement } from './xml-message.ts';

export const baseName = 'base';
export const maxManifestMessageBytes = 8 * 1024 * 1024;
/** Bundles with the most features have about a hundred modules. */
export const maxModules = 500;
/** Limited because each part of a path is compared with all rules for assets. Real paths have about 100 characters. */
export const maxPathLetters = 1_024;
export const maxPathFolders = 64;
const manifestPath = 'manifest/AndroidManifest.xml';
const distributionNamespace = 'http://schemas.android.com/apk/distribution';

export interface BundleModule {
  name: string;
  manifest: XmlElement;
  isAssetPack: boolean;
  isInstallTime: boolean;
  /** Whether stores deliver it with the app only to devices that meet a condition, such as a version of Android. */
  isConditional: boolean;
  /** Null if not stated. */
  isFused: boolean | null;
  files: ModuleFile[];
}

export interface ModuleFile {
  /** Path in the module, such as `assets/x`. */
  path: string;
  entry: ZipEntry;
}

export const isBundle = (archive: ZipArchive) => archive.find(`${baseName}/${manifestPath}`) !== null;

const renderScriptEnding = '.bc';
const isLibrary = ({ path }: ModuleFile) => path.startsWith('lib/');
const is64Bit = ({ path }: ModuleFile) => /^lib\/(?:arm64-v8a|x86_64|mips64|riscv64)\//.test(path);

/**
 * Whether any module, including those that are left out, has 32-bit RenderScript code, with which Android cannot use 64-bit
 * libraries (bundletool: `AppBundle64BitNativeLibrariesPreprocessor`).
 */
export const hasRenderScript = (bundle: ZipArchive) =>
  bundle.entries.some(
    ({ name }) => name.endsWith(renderScriptEnding) && !/^(?:BUNDLE-METADATA|META-INF)\//.test(name),
  );

/** @throws UnreadablePackage if a module has no other libraries */
export function without64BitLibraries(module: BundleModule): BundleModule {
  const files = module.files.filter((file) => !is64Bit(file));
  if (files.length < module.files.length && !files.some(isLibrary))
    throw new UnreadablePackage(say('bundle-only-64-bit'));
  return { ...module, files };
}

/**
 * Returns the base module, and then the others in a universal APK by name.
 * @throws UnreadablePackage if a manifest is damaged, or does not state whether its module is fused
 */
export const readFusedModules = (bundle: ZipArchive) => readModules(bundle, isInUniversalApk);

/** Returns the modules that stores deliver with the app to every device or to some, ordered like those of `readFusedModules`. */
export const readInstallTimeModules = (bundle: ZipArchive) =>
  readModules(
    bundle,
    ({ name, isInstallTime, isConditional }) => name === baseName || isInstallTime || isConditional,
  );

async function readModules(
  bundle: ZipArchive,
  isIncluded: (module: BundleModule) => boolean,
): Promise<BundleModule[]> {
  const byName = new Map<string, ModuleFile[]>();
  for (const entry of bundle.entries) {
    checkName(entry.name);
    const end = entry.name.indexOf('/');
    const name = entry.name.slice(0, end);
    if (end < 1 || name === 'BUNDLE-METADATA' || name === 'META-INF' || entry.name.endsWith('/')) continue;
    const files = byName.get(name) ?? [];
    files.push({ path: entry.name.slice(end + 1), entry });
    byName.set(name, files);
  }
  const modules: BundleModule[] = [];
  for (const [name, files] of byName) {
    const manifest = bundle.find(`${name}/${manifestPath}`);
    if (!manifest) continue;
    if (modules.length === maxModules) throw new UnreadablePackage(say('bundle-damaged'));
    const read = readModule(name, readXml(await bundle.read(manifest, maxManifestMessageBytes)), files);
    if (isIncluded(read)) modules.push(read);
  }
  return modules.sort((one, other) =>
    one.name === baseName || (other.name !== baseName && one.name < other.name) ? -1 : 1,
  );
}

/** Rejects paths that a reader of the APK could confuse with others. */
function checkName(name: string): void {
  if (/(^|\/)\.{0,2}(\/|$)/.test(name.replace(/\/$/, '')) || /[\\\0]/.test(name))
    throw new UnreadablePackage(say('bundle-path', { name }));
  if (name.length > maxPathLetters || name.split('/').length - 1 > maxPathFolders) {
    const values = { name: name.slice(0, 100), letters: maxPathLetters, folders: maxPathFolders };
    throw new UnreadablePackage(say('bundle-path-too-long', values));
  }
}

function readModule(name: string, manifest: XmlElement, files: ModuleFile[]): BundleModule {
  const module = childrenOf(manifest, 'module').find((one) => one.namespace === distributionNamespace);
  const type = module && distributionAttribute(module, 'type');
  const delivery = module && childrenOf(module, 'delivery')[0];
  const fusing = module && childrenOf(module, 'fusing')[0];
  const include = fusing && distributionAttribute(fusing, 'include');
  const installTime = delivery ? childrenOf(delivery, 'install-time') : [];
  const isConditional = (one: XmlElement) => childrenOf(one, 'conditions').length > 0;
  return {
    name,
    manifest,
    isAssetPack: type === 'asset-pack' || type === 'ml-pack',
    isInstallTime: delivery
      ? installTime.some((one) => !isConditional(one))
      : !module || distributionAttribute(module, 'onDemand') !== 'true',
    isConditional: installTime.some(isConditional),
    isFused: include === undefined ? null : include === 'true',
    files,
  };
}

/** Older bundles use attributes without a namespace. */
function distributionAttribute(element: XmlElement, name: string): string | undefined {
  const found = element.attributes.find(
    (one) => one.name === name && ['', distributionNamespace].includes(one.namespace),
  );
  return found && (found.compiled ? String(found.compiled.data !== 0) : found.value);
}

/** Features are fused as stated, however they are delivered. Asset packs must also be delivered at install time. */
function isInUniversalApk({ name, isAssetPack, isInstallTime, isFused }: BundleModule): boolean {
  if (name === baseName) return true;
  if (isAssetPack && !isInstallTime) return false;
  if (isFused === null) throw new UnreadablePackage(say('bundle-fusing-missing', { name }));
  return isFused;
}

/** Returns the first `application` element; null if there is none. */
export const applicationOf = (manifest: XmlElement): XmlElement | null =>
  manifest.children.filter(isElement).find((child) => child.name === 'application') ?? null;
