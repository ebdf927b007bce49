import { describe, expect, it } from 'vitest';
import { renderAppPage } from '../../src/apps/app-page.tsx';
import { buildNotes, installBlockers } from '../../src/apps/builds/build-warnings.ts';
import type { PackageInfo } from '../../src/packages/package-info.ts';
import { makeAndroidInfo, makeBuild, makeIosInfo, now, plainText } from './hostile.ts';
import { appProps } from './page-props.ts';

const verified = { verified: true, verifiedFromSdk: 26, problems: [] };
const broken = { verified: false, verifiedFromSdk: null, problems: ['Page 17 differs.'] };

function android(change: (info: PackageInfo) => void = () => {}): PackageInfo {
  const info = makeAndroidInfo(plainText);
  change(info);
  return info;
}

function ios(change: (facts: NonNullable<PackageInfo['ios']>) => void = () => {}): PackageInfo {
  const info = makeIosInfo(plainText);
  if (info.ios) change(info.ios);
  return info;
}

const unsigned = (info: PackageInfo) => {
  info.signing = { ...info.signing, schemes: [] };
};

describe('an installation problem', () => {
  it.each<[string, PackageInfo, RegExp]>([
    ['an unsigned package', android(unsigned), /not signed/],
    [
      'a test-only package',
      android((info) => info.android && Object.assign(info.android, { testOnly: true })),
      /test-only/,
    ],
    ['a simulator build', ios((facts) => Object.assign(facts, { simulator: true })), /simulator build/],
    ['an encrypted app', ios((facts) => Object.assign(facts, { encrypted: true })), /encrypted/],
    [
      'an app without a profile',
      ios((facts) => Object.assign(facts, { profile: null })),
      /no provisioning profile/,
    ],
    [
      'an App Store profile',
      ios((facts) => Object.assign(facts.profile ?? {}, { type: 'app-store' })),
      /App Store/,
    ],
    [
      'a changed profile',
      ios((facts) => Object.assign(facts.profile ?? {}, { intact: false })),
      /was modified/,
    ],
  ])('is reported once: %s', (_, info, reason) => {
    const blockers = installBlockers({ info, verification: null, apk: null }, now);
    expect(blockers).toHaveLength(1);
    expect(blockers[0]).toMatch(reason);
  });

  it('is not reported for valid builds, nor for those not verified yet', () => {
    for (const info of [android(), ios()]) {
      expect(installBlockers({ info, verification: verified, apk: null }, now)).toEqual([]);
      expect(installBlockers({ info, verification: null, apk: null }, now)).toEqual([]);
    }
  });

  it('is reported for a profile from the moment it expires', () => {
    const end = Date.parse('2027-01-10T00:00:00Z');
    expect(installBlockers({ info: ios(), verification: null, apk: null }, end - 1)).toEqual([]);
    expect(installBlockers({ info: ios(), verification: null, apk: null }, end)).toEqual([
      'The provisioning profile expired on 10 Jan 2027.',
    ]);
  });

  it('is reported for a signature that does not verify, but only as unsigned for an unsigned package', () => {
    expect(installBlockers({ info: android(), verification: broken, apk: null }, now)[0]).toMatch(
      /does not match/,
    );
    expect(installBlockers({ info: android(unsigned), verification: broken, apk: null }, now)).toHaveLength(
      1,
    );
  });
});

describe('notes for developers', () => {
  it('list each problem once, those of the signature first', () => {
    const build = { ...makeBuild(plainText), verification: broken };
    expect(buildNotes(build, now)).toEqual({
      blocked: true,
      sentences: [
        'The signature does not match the package, so phones refuse to install it.',
        'Page 17 differs.',
        'It is debuggable.',
        'It is odd.',
        'The message was cut.',
      ],
    });
  });

  it('use a default text when the package reader provides none', () => {
    const info = android(unsigned);
    info.warnings = [];
    const { blocked, sentences } = buildNotes(
      { info, verification: null, apk: null, uploadWarnings: [] },
      now,
    );
    expect(blocked).toBe(true);
    expect(sentences).toEqual([expect.stringContaining('not signed')]);
  });

  it('mark a rejected build in the list, and count the warnings of the others', () => {
    const props = appProps(plainText);
    expect(renderAppPage(props)).toContain('3 warnings');
    expect(renderAppPage(props)).not.toContain('Can’t be installed');
    for (const line of props.builds) line.build.verification = broken;
    expect(renderAppPage(props)).toContain('Can’t be installed');
    expect(renderAppPage(props)).not.toContain('3 warnings');
  });
});
