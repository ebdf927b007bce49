/** What an app's Info.plist states (Apple, "Information Property List"). */
import { type IosFacts, UnreadablePackage } from '../package-info.ts';
import { type PropertyListDictionary, textsUnder, textUnder } from '../property-list/property-list-value.ts';

/** Longest texts that are taken from an Info.plist; names are cut, an identifier or version beyond it is refused. */
export const maxNameCharacters = 255;
export const maxIdentifierCharacters = 255;
export const maxVersionCharacters = 255;

/** Letters, digits, hyphens and periods, says Apple; underscores are in use. It becomes part of addresses. */
const bundleIdentifierPattern = /^[A-Za-z0-9_-][A-Za-z0-9._-]*$/;

const deviceFamilyNames: ReadonlyMap<string, IosFacts['deviceFamilies'][number]> = new Map([
  ['1', 'iphone'],
  ['2', 'ipad'],
  ['3', 'apple-tv'],
  ['4', 'apple-watch'],
  ['6', 'mac'],
  ['7', 'vision'],
]);

/** Throws UnreadablePackage when it is absent or cannot be one. */
export function bundleIdentifierOf(infoPlist: PropertyListDictionary): string {
  const identifier = textUnder(infoPlist, 'CFBundleIdentifier');
  if (identifier === null) throw new UnreadablePackage('Info.plist states no CFBundleIdentifier');
  if (identifier.length > maxIdentifierCharacters || !bundleIdentifierPattern.test(identifier)) {
    throw new UnreadablePackage('the CFBundleIdentifier of Info.plist is not a bundle identifier');
  }
  return identifier;
}

/** CFBundleDisplayName, else CFBundleName; null when there is neither. Cut at `maxNameCharacters`. */
export function bundleNameOf(dictionary: PropertyListDictionary): string | null {
  const name = textUnder(dictionary, 'CFBundleDisplayName') ?? textUnder(dictionary, 'CFBundleName');
  return name && [...name.slice(0, maxNameCharacters * 2)].slice(0, maxNameCharacters).join('');
}

/** The text under `key`, null when absent. Throws UnreadablePackage beyond `maxVersionCharacters`. */
export function versionUnder(infoPlist: PropertyListDictionary, key: string): string | null {
  const version = textUnder(infoPlist, key);
  if (version !== null && version.length > maxVersionCharacters) {
    throw new UnreadablePackage(`the ${key} of Info.plist is longer than ${maxVersionCharacters} characters`);
  }
  return version;
}

export function deviceFamiliesOf(infoPlist: PropertyListDictionary): IosFacts['deviceFamilies'] {
  const stated = infoPlist.UIDeviceFamily;
  const numbers = Array.isArray(stated) ? stated : [stated];
  return [...new Set(numbers.flatMap((number) => deviceFamilyNames.get(String(number)) ?? []))];
}

/** For what it is built, lower-case: `iphoneos`, `iphonesimulator`. CFBundleSupportedPlatforms and DTPlatformName; often both. */
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
