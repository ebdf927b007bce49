/** Versions in display form. */
import type { PackageInfo, Platform } from '../../packages/package-info.ts';
import { texts } from '../../web/shell/texts.ts';

/** Formats `2.4.0 (1042)`: version name and version code, or the code alone. */
export function versionText(info: Pick<PackageInfo, 'versionName' | 'versionCode'>): string {
  if (!info.versionName) return info.versionCode;
  if (info.versionCode === '' || info.versionCode === info.versionName) return info.versionName;
  return `${info.versionName} (${info.versionCode})`;
}

/** Android versions by API level, https://developer.android.com/tools/releases/platforms */
const androidVersions: Readonly<Record<string, string>> = {
  14: '4.0',
  15: '4.0.3',
  16: '4.1',
  17: '4.2',
  18: '4.3',
  19: '4.4',
  20: '4.4W',
  21: '5.0',
  22: '5.1',
  23: '6.0',
  24: '7.0',
  25: '7.1',
  26: '8.0',
  27: '8.1',
  28: '9',
  29: '10',
  30: '11',
  31: '12',
  32: '12L',
  33: '13',
  34: '14',
  35: '15',
  36: '16',
};

/** Formats `Android 8.0` or `iOS 15.0`. An unknown API level becomes `API 99`. */
export function systemVersion(platform: Platform, sdkVersion: string): string {
  if (platform === 'ios') return `${texts.platforms.ios} ${sdkVersion}`;
  const version = androidVersions[sdkVersion];
  return version ? `${texts.platforms.android} ${version}` : `API ${sdkVersion}`;
}

/** Formats `Android 8.0 or newer`. Null if the package states no minimum. */
export function minimumSystem(info: PackageInfo): string | null {
  if (info.android?.minSdkCodename)
    return texts.systemOrNewer({ system: `Android ${info.android.minSdkCodename}` });
  if (info.rawSdkVersion === null || info.sdkVersion === null) return null;
  return texts.systemOrNewer({ system: systemVersion(info.platform, info.sdkVersion) });
}
