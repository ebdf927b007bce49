/** Reads the facts of an IPA from its directory and a few entries. */

import { say } from '../messages/package-messages.ts';
import {
  type IosFacts,
  type PackageInfo,
  type ProvisioningProfile,
  UnreadablePackage,
} from '../package-info.ts';
import { type PropertyListDictionary, textUnder } from '../property-list/property-list-value.ts';
import type { ZipArchive } from '../zip/zip-archive.ts';
import { type AppBundle, openAppInPayload, readInfoPlist, readPropertyListFile } from './app-bundle.ts';
import { chooseIcon } from './bundle-icon.ts';
import { type BundleLabels, readLabels } from './bundle-labels.ts';
import { type BundleSigning, readBundleSigning } from './bundle-signing.ts';
import {
  bundleIdentifierOf,
  deviceFamiliesOf,
  isSimulatorPlatform,
  maxNameCharacters,
  minimumOsOf,
  platformsOf,
  versionUnder,
} from './info-plist-facts.ts';
import { maxProfileBytes, readProvisioningProfile } from './provisioning-profile.ts';

/** Maximum number of files named in a warning. */
export const maxNamedFiles = 3;

/**
 * Reads the single app in `Payload`. A readable app that cannot be installed (no signature, no profile, a simulator build) causes
 * a warning. Rejects with `UnreadablePackage` if there is no such app, or its Info.plist is missing, malformed or without a
 * bundle identifier.
 */
export async function readIpa(archive: ZipArchive): Promise<PackageInfo> {
  const bundle = openAppInPayload(archive);
  const infoPlist = await readInfoPlist(bundle);
  const packageName = bundleIdentifierOf(infoPlist);
  const { labels, unreadable: unreadableLabels } = await readLabels(bundle, infoPlist);
  const nested = await readNestedBundles(bundle);
  const executable = textUnder(infoPlist, 'CFBundleExecutable');
  const signing = await readBundleSigning(bundle, executable);
  const { profile, problem: profileProblem } = await readProfile(bundle);
  const signature = signing.certificates[0]?.sha1 ?? null;
  const minimumOs = minimumOsOf(infoPlist);
  const ios = iosFacts(infoPlist, signing, profile, nested);
  return {
    platform: 'ios',
    packageName,
    name: labels[''] ?? packageName,
    labels,
    versionCode: versionUnder(infoPlist, 'CFBundleVersion') ?? '',
    versionName: versionUnder(infoPlist, 'CFBundleShortVersionString'),
    sdkVersion: minimumOs.version,
    rawSdkVersion: minimumOs.stated,
    targetSdkVersion: null,
    signature,
    signing: {
      schemes: signature === null ? [] : ['apple'],
      certificates: signing.certificates,
      lineage: [],
      sourceStamp: false,
    },
    icon: await chooseIcon(bundle, infoPlist),
    android: null,
    ios,
    warnings: [
      ...signingWarnings(ios, signing),
      ...(profileProblem === null ? [] : [profileProblem]),
      ...(profile ? profileWarnings(profile, { bundleIdentifier: packageName, signature }) : []),
      ...unreadableWarnings([...unreadableLabels, ...nested.unreadable]),
    ],
  };
}

function iosFacts(
  infoPlist: PropertyListDictionary,
  signing: BundleSigning,
  profile: ProvisioningProfile | null,
  nested: NestedBundles,
): IosFacts {
  return {
    deviceFamilies: deviceFamiliesOf(infoPlist),
    executable: textUnder(infoPlist, 'CFBundleExecutable')?.slice(0, maxNameCharacters) ?? null,
    simulator: platformsOf(infoPlist).some(isSimulatorPlatform),
    encrypted: signing.encrypted,
    profile,
    extensions: nested.extensions,
    appClips: nested.appClips,
    watchApps: nested.watchApps,
  };
}

/** An unreadable profile only causes a warning, because the app itself is readable. */
async function readProfile(
  bundle: AppBundle,
): Promise<{ profile: ProvisioningProfile | null; problem: string | null }> {
  const entry = bundle.files.find('embedded.mobileprovision');
  if (!entry) return { profile: null, problem: null };
  const bytes = await bundle.archive.read(entry, maxProfileBytes);
  try {
    return { profile: readProvisioningProfile(bytes), problem: null };
  } catch (error) {
    if (!(error instanceof UnreadablePackage)) throw error;
    return { profile: null, problem: sentence(error.message) };
  }
}

