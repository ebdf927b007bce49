/** Decides whether a build installs on a device. Pure. */
import type { IosFacts, PackageInfo } from '../packages/package-info.ts';
import { texts } from '../web/shell/texts.ts';
import { type DeviceFamily, deviceFamilyOf, deviceKindName } from './device-models.ts';
import { deviceTexts } from './device-texts.ts';
import { isOlderIos } from './ios-version.ts';
import type { KnownDevice } from './known-device.ts';

export interface DeviceCompatibility {
  fits: boolean;
  /** Only the profile excludes the device, which the owner can fix. */
  awaitsProfile: boolean;
  /** Reasons as full sentences for the tester. Empty if the build fits. */
  sentences: string[];
}

/** Does not check the build itself, such as an expired profile: see `installObstacles`. */
export function checkDeviceCompatibility(info: PackageInfo, device: KnownDevice): DeviceCompatibility {
  const obstacles = [...profileBlockers(info), ...deviceBlockers(info, device)];
  const listed = isListed(info, device);
  const awaitsProfile = obstacles.length === 0 && !listed;
  const sentences =
    listed || info.ios?.profile?.type === 'app-store' ? obstacles : [...obstacles, deviceTexts.notListed];
  return { fits: sentences.length === 0, awaitsProfile, sentences };
}

function profileBlockers({ ios }: PackageInfo): string[] {
  if (!ios || ios.simulator) return [texts.obstacles.simulator];
  if (!ios.profile) return [texts.obstacles.noProfile];
  return ios.profile.type === 'app-store' ? [texts.obstacles.appStore] : [];
}

function isListed({ ios }: PackageInfo, device: KnownDevice): boolean {
  const profile = ios?.profile;
  if (!profile || profile.type === 'enterprise') return true;
  const udid = device.udid.toLowerCase();
  return profile.devices.some((listed) => listed.toLowerCase() === udid);
}

function deviceBlockers(info: PackageInfo, device: KnownDevice): string[] {
  const obstacles: string[] = [];
  const { osVersion } = device;
  const minimum = info.sdkVersion;
  if (osVersion !== null && minimum !== null && isOlderIos(osVersion, minimum)) {
    obstacles.push(deviceTexts.tooOld(minimum, osVersion));
  }
  const families = info.ios?.deviceFamilies ?? [];
  const family = deviceFamilyOf(device.product);
  if (family !== null && families.length > 0 && !runsOn[family].some((able) => families.includes(able))) {
    const made = families.map((one) => texts.deviceFamilies[one]).join(', ');
    obstacles.push(deviceTexts.wrongFamily(made, deviceKindName(device.product)));
  }
  return obstacles;
}

/** An iPad also runs iPhone apps, and a Vision Pro both; an iPhone runs only iPhone apps (Apple, UIDeviceFamily). */
const runsOn: Readonly<Record<DeviceFamily, IosFacts['deviceFamilies']>> = {
  iphone: ['iphone'],
  ipad: ['ipad', 'iphone'],
  vision: ['vision', 'ipad', 'iphone'],
};
