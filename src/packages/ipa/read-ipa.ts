/** Reads the facts of an IPA from its directory and a few entries. */
import {
  type IosFacts,
  type PackageInfo,
  type ProvisioningProfile,
  UnreadablePackage,
} from '../package-info.ts';
import { type PropertyListDictionary, textUnder } from '../property-list/property-list-value.ts';
import type { ZipArchive } from '../zip/zip-archive.ts';
import { type AppBundle, findAppInPayload, openAppBundle, readInfoPlist } from './app-bundle.ts';
import { chooseIcon } from './bundle-icon.ts';
import { type BundleLabels, readLabels } from './bundle-labels.ts';
import { type BundleSigning, readBundleSigning } from './bundle-signing.ts';
import {
  bundleIdentifierOf,
  deviceFamiliesOf,
  isSimulatorPlatform,
  maxNameCharacters,
  platformsOf,
  versionUnder,
} from './info-plist-facts.ts';
import { profileWarnings } from './profile-warnings.ts';
import { maxProfileBytes, readProvisioningProfile } from './provisioning-profile.ts';
import { type NestedBundles, readNestedBundles } from './signature/nested-bundles.ts';

/** Files named in one warning. */
export const maxNamedFiles = 3;

/**
 * Reads the single app in `Payload`. A readable app that cannot be installed (no signature, no profile, a simulator build)
 * causes a warning. Rejects with `UnreadablePackage` when there is no such app, or its Info.plist is missing, malformed or
 * without a bundle identifier.
 */
export async function readIpa(archive: ZipArchive): Promise<PackageInfo> {
  const bundle = openAppBundle(archive, findAppInPayload(archive));
  const infoPlist = await readInfoPlist(bundle);
  const packageName = bundleIdentifierOf(infoPlist);
  const { labels, unreadable: unreadableLabels } = await readLabels(bundle, infoPlist);
  const nested = await readNestedBundles(bundle);
  const executable = textUnder(infoPlist, 'CFBundleExecutable');
  const signing = await readBundleSigning(bundle, executable);
  const { profile, problem: profileProblem } = await readProfile(bundle);
  const signature = signing.certificates[0]?.sha1 ?? null;
  const sdkVersion = versionUnder(infoPlist, 'MinimumOSVersion');
  const ios = iosFacts(infoPlist, signing, profile, nested);
  return {
    platform: 'ios',
    packageName,
    name: labels[''] ?? packageName,
    labels,
    versionCode: versionUnder(infoPlist, 'CFBundleVersion') ?? '',
    versionName: versionUnder(infoPlist, 'CFBundleShortVersionString'),
    sdkVersion,
    rawSdkVersion: sdkVersion,
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

/** An unreadable profile causes a warning, because the app itself is readable. */
async function readProfile(
  bundle: AppBundle,
): Promise<{ profile: ProvisioningProfile | null; problem: string | null }> {
  const entry = bundle.files.get('embedded.mobileprovision');
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
  if (ios.simulator)
    return ['The app is built for the iOS simulator, so it cannot be installed on a device.'];
  const warnings: string[] = [];
  if (signing.problem !== null) warnings.push(signing.problem);
  if (signing.encrypted) {
    warnings.push('The executable is encrypted by the App Store, so it runs only on devices of the buyer.');
  }
  if (signing.problem === null && ios.profile === null) {
    warnings.push('The app contains no provisioning profile, so it cannot be installed on a device.');
  }
  if (signing.has64BitCode === false) {
    warnings.push('The executable has only 32-bit code, which iOS 11 and later do not run.');
  }
  return warnings;
}

function unreadableWarnings(names: BundleLabels['unreadable']): string[] {
  if (names.length === 0) return [];
  const more = names.length > maxNamedFiles ? ` and ${names.length - maxNamedFiles} more` : '';
  return [`These files of the app cannot be read: ${names.slice(0, maxNamedFiles).join(', ')}${more}.`];
}

function sentence(message: string): string {
  return `${message.charAt(0).toUpperCase()}${message.slice(1)}.`;
}
