/** What the checks find, when a rule begins to apply, and what is never called passed. */
import { describe, expect, it } from 'vitest';
import { checkFacts } from '../../../src/insight/checks/check-facts.ts';
import {
  type Acceptance,
  type CheckResult,
  groupAlike,
  worstState,
} from '../../../src/insight/checks/check-result.ts';
import {
  type CheckSettings,
  defaultSettings,
  matchesLibrary,
  toSettings,
} from '../../../src/insight/checks/check-settings.ts';
import { checkSentence, itemText, timingText } from '../../../src/insight/checks/check-texts.ts';
import { evaluateChecks } from '../../../src/insight/checks/evaluate-checks.ts';
import { builtInRules, effectiveRules, type RuleChange } from '../../../src/insight/checks/store-rules.ts';
import { compareVersions } from '../../../src/insight/dependencies/maven-version.ts';
import type { PackageAnalysis } from '../../../src/packages/analysis/analysis.ts';
import type { PackageInfo } from '../../../src/packages/package-info.ts';
import {
  androidAnalysis,
  androidInfo,
  iosAnalysis,
  iosInfo,
  withDependencies,
  withLibrary,
} from './analyses.ts';

interface Given {
  info?: PackageInfo;
  analysis?: PackageAnalysis;
  settings?: Partial<CheckSettings>;
  previous?: { downloadBytes?: number | null; info?: PackageInfo };
  changes?: RuleChange[];
  acceptances?: Acceptance[];
  isKeyRegistered?: boolean | null;
  today?: string;
}

function judge(given: Given): CheckResult[] {
  const info = given.info ?? androidInfo();
  const before = { revision: 6, downloadBytes: 1_000_000, installBytes: 2_000_000, info, facts: null };
  const facts = checkFacts({
    info,
    analysis: given.analysis ?? androidAnalysis(),
    previous: given.previous ? { ...before, ...given.previous } : null,
    defaultBranch: null,
  });
  return evaluateChecks(facts, {
    settings: { ...defaultSettings, destinations: ['google_play', 'app_store'], ...given.settings },
    rules: effectiveRules(given.changes ?? []),
    acceptances: given.acceptances ?? [],
    isKeyRegistered: given.isKeyRegistered ?? null,
    now: Date.parse(given.today ?? '2026-11-28'),
  });
}
const judgeIos = (given: Given = {}) => judge({ info: iosInfo(), analysis: iosAnalysis(), ...given });
const find = (results: CheckResult[], id: string) => results.find((one) => one.id === id);
const stateOf = (results: CheckResult[], id: string) => find(results, id)?.state;
const targeting = (targetSdkVersion: number, feature?: string) => {
  const info = { ...androidInfo(), targetSdkVersion };
  if (feature && info.android) info.android.features = [{ name: feature, required: true }];
  return info;
};

describe('size budgets', () => {
  const growth = (bytes: number, settings: Partial<CheckSettings>, before = 1_000_000) => {
    const analysis = androidAnalysis();
    analysis.size.download = { bytes: before + bytes, exact: true };
    const results = judge({ analysis, settings, previous: { downloadBytes: before } });
    return stateOf(results, 'download-growth-previous');
  };
  const limits = { warnAbove: { bytes: 50_000, percent: 0.5 }, failAbove: { bytes: 100_000, percent: 2 } };

  it('apply the larger of bytes and percent, and let an equal growth pass', () => {
    expect(growth(50_000, limits)).toBe('passed');
    expect(growth(50_001, limits)).toBe('warned');
    expect(growth(100_000, limits)).toBe('warned');
    expect(growth(100_001, limits)).toBe('failed');
    expect(growth(2_000_000, limits, 100_000_000)).toBe('warned');
    expect(growth(2_000_001, limits, 100_000_000)).toBe('failed');
    expect(growth(-500_000, limits)).toBe('passed');
  });

  it('have no result without a limit or an earlier build', () => {
    const none = { bytes: null, percent: null };
    expect(growth(9_000_000, { warnAbove: none, failAbove: none })).toBeUndefined();
    expect(judge({}).some(({ category }) => category === 'size')).toBe(false);
  });

  it('are not analyzed if one of the builds is not', () => {
    const results = judge({ previous: { downloadBytes: null } });
    expect(stateOf(results, 'download-growth-previous')).toBe('not_analyzed');
    const analysis = androidAnalysis();
    analysis.gaps.push({ part: 'archive', path: null, reason: 'too_many' });
    expect(stateOf(judge({ analysis, previous: {} }), 'download-growth-previous')).toBe('not_analyzed');
  });

  it('limit the download itself', () => {
    expect(stateOf(judge({ settings: { maxDownloadBytes: 1_000_000 } }), 'download-limit')).toBe('passed');
    expect(stateOf(judge({ settings: { maxDownloadBytes: 999_999 } }), 'download-limit')).toBe('failed');
  });
});

