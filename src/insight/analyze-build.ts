/** Analyzes the package of a build after the upload response, and stores the result. Idempotent. */
import type { Build } from '../apps/app.ts';
import { uploadedFile } from '../apps/app.ts';
import { buildQueries } from '../apps/builds/build-queries.ts';
import type { WithLocalPackage } from '../apps/files/local-package.ts';
import type { Connection, Data } from '../db/data.ts';
import { outboxQueries } from '../jobs/outbox-queries.ts';
import { analyzerVersion, type PackageAnalysis } from '../packages/analysis/analysis.ts';
import { say } from '../packages/messages/package-messages.ts';
import { UnreadablePackage } from '../packages/package-info.ts';
import type { PackageReader } from '../packages/package-reader.ts';
import { analysisQueries } from './analysis-queries.ts';
import { packAnalysis } from './stored-analysis.ts';

export interface AnalyzeBuildDeps {
  data: Data;
  packages: PackageReader;
  withLocalPackage: WithLocalPackage;
  now: () => number;
  /** Called after the commit, when the outbox may contain an event. */
  wakeOutbox: () => void;
  /** Runs in the transaction that stores the analysis. SQL only. */
  onAnalyzed(
    tx: Connection,
    build: Build,
    analysis: PackageAnalysis,
    at: { now: number; isAnnounced: boolean },
  ): Promise<void>;
}

/** @param isAnnounced whether webhooks receive the result */
export type AnalyzeBuild = (buildId: string, ownerId: string, isAnnounced?: boolean) => Promise<void>;

export function createAnalyzeBuild(deps: AnalyzeBuildDeps): AnalyzeBuild {
  const { data, packages, now } = deps;
  return async (buildId, ownerId, isAnnounced = true) => {
    const build = await buildQueries(data).findBuild(buildId);
    const known = build && (await analysisQueries(data).find(buildId));
    if (!build || (known && known.version >= analyzerVersion)) return;
    let analysis: PackageAnalysis | null = null;
    let failure: string | null = null;
    try {
      analysis = await deps.withLocalPackage(uploadedFile(build), (path) => packages.analyze(path, ownerId));
    } catch (error) {
      if (!(error instanceof UnreadablePackage)) throw error;
      failure = error.message;
    }
    const packed = analysis && (await packAnalysis(analysis));
    if (analysis && packed === null) failure = say('analysis-too-large');
    const row = {
      version: analyzerVersion,
      analyzedAt: now(),
      packed,
      failure,
      downloadBytes: analysis?.size.download.bytes ?? null,
      installBytes: analysis?.size.install.bytes ?? null,
    };
    await data.transaction(async (tx) => {
      const saved = await analysisQueries(tx).save(buildId, row);
      if (saved && analysis) await deps.onAnalyzed(tx, build, analysis, { now: row.analyzedAt, isAnnounced });
      // The emails to people who manage the app wait for it.
      await outboxQueries(tx).hasten(ownerId, 'announce-build', buildId, row.analyzedAt);
    });
    deps.wakeOutbox();
  };
}
