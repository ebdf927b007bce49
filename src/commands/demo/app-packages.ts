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
      const entries = apkEntries({
        packageName: app.packageName,
        label: app.name,
        versionName: version.versionName,
        versionCode: version.versionCode,
        minSdk: version.progress < 0.4 ? 24 : 26,
        targetSdk: version.progress < 0.6 ? 35 : 36,
        permissions: [
          ...app.permissions,
          ...(version.progress > 0.5 ? ['android.permission.POST_NOTIFICATIONS'] : []),
        ],
        icons: [{ path: 'res/mipmap-xxxhdpi-v4/ic_launcher.png', content: await iconOf(app, 192) }],
        extraEntries: [{ name: 'assets/content.bin', content: filler.subarray(0, version.sizeBytes) }],
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
