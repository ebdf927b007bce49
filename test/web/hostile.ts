/** Values for every field of every page: harmless ones, and ones that try to inject markup. */

import type { App, Build } from '../../src/apps/app.ts';
import type { AppHead } from '../../src/apps/app-head.tsx';
import { type BuildFields, mapBuildFields } from '../../src/apps/build-fields.ts';
import type { Project } from '../../src/owners/owner.ts';
import type { PackageInfo } from '../../src/packages/package-info.ts';
import type { PageFrame } from '../../src/web/shell/page-frame.ts';

const realFields: Partial<BuildFields> = {
  branch: 'feature/storm',
  commit: '9f31c2ab77d0',
  buildUrl: 'https://ci.example.com/run/4412',
  label: 'PR 412',
};

export const now = Date.UTC(2026, 10, 21, 9, 40);
export const origin = 'https://apps.example.com';

/** Breaks out of text, quoted attributes and comments if it is not escaped. */
export const attack = `--></title></textarea><script>alert(1)</script>"'><img src=x onerror=alert(2)>&lt;`;

/** Every string below is passed through `text`, so that one builder serves both kinds of test. */
export type TextOf = (plain: string) => string;
export const plainText: TextOf = (plain) => plain;
export const hostileText: TextOf = (plain) => `${plain}${attack}`;

export function makeFrame(text: TextOf, signedIn = true): PageFrame {
  return {
    assets: {
      stylesheet: '/assets/slipway.css?v=1',
      formStylesheet: '/assets/forms.css?v=4',
      consoleStylesheet: '/assets/console.css?v=7',
      consoleScript: '/assets/console.js?v=8',
      script: '/assets/slipway.js?v=2',
      uploadScript: '/assets/upload.js?v=5',
      passkeyScript: '/assets/passkeys.js?v=6',
      favicon: '/assets/favicon.svg?v=3',
    },
    viewer: signedIn ? { name: text('mina'), address: '/users/mina', administrator: true } : null,
    formToken: text('c5rf'),
    origin,
    now,
  };
}

const digest = (text: TextOf, length: number) => text('a1'.repeat(length / 2));

export function makeAndroidInfo(text: TextOf): PackageInfo {
  const certificate = {
    sha1: digest(text, 40),
    sha256: digest(text, 64),
    subject: text('CN=Harbour Labs'),
    issuer: text('CN=Harbour Root'),
    key: text('RSA 2048'),
    validFrom: text('2022-01-01T00:00:00Z'),
    validUntil: text('2052-01-01T00:00:00Z'),
  };
  return {
    platform: 'android',
    packageName: text('com.example.tidewatch'),
    name: text('Tidewatch'),
    labels: { '': text('Tidewatch'), [text('de')]: text('Gezeiten') },
    versionCode: text('418'),
    versionName: text('2.4.0'),
    sdkVersion: text('26'),
    rawSdkVersion: text('26'),
    targetSdkVersion: 35,
    signature: digest(text, 40),
    signing: {
      schemes: ['v2', 'v3'],
      certificates: [certificate],
      lineage: [digest(text, 64)],
      sourceStamp: true,
    },
    icon: null,
    android: {
      versionCodeMajor: 1,
      minSdkCodename: null,
      targetSdkCodename: null,
      maxSdkVersion: 40,
      compileSdkVersion: 35,
      permissions: [text('android.permission.INTERNET')],
      features: [{ name: text('android.hardware.camera'), required: true }],
      nativeAbis: [text('arm64-v8a')],
      debuggable: true,
      testOnly: false,
    },
    ios: null,
    warnings: [text('It is debuggable.'), text('It is odd.')],
  };
}

export function makeIosInfo(text: TextOf): PackageInfo {
  return {
    ...makeAndroidInfo(text),
    platform: 'ios',
    sdkVersion: text('15.0'),
    rawSdkVersion: text('15.0'),
    targetSdkVersion: null,
    android: null,
    ios: {
      deviceFamilies: ['iphone', 'ipad'],
      executable: text('Tidewatch'),
      simulator: false,
      encrypted: false,
      profile: {
        type: 'ad-hoc',
        name: text('Tidewatch Ad Hoc'),
        uuid: text('5f1c0a2e'),
        teamName: text('Harbour Labs'),
        teamIdentifier: text('7QX4B2M9T1'),
        createdAt: '2026-01-10T00:00:00Z',
        expiresAt: '2027-01-10T00:00:00Z',
        devices: [text('udid-1'), text('udid-2')],
        entitlements: { [text('get-task-allow')]: text('x') },
        certificateSha1s: [digest(text, 40)],
        intact: true,
      },
      extensions: [text('com.example.widget')],
      appClips: [text('com.example.clip')],
      watchApps: [text('com.example.watch')],
    },
  };
}

export function makeApp(text: TextOf, platform: 'android' | 'ios' = 'android'): App {
  return {
    id: `app-${platform}`,
    owner: { id: 'p1', kind: 'project', name: text('tidewatch-mobile') },
    platform,
    packageName: text('com.example.tidewatch'),
    latestName: text('Tidewatch'),
    secret: 'f'.repeat(40),
    secretRotations: 0,
    trustedPublishersOnly: false,
    lastRevision: 128,
    createdAt: now,
    lastUploadAt: now,
  };
}

/** The bar above the pages of an app, for people who manage it. */
export function makeAppHead(text: TextOf, platform: 'android' | 'ios' = 'android'): AppHead {
  return {
    app: makeApp(text, platform),
    iconAddress: text('/builds/b1/icon?key=k'),
    otherPlatforms: [platform === 'android' ? 'ios' : 'android'],
    ownerAddress: text('/organizations/x'),
    counts: { builds: 1_280, pages: 2, feedback: 3, testers: 38, webhooks: 0 },
    key: null,
  };
}

export function makeBuild(text: TextOf, info: PackageInfo = makeAndroidInfo(text)): Build {
  return {
    id: 'b1',
    appId: 'a1',
    revision: 128,
    info,
    sizeBytes: 18_734_112,
    md5: digest(text, 32),
    sha256: digest(text, 64),
    packageBlob: text('blob'),
    simulatorBlob: null,
    simulatorBytes: 1_000_000,
    simulatorSha256: null,
    apk: null,
    damage: null,
    source: {
      provider: 'github',
      repository: text('harbour/tide'),
      commit: text('9f31c2ab77d0'),
      ref: text('refs/heads/feature/storm'),
      workflow: text('release.yml'),
      run_id: text('42'),
      run_url: text('https://github.com/harbour/tide/actions/runs/42'),
      actor: text('mina'),
    },
    icon: { state: 'none' },
    verification: null,
    message: text('Merge the storm banner\nand show it'),
    ...mapBuildFields((field) => text(realFields[field] ?? field)),
    uploadWarnings: [text('The message was cut.')],
    uploadedBy: text('mina'),
    createdAt: now - 3 * 3_600_000,
    protected: true,
  };
}

export function createProject(text: TextOf): Project {
  return {
    kind: 'project',
    id: 'p1',
    name: text('tidewatch-mobile'),
    description: text('Tide tables'),
    workspace: {
      id: 'w1',
      name: text('harbour'),
      displayName: text('Harbour Labs'),
      iconUrl: text('/icons/harbour.png'),
    },
  };
}
