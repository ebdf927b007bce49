/** Analyses of an Android and an iOS app without problems, which tests change. */
import { analyzerVersion, type PackageAnalysis } from '../../../src/packages/analysis/analysis.ts';
import type { PackageInfo } from '../../../src/packages/package-info.ts';

const info = (platform: 'android' | 'ios'): PackageInfo => ({
  platform,
  packageName: 'com.example.tide',
  name: 'Tide',
  labels: {},
  versionCode: '7',
  versionName: '1.7',
  sdkVersion: '26',
  rawSdkVersion: '26',
  targetSdkVersion: null,
  signature: null,
  signing: { schemes: [], certificates: [], lineage: [], sourceStamp: false },
  icon: null,
  android: null,
  ios: null,
  warnings: [],
});

export const androidInfo = (): PackageInfo => ({
  ...info('android'),
  targetSdkVersion: 36,
  android: {
    versionCodeMajor: null,
    minSdkCodename: null,
    targetSdkCodename: null,
    maxSdkVersion: null,
    compileSdkVersion: 36,
    permissions: ['android.permission.INTERNET', 'android.permission.CAMERA'],
    features: [],
    nativeAbis: [],
    debuggable: false,
    testOnly: false,
  },
});

export const iosInfo = (): PackageInfo => ({
  ...info('ios'),
  ios: {
    deviceFamilies: ['iphone'],
    executable: 'Tide',
    simulator: false,
    extensions: [],
    appClips: [],
    watchApps: [],
    profile: { type: 'ad-hoc', expiresAt: '2027-01-15T00:00:00.000Z' },
  } as unknown as NonNullable<PackageInfo['ios']>,
});

const analysis = (): PackageAnalysis => ({
  version: analyzerVersion,
  gaps: [],
  size: {
    fileBytes: 1_000_000,
    download: { bytes: 1_000_000, exact: true },
    install: { bytes: 2_000_000, exact: false },
    categories: [],
    files: [],
    rest: [],
    duplicates: [],
    media: [],
    languages: [],
  },
  android: null,
  ios: null,
  dependencies: { source: 'none', libraries: [], edges: [] },
  secrets: [],
});

export const androidAnalysis = (): PackageAnalysis => ({
  ...analysis(),
  android: {
    dex: [],
    codePackages: [],
    renamed: null,
    nativeLibraries: [],
    r8: null,
    bundleAlignment: null,
    mapping: null,
    versionControl: null,
    manifest: {
      debuggable: false,
      testOnly: false,
      allowBackup: null,
      usesCleartextTraffic: null,
      extractNativeLibs: null,
      isGame: false,
      targetSdk: 36,
      minSdk: 26,
      permissions: [],
      features: [],
      exported: [{ kind: 'activity', name: 'com.example.tide.Main', permission: null }],
      deepLinks: [],
    },
    networkSecurity: null,
    backup: null,
  },
});

type Library = NonNullable<PackageAnalysis['android']>['nativeLibraries'][number];

export function withLibrary(given: Partial<Library>): PackageAnalysis {
  const made = androidAnalysis();
  made.android?.nativeLibraries.push({
    path: 'lib/arm64-v8a/liba.so',
    abi: 'arm64-v8a',
    bytes: 1,
    sha256: null,
    minAlignment: 16_384,
    stored: true,
    zipOffset: 16_384,
    symbolBytes: 0,
    debugBytes: 0,
    needed: [],
    buildId: null,
    ...given,
  });
  return made;
}

/** `libraries`: `group:name:version`. */
export function withDependencies(...libraries: string[]): PackageAnalysis {
  const made = androidAnalysis();
  for (const library of libraries) {
    const [group = '', name = '', version = ''] = library.split(':');
    const unknown = { sha256: null, evidence: null, direct: null };
    made.dependencies.libraries.push({ ecosystem: 'maven', group, name, version, ...unknown });
  }
  return made;
}

const app = 'Payload/Tide.app';
const framework = `${app}/Frameworks/Alamofire.framework`;
const executable = (path: string, requiredReasonApis: string[]) => ({
  path,
  bytes: 1,
  sdkVersion: '26.1',
  minOs: '16.0',
  platform: 2,
  linked: [],
  symbolBytes: 0,
  debugBytes: 0,
  requiredReasonApis,
  uuid: null,
});

/** Uses file timestamps without a reason; its framework has no manifest. */
export const iosAnalysis = (): PackageAnalysis => ({
  ...analysis(),
  ios: {
    sdk: { name: 'iphoneos26.1', version: '26.1', xcode: '2610' },
    executables: [
      executable(`${app}/Tide`, ['stat', 'NSUserDefaults']),
      executable(`${framework}/Alamofire`, ['NSUserDefaults']),
    ],
    privacyManifests: [
      {
        path: `${app}/PrivacyInfo.xcprivacy`,
        tracking: false,
        trackingDomains: [],
        collected: [],
        accessed: [
          { category: 'NSPrivacyAccessedAPICategoryUserDefaults', reasons: ['CA92.1'] },
          { category: 'NSPrivacyAccessedAPICategoryFileTimestamp', reasons: ['wrong'] },
        ],
      },
    ],
    frameworks: [{ path: framework, name: 'Alamofire', version: '5.9', bytes: 1 }],
    appTransportSecurity: { arbitraryLoads: false, exceptions: [] },
    entitlements: {},
    getTaskAllow: false,
    assetCatalogs: [],
    urlSchemes: [],
    associatedDomains: [],
    usageDescriptions: [],
    backgroundModes: [],
  },
});
