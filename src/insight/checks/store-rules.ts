/** Rules of the app stores as data, each with its date and source. Administrators add others, change dates and mute rules. */
import { verificationRule } from '../../distributions/install/developer-verification.ts';
import type { Platform } from '../../packages/package-info.ts';

export const destinations = ['google_play', 'app_store', 'private'] as const;
export type Destination = (typeof destinations)[number];

export const destinationsOf = (platform: Platform): readonly Destination[] =>
  platform === 'android' ? ['google_play', 'private'] : ['app_store', 'private'];

/** What a rule requires. A threshold belongs to those that compare a number. */
export const storeRuleKinds = [
  'target_api',
  'page_size',
  'code_optimization',
  'billing_library',
  'base_size',
  'download_size',
  'not_debuggable',
  'not_test_only',
  'ios_sdk',
  'privacy_manifest',
  'required_reasons',
  'store_profile',
  'developer_verification',
] as const;
export type StoreRuleKind = (typeof storeRuleKinds)[number];

/** The kinds that an administrator can add a rule of. */
export const addableKinds = ['target_api', 'billing_library', 'ios_sdk'] as const;
export type AddableKind = (typeof addableKinds)[number];

export type FormFactor = 'phone' | 'wear' | 'automotive' | 'tv' | 'xr';

export interface StoreRule {
  /** Never changes, because acceptances and reminders refer to it. */
  id: string;
  kind: StoreRuleKind;
  platform: Platform;
  destination: Destination;
  /** The first day on which the store applies it, as `YYYY-MM-DD`; null for a rule that has always applied. */
  from: string | null;
  /** Whether the store has named only the month, so that the day is its first. */
  isMonth: boolean;
  /** The last day on which the store grants extensions; null without any. */
  extendedUntil: string | null;
  /** The day after which another rule replaces it; null while it is open. */
  until: string | null;
  /** An API level, a major version, or bytes. */
  threshold: number | null;
  /** For kinds of devices with their own threshold. */
  thresholds?: Partial<Record<FormFactor, number>>;
  /** Whether it is only about apps that are new to the store. Slipway does not know which apps are. */
  isForNewApps: boolean;
  /** The countries, by ISO 3166-1, in which it begins on that day; null: everywhere. */
  countries: readonly string[] | null;
  source: string;
  /** On GitHub: who reports what the source says, if the source itself could not be read; null if it was. */
  reportedBy: string | null;
  /** The day on which this entry was last compared with its source, or with the report, as `YYYY-MM-DD`. */
  checkedOn: string;
}

const megabyte = 1_000_000;
const gigabyte = 1_000 * megabyte;
const checkedOn = '2026-11-28';

const rule = (
  given: Pick<StoreRule, 'id' | 'kind' | 'platform' | 'destination' | 'from' | 'source'> & Partial<StoreRule>,
): StoreRule => ({
  isMonth: false,
  extendedUntil: null,
  until: null,
  threshold: null,
  isForNewApps: false,
  countries: null,
  reportedBy: null,
  checkedOn,
  ...given,
});

const play = { platform: 'android', destination: 'google_play' } as const;
const appStore = { platform: 'ios', destination: 'app_store' } as const;
const playHelp = (answer: number) =>
  `https://support.google.com/googleplay/android-developer/answer/${answer}`;

