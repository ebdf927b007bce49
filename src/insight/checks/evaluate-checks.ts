/** Judges a build by the settings of its app and by the rules of today, so that no result becomes outdated. Pure. */
import type { CheckFacts, ReferenceBuild } from './check-facts.ts';
import type { Acceptance, CheckResult } from './check-result.ts';
import { type CheckSettings, type GrowthLimit, type Level, matchesLibrary } from './check-settings.ts';
import { ruleBroken } from './judge-rule.ts';
import { type EffectiveRule, isInForce, isOpen } from './store-rules.ts';

export interface Judging {
  settings: CheckSettings;
  rules: readonly EffectiveRule[];
  acceptances: readonly Acceptance[];
  /** Whether the key that signed the build is marked as registered with Google; null if Slipway does not have this key. */
  isKeyRegistered?: boolean | null | undefined;
  now: number;
}

export const dayMs = 24 * 60 * 60_000;
export const dayOf = (now: number) => new Date(now).toISOString().slice(0, 10);
/** How long before its expiry a profile is reported. */
export const profileNoticeDays = 30;

type Found = Pick<CheckResult, 'found'> & Partial<CheckResult>;

/** All results of a build in a fixed order. Checks that do not apply to it have none. */
export function evaluateChecks(facts: CheckFacts, judging: Judging): CheckResult[] {
  const today = dayOf(judging.now);
  const stores = judging.rules
    .filter((rule) => !rule.isMuted && isOpen(rule, today))
    .filter(
      ({ platform, destination }) =>
        platform === facts.platform && judging.settings.destinations.includes(destination),
    )
    .flatMap((rule) => judgeRule(facts, rule, judging, today) ?? []);
  return [...sizeResults(facts, judging.settings), ...stores, ...ownResults(facts, judging)].map((result) => {
    const acceptance = judging.acceptances.find(({ checkId }) => checkId === result.id) ?? null;
    const isAccepted = acceptance !== null && (result.found === 'failed' || result.found === 'warned');
    return {
      ...result,
      state: isAccepted ? 'accepted' : result.found,
      acceptance: isAccepted ? acceptance : null,
    };
  });
}

const result = (
  base: Pick<CheckResult, 'id' | 'kind' | 'category'>,
  { found, ...rest }: Found,
): CheckResult => ({
  state: found,
  found,
  rule: null,
  isUpcoming: false,
  measured: null,
  limit: null,
  isExact: true,
  value: null,
  against: null,
  items: [],
  acceptance: null,
  ...base,
  ...rest,
});

/** Null without any result, which a muted level causes. */
function leveled(
  base: Pick<CheckResult, 'id' | 'kind' | 'category'>,
  level: Level,
  isBroken: boolean | null,
  rest: Partial<CheckResult>,
): CheckResult[] {
  if (level === 'off') return [];
  const broken = level === 'fail' ? 'failed' : 'warned';
  return [
    result(base, { ...rest, found: isBroken === null ? 'not_analyzed' : isBroken ? broken : 'passed' }),
  ];
}

function sizeResults(facts: CheckFacts, settings: CheckSettings): CheckResult[] {
  const references = [
    ['previous', facts.previous],
    ['default_branch', facts.defaultBranch],
  ] as const;
  const measures = [
    ['download_growth', facts.download, 'downloadBytes'],
    ['install_growth', facts.install, 'installBytes'],
  ] as const;
  const growth = references.flatMap(([against, reference]) =>
    measures.flatMap(([kind, size, field]) =>
      reference === null
        ? []
        : growthResult(facts, settings, { against, reference, kind, bytes: size?.bytes ?? null, field }),
    ),
  );
  const { maxDownloadBytes } = settings;
  const limit =
    maxDownloadBytes === null
      ? []
      : leveled(
          { id: 'download-limit', kind: 'download_limit', category: 'size' },
          settings.levels.download_limit,
          facts.download && facts.download.bytes > maxDownloadBytes,
          {
            measured: facts.download?.bytes ?? null,
            limit: maxDownloadBytes,
            isExact: facts.download?.exact ?? false,
          },
        );
  return [...growth, ...limit];
}

interface Growth {
  against: 'previous' | 'default_branch';
  reference: ReferenceBuild;
  kind: 'download_growth' | 'install_growth';
  bytes: number | null;
  field: 'downloadBytes' | 'installBytes';
}

