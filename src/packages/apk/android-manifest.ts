import { say } from '../messages/package-messages.ts';
import { UnreadablePackage } from '../package-info.ts';
import { readable } from '../sentence.ts';
import { attributeById, plainAttribute, type XmlElement } from './binary-xml.ts';
import { booleanOf, integerOf, type TypedValue, textOf } from './typed-value.ts';

/** Resolves a manifest value for a device without a language. Null if it has no value. */
export type Resolve = (value: TypedValue) => TypedValue | null;

/** An SDK level as stated in the manifest: a number, the codename of a platform under development, or null. */
export interface DeclaredSdk {
  level: number | null;
  codename: string | null;
}

export interface ManifestFacts {
  packageName: string;
  versionCode: number;
  versionCodeMajor: number | null;
  versionName: string | null;
  minSdk: DeclaredSdk;
  targetSdk: DeclaredSdk;
  maxSdkVersion: number | null;
  compileSdkVersion: number | null;
  permissions: string[];
  features: { name: string; required: boolean }[];
  debuggable: boolean;
  testOnly: boolean;
  /** False if the platform must load native code directly from the package. */
  extractNativeLibs: boolean;
  /** `android:sharedUserId`: packages with the same value share data and permissions. Null without one. */
  sharedUserId: string | null;
  /** The package requires its split packages. */
  splitRequired: boolean;
  /** Unresolved, because a label has a text per locale and an icon has a file per density. In order of preference. */
  labels: readonly TypedValue[];
  icons: readonly TypedValue[];
  applications: number;
  usesSdks: number;
  instrumentations: number;
  /** The app that the package's instrumentation targets. Null if there is none, or it targets the package itself. */
  testedPackage: string | null;
}

/** More than any app states; the platform's own package has about 600. */
export const maxNames = 2_000;
export const maxNameLength = 500;
export const maxVersionNameLength = 1_000;
const maxCodenameLength = 100;
/** `PackageManager` allows 223 characters because the name becomes a folder name. */
export const maxPackageNameLength = 223;

/**
 * Reads a manifest like the platform's package manager: attributes by id, the first `application`, the last
 * `uses-sdk`.
 *
 * @throws UnreadablePackage when the manifest belongs to a split, or has another root or an invalid package name
 * @see `ParsingPackageUtils` and `ApkLiteParseUtils` of the platform
 */
export function readManifest(root: XmlElement, resolve: Resolve): ManifestFacts {
  if (root.name !== 'manifest') throw new UnreadablePackage(say('manifest-without-element'));
  const split = plainText(root, 'split');
  if (split) throw new UnreadablePackage(say('apk-split', { name: shorten(split) }));
  const integer = (element: XmlElement | undefined, id: number) => mapValue(element, id, resolve, integerOf);
  const truth = (element: XmlElement | undefined, id: number) =>
    mapValue(element, id, resolve, booleanOf) === true;
  const applications = childrenOf(root, 'application');
  const application = applications[0];
  const shown = application ? [application, ...launcherActivities(application, resolve)] : [];
  const usesSdks = childrenOf(root, 'uses-sdk');
  const usesSdk = usesSdks.at(-1);
  const versionName = mapValue(root, manifestAttributes.versionName, resolve, textOf);
  return {
    packageName: readPackageName(root),
    versionCode: integer(root, manifestAttributes.versionCode) ?? 0,
    versionCodeMajor: integer(root, manifestAttributes.versionCodeMajor),
    versionName: versionName?.slice(0, maxVersionNameLength).trim() || null,
    minSdk: declaredSdk(usesSdk, manifestAttributes.minSdkVersion, resolve),
    targetSdk: declaredSdk(usesSdk, manifestAttributes.targetSdkVersion, resolve),
    maxSdkVersion: integer(usesSdk, manifestAttributes.maxSdkVersion),
    compileSdkVersion: integer(root, manifestAttributes.compileSdkVersion),
    permissions: readPermissions(root, resolve),
    features: readFeatures(root, resolve),
    debuggable: truth(application, manifestAttributes.debuggable),
    testOnly: truth(application, manifestAttributes.testOnly),
    extractNativeLibs:
      mapValue(application, manifestAttributes.extractNativeLibs, resolve, booleanOf) ?? true,
    sharedUserId:
      mapValue(root, manifestAttributes.sharedUserId, resolve, textOf)?.slice(0, maxNameLength) ?? null,
    splitRequired:
      truth(root, manifestAttributes.isSplitRequired) ||
      truth(application, manifestAttributes.isSplitRequired),
    labels: statedIn(shown, ['label']),
    icons: statedIn(shown, ['icon', 'roundIcon', 'logo', 'banner']),
    applications: applications.length,
    usesSdks: usesSdks.length,
    instrumentations: childrenOf(root, 'instrumentation').length,
    testedPackage: readTestedPackage(root, resolve),
  };
}

/** More than any app has. */
const maxLauncherActivities = 16;
const launcherCategories = ['android.intent.category.LAUNCHER', 'android.intent.category.LEANBACK_LAUNCHER'];

