/** Checks in `/api/v1`. */
import * as v from 'valibot';
import { formatTime, textShape, timeShape } from '../../core/json-shapes.ts';
import { securityFactShape } from '../security/security-json.ts';
import { type CheckResult, checkCategories, checkStates, worstState } from './check-result.ts';
import {
  type CheckSettings,
  levels,
  maxBranchCharacters,
  maxPatternCharacters,
  maxPatterns,
} from './check-settings.ts';
import { maxPercent } from './check-settings-form.ts';
import { checkLine, checkSentence, checkTitle, itemText, timingText } from './check-texts.ts';
import { destinations } from './store-rules.ts';

export const checkStateShape = v.picklist(checkStates);

export const checkShape = v.pipe(
  v.object({
    id: textShape('The same for every build of an app.'),
    category: v.picklist(checkCategories),
    state: checkStateShape,
    title: textShape('What the check requires.'),
    text: textShape('What was found.'),
    line: textShape('Both in one line with the first items, for logs and chats.'),
    items: v.pipe(v.array(v.string()), v.description('What caused the result, such as libraries.')),
    timing: v.pipe(
      v.nullable(v.string()),
      v.description('When a broken rule takes effect, for example `Will be refused from 1 Feb 2027`.'),
    ),
    measured: v.pipe(v.nullable(v.number()), v.description('Bytes, an API level, a percentage or days.')),
    limit: v.nullable(v.number()),
    exact: v.pipe(v.boolean(), v.description('False: `measured` is an estimate.')),
    value: v.pipe(v.nullable(v.string()), v.description('What was found, for example a version.')),
    against: v.pipe(
      v.nullable(v.object({ kind: v.picklist(['previous', 'default_branch']), revision: v.number() })),
      v.description('The build that was compared with.'),
    ),
    rule: v.pipe(
      v.nullable(
        v.object({
          from: v.pipe(
            v.nullable(v.string()),
            v.description('The first day, as `YYYY-MM-DD`; null: the rule has always applied.'),
          ),
          month_only: v.pipe(v.boolean(), v.description('The store has named only the month.')),
          extended_until: v.nullable(v.string()),
          upcoming: v.pipe(v.boolean(), v.description('The build breaks the rule, which begins later.')),
          destination: v.picklist(destinations),
          countries: v.pipe(
            v.nullable(v.array(v.string())),
            v.description('Where it begins on that day, by ISO 3166-1; null: everywhere.'),
          ),
          source: textShape('Where the store states the rule.'),
          reported_by: v.pipe(
            v.nullable(v.string()),
            v.description(
              'Who reports what the source says, if it could not be compared with the source itself.',
            ),
          ),
        }),
      ),
      v.description('Null for checks that are not about a rule of a store.'),
    ),
    acceptance: v.nullable(v.object({ by: v.string(), reason: v.string(), at: timeShape() })),
  }),
  v.title('Check'),
);

/** In the API and in events. */
export const buildChecksShape = v.pipe(
  v.object({
    state: v.pipe(
      v.picklist(['waiting', 'analyzed', 'failed']),
      v.description('`waiting`: ask again later. `failed`: the package could not be analyzed.'),
    ),
    summary: v.pipe(v.nullable(checkStateShape), v.description('The worst state; null without results.')),
    checks: v.array(checkShape),
    facts: v.pipe(
      v.nullable(v.array(securityFactShape)),
      v.description('What the package states about security, the worst first; null until it is analyzed.'),
    ),
  }),
  v.title('BuildChecks'),
);

export type BuildChecksJson = v.InferOutput<typeof buildChecksShape>;

export const buildChecksJson = (
  state: BuildChecksJson['state'],
  results: readonly CheckResult[],
  facts: BuildChecksJson['facts'],
): BuildChecksJson => ({ state, summary: worstState(results), checks: results.map(checkJson), facts });

