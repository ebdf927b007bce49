import { describe, expect, it } from 'vitest';
import type { Inspected } from '../../src/commands/inspect-output.ts';
import { inspectPage } from '../../src/commands/inspect-page.ts';
import { readPackageFile } from '../../src/packages/read-package.ts';
import { verifySignatureOfFile } from '../../src/packages/verify-signature.ts';
import { type ApkSpec, buildApk } from '../support/build-apk.ts';
import { buildIpa, createSigningIdentity, type IpaSpec } from '../support/build-ipa.ts';
import { fileInMemory } from '../support/build-zip.ts';
import { signApk } from '../support/sign-apk.ts';
import { createTestKey } from '../support/test-key.ts';

const plain = { columns: 100, colour: false };

async function inspect(bytes: Buffer): Promise<Inspected> {
  const file = fileInMemory(bytes);
  return {
    file: 'out/app.bin',
    sizeBytes: bytes.length,
    md5: 'm'.repeat(32),
    sha256: 's'.repeat(64),
    info: await readPackageFile(file),
    verification: await verifySignatureOfFile(file),
  };
}

const pageOfApk = async (spec: ApkSpec) => inspectPage(await inspect(buildApk(spec)), plain);
const pageOfIpa = async (spec: IpaSpec) => inspectPage(await inspect(buildIpa(spec)), plain);

describe('the page of a package', () => {
  it('says what an APK is', async () => {
    const key = createTestKey();
    const spec: ApkSpec = {
      packageName: 'com.example.shown',
      label: { '': 'Shown', ja: '表示' },
      versionName: '2.4',
      versionCode: 7,
      minSdk: 24,
      targetSdk: 35,
      maxSdk: 36,
      debuggable: true,
      testOnly: true,
      nativeAbis: ['arm64-v8a', 'x86'],
      permissions: ['android.permission.INTERNET'],
      features: [{ name: 'android.hardware.nfc', required: false }],
    };
    const page = inspectPage(await inspect(signApk(buildApk(spec), { v2: [{ key }] })), plain);
    for (const line of [
      'Shown',
      'com.example.shown · 2.4 (7) · Android',
      'out/app.bin',
      '  Needs         Android 7.0 (SDK 24)',
      '  Made for      Android 15 (SDK 35)',
      '  At most       Android 16 (SDK 36)',
      '  Native code   arm64-v8a, x86',
      '  Build         debuggable, for tests only',
      '  Permissions   android.permission.INTERNET',
      '  Features      android.hardware.nfc (not required)',
      '  Labels        ja 表示',
      '  Scheme        v2, verified from Android 7.0 (SDK 24) on',
      '  Signer        CN=Test',
      '  Key           EC 256, valid from 2020-01-01 to 2049-12-31',
    ]) {
      expect(page.split('\n')).toContain(line);
    }
  });

  it('says what an IPA is', async () => {
    const identity = createSigningIdentity({ commonName: 'Signer' });
    const page = await pageOfIpa({
      identity,
      profile: { type: 'ad-hoc', devices: ['a', 'b'], name: 'Team profile' },
      simulator: false,
    });
    for (const line of [
      'com.example.test · 1.0 (1) · iOS',
      '  Needs         iOS 15.0',
      '  Devices       iphone, ipad',
      '  Scheme        code signature, verified',
      'Provisioning profile',
      '  Name          Team profile',
      '  Type          ad-hoc',
      '  Team          Test Team (TEAM123456)',
      '  Devices       2',
      '  Valid         2026-01-02 to 2036-01-02',
      '                get-task-allow false',
    ]) {
      expect(page.split('\n')).toContain(line);
    }
  });

  it('says each thing that is wrong once', async () => {
    const page = await pageOfApk({});
    expect(page.match(/The package is not signed/g)).toHaveLength(1);
    expect(page).toContain('  Scheme        not signed\n');
    expect(page).not.toContain('Provisioning profile');
    expect(page).not.toContain('Permissions');
  });

  it('keeps to the width of the terminal', async () => {
    const label = 'A name with many words '.repeat(20).trim();
    const page = inspectPage(
      await inspect(buildApk({ permissions: ['p'.repeat(300)], label: { '': 'a', de: label } })),
      {
        columns: 60,
        colour: false,
      },
    );
    const lines = page.split('\n');
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(60);
    expect(lines.join(' ').replaceAll(/ +/g, ' ')).toContain(label);
  });

  it('lets no text of a package move the cursor or colour the terminal', async () => {
    const evil = '\x1b[2J\r\u202eevil';
    const page = inspectPage(
      await inspect(buildApk({ label: evil, versionName: evil, permissions: [evil] })),
      { columns: 100, colour: true },
    );
    const codes = ['\x1b[1m', '\x1b[22m', '\x1b[33m', '\x1b[39m', '\n'];
    const own = codes.reduce((text, code) => text.replaceAll(code, ''), page);
    expect(own).not.toMatch(/[\p{Cc}\u202a-\u202e]/u);
    expect(page).toContain('\x1b[1m[2J evil\x1b[22m');
    expect(inspectPage(await inspect(buildApk({ label: evil })), plain)).not.toContain('\x1b');
  });
});
