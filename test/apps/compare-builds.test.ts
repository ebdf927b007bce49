/** The differences between two builds, and whether one can be installed over the other. */
import { describe, expect, it } from 'vitest';
import type { Build } from '../../src/apps/app.ts';
import { compareBuilds, maxShownNames, sizeDifference } from '../../src/apps/compare/compare-builds.ts';
import { renderCompareBuilds } from '../../src/apps/compare/compare-builds-page.tsx';
import type {
  AndroidFacts,
  CertificateFacts,
  IosFacts,
  PackageInfo,
  ProvisioningProfile,
} from '../../src/packages/package-info.ts';
import { sampleBuild, sampleInfo } from '../support/sample-rows.ts';
import { sampleSource } from '../support/trusted-key.ts';
import { makeApp, makeAppHead, makeFrame, plainText } from '../web/hostile.ts';

const certificate = (sha256: string): CertificateFacts => ({
  sha1: sha256,
  sha256,
  subject: `CN=${sha256}`,
  issuer: 'CN=x',
  key: 'EC 256',
  validFrom: '2020-01-01T00:00:00Z',
  validUntil: '2050-01-01T00:00:00Z',
});
const signedBy = (names: string[], lineage: string[] = []): PackageInfo['signing'] => ({
  schemes: names.length > 0 ? ['v2', 'v3'] : [],
  certificates: names.map(certificate),
  lineage,
  sourceStamp: false,
});
const androidFacts = (changes: Partial<AndroidFacts> = {}): AndroidFacts => ({
  versionCodeMajor: null,
  minSdkCodename: null,
  targetSdkCodename: null,
  maxSdkVersion: null,
  compileSdkVersion: 35,
  permissions: [],
  features: [],
  nativeAbis: [],
  debuggable: false,
  testOnly: false,
  ...changes,
});
const android = (revision: number, info: Partial<PackageInfo> = {}, changes: Partial<Build> = {}): Build =>
  sampleBuild('app', revision, {
    info: sampleInfo({ android: androidFacts(), signing: signedBy(['a']), warnings: [], ...info }),
    ...changes,
  });
const profile = (changes: Partial<ProvisioningProfile> = {}): ProvisioningProfile => ({
  type: 'ad-hoc',
  name: 'Ad Hoc',
  uuid: 'u',
  teamName: 'Harbour',
  teamIdentifier: 'TEAM1',
  createdAt: null,
  expiresAt: '2027-01-10T00:00:00Z',
  devices: [],
  entitlements: {},
  certificateSha1s: [],
  intact: true,
  ...changes,
});
const ios = (revision: number, changes: Partial<IosFacts> = {}, info: Partial<PackageInfo> = {}): Build =>
  sampleBuild('app', revision, {
    info: sampleInfo({
      platform: 'ios',
      sdkVersion: '15.0',
      rawSdkVersion: '15.0',
      targetSdkVersion: null,
      warnings: [],
      ios: {
        deviceFamilies: ['iphone'],
        executable: 'App',
        simulator: false,
        encrypted: false,
        profile: profile(),
        extensions: [],
        appClips: [],
        watchApps: [],
        ...changes,
      },
      ...info,
    }),
  });
const changedLabels = (from: Build, to: Build) =>
  compareBuilds(from, to).changed.map(({ label, from: old, to: fresh }) => [label, old, fresh]);