function signingWarnings(ios: IosFacts, signing: BundleSigning): string[] {
  if (ios.simulator) return [say('simulator')];
  const warnings: string[] = [];
  if (signing.problem !== null) warnings.push(signing.problem);
  if (signing.encrypted) {
    warnings.push(say('encrypted'));
  }
  if (signing.problem === null && ios.profile === null) {
    warnings.push(say('no-profile'));
  }
  if (signing.has64BitCode === false) {
    warnings.push(say('executable-32-bit'));
  }
  return warnings;
}

function unreadableWarnings(names: BundleLabels['unreadable']): string[] {
  if (names.length === 0) return [];
  const named = names.slice(0, maxNamedFiles).join(', ');
  const more = names.length - maxNamedFiles;
  return [
    more > 0
      ? say('files-unreadable-and-more', { names: named, count: more })
      : say('files-unreadable', { names: named }),
  ];
}

function sentence(message: string): string {
  return `${message.charAt(0).toUpperCase()}${message.slice(1)}.`;
}

// The bundles within an app: extensions (including those of watch apps and app clips), app clips and watch apps, each with its
// bundle identifier.

/** Maximum number of nested bundles; others are skipped. */
export const maxNestedBundles = 100;

export interface NestedBundles extends Pick<IosFacts, 'extensions' | 'appClips' | 'watchApps'> {
  /** Info.plist files that could not be read. */
  unreadable: string[];
}

/** Folder and extension, from Apple's "Placing content in a bundle"; `Extensions` is for ExtensionKit. */
const places = [
  {
    pattern: /^(?:(?:Watch|AppClips)\/[^/]+\.app\/)?(?:PlugIns|Extensions)\/[^/]+\.appex\/Info\.plist$/,
    kind: 'extensions',
  },
  { pattern: /^AppClips\/[^/]+\.app\/Info\.plist$/, kind: 'appClips' },
  { pattern: /^Watch\/[^/]+\.app\/Info\.plist$/, kind: 'watchApps' },
] as const;

/** Returns nested bundles in archive order. */
export async function readNestedBundles(bundle: AppBundle): Promise<NestedBundles> {
  const found: NestedBundles = { extensions: [], appClips: [], watchApps: [], unreadable: [] };
  let left = maxNestedBundles;
  for (const { path: name } of bundle.files.entries) {
    const place = name.endsWith('/Info.plist') ? places.find(({ pattern }) => pattern.test(name)) : undefined;
    if (!place || left-- <= 0) continue;
    try {
      const infoPlist = await readPropertyListFile(bundle, name);
      if (infoPlist) found[place.kind].push(bundleIdentifierOf(infoPlist));
    } catch (error) {
      if (!(error instanceof UnreadablePackage)) throw error;
      found.unreadable.push(name);
    }
  }
  return found;
}

/** Facts for warnings about a profile and its signature, because devices reject such apps without an explanation. */
interface ProfiledApp {
  bundleIdentifier: string;
  /** SHA-1 of the certificate that signed the executable; null if unsigned. */
  signature: string | null;
}

/**
 * Returns full sentences; empty if nothing prevents installation. Ignores the profile's dates, because the result must not depend
 * on the current date.
 */
export function profileWarnings(profile: ProvisioningProfile, app: ProfiledApp): string[] {
  const warnings: string[] = [];
  if (!profile.intact) {
    warnings.push(say('profile-changed'));
  }
  if (profile.type === 'app-store') {
    warnings.push(say('profile-of-app-store'));
  }
  const identifier = profile.entitlements['application-identifier'];
  if (typeof identifier === 'string' && !coversBundle(identifier, app.bundleIdentifier)) {
    warnings.push(say('profile-of-other-app', { identifier, app: app.bundleIdentifier }));
  }
  const { certificateSha1s } = profile;
  if (app.signature !== null && certificateSha1s.length > 0 && !certificateSha1s.includes(app.signature)) {
    warnings.push(say('certificate-not-in-profile'));
  }
  return warnings;
}

/** Matches `TEAM.com.example.app`, optionally with a trailing `*`. */
function coversBundle(applicationIdentifier: string, bundleIdentifier: string): boolean {
  const pattern = applicationIdentifier.slice(applicationIdentifier.indexOf('.') + 1);
  if (!pattern.endsWith('*')) return pattern === bundleIdentifier;
  return bundleIdentifier.startsWith(pattern.slice(0, -1));
}