describe('developer verification', () => {
  const destinations = ['google_play', 'private'] as const;
  const states = (isKeyRegistered: boolean | null) => {
    const results = judge({ settings: { destinations }, isKeyRegistered });
    return ['android-developer-verification', 'play-developer-verification'].map((id) =>
      stateOf(results, id),
    );
  };

  it('warns about keys that are not marked as registered, because it depends on the country', () => {
    expect(states(false)).toEqual(['warned', undefined]);
    expect(states(true)).toEqual(['passed', 'passed']);
  });

  it('does not judge keys that Slipway does not have, and what only the Play Console shows', () => {
    expect(states(null)).toEqual([undefined, undefined]);
  });

  it('names the countries and the day', () => {
    const result = find(
      judge({ settings: { destinations }, isKeyRegistered: false }),
      'android-developer-verification',
    );
    expect(result && timingText(result)).toBe(
      'In force from 30 Sept 2026 in Brazil, Indonesia, Singapore, Thailand',
    );
  });
});

describe('rules of the stores', () => {
  it('each cite a source that is an https address, and who reports it where the source was not read', () => {
    for (const { source, reportedBy } of builtInRules)
      for (const address of [source, ...(reportedBy === null ? [] : [reportedBy])])
        expect(new URL(address).protocol).toBe('https:');
    const reports = builtInRules.flatMap(({ reportedBy }) => reportedBy ?? []);
    expect(reports.filter((address) => !address.startsWith('https://github.com/'))).toEqual([]);
  });

  it('only warn if they are about apps that are new to the store', () => {
    const analysis = withLibrary({ minAlignment: 4096 });
    const found = find(judge({ analysis }), 'play-page-size');
    expect(found?.state).toBe('warned');
    expect(found && timingText(found)).toBe('New apps are refused since 1 Nov 2025');
  });

  it('apply only to the destinations of the app', () => {
    for (const destinations of [[], ['private']] as const)
      expect(judge({ settings: { destinations } }).filter(({ rule }) => rule)).toEqual([]);
  });

  it('warn before their date and fail from it on', () => {
    const analysis = withLibrary({ path: 'lib/arm64-v8a/libglide-webp.so', minAlignment: 4096 });
    const on = (today: string) => find(judge({ analysis, today }), 'play-page-size-updates');
    expect(on('2027-01-31')?.state).toBe('warned');
    expect(on('2027-02-01')?.state).toBe('failed');
    const found = on('2026-11-28');
    expect(found && timingText(found)).toBe('Will be refused from 1 Feb 2027');
    expect(found?.isUpcoming).toBe(true);
    expect(found?.items.map(itemText)).toEqual([
      'lib/arm64-v8a/libglide-webp.so: segments aligned to 4096 bytes (probably Glide WebP)',
    ]);
  });

  it('find libraries at an unaligned offset only if they are mapped from the APK', () => {
    const stateWith = (change: { zipOffset?: number; stored?: boolean }, extracts: boolean | null = null) => {
      const analysis = withLibrary({ zipOffset: 4096, ...change });
      if (analysis.android) analysis.android.manifest.extractNativeLibs = extracts;
      return stateOf(judge({ analysis, today: '2027-02-01' }), 'play-page-size-updates');
    };
    expect(stateWith({})).toBe('failed');
    expect(stateWith({ zipOffset: 32_768 })).toBe('passed');
    expect(stateWith({ stored: false })).toBe('passed');
    expect(stateWith({}, true)).toBe('passed');
  });

  it('judge where the store puts the libraries of an app bundle, if it does not compress them', () => {
    const itemsWith = (
      bundleAlignment: number | null,
      extracts: boolean | null = null,
      abi = 'arm64-v8a',
    ) => {
      const analysis = withLibrary({ path: `base/lib/${abi}/liba.so`, abi, stored: false });
      if (!analysis.android) throw new Error('it is for Android');
      analysis.android.bundleAlignment = bundleAlignment;
      analysis.android.manifest.extractNativeLibs = extracts;
      const found = find(judge({ analysis, today: '2027-02-01' }), 'play-page-size-updates');
      return [found?.state, found && checkSentence(found), ...(found?.items.map(itemText) ?? [])];
    };
    expect(itemsWith(4096)).toEqual([
      'failed',
      'The store will not align 64-bit libraries to 16 KB:',
      'BundleConfig.pb: libraries at multiples of 4096 bytes in the APKs of the store',
    ]);
    for (const passed of [itemsWith(16_384), itemsWith(65_536), itemsWith(null), itemsWith(4096, true)])
      expect(passed[0]).toBe('passed');
    expect(itemsWith(4096, null, 'armeabi-v7a')[0]).toBe('passed');
  });

  it('are one group for new apps and for updates, unless only one of them is accepted', () => {
    const given = { analysis: withLibrary({ minAlignment: 4096 }), today: '2027-02-01' };
    const groupsOf = (results: CheckResult[]) =>
      groupAlike(results).map((group) => group.map(({ id }) => id));
    const both = ['play-page-size', 'play-page-size-updates'];
    expect(groupsOf(judge(given))).toContainEqual(both);
    expect(groupsOf(judge({ today: given.today }))).toContainEqual(both);
    const accept = (checkId: string, at = 1) => ({ checkId, by: 'ada', reason: 'later', at });
    expect(groupsOf(judge({ ...given, acceptances: both.map((id) => accept(id)) }))).toContainEqual(both);
    const one = groupsOf(judge({ ...given, acceptances: [accept('play-page-size')] }));
    expect(one).toContainEqual(['play-page-size']);
    expect(
      groupsOf(judge({ info: targeting(30) })).every((group) => group.length === 1 || group[0] === both[0]),
    ).toBe(true);
  });

  it('have an API level for each kind of device', () => {
    const withTarget = (level: number, feature?: string) =>
      stateOf(judge({ info: targeting(level, feature) }), 'play-target-api-36');
    expect(withTarget(35)).toBe('failed');
    expect(withTarget(36)).toBe('passed');
    expect(withTarget(35, 'android.hardware.type.watch')).toBe('passed');
    expect(withTarget(34, 'android.software.leanback')).toBe('passed');
    expect(withTarget(33, 'android.software.leanback')).toBe('failed');
  });

  it('are replaced by later ones', () => {
    const on = (today: string) => judge({ info: targeting(30), today });
    expect(stateOf(on('2026-08-30'), 'play-target-api-35')).toBe('failed');
    expect(stateOf(on('2026-08-31'), 'play-target-api-35')).toBeUndefined();
    expect(stateOf(on('2026-08-30'), 'play-target-api-36')).toBe('warned');
  });

  it('measure code optimization above 10 MB of code only, and 50 MB for games', () => {
    const stateWith = (bytes: number, obfuscated: number | null, isGame = false) => {
      const analysis = androidAnalysis();
      const counts = { methodReferences: 1, fieldReferences: 1, classes: 1, strings: 1, mapId: null };
      if (analysis.android) {
        analysis.android.dex = [{ path: 'classes.dex', ...counts, bytes }];
        analysis.android.manifest.isGame = isGame;
        analysis.android.r8 =
          obfuscated === null ? null : { obfuscated, optimized: 90, shrunk: 90, minified: true };
      }
      return stateOf(judge({ analysis, today: '2027-02-01' }), 'play-code-optimization');
    };
    expect(stateWith(10_000_000, 0)).toBeUndefined();
    expect(stateWith(10_000_001, 24.9)).toBe('failed');
    expect(stateWith(10_000_001, 25)).toBe('passed');
    expect(stateWith(10_000_001, null)).toBe('not_analyzed');
    expect(stateWith(50_000_000, 0, true)).toBeUndefined();
    expect(stateWith(50_000_001, 0, true)).toBe('failed');
  });

  it('refuse builds for debugging and testing, and old billing libraries', () => {
    const info = androidInfo();
    if (info.android) Object.assign(info.android, { debuggable: true, testOnly: true });
    const results = judge({ info, analysis: withDependencies('com.android.billingclient:billing:7.1.1') });
    expect(stateOf(results, 'play-debuggable')).toBe('failed');
    expect(stateOf(results, 'play-test-only')).toBe('failed');
    expect(stateOf(results, 'play-billing-8')).toBe('failed');
    expect(stateOf(results, 'play-billing-9')).toBe('warned');
    expect(stateOf(judge({}), 'play-billing-8')).toBeUndefined();
  });

  it('compare the SDK of an iOS app, its profile and its privacy manifests', () => {
    const results = judgeIos();
    expect(stateOf(results, 'app-store-sdk-26')).toBe('passed');
    const upcoming = find(results, 'app-store-sdk-27');
    expect(upcoming?.state).toBe('warned');
    expect(upcoming && timingText(upcoming)).toBe('Will be refused from April 2027');
    expect(stateOf(results, 'app-store-profile')).toBe('failed');
    const reasons = find(results, 'app-store-required-reasons');
    expect(reasons?.items).toEqual(['Tide: FileTimestamp', 'Alamofire: UserDefaults']);
    expect(find(results, 'app-store-privacy-manifest')?.items).toEqual(['Alamofire']);
  });

  it('are not analyzed where a part could not be read', () => {
    const analysis = androidAnalysis();
    analysis.gaps.push({ part: 'native', path: null, reason: 'too_large' });
    analysis.gaps.push({ part: 'dex', path: null, reason: 'too_large' });
    const results = judge({ analysis });
    expect(stateOf(results, 'play-page-size')).toBe('not_analyzed');
    expect(stateOf(results, 'play-code-optimization')).toBe('not_analyzed');
    const ios = iosAnalysis();
    ios.gaps.push({ part: 'properties', path: null, reason: 'unreadable' });
    expect(stateOf(judgeIos({ analysis: ios }), 'app-store-privacy-manifest')).toBe('not_analyzed');
  });

  it('follow what administrators change', () => {
    const added = { kind: 'target_api', threshold: 37, source: 'https://example.com/' } as const;
    const changes = [{ id: 'added-1', added, from: '2027-08-31', isMuted: false, changedAt: 0 }];
    expect(stateOf(judge({ changes }), 'added-1')).toBe('warned');
    expect(stateOf(judge({ changes, today: '2027-08-31' }), 'added-1')).toBe('failed');
    const one = { id: 'play-target-api-36', added: null, from: null, isMuted: false, changedAt: 0 };
    const info = targeting(35);
    expect(stateOf(judge({ info, changes: [{ ...one, isMuted: true }] }), one.id)).toBeUndefined();
    expect(stateOf(judge({ info, changes: [{ ...one, from: '2027-01-31' }] }), one.id)).toBe('warned');
  });
});

