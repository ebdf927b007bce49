/** The checks of stored builds: what is stored when a build is analyzed, and what is judged whenever someone looks. */
import type { App, Build } from '../../apps/app.ts';
import { appQueries } from '../../apps/app-queries.ts';
import type { Connection } from '../../db/data.ts';
import { eventQueries } from '../../jobs/event-queries.ts';
import type { PackageAnalysis } from '../../packages/analysis/analysis.ts';
import { securityFactsJson } from '../security/security-json.ts';
import { checkFacts, unknownReferences, withReferences } from './check-facts.ts';
import { checkQueries, type EarlierBuild } from './check-queries.ts';
import type { CheckResult } from './check-result.ts';
import { type CheckSettings, toSettings } from './check-settings.ts';
import { evaluateChecks } from './evaluate-checks.ts';
import { effectiveRules } from './store-rules.ts';

type CheckedBuild = Pick<Build, 'id' | 'appId' | 'revision' | 'branch' | 'info'>;

/**
 * Called in the transaction that stores the analysis. Webhooks receive the checks of a build once, after its upload.
 * @param at `isAnnounced`: false for builds that are analyzed long after their upload
 */
export async function storeChecks(
  tx: Connection,
  build: CheckedBuild,
  analysis: PackageAnalysis,
  { now, isAnnounced }: { now: number; isAnnounced: boolean },
): Promise<void> {
  const queries = checkQueries(tx);
  const settings = toSettings(await queries.findSettings(build.appId), build.info.platform);
  const previous = await queries.findPrevious(build);
  const ofBranch =
    settings.defaultBranch === '' ? null : await queries.findNewestOfBranch(build, settings.defaultBranch);
  const facts = checkFacts({
    info: build.info,
    analysis,
    previous: previous && { ...referenceOf(previous), info: previous.info, facts: previous.facts },
    defaultBranch: ofBranch === null || ofBranch.id === previous?.id ? null : referenceOf(ofBranch),
  });
  const isFirst = isAnnounced && !(await queries.listFacts([build.id])).has(build.id);
  await queries.store(build.id, facts, now);
  const app = isFirst ? await appQueries(tx).findAppById(build.appId) : null;
  if (!app) return;
  const event = { type: 'build.checked', buildId: build.id, facts: securityFactsJson(analysis) } as const;
  await eventQueries(tx).dispatch(app.owner.id, event, now);
}

const referenceOf = ({ revision, facts }: EarlierBuild) => ({
  revision,
  downloadBytes: facts?.download?.bytes ?? null,
  installBytes: facts?.install?.bytes ?? null,
});

export async function loadCheckSettings(
  data: Connection,
  app: Pick<App, 'id' | 'platform'>,
): Promise<CheckSettings> {
  return toSettings(await checkQueries(data).findSettings(app.id), app.platform);
}

/** The results of each build that was analyzed, by the id of the build. */
export async function loadChecks(
  data: Connection,
  app: Pick<App, 'id' | 'platform'>,
  buildIds: readonly string[],
  now: number,
): Promise<ReadonlyMap<string, CheckResult[]>> {
  const queries = checkQueries(data);
  const facts = await queries.listFacts(buildIds);
  if (facts.size === 0) return new Map();
  const settings = await loadCheckSettings(data, app);
  const rules = effectiveRules(await queries.listRuleChanges());
  const acceptances = await queries.listAcceptances(buildIds);
  const registrations = await queries.listKeyRegistrations(buildIds);
  const earlier = await queries.listFactsByRevision(app.id, [...facts.values()].flatMap(unknownReferences));
  return new Map(
    [...facts].map(([id, one]) => [
      id,
      evaluateChecks(
        withReferences(one, (revision) => earlier.get(revision)),
        {
          settings,
          rules,
          acceptances: acceptances.get(id) ?? [],
          isKeyRegistered: registrations.get(id),
          now,
        },
      ),
    ]),
  );
}