export const checkJson = (result: CheckResult): v.InferOutput<typeof checkShape> => {
  const { rule, acceptance } = result;
  return {
    id: result.id,
    category: result.category,
    state: result.state,
    title: checkTitle(result),
    text: checkSentence(result),
    line: checkLine(result),
    items: result.found === 'passed' ? [] : result.items.map(itemText),
    timing: timingText(result),
    measured: result.measured,
    limit: result.limit,
    exact: result.isExact,
    value: result.value,
    against: result.against,
    rule: rule && {
      from: rule.from,
      month_only: rule.isMonth,
      extended_until: rule.extendedUntil,
      upcoming: result.isUpcoming,
      destination: rule.destination,
      countries: rule.countries && [...rule.countries],
      source: rule.source,
      reported_by: rule.reportedBy,
    },
    acceptance: acceptance && {
      by: acceptance.by,
      reason: acceptance.reason,
      at: formatTime(acceptance.at),
    },
  };
};

const bytes = v.nullable(v.pipe(v.number(), v.integer(), v.minValue(0), v.maxValue(1e13)));
const percent = v.nullable(v.pipe(v.number(), v.minValue(0), v.maxValue(maxPercent)));
const growth = v.object({ bytes, percent });
const patterns = v.pipe(
  v.array(v.pipe(v.string(), v.trim(), v.nonEmpty('is empty'), v.maxLength(maxPatternCharacters))),
  v.maxLength(maxPatterns),
);
const level = v.picklist(levels);
const levelFields = {
  download_limit: level,
  store_rules: level,
  profile_expiry: level,
  new_permissions: level,
  new_exported_components: level,
  libraries: level,
};

const settingsFields = {
  destinations: v.pipe(
    v.array(v.picklist(destinations)),
    v.description(
      'Where the app goes; only rules of these stores are checked. Others than those of the platform are ignored.',
    ),
  ),
  default_branch: v.pipe(
    v.string(),
    v.trim(),
    v.maxLength(maxBranchCharacters),
    v.description('Empty: builds are compared with the previous build only.'),
  ),
  warn_above: v.pipe(
    growth,
    v.description('How much a build may grow; the larger of the two limits applies, and null is no limit.'),
  ),
  fail_above: growth,
  max_download_bytes: bytes,
  levels: v.pipe(v.partial(v.object(levelFields)), v.description('`fail`, `warn` or `off`, by check.')),
  denied_libraries: v.pipe(
    patterns,
    v.description('For example `com.squareup.okhttp3:okhttp<4.12`; `*` stands for any text.'),
  ),
  allowed_libraries: v.pipe(patterns, v.description('If there are any, all other libraries are denied.')),
};

export const checkSettingsShape = v.pipe(
  v.object({ ...settingsFields, levels: v.object(levelFields) }),
  v.title('CheckSettings'),
);

/** Every field is optional in a change. */
export const checkSettingsInput = Object.fromEntries(
  Object.entries(settingsFields).map(([name, shape]) => [name, v.optional(shape as v.GenericSchema)]),
) as { [Name in keyof typeof settingsFields]: v.OptionalSchema<(typeof settingsFields)[Name], undefined> };

type SettingsInput = {
  [Name in keyof typeof checkSettingsInput]?: v.InferOutput<(typeof checkSettingsInput)[Name]>;
};

export function readCheckSettings(input: SettingsInput, before: CheckSettings): Partial<CheckSettings> {
  const changes: Partial<Record<keyof CheckSettings, unknown>> = {
    destinations: input.destinations,
    defaultBranch: input.default_branch,
    warnAbove: input.warn_above,
    failAbove: input.fail_above,
    maxDownloadBytes: input.max_download_bytes,
    levels: input.levels && { ...before.levels, ...input.levels },
    deniedLibraries: input.denied_libraries,
    allowedLibraries: input.allowed_libraries,
  };
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
}

export const checkSettingsJson = (settings: CheckSettings): v.InferOutput<typeof checkSettingsShape> => ({
  destinations: [...settings.destinations],
  default_branch: settings.defaultBranch,
  warn_above: settings.warnAbove,
  fail_above: settings.failAbove,
  max_download_bytes: settings.maxDownloadBytes,
  levels: settings.levels,
  denied_libraries: [...settings.deniedLibraries],
  allowed_libraries: [...settings.allowedLibraries],
});
