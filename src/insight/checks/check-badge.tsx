import type { App } from '../../apps/app.ts';
import { buildChecksPath } from '../../apps/app-paths.ts';
import type { LoadCheckBadges } from '../../apps/check-badges.ts';
import { keyedPath } from '../../apps/files/path-with-secret.ts';
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

/** The worst result of a build, with a link to its checks. Null without results. */
export function CheckBadge(props: {
  app: App;
  revision: number;
  results: readonly CheckResult[];
  appKey: string | null;
}) {
  const worst = worstState(props.results);
  if (worst === null) return null;
  return (
    <a class="plain" href={keyedPath(buildChecksPath(props.app, props.revision), props.appKey)}>
      <Badge tone={tones[worst]}>{checkTexts.summary[worst]}</Badge>
    </a>
  );
}

/** For pages of earlier features. */
export function createCheckBadges({ data, now }: { data: Data; now: () => number }): LoadCheckBadges {
  return async (app, builds, appKey) => {
    const results = await loadChecks(
      data,
      app,
      builds.map(({ id }) => id),
      now(),
    );
    return new Map(
      builds.map(({ id, revision }) => [
        id,
        <CheckBadge key={id} app={app} revision={revision} results={results.get(id) ?? []} appKey={appKey} />,
      ]),
    );
  };
}