/** Returns what a launcher shows, in the order of the manifest. */
function launcherActivities(application: XmlElement, resolve: Resolve): XmlElement[] {
  const namesIn = (filter: XmlElement, name: string) =>
    childrenOf(filter, name).map((element) => readName(element, resolve) ?? '');
  const isLauncher = (filter: XmlElement) =>
    namesIn(filter, 'action').includes('android.intent.action.MAIN') &&
    namesIn(filter, 'category').some((name) => launcherCategories.includes(name));
  return childrenOf(application, 'activity', 'activity-alias')
    .filter((activity) => childrenOf(activity, 'intent-filter').some(isLauncher))
    .slice(0, maxLauncherActivities);
}

/** Returns every value of the first attribute, then every value of the next. */
function statedIn(
  elements: readonly XmlElement[],
  names: readonly (keyof typeof manifestAttributes)[],
): TypedValue[] {
  return names.flatMap((name) =>
    elements.flatMap((element) => attributeById(element, manifestAttributes[name]) ?? []),
  );
}

/** @see `FrameworkParsingPackageUtils.validateName` of the platform */
function readPackageName(root: XmlElement): string {
  const name = plainText(root, 'package');
  if (!name) throw new UnreadablePackage(say('manifest-without-name'));
  const valid = name === 'android' || /^[A-Za-z][A-Za-z0-9_]*(\.[A-Za-z][A-Za-z0-9_]*)+$/.test(name);
  if (!valid || name.length > maxPackageNameLength) {
    throw new UnreadablePackage(say('manifest-name-invalid'));
  }
  return name;
}

function readTestedPackage(root: XmlElement, resolve: Resolve): string | null {
  for (const element of childrenOf(root, 'instrumentation')) {
    const target = mapValue(element, manifestAttributes.targetPackage, resolve, textOf);
    if (target && target !== plainText(root, 'package')) return shorten(target);
  }
  return null;
}

function readPermissions(root: XmlElement, resolve: Resolve): string[] {
  const elements = childrenOf(root, 'uses-permission', 'uses-permission-sdk-23', 'uses-permission-sdk-m');
  return [
    ...new Set(elements.map((element) => readName(element, resolve)).filter((name) => name !== null)),
  ].slice(0, maxNames);
}

/** A duplicate feature is required when either element requires it. */
function readFeatures(root: XmlElement, resolve: Resolve): ManifestFacts['features'] {
  const features = new Map<string, boolean>();
  for (const element of childrenOf(root, 'uses-feature')) {
    const name = readName(element, resolve);
    if (name === null || features.size === maxNames) continue;
    const required = mapValue(element, manifestAttributes.required, resolve, booleanOf) ?? true;
    features.set(name, required || features.get(name) === true);
  }
  return [...features].map(([name, required]) => ({ name, required }));
}

function readName(element: XmlElement, resolve: Resolve): string | null {
  const name = mapValue(element, manifestAttributes.name, resolve, textOf);
  return name ? name.slice(0, maxNameLength) : null;
}

function declaredSdk(element: XmlElement | undefined, id: number, resolve: Resolve): DeclaredSdk {
  const level = mapValue(element, id, resolve, integerOf);
  if (level !== null) return { level, codename: null };
  const codename = mapValue(element, id, resolve, textOf);
  // Messages quote the codename. Android accepts only the codename of the version that it runs.
  return { level: null, codename: codename ? readable(codename, maxCodenameLength) || '?' : null };
}

/** Returns what `map` makes of an attribute's resolved value; null without a value. */
export function mapValue<T>(
  element: XmlElement | undefined,
  id: number,
  resolve: Resolve,
  map: (value: TypedValue) => T | null,
): T | null {
  const value = element && attributeById(element, id);
  const resolved = value ? resolve(value) : null;
  return resolved ? map(resolved) : null;
}

function plainText(element: XmlElement, name: string): string | null {
  const value = plainAttribute(element, name);
  return value?.kind === 'string' ? value.text : null;
}

function childrenOf(element: XmlElement, ...names: string[]): XmlElement[] {
  return element.children.filter((child) => names.includes(child.name));
}

function shorten(text: string): string {
  return text.slice(0, 100);
}

/** Ids of the platform attributes used in manifests: `android.R.attr`, which never change. */
export const manifestAttributes = {
  label: 0x01010001,
  icon: 0x01010002,
  name: 0x01010003,
  sharedUserId: 0x0101000b,
  targetPackage: 0x01010021,
  debuggable: 0x0101000f,
  minSdkVersion: 0x0101020c,
  versionCode: 0x0101021b,
  versionName: 0x0101021c,
  targetSdkVersion: 0x01010270,
  logo: 0x010102be,
  banner: 0x010103f2,
  roundIcon: 0x0101052c,
  maxSdkVersion: 0x01010271,
  testOnly: 0x01010272,
  required: 0x0101028e,
  extractNativeLibs: 0x010104ea,
  compileSdkVersion: 0x01010572,
  versionCodeMajor: 0x01010576,
  isSplitRequired: 0x01010591,
} as const;
