/** Sizes on the pages of apps. */
import type { BuildInsight } from '../../apps/insight/build-insight.ts';
import type { Data } from '../../db/data.ts';
import { loadAnalysis } from '../analyses.ts';
import { renderSecurityChanges } from '../security/security-changes.tsx';
import { compareSizes } from './compare-sizes.ts';
import { renderGrowth } from './growth.tsx';
import { sizeQueries } from './size-queries.ts';

export function createBuildInsight(data: Data): BuildInsight {
  return {
    async sizes(builds) {
      const sizes = await sizeQueries(data).sizesOf(builds.map(({ id }) => id));
      const isExact = new Map(
        builds.map((build) => [build.id, build.info.platform === 'android' && build.apk === null]),
      );
      return new Map(
        sizes.map(({ buildId, ...size }) => [buildId, { ...size, exact: isExact.get(buildId) ?? false }]),
      );
    },

    async renderComparison({ from, to }) {
      const [before, after] = [await loadAnalysis(data, from.id), await loadAnalysis(data, to.id)];
      if (before.state !== 'analyzed' || after.state !== 'analyzed') return null;
      return [
        renderSecurityChanges(before.analysis, after.analysis),
        renderGrowth(compareSizes(before.analysis, after.analysis)),
      ];
    },
  };
}
