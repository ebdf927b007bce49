/** What the analyzer found in a build, for pages and the API. */
import type { Data } from '../db/data.ts';
import type { PackageAnalysis } from '../packages/analysis/analysis.ts';
import { analysisQueries } from './analysis-queries.ts';
import { unpackAnalysis } from './stored-analysis.ts';

/** `waiting`: the package has not been analyzed yet. */
export type BuildAnalysis =
  | { state: 'waiting' }
  | { state: 'failed'; version: number; analyzedAt: number; failure: string }
  | { state: 'analyzed'; version: number; analyzedAt: number; analysis: PackageAnalysis };

export async function loadAnalysis(data: Data, buildId: string): Promise<BuildAnalysis> {
  const row = await analysisQueries(data).find(buildId);
  if (!row) return { state: 'waiting' };
  const { version, analyzedAt, packed } = row;
  if (packed === null) return { state: 'failed', version, analyzedAt, failure: row.failure ?? '' };
  return { state: 'analyzed', version, analyzedAt, analysis: await unpackAnalysis(packed) };
}
