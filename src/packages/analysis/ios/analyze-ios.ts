/** What an app for iOS contains, for the page about its security and for the rules of the App Store: all of it from the file alone. */
import { type AppBundle, readInfoPlist } from '../../ipa/app-bundle.ts';
import { maxAssetCatalogBytes, measureAssetCatalog } from '../../ipa/asset-catalog/asset-catalog.ts';
import { boundedEntitlements } from '../../ipa/provisioning-profile.ts';
import { readCodeSignature, signatureSlot } from '../../ipa/signature/code-signature.ts';
import { parseEntitlements } from '../../ipa/signature/entitlements.ts';
import { UnreadablePackage } from '../../package-info.ts';
import { parsePropertyList } from '../../property-list/property-list.ts';
import {
  dictionaryUnder,
  isDictionary,
  type PropertyListDictionary,
  propertyListLimits,
  textsUnder,
  textUnder,
} from '../../property-list/property-list-value.ts';
import type { ZipEntry } from '../../zip/zip-archive.ts';
import type { DependencyAnalysis, IosAnalysis } from '../analysis.ts';
import { addGap, checkSize, collectGap, type Gap } from '../gaps.ts';
import { type MachOFacts, readMachOFacts } from './mach-o-facts.ts';

/** Limits of one app; what exceeds them is a gap. */
export const iosLimits = {
  executables: 300,
  bundles: 500,
  catalogs: 100,
  privacyManifests: 300,
  /** Entries of one list of Info.plist or of a privacy manifest. */
  values: 500,
  valueCharacters: 500,
  entitlementsCharacters: 32 * 1024,
};

type IosLimits = typeof iosLimits;

interface NestedBundle {
  /** With a trailing slash; empty for the app itself. */
  folder: string;
  infoPlist: PropertyListDictionary;
}

/** Rejects with `UnreadablePackage` if the app has no readable Info.plist. */
export async function analyzeIos(
  bundle: AppBundle,
  gaps: Gap[],
  limits: IosLimits = iosLimits,
): Promise<{ ios: IosAnalysis; dependencies: DependencyAnalysis }> {
  const infoPlist = await readInfoPlist(bundle);
  const nested = await readNestedBundles(bundle, limits, gaps);
  const all: NestedBundle[] = [{ folder: '', infoPlist }, ...nested];
  const { executables, main } = await readExecutables(bundle, all, limits, gaps);
  const entitlements = await entitlementsOf(main, limits, gaps);
  const frameworks = frameworksOf(bundle, nested);
  const ios: IosAnalysis = {
    sdk: {
      name: textUnder(infoPlist, 'DTSDKName'),
      version: textUnder(infoPlist, 'DTPlatformVersion'),
      xcode: textUnder(infoPlist, 'DTXcode'),
    },
    executables,
    privacyManifests: await readPrivacyManifests(bundle, limits, gaps),
    frameworks,
    appTransportSecurity: transportSecurityOf(infoPlist, limits),
    entitlements: entitlements ?? {},
    getTaskAllow: entitlements ? entitlements['get-task-allow'] === true : null,
    assetCatalogs: await readCatalogs(bundle, limits, gaps),
    urlSchemes: urlSchemesOf(infoPlist, limits),
    associatedDomains: bounded(texts(entitlements?.['com.apple.developer.associated-domains']), limits),
    usageDescriptions: bounded(
      Object.keys(infoPlist)
        .filter((key) => /^NS\w+UsageDescription$/.test(key))
        .sort(),
      limits,
    ),
    backgroundModes: bounded(textsUnder(infoPlist, 'UIBackgroundModes'), limits),
  };
  return { ios, dependencies: dependenciesOf(frameworks) };
}

/** Bundles within the app with an executable of their own: frameworks, extensions, tests, and apps for a watch or an app clip. */
async function readNestedBundles(bundle: AppBundle, limits: IosLimits, gaps: Gap[]): Promise<NestedBundle[]> {
  const found: NestedBundle[] = [];
  for (const { path, entry } of bundle.files.entries) {
    const [, folder] = /^(.+\.(?:framework|appex|app|xpc|xctest)\/)Info\.plist$/.exec(path) ?? [];
    if (folder === undefined) continue;
    if (found.length === limits.bundles) {
      addGap(gaps, 'properties', null, 'too_many');
      break;
    }
    const infoPlist = await readDictionary(bundle, entry, gaps);
    if (infoPlist) found.push({ folder, infoPlist });
  }
  return found;
}

/** `Kit` for `Frameworks/Kit.framework/`. */
const bundleNameOf = (folder: string) =>
  folder
    .split('/')
    .at(-2)
    ?.replace(/\.\w+$/, '') ?? '';