describe('comparison of two builds', () => {
  it('finds no difference between a build and itself', () => {
    const build = android(1);
    const comparison = compareBuilds(build, build);
    expect(comparison).toMatchObject({ identical: true, changed: [], sets: [] });
    expect(comparison.notes).toEqual({ signer: [], worth: [] });
    expect(comparison.same.map(({ label }) => label)).toContain('Version');
    expect(compareBuilds(build, android(2)).identical).toBe(false);
  });

  it('separates changed facts from unchanged ones', () => {
    const from = android(1, { versionName: '2.3', versionCode: '40', sdkVersion: '26', rawSdkVersion: '26' });
    const to = android(2, {
      versionName: '2.4',
      versionCode: '41',
      sdkVersion: '29',
      rawSdkVersion: '29',
      targetSdkVersion: 35,
      android: androidFacts({ compileSdkVersion: null, debuggable: true }),
    });
    expect(changedLabels(from, to)).toEqual([
      ['Version', '2.3', '2.4'],
      ['Version code', '40', '41'],
      ['Runs on', 'Android 8.0 or newer', 'Android 10 or newer'],
      ['Target SDK', 'API 36, Android 16', 'API 35, Android 15'],
      ['Compile SDK', 'API 35, Android 15', null],
      ['Debuggable', 'No', 'Yes'],
    ]);
  });

  it('lists added and removed entries once, in package order', () => {
    const from = android(1, {
      labels: { '': 'Tide', de: 'Gezeiten', ja: '潮' },
      android: androidFacts({
        permissions: ['INTERNET', 'CAMERA', 'CAMERA'],
        features: [{ name: 'nfc', required: true }],
        nativeAbis: ['arm64-v8a', 'x86'],
      }),
    });
    const to = android(2, {
      labels: { '': 'Tide', de: 'Gezeitenwache', ja: '潮' },
      warnings: ['It is debuggable.'],
      android: androidFacts({
        permissions: ['INTERNET', 'CONTACTS', 'BLUETOOTH'],
        features: [{ name: 'nfc', required: false }],
        nativeAbis: ['arm64-v8a'],
      }),
    });
    const sets = compareBuilds(from, to).sets.map(({ label, added, removed }) => [
      label,
      added.names,
      removed.names,
    ]);
    expect(sets).toEqual([
      ['Permissions', ['CONTACTS', 'BLUETOOTH'], ['CAMERA']],
      ['Hardware and software features', ['nfc'], ['nfc (required)']],
      ['Native code', [], ['x86']],
      ['Localized names', ['de: Gezeitenwache'], ['de: Gezeiten']],
      ['Warnings', ['It is debuggable.'], []],
    ]);
  });

  it('compares the type, team, expiry, devices and entitlements of profiles', () => {
    const from = ios(1, {
      profile: profile({
        devices: ['A', 'B', 'C'],
        entitlements: { 'aps-environment': 'development', keep: [1] },
      }),
      extensions: ['com.x.widget'],
    });
    const to = ios(2, {
      deviceFamilies: ['iphone', 'ipad'],
      profile: profile({
        type: 'development',
        name: 'Dev',
        expiresAt: '2028-01-10T00:00:00Z',
        devices: ['C', 'D'],
        entitlements: { 'aps-environment': 'production', keep: [1] },
      }),
      appClips: ['com.x.clip'],
    });
    expect(changedLabels(from, to)).toEqual([
      ['Provisioning profile', 'Ad Hoc', 'Dev'],
      ['Type', 'Ad hoc', 'Development'],
      ['Expires', '10 Jan 2027', '10 Jan 2028'],
      ['Registered devices', '3', '2'],
    ]);
    const { sets, notes } = compareBuilds(from, to);
    expect(sets.map(({ label, added, removed }) => [label, added.names, removed.names])).toEqual([
      ['Device families', ['iPad'], []],
      ['Extensions, App Clips and Watch apps', ['com.x.clip'], ['com.x.widget']],
      ['Entitlements', ['aps-environment: "production"'], ['aps-environment: "development"']],
      ['Devices in the profile', ['D'], ['A', 'B']],
    ]);
    expect(notes.worth).toEqual(['2 devices are no longer in the profile and cannot install it.']);
    expect(notes.signer).toEqual([]);
  });

  it('shows the size difference in bytes and percent', () => {
    expect(sizeDifference({ from: 1_000_000, to: 1_512_331 })).toEqual({
      bytes: '+500.3 KiB',
      exact: '+512,331 bytes',
      percent: '+51.2%',
    });
    expect(sizeDifference({ from: 4_000_000_000, to: 3_999_999_999 })).toEqual({
      bytes: '−1 B',
      exact: '−1 byte',
      percent: '0%',
    });
    expect(sizeDifference({ from: 0, to: 5 }).percent).toBe('0%');
  });
});

