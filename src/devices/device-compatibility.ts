/** Determines whether a build can be installed on a device. Pure. */
import { buildTexts } from '../apps/builds/build-texts.ts';
import { profileBlockers } from '../apps/builds/build-warnings.ts';
import { targetRefusal } from '../packages/apk/android-releases.ts';
import type { IosFacts, PackageInfo } from '../packages/package-info.ts';
import { formatList } from '../web/components/formats.ts';
import { type DeviceFamily, deviceFamilyOf, deviceKindName } from './device-models.ts';
import { deviceTexts } from './device-texts.ts';
import { isOlderIos } from './ios-version.ts';
import type { KnownDevice } from './known-device.ts';

export type DeviceRefusalReason = 'build-problem' | 'too-old' | 'other-device' | 'not-listed';

export interface DeviceRefusal {
  reason: DeviceRefusalReason;
  /** A full sentence for the tester. */
  sentence: string;
}

export interface DeviceCompatibility {
  fits: boolean;
  /** Only the provisioning profile excludes the device, which the owner can change. */
  awaitsProfile: boolean;
  /** Empty if the build is compatible. */
  refusals: DeviceRefusal[];
}

/** Does not check the build itself, for example for an expired profile: see `distributions/install/install-blockers.ts`. */
export function checkDeviceCompatibility(info: PackageInfo, device: KnownDevice): DeviceCompatibility {
  const blockers: DeviceRefusal[] = [
    ...profileBlockers(info.ios).map((sentence) => ({ reason: 'build-problem', sentence }) as const),
    ...deviceBlockers(info, device),
  ];
  const isExcluded = profileListing(info, device) === 'no';
  const refusals: DeviceRefusal[] = isExcluded
    ? [...blockers, { reason: 'not-listed', sentence: deviceTexts.notListed }]
    : blockers;
  return { fits: refusals.length === 0, awaitsProfile: isExcluded && blockers.length === 0, refusals };
}

/** Whether the profile lists the device. `any`: the profile does not list devices. */
export type ProfileListing = 'any' | 'unknown' | 'yes' | 'no';

export function profileListing({ ios }: PackageInfo, device: KnownDevice | null): ProfileListing {
  const profile = ios?.profile;
  if (!profile || (profile.type !== 'ad-hoc' && profile.type !== 'development')) return 'any';
  if (!device) return 'unknown';
  const udid = device.udid.toLowerCase();
  return profile.devices.some((listed) => listed.toLowerCase() === udid) ? 'yes' : 'no';
}

function deviceBlockers(info: PackageInfo, device: KnownDevice): DeviceRefusal[] {
  const blockers: DeviceRefusal[] = [];
  const tooOld = outdatedIos(info, device.osVersion);
  if (tooOld) {
    const versions = { needed: tooOld.minimum, has: tooOld.osVersion };
    blockers.push({ reason: 'too-old', sentence: deviceTexts.tooOld(versions) });
  }
  if (isForOtherFamilies(info, deviceFamilyOf(device.product))) {
    const families = { made: familyNames(info), kind: deviceKindName(device.product) };
    blockers.push({ reason: 'other-device', sentence: deviceTexts.wrongFamily(families) });
  }
  return blockers;
}

/** Null if the version suffices or is unknown. */
export function outdatedIos({ sdkVersion: minimum }: PackageInfo, osVersion: string | null) {
  return osVersion !== null && minimum !== null && isOlderIos(osVersion, minimum)
    ? { minimum, osVersion }
    : null;
}

/**
 * Why Android with this API level rejects the build. `preview`: a released version accepts no codename (source.android.com,
 * FrameworkParsingPackageUtils).
 */
export function androidObstacle(
  info: PackageInfo,
  level: number,
): 'too-old' | 'preview' | 'old-target' | null {
  const { android, rawSdkVersion, sdkVersion, targetSdkVersion } = info;
  if (rawSdkVersion !== null && level < Number(sdkVersion)) return 'too-old';
  if (previewCodename(android) !== null) return 'preview';
  const refusal = targetSdkVersion === null ? null : targetRefusal(targetSdkVersion);
  return refusal !== null && level >= refusal.fromLevel ? 'old-target' : null;
}

/** The preview of Android that the build needs; null for released versions. */
export const previewCodename = (android: PackageInfo['android']) =>
  android?.minSdkCodename ?? android?.targetSdkCodename ?? null;

/** False if the family or the families of the build are unknown. */
export function isForOtherFamilies({ ios }: PackageInfo, family: DeviceFamily | null): boolean {
  const families = ios?.deviceFamilies ?? [];
  return family !== null && families.length > 0 && !runsOn[family].some((able) => families.includes(able));
}

export const familyNames = ({ ios }: PackageInfo) =>
  formatList((ios?.deviceFamilies ?? []).map((family) => buildTexts.deviceFamilies[family]));

/** An iPad also runs iPhone apps, and a Vision Pro both; an iPhone runs only iPhone apps (Apple, UIDeviceFamily). */
const runsOn: Readonly<Record<DeviceFamily, IosFacts['deviceFamilies']>> = {
  iphone: ['iphone'],
  ipad: ['ipad', 'iphone'],
  vision: ['vision', 'ipad', 'iphone'],
};
