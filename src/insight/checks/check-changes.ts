/** Changes to the settings of checks, and acceptances of results, by people who manage the app. */
import { isDeepStrictEqual } from 'node:util';
import type { App } from '../../apps/app.ts';
import { buildEntry } from '../../apps/builds/build-audit.ts';
import type { BuildChange } from '../../apps/builds/build-changes.ts';
import { buildQueries } from '../../apps/builds/build-queries.ts';
import { conflict, invalidField, NotFound } from '../../core/errors.ts';
import type { Data } from '../../db/data.ts';
import { type Actor, actorName } from '../../owners/actor.ts';
import { auditQueries } from '../../owners/audit-queries.ts';
import { quotaQueries } from '../../owners/quota-queries.ts';
import { scheduleNextRuleRound } from '../calendar/rule-rounds.ts';
import { loadChecks } from './build-checks.ts';
import { checkQueries } from './check-queries.ts';
import { type CheckResult, groupAlike } from './check-result.ts';
import { type CheckSettings, toSettings } from './check-settings.ts';
import { checkTexts } from './check-texts.ts';

export const maxReasonCharacters = 1000;

export interface CheckChanges {
  /** Fields that are absent stay as they are. Returns the settings afterwards. */
  set(by: Actor, app: App, changes: Partial<CheckSettings>): Promise<CheckSettings>;
  /**
   * Replaces an earlier reason. Throws `not_found` for an unknown check, and `conflict` unless it failed or warned.
   * @param andAlike whether it is about all results that pages show as one
   */
  accept(subject: BuildChange, checkId: string, reason: string, andAlike?: boolean): Promise<void>;
  /** Throws `not_found` unless the result is accepted. */
  revoke(subject: BuildChange, checkId: string, andAlike?: boolean): Promise<void>;
}

export function createCheckChanges({ data, now }: { data: Data; now: () => number }): CheckChanges {
  return {
    set: (by, app, changes) =>
      data.transaction(async (tx) => {
        if (!(await quotaQueries(tx).lock(app.owner.id))) throw new NotFound();
        const before = toSettings(await checkQueries(tx).findSettings(app.id), app.platform);
        const after = toSettings(JSON.stringify({ ...before, ...changes }), app.platform);
        if (isDeepStrictEqual(before, after)) return after;
        if (!(await checkQueries(tx).setSettings(app.id, JSON.stringify(after)))) throw new NotFound();
        await auditQueries(tx).record({
          at: now(),
          actor: by,
          action: 'checks.set',
          ownerId: app.owner.id,
          subject: `${app.packageName} (${app.platform})`,
          details: { app: app.id, changes: changedFields(before, after) },
        });
        await scheduleNextRuleRound(tx, now());
        return after;
      }),
    accept: async ({ by, app, build }, checkId, submitted, andAlike = false) => {
      const reason = submitted.trim();
      if (reason === '') throw invalidField('reason', checkTexts.errors.noReason);
      const at = now();
      await data.transaction(async (tx) => {
        if (!(await buildQueries(tx).findBuild(build.id))) throw new NotFound();
        const results = (await loadChecks(tx, app, [build.id], at)).get(build.id) ?? [];
        const result = results.find(({ id }) => id === checkId);
        if (!result) throw new NotFound(checkTexts.errors.unknown);
        if (result.found !== 'failed' && result.found !== 'warned')
          throw conflict(checkTexts.errors.notFailed);
        for (const id of andAlike ? alikeTo(checkId, results) : [checkId]) {
          await checkQueries(tx).accept(build.id, { checkId: id, reason, by: actorName(by), at });
          await auditQueries(tx).record(
            buildEntry('check.accepted', by, app, build, at, { check: id, reason }),
          );
        }
      });
    },
    revoke: async ({ by, app, build }, checkId, andAlike = false) => {
      const at = now();
      await data.transaction(async (tx) => {
        const results = andAlike ? (await loadChecks(tx, app, [build.id], at)).get(build.id) : undefined;
        for (const id of alikeTo(checkId, results ?? [])) {
          if (!(await checkQueries(tx).revoke(build.id, id)))
            throw new NotFound(checkTexts.errors.notAccepted);
          await auditQueries(tx).record(
            buildEntry('check.acceptance-revoked', by, app, build, at, { check: id }),
          );
        }
      });
    },
  };
}

/** The ids of the group; the check itself if it is in none. */
const alikeTo = (checkId: string, results: readonly CheckResult[]) =>
  groupAlike(results)
    .map((group) => group.map(({ id }) => id))
    .find((ids) => ids.includes(checkId)) ?? [checkId];

/** The values before and after, as text. */
const changedFields = (before: CheckSettings, after: CheckSettings) =>
  Object.fromEntries(
    (Object.keys(after) as (keyof CheckSettings)[])
      .filter((field) => !isDeepStrictEqual(before[field], after[field]))
      .map((field) => [field, [settingText(before[field]), settingText(after[field])]]),
  );

function settingText(value: CheckSettings[keyof CheckSettings]): string {
  if (Array.isArray(value)) return value.join(', ');
  return typeof value === 'object' && value !== null
    ? Object.entries(value)
        .filter(([, part]) => part !== null)
        .map(([name, part]) => `${name} ${part}`)
        .join(', ')
    : String(value ?? '');
}