/** In the order of their dates within a store. */
export const builtInRules: readonly StoreRule[] = [
  rule({
    ...play,
    id: 'play-target-api-35',
    kind: 'target_api',
    from: '2025-08-31',
    extendedUntil: '2025-11-01',
    until: '2026-08-30',
    threshold: 35,
    thresholds: { wear: 34, automotive: 34, tv: 34 },
    source: playHelp(11926878),
  }),
  rule({
    ...play,
    id: 'play-target-api-36',
    kind: 'target_api',
    from: '2026-08-31',
    extendedUntil: '2026-11-01',
    threshold: 36,
    thresholds: { wear: 35, automotive: 35, tv: 34, xr: 34 },
    source: playHelp(11926878),
  }),
  // Announced for all apps. Today the page says that all apps must support it, and that updates are refused from the later day.
  rule({
    ...play,
    id: 'play-page-size',
    kind: 'page_size',
    isForNewApps: true,
    from: '2025-11-01',
    extendedUntil: '2026-05-31',
    source: 'https://developer.android.com/guide/practices/page-sizes',
  }),
  rule({
    ...play,
    id: 'play-page-size-updates',
    kind: 'page_size',
    from: '2027-02-01',
    source: 'https://developer.android.com/guide/practices/page-sizes',
  }),
  // The page names the last day on which the version before may be used.
  rule({
    ...play,
    id: 'play-billing-7',
    kind: 'billing_library',
    from: '2025-09-01',
    extendedUntil: '2025-11-01',
    until: '2026-08-31',
    threshold: 7,
    source: 'https://developer.android.com/google/play/billing/deprecation-faq',
  }),
  rule({
    ...play,
    id: 'play-billing-8',
    kind: 'billing_library',
    from: '2026-09-01',
    extendedUntil: '2026-11-01',
    threshold: 8,
    source: 'https://developer.android.com/google/play/billing/deprecation-faq',
  }),
  rule({
    ...play,
    id: 'play-billing-9',
    kind: 'billing_library',
    from: '2027-09-01',
    extendedUntil: '2027-11-01',
    threshold: 9,
    source: 'https://developer.android.com/google/play/billing/deprecation-faq',
  }),
  rule({
    ...play,
    id: 'play-code-optimization',
    kind: 'code_optimization',
    from: '2027-02-01',
    isMonth: true,
    threshold: 25,
    source: playHelp(17492799),
    reportedBy: 'https://github.com/dotnet/android/issues/12535',
  }),
  rule({
    ...play,
    id: 'play-base-size',
    kind: 'base_size',
    from: null,
    threshold: 500 * megabyte,
    source: playHelp(9859372),
  }),
  rule({
    ...play,
    id: 'play-total-size',
    kind: 'download_size',
    from: null,
    threshold: 4 * gigabyte,
    source: playHelp(9859372),
  }),
  rule({
    ...play,
    id: 'play-debuggable',
    kind: 'not_debuggable',
    from: null,
    source: 'https://developer.android.com/studio/publish/preparing',
    reportedBy: 'https://github.com/bazelbuild/bazel/issues/2575',
  }),
  rule({
    ...play,
    id: 'play-test-only',
    kind: 'not_test_only',
    from: null,
    source: 'https://developer.android.com/guide/topics/manifest/application-element#testOnly',
  }),
  rule({
    platform: 'android',
    destination: 'private',
    id: 'android-developer-verification',
    kind: 'developer_verification',
    from: verificationRule.since,
    countries: verificationRule.countries,
    source: 'https://developer.android.com/developer-verification',
    reportedBy:
      'https://github.com/eranoix/server-control-panel/blob/main/docs/android-developer-verification.md',
  }),
  rule({
    ...play,
    id: 'play-developer-verification',
    kind: 'developer_verification',
    from: '2026-09-30',
    source: playHelp(16984799),
    reportedBy: 'https://github.com/mjmirza/app-store-compliance/discussions/1216',
  }),
  rule({
    ...appStore,
    id: 'app-store-privacy-manifest',
    kind: 'privacy_manifest',
    from: '2024-05-01',
    source: 'https://developer.apple.com/support/third-party-SDK-requirements/',
  }),
  rule({
    ...appStore,
    id: 'app-store-required-reasons',
    kind: 'required_reasons',
    from: '2024-05-01',
    source: 'https://developer.apple.com/documentation/bundleresources/describing-use-of-required-reason-api',
    reportedBy: 'https://github.com/StoDevX/AAO-React-Native/issues/7109',
  }),
  rule({
    ...appStore,
    id: 'app-store-sdk-26',
    kind: 'ios_sdk',
    from: '2026-04-28',
    threshold: 26,
    source: 'https://developer.apple.com/news/?id=ueeok6yw',
  }),
  rule({
    ...appStore,
    id: 'app-store-sdk-27',
    kind: 'ios_sdk',
    from: '2027-04-01',
    isMonth: true,
    threshold: 27,
    source: 'https://developer.apple.com/news/?id=k1mtkt1k',
    reportedBy: 'https://github.com/mjmirza/app-store-compliance/discussions/1164',
  }),
  rule({
    ...appStore,
    id: 'app-store-profile',
    kind: 'store_profile',
    from: null,
    source: 'https://developer.apple.com/help/glossary/distribution-provisioning-profile',
  }),
];

/** A rule that an administrator added, or what one changed about a built-in rule. */
export interface RuleChange {
  id: string;
  /** Null for a built-in rule. */
  added: Pick<StoreRule, 'kind' | 'threshold' | 'source'> | null;
  /** Null: as built in. */
  from: string | null;
  isMuted: boolean;
  /** Epoch milliseconds. */
  changedAt: number;
}

export interface EffectiveRule extends StoreRule {
  isMuted: boolean;
  isAdded: boolean;
  /** The day before an administrator changed it; null if it is unchanged. */
  originalFrom: string | null;
  /** When an administrator added or changed it, in epoch milliseconds; null if it is unchanged. */
  changedAt: number | null;
}

/** The built-in rules with what administrators changed, and the rules they added, by date. */
export function effectiveRules(changes: readonly RuleChange[]): EffectiveRule[] {
  const changeOf = new Map(changes.map((change) => [change.id, change]));
  const known = builtInRules.map((one): EffectiveRule => {
    const change = changeOf.get(one.id);
    const isMoved = change?.from != null && change.from !== one.from;
    return {
      ...one,
      from: change?.from ?? one.from,
      isMonth: one.isMonth && !isMoved,
      isMuted: change?.isMuted ?? false,
      isAdded: false,
      originalFrom: isMoved ? one.from : null,
      changedAt: change?.changedAt ?? null,
    };
  });
  const added = changes.flatMap(({ id, added, from, isMuted, changedAt }): EffectiveRule[] =>
    added && from !== null
      ? [
          {
            ...rule({ ...(added.kind === 'ios_sdk' ? appStore : play), ...added, id, from }),
            isMuted,
            isAdded: true,
            originalFrom: null,
            changedAt,
          },
        ]
      : [],
  );
  return [...known, ...added].sort((one, other) => (one.from ?? '').localeCompare(other.from ?? ''));
}

/** Whether the rule is open on the day, `YYYY-MM-DD`; it may begin later. */
export const isOpen = ({ until }: StoreRule, today: string) => until === null || until >= today;
export const isInForce = (one: StoreRule, today: string) => (one.from ?? '') <= today && isOpen(one, today);
