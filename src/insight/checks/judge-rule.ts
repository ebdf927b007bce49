/** What the rules of the stores find in a build. Pure. */

import { compareVersions } from '../dependencies/maven-version.ts';
import type { AndroidCheckFacts, CheckFacts, IosCheckFacts } from './check-facts.ts';
import type { CheckResult } from './check-result.ts';
import type { StoreRule } from './store-rules.ts';

/** What the rule finds; `isBroken` is null if a part that it needs was not analyzed. */
export type Judgment = Partial<CheckResult> & { isBroken: boolean | null };

/** Returns null if the rule does not apply to the build. */
export function ruleBroken(
  facts: CheckFacts,
  rule: StoreRule,
  isKeyRegistered: boolean | null,
): Judgment | null {
  const { android, ios } = facts;
  if (rule.kind === 'developer_verification') return android && keyRegistration(rule, isKeyRegistered);
  return android ? androidRule(facts, android, rule) : ios && iosRule(ios, rule);
}

function androidRule(facts: CheckFacts, android: AndroidCheckFacts, rule: StoreRule): Judgment | null {
  const { threshold } = rule;
  switch (rule.kind) {
    case 'target_api': {
      const limit = rule.thresholds?.[android.formFactor] ?? threshold ?? 0;
      const { targetSdk } = android;
      return { isBroken: targetSdk === null ? null : targetSdk < limit, measured: targetSdk, limit };
    }
    case 'page_size': {
      if (android.targetSdk !== null && android.targetSdk < firstApiWithPageRule) return null;
      const { misaligned } = android;
      return { isBroken: misaligned && misaligned.length > 0, items: misaligned ?? [] };
    }
    case 'code_optimization':
      return codeOptimization(android, threshold ?? 0);
    case 'billing_library': {
      if (android.billing === 'none') return null;
      // Without coordinates, an app that does not sell anything looks the same.
      if (android.billing === null) return null;
      const major = Number.parseInt(android.billing, 10);
      return { isBroken: major < (threshold ?? 0), value: android.billing, limit: threshold };
    }
    case 'base_size':
    case 'download_size': {
      const bytes = rule.kind === 'base_size' ? facts.baseBytes : (facts.download?.bytes ?? null);
      const isExact = facts.download?.exact ?? false;
      return {
        isBroken: bytes === null ? null : bytes > (threshold ?? 0),
        measured: bytes,
        limit: threshold,
        isExact,
      };
    }
    case 'not_debuggable':
      return { isBroken: android.debuggable };
    case 'not_test_only':
      return { isBroken: android.testOnly };
    default:
      return null;
  }
}

/** Google registers apps of the Play Console by itself, with a key that only the Play Console shows. */
function keyRegistration({ destination }: StoreRule, isKeyRegistered: boolean | null): Judgment | null {
  const isKnown = isKeyRegistered === true || (isKeyRegistered === false && destination !== 'google_play');
  return isKnown ? { isBroken: !isKeyRegistered } : null;
}

const firstApiWithPageRule = 35;
/** The rule applies to apps, and to games, with more code. */
const optimizedAbove = { appBytes: 10_000_000, gameBytes: 50_000_000 };

function codeOptimization(android: AndroidCheckFacts, minimum: number): Judgment | null {
  const { dexBytes, r8 } = android;
  if (dexBytes === null) return { isBroken: null, limit: minimum };
  if (dexBytes <= (android.isGame ? optimizedAbove.gameBytes : optimizedAbove.appBytes)) return null;
  if (r8 === null) return { isBroken: null, limit: minimum };
  const covered = (['optimized', 'shrunk', 'obfuscated'] as const).map((part) => [part, r8[part]] as const);
  const below = covered.filter(([, percent]) => percent !== null && percent < minimum);
  const lowest = covered.flatMap(([, percent]) => percent ?? []);
  return {
    isBroken: below.length > 0 ? true : covered.some(([, percent]) => percent === null) ? null : false,
    measured: lowest.length > 0 ? Math.min(...lowest) : null,
    limit: minimum,
    items: below.map(([part, percent]) => ({ part, percent: Math.round(percent ?? 0) })),
  };
}

function iosRule(ios: IosCheckFacts, rule: StoreRule): Judgment | null {
  switch (rule.kind) {
    case 'ios_sdk': {
      const { sdkVersion } = ios;
      const isBroken =
        sdkVersion === null ? null : compareVersions(sdkVersion, String(rule.threshold ?? 0)) < 0;
      return { isBroken, value: sdkVersion, limit: rule.threshold };
    }
    case 'privacy_manifest': {
      const { sdksWithoutManifest: sdks } = ios;
      return { isBroken: sdks && sdks.length > 0, items: sdks ?? [] };
    }
    case 'required_reasons': {
      const { missingReasons: missing } = ios;
      return { isBroken: missing && missing.length > 0, items: missing ?? [], isExact: false };
    }
    case 'store_profile':
      return {
        isBroken: ios.profile === null ? null : ios.profile.type !== 'app-store',
        value: ios.profile?.type ?? null,
      };
    default:
      return null;
  }
}
