/** The facts of an app's Info.plist (Apple, "Information Property List"). */

import { say } from '../messages/package-messages.ts';
import { type IosFacts, UnreadablePackage } from '../package-info.ts';
import { type PropertyListDictionary, textsUnder, textUnder } from '../property-list/property-list-value.ts';

/** Limits on texts in an Info.plist. Names are truncated; longer identifiers and versions are rejected. */
export const maxNameCharacters = 255;
export const maxIdentifierCharacters = 255;
export const maxVersionCharacters = 255;

/** Apple allows letters, digits, hyphens and periods; underscores are also in use. It becomes part of URLs. */
const bundleIdentifierPattern = /^[A-Za-z0-9_-][A-Za-z0-9._-]*$/;

const deviceFamilyNames: ReadonlyMap<string, IosFacts['deviceFamilies'][number]> = new Map([
  ['1', 'iphone'],
  ['2', 'ipad'],
  ['3', 'apple-tv'],
  ['4', 'apple-watch'],
  ['6', 'mac'],
  ['7', 'vision'],
]);

/** Platforms with one device family, which apps do not always state. Mac Catalyst apps also state the iPad. */
const familyOfPlatform: ReadonlyMap<string, IosFacts['deviceFamilies'][number]> = new Map([
  ['appletvos', 'apple-tv'],
  ['watchos', 'apple-watch'],
  ['xros', 'vision'],
  ['macosx', 'mac'],
]);

/** Parts of a version that devices compare; anything else is no minimum for them. */
const comparableVersion = /^\d{1,5}(?:\.\d{1,5}){0,3}$/;

/** Throws `UnreadablePackage` if it is missing or invalid. */
export function bundleIdentifierOf(infoPlist: PropertyListDictionary): string {
  const identifier = textUnder(infoPlist, 'CFBundleIdentifier');
  if (identifier === null) throw new UnreadablePackage(say('info-plist-without-identifier'));
  if (identifier.length > maxIdentifierCharacters || !bundleIdentifierPattern.test(identifier)) {
    throw new UnreadablePackage(say('info-plist-identifier-invalid'));
  }
  return identifier;
}

/** Returns CFBundleDisplayName, otherwise CFBundleName, truncated to `maxNameCharacters`; null if both are missing. */
export function bundleNameOf(dictionary: PropertyListDictionary): string | null {
  const name = textUnder(dictionary, 'CFBundleDisplayName') ?? textUnder(dictionary, 'CFBundleName');
  return name && [...name.slice(0, maxNameCharacters * 2)].slice(0, maxNameCharacters).join('');
}

/** Returns the text of `key`; null if missing. Throws `UnreadablePackage` above `maxVersionCharacters`. */
export function versionUnder(infoPlist: PropertyListDictionary, key: string): string | null {
  const version = textUnder(infoPlist, key);
  if (version !== null && version.length > maxVersionCharacters) {
    throw new UnreadablePackage(say('info-plist-version-too-long', { key, count: maxVersionCharacters }));
  }
  return version;
}

/** The minimum version of the system, as stated and as a version; null where it is none. */
export function minimumOsOf(infoPlist: PropertyListDictionary): {
  version: string | null;
  stated: string | null;
} {
  const isForMac = platformsOf(infoPlist).includes('macosx');
  const stated =
    versionUnder(infoPlist, 'MinimumOSVersion') ??
    (isForMac ? versionUnder(infoPlist, 'LSMinimumSystemVersion') : null);
  return { version: stated !== null && comparableVersion.test(stated) ? stated : null, stated };
}

export function deviceFamiliesOf(infoPlist: PropertyListDictionary): IosFacts['deviceFamilies'] {
  const ofPlatforms = platformsOf(infoPlist).map((platform) => familyOfPlatform.get(platform));
  if (ofPlatforms.length > 0 && ofPlatforms.every((family) => family !== undefined))
    return [...new Set(ofPlatforms)];
  const stated = infoPlist.UIDeviceFamily;
  const numbers = Array.isArray(stated) ? stated : [stated];
  return [...new Set(numbers.flatMap((number) => deviceFamilyNames.get(String(number)) ?? []))];
}

/** Returns the target platforms in lower case (`iphoneos`, `iphonesimulator`), from CFBundleSupportedPlatforms and DTPlatformName. */
export function platformsOf(infoPlist: PropertyListDictionary): string[] {
  const stated = [
    ...textsUnder(infoPlist, 'CFBundleSupportedPlatforms'),
    ...textsUnder(infoPlist, 'DTPlatformName'),
  ];
  return stated.map((platform) => platform.trim().toLowerCase()).filter((platform) => platform !== '');
}

export function isSimulatorPlatform(platform: string): boolean {
  return platform.endsWith('simulator');
}
