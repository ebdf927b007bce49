/** Analyzes builds that the current version of the analyzer has not analyzed, in the background. */
import type { Connection, Data } from '../db/data.ts';
import { installation, type JobHandlers, NotReady } from '../jobs/outbox.ts';
import { outboxQueries } from '../jobs/outbox-queries.ts';
import { analyzerVersion } from '../packages/analysis/analysis.ts';
import { analysisQueries } from './analysis-queries.ts';
import type { AnalyzeBuild } from './analyze-build.ts';

const buildsPerQuery = 200;
/** A job stops after this time, well before its lease ends, and leaves the rest to the next one. */
const maxRunMs = 60_000;

export interface AnalyzeBuildsDeps {
  data: Data;
  analyzeBuild: AnalyzeBuild;
  now: () => number;
  log: { error(fields: object, message: string): void };
}

export interface AnalyzeBuildsJob {
  /** Plans the analyses that are missing, such as after an update of Slipway. */
  resume(): Promise<void>;
  handlers: Pick<JobHandlers, 'analyze-builds'>;
  /** Starts no further analysis. */
  stop(): void;
}

export function createAnalyzeBuildsJob(deps: AnalyzeBuildsDeps): AnalyzeBuildsJob {
  const { data, now, log } = deps;
  let isStopped = false;

  /** Returns the build to continue after; null when finished. */
  async function analyzeSome(after: string, until: number): Promise<string | null> {
    const builds = await analysisQueries(data).listVersions(after, buildsPerQuery);
    for (const { id, version } of builds) {
      if (isStopped) throw new NotReady(now());
      if (version !== null && version >= analyzerVersion) continue;
      // Takes turns with the analyses of uploads, as the installation. A lost file must not hold up the other builds.
      await deps.analyzeBuild(id, installation, false).catch((error: unknown) => {
        if (isStopped) throw new NotReady(now());
        log.error({ event: 'analysis.failed', buildId: id, error }, 'a build cannot be analyzed');
      });
      if (performance.now() >= until) return id;
    }
    return builds.length < buildsPerQuery ? null : (builds.at(-1)?.id ?? null);
  }

  return {
    resume: () => planAnalyses(data, now()),
    handlers: {
      'analyze-builds': async ({ after }) => {
        const until = performance.now() + maxRunMs;
        let last: string | null = after;
        while (last !== null && performance.now() < until) last = await analyzeSome(last, until);
        if (last !== null) await planAnalyses(data, now(), last);
      },
    },
    stop: () => {
      isStopped = true;
    },
  };
}

/** Adds the job once, even if it is called repeatedly or by several nodes. */
export async function planAnalyses(data: Connection, now: number, after = ''): Promise<void> {
  const id = `analyze-builds-${analyzerVersion}-${after}`;
  await outboxQueries(data).addOnce(id, installation, { kind: 'analyze-builds', after }, now, now);
}
