/** Determines every reason why an install is refused, for the page of testers and the install check of managers. Pure. */
import type { CheckedBuild } from '../../apps/builds/build-warnings.ts';
import { requiredSystem, systemVersion } from '../../apps/builds/version-text.ts';
import type { Visitor } from '../../core/visitor.ts';
import {
  androidObstacle,
  checkDeviceCompatibility,
  type DeviceRefusal,
  isForOtherFamilies,
  outdatedIos,
  previewCodename,
} from '../../devices/device-compatibility.ts';
import type { KnownDevice } from '../../devices/known-device.ts';
import { highestApiLevelOf } from '../../packages/apk/android-releases.ts';
import type { PackageInfo } from '../../packages/package-info.ts';
import { texts } from '../../web/shell/texts.ts';
import { buildBlockers, type InstallBlocker, type PageContext, pageBlockers } from './install-blockers.ts';
import { testerTexts } from './tester-texts.ts';

export interface VisitingDevice {
  visitor: Visitor;
  /** The device in the cookie, which may have been copied from an older phone. It is used for advice but never blocks. */
  device: KnownDevice | null;
}

const t = testerTexts.advice;

/** In the order in which the page applies them; it shows and logs the first. Access rules come earlier, in `visitRefusals`. */
export function installRefusals(
  context: PageContext & { build: CheckedBuild } & VisitingDevice,
): InstallBlocker[] {
  const { build, now } = context;
  return [...pageBlockers(context), ...buildBlockers(build, now), ...deviceRefusals(build.info, context)];
}

/** Returns why this device will most likely reject the build. Empty for computers and for phones of the other platform. */
export function deviceRefusals(info: PackageInfo, visiting: VisitingDevice): DeviceRefusal[] {
  const { visitor } = visiting;
  const device = currentDevice(visiting);
  if (visitor.system !== info.platform && device === null) return [];
  return info.platform === 'ios' ? iosRefusals(info, visitor, device) : androidRefusals(info, visitor);
}

/** Only an iPhone or iPad can register, so a browser with a registered device runs on one, whatever its user agent is. */
export function currentDevice({ visitor, device }: VisitingDevice): KnownDevice | null {
  return visitor.system === 'ios' || visitor.browser === 'safari' ? device : null;
}

function iosRefusals(info: PackageInfo, visitor: Visitor, device: KnownDevice | null): DeviceRefusal[] {
  // The registered version may be years old, whereas the user agent is current.
  if (device) return checkDeviceCompatibility(info, { ...device, osVersion: visitor.osVersion }).refusals;
  const refusals: DeviceRefusal[] = [];
  const tooOld = outdatedIos(info, visitor.osVersion);
  if (tooOld) {
    const needed = systemVersion('ios', tooOld.minimum);
    const has = systemVersion('ios', tooOld.osVersion);
    refusals.push({ reason: 'too-old', sentence: t.tooOld({ needed, has }) });
  }
  if (isForOtherFamilies(info, visitor.model))
    refusals.push({ reason: 'other-device', sentence: t.madeForIpad });
  return refusals;
}

function androidRefusals(info: PackageInfo, { osVersion }: Visitor): DeviceRefusal[] {
  if (osVersion === null) return [];
  const has = `${texts.platforms.android} ${osVersion}`;
  switch (androidObstacle(info, highestApiLevelOf(osVersion))) {
    case 'too-old':
      return [{ reason: 'too-old', sentence: t.tooOld({ needed: requiredSystem(info) ?? '', has }) }];
    case 'preview': {
      const codename = previewCodename(info.android) ?? '';
      return [{ reason: 'other-device', sentence: t.previewOnly({ codename, has }) }];
    }
    case 'old-target':
      return [{ reason: 'other-device', sentence: t.targetTooOld({ has }) }];
    case null:
      return [];
  }
}