describe('Android update', () => {
  const signerOf = (from: PackageInfo['signing'], to: PackageInfo['signing']) =>
    compareBuilds(android(1, { signing: from }), android(2, { signing: to })).notes;

  it('is rejected with a different certificate or without one', () => {
    const { signer } = signerOf(signedBy(['a']), signedBy(['b']));
    expect(signer).toEqual([
      expect.stringMatching(/^#2 and #1 are signed with different certificates\. Android rejects/),
    ]);
    expect(signerOf(signedBy(['a']), signedBy([])).signer[0]).toMatch(/but #2 is not/);
    expect(signerOf(signedBy(['a']), signedBy(['a', 'b'])).signer).toHaveLength(1);
    expect(signerOf(signedBy(['a', 'b']), signedBy(['a'])).signer).toHaveLength(1);
  });

  it('is accepted with the same certificates in any order and case, and after an unsigned build', () => {
    expect(signerOf(signedBy(['a']), signedBy(['A'])).signer).toEqual([]);
    expect(signerOf(signedBy(['a', 'b']), signedBy(['b', 'a'])).signer).toEqual([]);
    expect(signerOf(signedBy([]), signedBy(['a'])).signer).toEqual([]);
  });

  it('is accepted after a rotation that names the old certificate, but rejected in the other direction', () => {
    const rotated = signerOf(signedBy(['old']), signedBy(['new'], ['older', 'old', 'new']));
    expect(rotated.signer).toEqual([]);
    expect(rotated.worth[0]).toMatch(/rotated/);
    expect(signerOf(signedBy(['new'], ['old', 'new']), signedBy(['old'])).signer).toHaveLength(1);
    expect(signerOf(signedBy(['other']), signedBy(['new'], ['old', 'new'])).signer).toHaveLength(1);
  });

  it('is rejected with a lower version code, comparing the major version code first', () => {
    const older = (from: Partial<PackageInfo>, to: Partial<PackageInfo>) =>
      compareBuilds(android(1, from), android(2, to)).notes.worth.some((sentence) =>
        /lower version code/.test(sentence),
      );
    const major = (versionCodeMajor: number) => androidFacts({ versionCodeMajor });
    expect(older({ versionCode: '10' }, { versionCode: '9' })).toBe(true);
    expect(older({ versionCode: '9' }, { versionCode: '10' })).toBe(false);
    expect(older({ versionCode: '9' }, { versionCode: '9' })).toBe(false);
    expect(older({ versionCode: '1', android: major(2) }, { versionCode: '99', android: major(1) })).toBe(
      true,
    );
    expect(older({ versionCode: '99', android: major(1) }, { versionCode: '1', android: major(2) })).toBe(
      false,
    );
  });

  it('excludes devices when it requires a newer system', () => {
    const worth = (from: string, to: string) =>
      compareBuilds(
        ios(1, {}, { sdkVersion: from, rawSdkVersion: from }),
        ios(2, {}, { sdkVersion: to, rawSdkVersion: to }),
      ).notes.worth;
    expect(worth('15.0', '15.10')).toEqual([
      '#2 requires iOS 15.10 or newer. Older devices cannot install it.',
    ]);
    expect(worth('15.10', '15.9')).toEqual([]);
    expect(worth('15', '15.0')).toEqual([]);
    expect(worth('9.3', '10')).toHaveLength(1);
  });
});

describe('iOS update', () => {
  it('is rejected from a different team, but accepted with a different certificate', () => {
    const team = (teamIdentifier: string | null) => ({ profile: profile({ teamIdentifier }) });
    const signer = (from: string | null, to: string | null) =>
      compareBuilds(ios(1, team(from)), ios(2, team(to))).notes.signer;
    expect(signer('TEAM1', 'TEAM2')).toEqual([expect.stringMatching(/different teams.*iOS rejects/)]);
    expect(signer('TEAM1', 'TEAM1')).toEqual([]);
    expect(signer('TEAM1', null)).toEqual([]);
    const certificates = (names: string[]) => ({ signing: signedBy(names) });
    expect(
      compareBuilds(ios(1, {}, certificates(['a'])), ios(2, {}, certificates(['b']))).notes.signer,
    ).toEqual([]);
  });

  it('reports no removed devices when the profile covers all devices', () => {
    const from = ios(1, { profile: profile({ devices: ['A'] }) });
    const to = ios(2, { profile: profile({ type: 'enterprise', devices: [] }) });
    expect(compareBuilds(from, to).notes.worth).toEqual([]);
    expect(compareBuilds(from, ios(2, { profile: null })).notes.worth).toEqual([]);
  });
});

describe('comparison page', () => {
  it('shows who built each build, and finds another repository', () => {
    const source = { ...sampleSource, repository: 'acme/tide', commit: '1a2b3c4d5e', run_id: '42' };
    const from = android(1, {}, { source });
    const to = android(2, {}, { source: { ...source, commit: '9f31c2ab77', run_id: '43' } });
    expect(changedLabels(from, to)).toEqual([]);
    expect(changedLabels(from, android(3, {}, { source: null }))).toEqual([['Built by', 'acme/tide', null]]);
    const line = (of: Build) => ({
      build: of,
      iconAddress: null,
      downloadAddress: '/file',
      apkAddress: null,
    });
    const html = renderCompareBuilds({
      frame: makeFrame(plainText),
      app: makeApp(plainText, 'android'),
      head: makeAppHead(plainText, 'android'),
      appKey: null,
      comparison: compareBuilds(from, to),
      contents: null,
      from: line(from),
      to: line(to),
    });
    for (const run of ['run 42', 'run 43']) expect(html).toContain(run);
  });

  it('stays small however many entries the packages list', () => {
    const huge = (prefix: string) =>
      Array.from({ length: 5000 }, (_, at) => `${prefix}.${'long'.repeat(200)}.${at}`);
    const entitlements = Object.fromEntries(huge('key').map((key) => [key, 'v'.repeat(5000)]));
    const build = (revision: number, prefix: string) =>
      ios(revision, {
        profile: profile({ devices: huge(prefix), entitlements: revision === 1 ? {} : entitlements }),
        extensions: huge(prefix),
      });
    const [from, to] = [build(1, 'a'), build(2, 'b')];
    const comparison = compareBuilds(from, to);
    expect(comparison.sets.find(({ label }) => label === 'Devices in the profile')?.added).toMatchObject({
      names: expect.objectContaining({ length: maxShownNames }),
      more: 5000 - maxShownNames,
    });
    const line = (of: Build) => ({
      build: of,
      iconAddress: null,
      downloadAddress: '/file',
      apkAddress: null,
    });
    const app = makeApp(plainText, 'ios');
    const html = renderCompareBuilds({
      frame: makeFrame(plainText),
      app,
      head: makeAppHead(plainText, 'ios'),
      appKey: null,
      comparison,
      contents: null,
      from: line(from),
      to: line(to),
    });
    expect(html).toContain('and 4,950 more');
    expect(Buffer.byteLength(html)).toBeLessThan(128 * 1024);
  });
});