describe('other checks', () => {
  it('find what the previous build did not have', () => {
    const info = androidInfo();
    if (info.android) info.android.permissions = ['android.permission.INTERNET'];
    const results = judge({ previous: { info } });
    const found = find(results, 'new-permissions');
    expect(found).toMatchObject({ state: 'warned', items: ['android.permission.CAMERA'] });
    expect(found && checkSentence(found)).toBe('Not requested by #6:');
    expect(stateOf(results, 'new-exported-components')).toBe('not_analyzed');
  });

  it('deny libraries by name and version', () => {
    const okhttp = 'com.squareup.okhttp3:okhttp:4.9.0';
    const analysis = withDependencies(okhttp, 'androidx.core:core:1.13.0');
    const itemsWith = (settings: Partial<CheckSettings>) =>
      find(judge({ analysis, settings }), 'libraries')?.items;
    expect(itemsWith({ deniedLibraries: ['com.squareup.okhttp3:okhttp<4.12'] })).toEqual([okhttp]);
    expect(itemsWith({ deniedLibraries: ['com.squareup.*<4.9.0'] })).toEqual([]);
    expect(itemsWith({ allowedLibraries: ['androidx.*'] })).toEqual([okhttp]);
    expect(itemsWith({})).toBeUndefined();
  });

  it('report a profile 30 days before it expires', () => {
    expect(stateOf(judgeIos({ today: '2026-12-01' }), 'profile-expiry')).toBe('passed');
    expect(stateOf(judgeIos({ today: '2026-12-30' }), 'profile-expiry')).toBe('warned');
  });

  it('can be turned off or made to fail', () => {
    const levels = { ...defaultSettings.levels, profile_expiry: 'off', store_rules: 'warn' } as const;
    const results = judgeIos({ settings: { levels }, today: '2026-12-30' });
    expect(stateOf(results, 'profile-expiry')).toBeUndefined();
    expect(stateOf(results, 'app-store-profile')).toBe('warned');
  });

  it('can be accepted', () => {
    const accepted = { by: 'olga', reason: 'Last release', at: 1 };
    const acceptances = ['play-target-api-36', 'play-debuggable'].map((checkId) => ({
      checkId,
      ...accepted,
    }));
    const results = judge({ info: targeting(35), acceptances });
    const found = find(results, 'play-target-api-36');
    expect(found).toMatchObject({ state: 'accepted', found: 'failed', acceptance: accepted });
    expect(stateOf(results, 'play-debuggable')).toBe('passed');
    expect(worstState([{ state: 'passed' }, { state: 'accepted' }])).toBe('accepted');
  });
});

describe('settings', () => {
  it('keep their defaults for fields that an earlier version did not store', () => {
    const stored = '{"destinations":["app_store","google_play"],"levels":{"libraries":"off"}}';
    const settings = toSettings(stored, 'android');
    expect(settings.destinations).toEqual(['google_play']);
    expect(settings.levels).toEqual({ ...defaultSettings.levels, libraries: 'off' });
  });

  it('compare versions by number', () => {
    expect(compareVersions('4.9.0', '4.12')).toBeLessThan(0);
    expect(compareVersions('4.12.0', '4.12')).toBe(0);
    expect(compareVersions('5.0.0-alpha', '5.0.0')).toBeLessThan(0);
    expect(compareVersions('26.0', '26')).toBe(0);
  });

  it('match patterns without backtracking', () => {
    expect(matchesLibrary('*:core', 'androidx.core:core:1')).toBe(true);
    expect(matchesLibrary('androidx*core', 'androidx.core:core:1')).toBe(true);
    expect(matchesLibrary('androidx.core:co', 'androidx.core:core:1')).toBe(false);
    expect(matchesLibrary('*a'.repeat(90), `${'a'.repeat(5000)}b:c:1`)).toBe(false);
  });
});