async function readDictionary(
  bundle: AppBundle,
  entry: ZipEntry,
  gaps: Gap[],
): Promise<PropertyListDictionary | null> {
  return collectGap(gaps, 'properties', entry, async () => {
    checkSize(entry, propertyListLimits.maxBytes);
    const list = parsePropertyList(await bundle.archive.read(entry, propertyListLimits.maxBytes));
    if (!isDictionary(list)) throw new UnreadablePackage('the property list is not a dictionary');
    return list;
  });
}

async function readExecutables(
  bundle: AppBundle,
  bundles: readonly NestedBundle[],
  limits: IosLimits,
  gaps: Gap[],
) {
  const paths = bundles.map(({ folder, infoPlist }) => folder + executableNameOf(folder, infoPlist));
  const libraries = bundle.files.entries.map(({ path }) => path).filter((path) => path.endsWith('.dylib'));
  const executables: IosAnalysis['executables'] = [];
  let main: MachOFacts | null = null;
  for (const path of new Set([...paths, ...libraries])) {
    const entry = bundle.files.find(path);
    if (!entry) continue;
    if (executables.length === limits.executables) {
      addGap(gaps, 'native', null, 'too_many');
      break;
    }
    const facts = await collectGap(gaps, 'native', entry, () => readMachOFacts(bundle.archive, entry));
    if (!facts) continue;
    if (facts.encrypted) addGap(gaps, 'native', entry.name, 'encrypted');
    if (path === paths[0]) main = facts;
    const { sdkVersion, minOs, platform, linked, symbolBytes, debugBytes, requiredReasonApis, uuid } = facts;
    executables.push({
      path: entry.name,
      bytes: entry.uncompressedBytes,
      sdkVersion,
      minOs,
      platform,
      linked: bounded(linked, limits),
      symbolBytes,
      debugBytes,
      requiredReasonApis,
      uuid,
    });
  }
  return { executables, main };
}

/** Without a stated name, the executable is named like its bundle. */
function executableNameOf(folder: string, infoPlist: PropertyListDictionary): string {
  return textUnder(infoPlist, 'CFBundleExecutable') ?? bundleNameOf(folder);
}

/** Returns the entitlements that the executable is signed with; null if it states none, or they cannot be read. */
async function entitlementsOf(
  main: MachOFacts | null,
  limits: IosLimits,
  gaps: Gap[],
): Promise<Record<string, unknown> | null> {
  if (!main) return null;
  const { signature, simulated } = main;
  const isSimulated = isSimulator(main) && (simulated.xml ?? simulated.der) !== null;
  if (!signature && !isSimulated) return null;
  return collectGap(gaps, 'signature', null, () => {
    const { xml, der } = isSimulated || !signature ? simulated : blobsOf(signature);
    const list = xml ? parseEntitlements(xml, 'xml') : der ? parseEntitlements(der, 'der') : {};
    return boundedEntitlements(list, limits.entitlementsCharacters);
  });
}

/** Apps for devices are judged by their signature only, as the system does. */
const isSimulator = ({ platform, cpu }: MachOFacts) =>
  simulatorPlatforms.includes(platform ?? 0) || cpu === 'x86_64' || cpu === 'i386';
/** PLATFORM_IOSSIMULATOR and those of tvOS, watchOS and visionOS. */
const simulatorPlatforms = [7, 8, 9, 12];

function blobsOf(signature: Buffer): MachOFacts['simulated'] {
  try {
    const { blobs } = readCodeSignature(signature);
    return {
      xml: blobs.get(signatureSlot.entitlements) ?? null,
      der: blobs.get(signatureSlot.derEntitlements) ?? null,
    };
  } catch (cause) {
    throw new UnreadablePackage('the signature is malformed', { cause });
  }
}

async function readPrivacyManifests(
  bundle: AppBundle,
  limits: IosLimits,
  gaps: Gap[],
): Promise<IosAnalysis['privacyManifests']> {
  const found: IosAnalysis['privacyManifests'] = [];
  for (const { path, entry } of bundle.files.entries) {
    if (!/(?:^|\/)PrivacyInfo\.xcprivacy$/.test(path)) continue;
    if (found.length === limits.privacyManifests) {
      addGap(gaps, 'metadata', null, 'too_many');
      break;
    }
    const list = await readDictionary(bundle, entry, gaps);
    if (!list) continue;
    found.push({
      path: entry.name,
      tracking: list.NSPrivacyTracking === true,
      trackingDomains: bounded(textsUnder(list, 'NSPrivacyTrackingDomains'), limits),
      collected: bounded(
        dictionariesUnder(list, 'NSPrivacyCollectedDataTypes').flatMap(
          (one) => textUnder(one, 'NSPrivacyCollectedDataType') ?? [],
        ),
        limits,
      ),
      accessed: dictionariesUnder(list, 'NSPrivacyAccessedAPITypes')
        .slice(0, limits.values)
        .flatMap((one) => {
          const category = textUnder(one, 'NSPrivacyAccessedAPIType')?.slice(0, limits.valueCharacters);
          const reasons = bounded(textsUnder(one, 'NSPrivacyAccessedAPITypeReasons'), limits);
          return category === undefined ? [] : [{ category, reasons }];
        }),
    });
  }
  return found;
}

