import { UnreadablePackage } from '../package-info.ts';
import { attributeById, plainAttribute, type XmlElement } from './binary-xml.ts';
import { manifestAttributes } from './manifest-attributes.ts';
import { integerOf, type TypedValue, textOf, truthOf } from './typed-value.ts';

/** Gives what a value of the manifest stands for on a device without a language; null when nothing is there. */
export type Resolve = (value: TypedValue) => TypedValue | null;

/** An SDK level as the manifest states it: a number, the name of a platform under development, or not at all. */
export interface StatedSdk {
  level: number | null;
  codename: string | null;
}

export interface ManifestFacts {
  packageName: string;
  versionCode: number;
  versionCodeMajor: number | null;
  versionName: string | null;
  minSdk: StatedSdk;
  targetSdk: StatedSdk;
  maxSdkVersion: number | null;
  compileSdkVersion: number | null;
  permissions: string[];
  features: { name: string; required: boolean }[];
  debuggable: boolean;
  testOnly: boolean;
  /** False when the platform shall run native code out of the package itself. */
  extractNativeLibs: boolean;
  /** The package states that it cannot be installed without split packages. */
  splitRequired: boolean;
  /** Not resolved: the label has a text for each locale, the icon a file for each density. */
  label: TypedValue | null;
  icon: TypedValue | null;
  applications: number;
  usesSdks: number;
  instrumentations: number;
  /** The other app that the package's instrumentation is for; null when there is none, or it is for the package itself. */
  testedPackage: string | null;
}

/** More than any app states: the platform's own package has some 600. */
export const maxNames = 2_000;
export const maxNameLength = 500;
export const maxVersionNameLength = 1_000;
/** The platform makes a folder of the name: `PackageManager` takes 223 characters. */
export const maxPackageNameLength = 223;

/**
 * Reads what a manifest says, as the package manager of the platform does: attributes by id, the first `application`, the last
 * `uses-sdk`.
 *
 * @throws UnreadablePackage when the manifest is of a split, has another root, or a package name that the platform refuses
 * @see `ParsingPackageUtils` and `ApkLiteParseUtils` of the platform
 */
export function readManifest(root: XmlElement, resolve: Resolve): ManifestFacts {
  if (root.name !== 'manifest')
    throw new UnreadablePackage('the AndroidManifest.xml has no manifest element');
  const split = plainText(root, 'split');
  if (split) throw new UnreadablePackage(`this is the split ${shorten(split)} of an app, not a whole APK`);
  const integer = (element: XmlElement | undefined, id: number) => mapValue(element, id, resolve, integerOf);
  const truth = (element: XmlElement | undefined, id: number) =>
    mapValue(element, id, resolve, truthOf) === true;
  const applications = childrenOf(root, 'application');
  const application = applications[0];
  const usesSdks = childrenOf(root, 'uses-sdk');
  const usesSdk = usesSdks.at(-1);
  const versionName = mapValue(root, manifestAttributes.versionName, resolve, textOf);
  return {
    packageName: readPackageName(root),
    versionCode: integer(root, manifestAttributes.versionCode) ?? 0,
    versionCodeMajor: integer(root, manifestAttributes.versionCodeMajor),
    versionName: versionName ? versionName.slice(0, maxVersionNameLength) : null,
    minSdk: statedSdk(usesSdk, manifestAttributes.minSdkVersion, resolve),
    targetSdk: statedSdk(usesSdk, manifestAttributes.targetSdkVersion, resolve),
    maxSdkVersion: integer(usesSdk, manifestAttributes.maxSdkVersion),
    compileSdkVersion: integer(root, manifestAttributes.compileSdkVersion),
    permissions: readPermissions(root, resolve),
    features: readFeatures(root, resolve),
    debuggable: truth(application, manifestAttributes.debuggable),
    testOnly: truth(application, manifestAttributes.testOnly),
    extractNativeLibs: mapValue(application, manifestAttributes.extractNativeLibs, resolve, truthOf) ?? true,
    splitRequired:
      truth(root, manifestAttributes.isSplitRequired) ||
      truth(application, manifestAttributes.isSplitRequired),
    label: application ? attributeById(application, manifestAttributes.label) : null,
    icon: application ? attributeById(application, manifestAttributes.icon) : null,
    applications: applications.length,
    usesSdks: usesSdks.length,
    instrumentations: childrenOf(root, 'instrumentation').length,
    testedPackage: readTestedPackage(root, resolve),
  };
}

/** @see `FrameworkParsingPackageUtils.validateName` of the platform */
function readPackageName(root: XmlElement): string {
  const name = plainText(root, 'package');
  if (!name) throw new UnreadablePackage('the AndroidManifest.xml states no package name');
  const valid = name === 'android' || /^[A-Za-z][A-Za-z0-9_]*(\.[A-Za-z][A-Za-z0-9_]*)+$/.test(name);
  if (!valid || name.length > maxPackageNameLength) {
    throw new UnreadablePackage('the AndroidManifest.xml states a package name that Android does not allow');
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

/** A feature that is stated twice is required when one of the two says so. */
function readFeatures(root: XmlElement, resolve: Resolve): ManifestFacts['features'] {
  const features = new Map<string, boolean>();
  for (const element of childrenOf(root, 'uses-feature')) {
    const name = readName(element, resolve);
    if (name === null || features.size === maxNames) continue;
    const required = mapValue(element, manifestAttributes.required, resolve, truthOf) ?? true;
    features.set(name, required || features.get(name) === true);
  }
  return [...features].map(([name, required]) => ({ name, required }));
}

function readName(element: XmlElement, resolve: Resolve): string | null {
  const name = mapValue(element, manifestAttributes.name, resolve, textOf);
  return name ? name.slice(0, maxNameLength) : null;
}

function statedSdk(element: XmlElement | undefined, id: number, resolve: Resolve): StatedSdk {
  const level = mapValue(element, id, resolve, integerOf);
  if (level !== null) return { level, codename: null };
  const codename = mapValue(element, id, resolve, textOf);
  return { level: null, codename: codename ? shorten(codename) : null };
}

function mapValue<T>(
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
