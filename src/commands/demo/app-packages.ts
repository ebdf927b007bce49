/** Builds the packages of the apps: small, but signed and complete, with an icon. */
import { randomBytes } from 'node:crypto';
import { commonName, createSigningKey, type SigningKey } from '../../packages/apk/signing/signing-key.ts';
import type { DemoApp } from './apps.ts';
import { drawIcon } from './draw-icon.ts';
import { apkEntries } from './packages/build-apk.ts';
import { buildIpa, buildProfile } from './packages/build-ipa.ts';
import { buildZip } from './packages/build-zip.ts';
import { signApk } from './packages/sign-apk.ts';
import { createSigningIdentity, type SigningIdentity } from './packages/signing-identity.ts';

export interface PackageVersion {
  versionName: string;
  versionCode: number;
  /** From 0 for the first build of the app to 1 for the latest. */
  progress: number;
  sizeBytes: number;
  debuggable: boolean;
  /** A file that the app contains since one of its builds. */
  addition: { path: string; bytes: number } | null;
}

export type BuildPackage = (app: DemoApp, version: PackageVersion) => Promise<Buffer>;

/** UDIDs of the devices that `devices.ts` registers. */
export const provisionedDevices = ['00008110-000A1C2E3D41801E', '00008120-001E55A40C12401E'];
const teamIdentifier = 'H4LD3NL4B5';

export function createPackageBuilder(): BuildPackage {
  const filler = randomBytes(1 << 20);
  const keys = new Map<string, SigningKey>();
  const icons = new Map<string, Promise<Buffer>>();
  let identity: SigningIdentity | null = null;
  const iconOf = (app: DemoApp, pixels: number) => {
    const id = `${app.icon} ${pixels}`;
    const drawn = icons.get(id) ?? drawIcon(app.icon, pixels);
    icons.set(id, drawn);
    return drawn;
  };
  const keyOf = (app: DemoApp) => {
    const name = app.owner === 'parcel-ops' ? 'Parcel Ops' : 'Halden Labs';
    const key = keys.get(app.owner) ?? createSigningKey('ec', { name: [[commonName, name]] });
    keys.set(app.owner, key);
    return key;
  };
  return async (app, version) => {
    if (app.platform === 'android') {
      const classes = classesOf(app, version, filler);
      const assetBytes = version.sizeBytes - sum(classes.map(({ units }) => units * 2));
      const northBytes = Math.floor(assetBytes * 0.6);
      const entries = apkEntries({
        packageName: app.packageName,
        label: app.name,
        versionName: version.versionName,
        versionCode: version.versionCode,
        minSdk: version.progress < 0.4 ? 24 : 26,
        targetSdk: version.progress < 0.2 ? 35 : 36,
        debuggable: version.debuggable,
        classes,
        permissions: [
          ...app.permissions,
          ...(version.progress > 0.5 ? ['android.permission.POST_NOTIFICATIONS'] : []),
        ],
        icons: [{ path: 'res/mipmap-xxxhdpi-v4/ic_launcher.png', content: await iconOf(app, 192) }],
        extraEntries: [
          { name: 'assets/regions/north.bin', content: filler.subarray(0, northBytes) },
          { name: 'assets/regions/south.bin', content: filler.subarray(northBytes, assetBytes) },
          ...(version.addition
            ? [{ name: version.addition.path, content: filler.subarray(-version.addition.bytes) }]
            : []),
        ],
      });
      const key = keyOf(app);
      return signApk(buildZip(entries), { v2: [{ key }], v3: [{ key }] });
    }
    identity ??= createSigningIdentity({ commonName: 'Apple Distribution: Halden Labs AB (H4LD3NL4B5)' });
    return buildIpa({
      bundleIdentifier: app.packageName,
      name: app.name,
      shortVersion: version.versionName,
      version: String(version.versionCode),
      minimumOsVersion: version.progress < 0.5 ? '16.0' : '17.0',
      appFolder: `${app.name.replaceAll(' ', '')}.app`,
      infoPlist: {
        CFBundleIcons: { CFBundlePrimaryIcon: { CFBundleIconFiles: ['AppIcon60x60'] } },
      },
      files: {
        'AppIcon60x60@3x.png': await iconOf(app, 180),
      },
      // Stored, because compressing random bytes takes time and gains nothing.
      extraEntries: [{ name: 'Symbols/app.symbols', content: filler.subarray(0, version.sizeBytes) }],
      identity,
      signature: { identifier: app.packageName },
      profile: buildProfile({
        type: 'ad-hoc',
        name: `${app.name} Ad Hoc`,
        devices: provisionedDevices,
        teamIdentifier,
        applicationIdentifier: `${teamIdentifier}.${app.packageName}`,
        certificates: [identity.certificate],
        identity,
      }),
    });
  };
}

/** Share of the code in a package of the first build. */
const codeShare = 0.45;

/** Code by package, as parts of that of the first build, there and in the latest build. */
const code: readonly [name: string, first: number, latest: number][] = [
  ['ui.HomeScreen', 0.06, 0.09],
  ['ui.SearchScreen', 0.04, 0.06],
  ['data.Repository', 0.05, 0.06],
  ['data.Synchronization', 0.02, 0.04],
  ['MainActivity', 0.01, 0.01],
];
const libraryCode: readonly [name: string, part: number][] = [
  ['androidx.compose.runtime.Composer', 0.21],
  ['androidx.compose.ui.node.LayoutNode', 0.27],
  ['kotlinx.coroutines.scheduling.CoroutineScheduler', 0.12],
  ['okhttp3.internal.http2.Http2Connection', 0.16],
  ['okio.Buffer', 0.06],
];

function classesOf({ packageName, sizeBytes }: DemoApp, { progress }: PackageVersion, filler: Buffer) {
  const parts = [
    ...code.map(
      ([name, first, latest]) => [`${packageName}.${name}`, first + (latest - first) * progress] as const,
    ),
    ...libraryCode,
  ];
  return parts.map(([name, part], index) => ({
    name,
    units: Math.round((sizeBytes * codeShare * part) / 2),
    instructions: filler.subarray(index * 50_000),
  }));
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
