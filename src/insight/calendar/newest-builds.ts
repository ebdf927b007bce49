/** What the rules of the stores find in the newest builds of apps. */
import type { Connection } from '../../db/data.ts';
import { checkQueries } from '../checks/check-queries.ts';
import type { CheckResult } from '../checks/check-result.ts';
import { toSettings } from '../checks/check-settings.ts';
import { evaluateChecks } from '../checks/evaluate-checks.ts';
import type { EffectiveRule } from '../checks/store-rules.ts';
import type { NewestBuild } from './rule-calendar-queries.ts';

/** A result about a rule, which is never null. */
export interface FoundInNewest extends Pick<NewestBuild, 'app' | 'revision' | 'buildId' | 'uploadedAt'> {
  rule: EffectiveRule;
  result: CheckResult;
}

/** The rules that builds break, accepted results included. */
export async function findBroken(
  data: Connection,
  builds: readonly NewestBuild[],
  rules: readonly EffectiveRule[],
  now: number,
): Promise<FoundInNewest[]> {
  const ids = builds.map(({ buildId }) => buildId);
  const acceptances = await checkQueries(data).listAcceptances(ids);
  const registrations = await checkQueries(data).listKeyRegistrations(ids);
  return builds.flatMap(({ settings, facts, ...build }) =>
    evaluateChecks(facts, {
      settings: toSettings(settings, build.app.platform),
      rules,
      acceptances: acceptances.get(build.buildId) ?? [],
      isKeyRegistered: registrations.get(build.buildId),
      now,
    })
      .filter(({ found }) => found === 'failed' || found === 'warned')
      .flatMap((result) => (result.rule ? [{ ...build, rule: result.rule, result }] : [])),
  );
}
