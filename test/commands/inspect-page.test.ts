import { describe, expect, it } from 'vitest';
import { columnsOf, maxListedValues, wrapped } from '../../src/commands/inspect/inspect-layout.ts';
import type { Inspected } from '../../src/commands/inspect/inspect-output.ts';
import { inspectPage, unreadablePage } from '../../src/commands/inspect/inspect-page.ts';
import { formatBytes } from '../../src/core/byte-size.ts';
import { readPackageFile } from '../../src/packages/read-package.ts';
import { verifySignatureOfFile } from '../../src/packages/verify-signature.ts';
import { type ApkSpec, buildApk } from '../support/build-apk.ts';
import { buildIpa, createSigningIdentity, type IpaSpec } from '../support/build-ipa.ts';
import { fileInMemory } from '../support/build-zip.ts';
import { signApk } from '../support/sign-apk.ts';
import { createTestKey } from '../support/test-key.ts';

const plain = { columns: 100, color: false };
const now = new Date('2026-06-01T00:00:00Z');

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

const pageOfApk = async (spec: ApkSpec) => inspectPage(await inspect(buildApk(spec)), plain, now);
const pageOfIpa = async (spec: IpaSpec) => inspectPage(await inspect(buildIpa(spec)), plain, now);

describe('the package page', () => {
  it('describes an APK', async () => {
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
    const bytes = signApk(buildApk(spec), { v2: [{ key }] });
    const page = inspectPage(await inspect(bytes), plain, now);
    for (const line of [
      'Shown',
      'com.example.shown · 2.4 (7) · Android',
      `out/app.bin · ${formatBytes(bytes.length)}`,
      '  Min SDK       Android 7.0 (SDK 24)',
      '  Target SDK    Android 15 (SDK 35)',
      '  Max SDK       Android 16 (SDK 36)',
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

  it('describes an IPA', async () => {
    const identity = createSigningIdentity({ commonName: 'Signer' });
    const page = await pageOfIpa({
      identity,
      profile: { type: 'ad-hoc', devices: ['a', 'b'], name: 'Team profile' },
      simulator: false,
    });
    for (const line of [
      'com.example.test · 1.0 (1) · iOS',
      '  Minimum OS    iOS 15.0',
      '  Devices       iPhone, iPad',
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

  it('shows each problem once', async () => {
    const page = await pageOfApk({});
    expect(page.match(/The package is not signed/g)).toHaveLength(1);
    expect(page).toContain('  Scheme        not signed\n');
    expect(page).not.toContain('Provisioning profile');
    expect(page).not.toContain('Permissions');
  });

  it('lists the problems that prevent installation first', async () => {
    const page = await pageOfApk({ targetSdk: 20 });
    const [title, ...rest] = page.trim().split('\n\n');
    expect(title).toMatch(/^Test\ncom\.example\.test .*\nout\/app\.bin · /);
    expect(rest[0]).toMatch(/^ {2}! The target SDK is below 23\./);
  });

  it('marks expired certificates and profiles', async () => {
    const identity = createSigningIdentity({ commonName: 'Signer' });
    const inspected = await inspect(
      buildIpa({ identity, profile: { expiresAt: new Date('2027-03-04T05:06:07Z') } }),
    );
    const expired = 'The provisioning profile expired on 2027-03-04, so no device installs the app.';
    const before = inspectPage(inspected, plain, new Date('2027-03-04T05:06:00Z'));
    expect(before).not.toContain('expired');
    const after = inspectPage(inspected, plain, new Date('2027-03-04T05:06:08Z'));
    expect(after).toContain(`  ! ${expired}\n`);
    expect(after).toContain('  Valid         2026-01-02 to 2027-03-04, expired\n');
    expect(inspectPage(inspected, plain, new Date('2100-01-01T00:00:00Z'))).toMatch(/Key .*, expired\n/);
  });

  it('names the release of an old SDK level', async () => {
    expect(await pageOfApk({ minSdk: 4 })).toContain('  Min SDK       Android 1.6 (SDK 4)\n');
  });

  it('omits labels equal to the name, and counts the labels that do not fit', async () => {
    const page = await pageOfApk({
      label: { '': 'Same', de: 'Same', ja: '同じ' },
      permissions: Array.from({ length: maxListedValues + 7 }, (_, index) => `p.${index}`),
    });
    expect(page).toContain('  Labels        ja 同じ\n');
    expect(page).toContain(`                p.${maxListedValues - 1}\n                … and 7 more\n`);
    expect(page).not.toContain('de Same');
  });

  it.each([40, 60, 80, 120])('fits a terminal of %i columns', async (columns) => {
    const words = 'A name with many words '.repeat(20).trim();
    const page = inspectPage(
      await inspect(
        buildApk({
          packageName: `com.example.${'long'.repeat(20)}`,
          permissions: ['p'.repeat(300), `android.${'part.'.repeat(40)}`],
          label: { '': words, de: `${words} de`, ja: '長い名前'.repeat(60), fr: '😀é\u0301'.repeat(50) },
        }),
      ),
      { columns, color: false },
      now,
    );
    const widths = page.split('\n').map((line) => [...line].reduce((sum, one) => sum + columnsOf(one), 0));
    expect(Math.max(...widths)).toBeLessThanOrEqual(columns < 56 ? 56 : columns);
    const text = page.split('\n').join(' ').replaceAll(/ +/g, ' ');
    expect(text).toContain(words);
    expect(text).toContain(`de ${words} de`);
    expect(text.replaceAll(' ', '')).toContain('長い名前'.repeat(60));
  });

  it('breaks a long word with a marker', () => {
    expect(wrapped(`com.apple.${'a'.repeat(35)}`, 40)).toEqual([
      'com.apple.aaaaaaaaaaaaaaaaaaaaaaaaaaaaaa',
      'aaaaa',
    ]);
    expect(wrapped(`${'a'.repeat(30)}.${'b'.repeat(30)}`, 40)).toEqual([
      `${'a'.repeat(30)}.`,
      'b'.repeat(30),
    ]);
  });

  it('strips terminal control sequences from package text', async () => {
    const evil = '\x1b[2J\r\u202eevil';
    const page = inspectPage(
      await inspect(buildApk({ label: evil, versionName: evil, permissions: [evil] })),
      { columns: 100, color: true },
      now,
    );
    const codes = ['\x1b[1m', '\x1b[2m', '\x1b[22m', '\x1b[33m', '\x1b[39m', '\n'];
    const own = codes.reduce((text, code) => text.replaceAll(code, ''), page);
    expect(own).not.toMatch(/[\p{Cc}\u202a-\u202e]/u);
    expect(page).toContain('\x1b[1m[2J evil\x1b[22m');
    expect(inspectPage(await inspect(buildApk({ label: evil })), plain, now)).not.toContain('\x1b');
  });

  it('explains why a file is not a package, on separate lines', () => {
    const reason = 'it is something else, '.repeat(8).trim();
    const page = unreadablePage('out/\x1b[2Jno.apk', reason, { columns: 60, color: false });
    expect(page.split('\n').slice(0, 3)).toEqual([
      '',
      'out/ [2Jno.apk',
      expect.stringMatching(/^ {2}! it is/),
    ]);
    expect(Math.max(...page.split('\n').map(({ length }) => length))).toBeLessThanOrEqual(60);
  });
});
