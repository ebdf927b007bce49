/** Activity page of an app: views and installs by day and by build. */

import type { App } from '../../apps/app.ts';
import { type AppHead, renderAppArea } from '../../apps/app-head.tsx';
import { activityPath, revisionPath } from '../../apps/app-paths.ts';
import { versionText } from '../../apps/builds/version-text.ts';
import { EmptyState } from '../../web/components/empty-state.tsx';
import { formatCount } from '../../web/components/formats.ts';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import { texts } from '../../web/shell/texts.ts';
import { countsByDay, lastDays, type Period, periods } from './activity-plot.ts';
import { DayNumbers, DayPlot } from './app-activity-plot.tsx';
import type { BuildCount, DayCount } from './page-count.ts';
import { plotTexts } from './plot-texts.ts';

export interface AppActivityProps {
  frame: PageFrame;
  app: App;
  head: AppHead;
  period: Period;
  counts: readonly DayCount[];
  /** Newest first. */
  builds: readonly BuildCount[];
  /** Whether more builds have activity than listed. */
  moreBuilds: boolean;
}

const t = plotTexts;

export function renderAppActivity(props: AppActivityProps): string {
  return renderAppArea({
    frame: props.frame,
    head: props.head,
    tab: 'activity',
    title: t.title,
    line: t.line,
    children: (
      <>
        <Periods {...props} />
        {props.counts.length > 0 ? <ActivityTotals {...props} /> : <NoResults {...props} />}
      </>
    ),
  });
}

function Periods({ app, period }: AppActivityProps) {
  return (
    <nav class="segments" aria-label={t.period}>
      {periods.map((days) => (
        <a
          key={days}
          href={`${activityPath(app)}?days=${days}`}
          aria-current={days === period ? 'page' : undefined}
        >
          {t.days(days)}
        </a>
      ))}
    </nav>
  );
}

function NoResults({ app, period }: AppActivityProps) {
  const longest = periods.at(-1) ?? period;
  return (
    <EmptyState title={t.empty}>
      <p class="secondary">
        {t.emptyLine}{' '}
        {period !== longest && <a href={`${activityPath(app)}?days=${longest}`}>{t.longer(longest)}</a>}
      </p>
    </EmptyState>
  );
}

function ActivityTotals(props: AppActivityProps) {
  const { frame, counts, period } = props;
  const days = lastDays(frame.now, period);
  const views = countsByDay(counts, 'view', days);
  const installs = countsByDay(counts, 'install', days);
  return (
    <>
      <div class="plots">
        <DayPlot kind="views" word={t.views} values={views} days={days} now={frame.now} />
        <DayPlot kind="installs" word={t.installs} values={installs} days={days} now={frame.now} />
      </div>
      <DayNumbers days={days} views={views} installs={installs} />
      <Builds {...props} />
    </>
  );
}

function Builds({ app, builds, moreBuilds }: AppActivityProps) {
  if (builds.length === 0) return null;
  const maxViews = Math.max(1, ...builds.map(({ views }) => views));
  const maxInstalls = Math.max(1, ...builds.map(({ installs }) => installs));
  return (
    <section class="by-build" aria-labelledby="by-build">
      <h2 id="by-build">{t.byBuild}</h2>
      {moreBuilds && <p class="secondary fine">{t.newestBuilds(formatCount(builds.length))}</p>}
      <table class="counts" aria-labelledby="by-build">
        <thead>
          <tr>
            <th scope="col">{t.build}</th>
            <th class="with-share" scope="col">
              {t.views}
            </th>
            <th class="with-share" scope="col">
              {t.installs}
            </th>
          </tr>
        </thead>
        <tbody>
          {builds.map((build) => (
            <tr key={build.revision}>
              <th scope="row">
                <a
                  class="to-build"
                  href={revisionPath(app.owner, app.platform, app.packageName, build.revision)}
                >
                  {texts.app.revision(build.revision)}
                </a>{' '}
                <bdi class="secondary">{versionText(build)}</bdi>
              </th>
              <td class="with-share">
                <Share kind="views" count={build.views} share={build.views / maxViews} />
              </td>
              <td class="with-share">
                <Share kind="installs" count={build.installs} share={build.installs / maxInstalls} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Share({ kind, count, share }: { kind: 'views' | 'installs'; count: number; share: number }) {
  return (
    <span class="share">
      <span>{formatCount(count)}</span>
      <svg viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
        <rect class={`bar-${kind}`} width={Math.round(share * 1000) / 10} height="6" />
      </svg>
    </span>
  );
}