function growthResult(facts: CheckFacts, settings: CheckSettings, growth: Growth): CheckResult[] {
  const { against, reference, kind, bytes, field } = growth;
  const id = `${kind.replace('_', '-')}-${against.replace('_', '-')}`;
  const base = { id, kind, category: 'size' } as const;
  const before = reference[field];
  const limits = {
    failed: largerLimit(settings.failAbove, before ?? 0),
    warned: largerLimit(settings.warnAbove, before ?? 0),
  };
  if (limits.failed === null && limits.warned === null) return [];
  const shared = { against: { kind: against, revision: reference.revision } };
  if (bytes === null || before === null) return [result(base, { ...shared, found: 'not_analyzed' })];
  const measured = bytes - before;
  const exceeded = (['failed', 'warned'] as const).find((state) => measured > (limits[state] ?? Infinity));
  const size = kind === 'download_growth' ? facts.download : facts.install;
  return [
    result(base, {
      ...shared,
      found: exceeded ?? 'passed',
      measured,
      limit: exceeded ? limits[exceeded] : (limits.warned ?? limits.failed),
      isExact: size?.exact ?? false,
    }),
  ];
}

/** Equal to the limit passes. Null without a limit. */
export function largerLimit({ bytes, percent }: GrowthLimit, before: number): number | null {
  if (bytes === null && percent === null) return null;
  return Math.max(bytes ?? 0, percent === null ? 0 : Math.floor((before * percent) / 100));
}

/** Returns null if the rule does not apply to the build. */
function judgeRule(
  facts: CheckFacts,
  rule: EffectiveRule,
  { settings, isKeyRegistered }: Judging,
  today: string,
): CheckResult | null {
  const level = settings.levels.store_rules;
  const judged = level === 'off' ? null : ruleBroken(facts, rule, isKeyRegistered ?? null);
  if (judged === null) return null;
  const { isBroken, ...rest } = judged;
  const inForce = isInForce(rule, today);
  // Slipway knows neither the countries of an app nor whether it is new to the store.
  const isCertain = rule.countries === null && !rule.isForNewApps;
  const broken = inForce && isCertain && level === 'fail' ? 'failed' : 'warned';
  return result(
    { id: rule.id, kind: rule.kind, category: 'store' },
    {
      ...rest,
      rule,
      isUpcoming: isBroken === true && !inForce,
      found: isBroken === null ? 'not_analyzed' : isBroken ? broken : 'passed',
    },
  );
}

function ownResults(facts: CheckFacts, { settings, now }: Judging): CheckResult[] {
  const { levels } = settings;
  const { android, previous } = facts;
  const names = (
    base: Pick<CheckResult, 'id' | 'kind' | 'category'>,
    level: Level,
    items: readonly string[] | null,
  ) =>
    previous === null
      ? []
      : leveled(base, level, items && items.length > 0, {
          items: items ?? [],
          against: { kind: 'previous', revision: previous.revision },
        });
  return [
    ...profileExpiry(facts, levels.profile_expiry, now),
    ...(android
      ? [
          ...names(
            { id: 'new-permissions', kind: 'new_permissions', category: 'security' },
            levels.new_permissions,
            android.newPermissions,
          ),
          ...names(
            { id: 'new-exported-components', kind: 'new_exported_components', category: 'security' },
            levels.new_exported_components,
            android.newExported,
          ),
        ]
      : []),
    ...libraryResults(facts, settings),
  ];
}

function profileExpiry({ ios }: CheckFacts, level: Level, now: number) {
  const expiresAt = ios?.profile?.expiresAt;
  if (!expiresAt) return [];
  const measured = Math.floor((Date.parse(expiresAt) - now) / dayMs);
  return leveled(
    { id: 'profile-expiry', kind: 'profile_expiry', category: 'security' },
    level,
    measured < profileNoticeDays,
    { measured, limit: profileNoticeDays, value: expiresAt.slice(0, 10) },
  );
}

function libraryResults({ libraries }: CheckFacts, settings: CheckSettings): CheckResult[] {
  const { deniedLibraries: denied, allowedLibraries: allowed } = settings;
  if (denied.length === 0 && allowed.length === 0) return [];
  const matches = (patterns: readonly string[], library: string) =>
    patterns.some((pattern) => matchesLibrary(pattern, library));
  const isWrong = (library: string) =>
    matches(denied, library) || (allowed.length > 0 && !matches(allowed, library));
  const items = libraries === null ? null : libraries.filter(isWrong);
  return leveled(
    { id: 'libraries', kind: 'libraries', category: 'dependencies' },
    settings.levels.libraries,
    items && items.length > 0,
    { items: items ?? [] },
  );
}