function frameworksOf(bundle: AppBundle, nested: readonly NestedBundle[]): IosAnalysis['frameworks'] {
  const ending = '.framework/';
  const bytesOf = new Map(nested.map(({ folder }) => [folder, 0]));
  for (const { path, entry } of bundle.files.entries)
    for (let at = path.indexOf(ending); at !== -1; at = path.indexOf(ending, at + 1)) {
      const folder = path.slice(0, at + ending.length);
      const known = bytesOf.get(folder);
      if (known !== undefined) bytesOf.set(folder, known + entry.uncompressedBytes);
    }
  return nested
    .filter(({ folder }) => folder.endsWith(ending))
    .map(({ folder, infoPlist }) => ({
      path: bundle.root + folder.slice(0, -1),
      name: bundleNameOf(folder),
      version: textUnder(infoPlist, 'CFBundleShortVersionString') ?? textUnder(infoPlist, 'CFBundleVersion'),
      bytes: bytesOf.get(folder) ?? 0,
    }));
}

/** A framework names itself and its version; which of them the app uses directly is unknown. */
function dependenciesOf(frameworks: IosAnalysis['frameworks']): DependencyAnalysis {
  const libraries = frameworks.map(({ path, name, version }) => ({
    ecosystem: 'ios' as const,
    group: null,
    name,
    version,
    sha256: null,
    evidence: path,
    direct: null,
  }));
  return { source: libraries.length > 0 ? 'evidence' : 'none', libraries, edges: [] };
}

/** Since iOS 10, each of the narrower keys makes the system ignore NSAllowsArbitraryLoads. */
const narrowerKeys = [
  'NSAllowsArbitraryLoadsForMedia',
  'NSAllowsArbitraryLoadsInWebContent',
  'NSAllowsLocalNetworking',
];
const insecureKeys = [
  'NSExceptionAllowsInsecureHTTPLoads',
  'NSTemporaryExceptionAllowsInsecureHTTPLoads',
  'NSThirdPartyExceptionAllowsInsecureHTTPLoads',
  'NSTemporaryThirdPartyExceptionAllowsInsecureHTTPLoads',
];

function transportSecurityOf(
  infoPlist: PropertyListDictionary,
  limits: IosLimits,
): IosAnalysis['appTransportSecurity'] {
  const stated = dictionaryUnder(infoPlist, 'NSAppTransportSecurity') ?? {};
  const domains = dictionaryUnder(stated, 'NSExceptionDomains') ?? {};
  return {
    arbitraryLoads: stated.NSAllowsArbitraryLoads === true && !narrowerKeys.some((key) => key in stated),
    exceptions: bounded(Object.keys(domains), limits).map((domain) => {
      const exception = dictionaryUnder(domains, domain) ?? {};
      return { domain, insecure: insecureKeys.some((key) => exception[key] === true) };
    }),
  };
}

function urlSchemesOf(infoPlist: PropertyListDictionary, limits: IosLimits): string[] {
  const schemes = dictionariesUnder(infoPlist, 'CFBundleURLTypes').flatMap((type) =>
    textsUnder(type, 'CFBundleURLSchemes'),
  );
  return bounded([...new Set(schemes)], limits);
}

async function readCatalogs(
  bundle: AppBundle,
  limits: IosLimits,
  gaps: Gap[],
): Promise<IosAnalysis['assetCatalogs']> {
  const found: IosAnalysis['assetCatalogs'] = [];
  let left = limits.catalogs;
  for (const { path, entry } of bundle.files.entries) {
    if (!path.endsWith('.car')) continue;
    if (left-- === 0) {
      addGap(gaps, 'catalog', null, 'too_many');
      break;
    }
    const kinds = await collectGap(gaps, 'catalog', entry, async () => {
      checkSize(entry, maxAssetCatalogBytes);
      return measureAssetCatalog(await bundle.archive.read(entry, maxAssetCatalogBytes));
    });
    for (const kind of kinds ?? []) found.push({ path: entry.name, ...kind });
  }
  return found;
}

function dictionariesUnder(dictionary: PropertyListDictionary, key: string): PropertyListDictionary[] {
  const value = dictionary[key];
  return Array.isArray(value) ? value.filter(isDictionary) : [];
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];
}

function bounded(values: readonly string[], limits: IosLimits): string[] {
  return values.slice(0, limits.values).map((value) => value.slice(0, limits.valueCharacters));
}
