import type { LoadCheckBadges } from '../../apps/check-badges.ts';
import type { Data } from '../../db/data.ts';
import { Badge, type Tone } from '../../web/components/callout.tsx';
import { loadChecks } from './build-checks.ts';
import { type CheckResult, type CheckState, worstState } from './check-result.ts';
import { checkTexts } from './check-texts.ts';

const tones: Readonly<Record<CheckState, Tone>> = {
  passed: 'good',
  warned: 'warning',
  failed: 'danger',
  accepted: 'plain',
  not_analyzed: 'plain',
};

export const CheckStateBadge = ({ state }: { state: CheckState }) => (
  <Badge tone={tones[state]}>{checkTexts.states[state]}</Badge>
);

/** The worst result of a build; null without results. No link: in a list, it would cover that of the build. */
function summaryBadge(results: readonly CheckResult[]) {
  const worst = worstState(results);
  return worst && <Badge tone={tones[worst]}>{checkTexts.summary[worst]}</Badge>;
}

/** For pages of earlier features. */
export function createCheckBadges({ data, now }: { data: Data; now: () => number }): LoadCheckBadges {
  return async (app, builds) => {
    const results = await loadChecks(
      data,
      app,
      builds.map(({ id }) => id),
      now(),
    );
    return new Map(builds.map(({ id }) => [id, summaryBadge(results.get(id) ?? [])]));
  };
}
