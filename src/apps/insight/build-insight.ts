/** What the analyzer knows about builds, for pages of apps. Implemented by a feature that uses apps. */
import type { ComponentChildren } from 'preact';
import type { Build } from '../app.ts';

export interface BuildInsight {
  /** By build ID. Builds that are not analyzed are missing. */
  sizes(builds: readonly Build[]): Promise<ReadonlyMap<string, BuildSize>>;
  /** Renders the differences in size between two builds; null if one of them is not analyzed. */
  renderComparison(builds: { from: Build; to: Build }): Promise<ComponentChildren>;
}

export interface BuildSize {
  downloadBytes: number;
  /** False for an estimate. */
  exact: boolean;
  /** The previous build of the branch; of a build without a branch, the previous build. */
  previous: { revision: number; downloadBytes: number } | null;
}
