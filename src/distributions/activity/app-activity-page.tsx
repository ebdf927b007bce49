/** The activity page of an app: adoption, installs, and members by name. */

import type { ComponentChildren } from 'preact';
import { renderAppArea } from '../../apps/app-head.tsx';
import { appTexts } from '../../apps/app-texts.ts';
import { EmptyState } from '../../web/components/empty-state.tsx';
import { formatCount, formatShare } from '../../web/components/formats.ts';
import { Glyph } from '../../web/components/glyph.tsx';
import { activityAddress } from './activity-address.ts';
import { People } from './activity-people.tsx';
import { periods } from './activity-plot.ts';
import type { AppActivityProps } from './activity-props.ts';
import { ByBuild, ByPage, BySystem } from './activity-tables.tsx';
import { activityTexts } from './activity-texts.ts';
import { VersionPlot } from './app-activity-plot.tsx';
import type { DayCount } from './page-count.ts';

const t = activityTexts;

export function renderAppActivity(props: AppActivityProps): string {
  const { app, view } = props;
  const isEmpty = props.counts.length === 0 && (props.people?.people.length ?? 0) === 0;
  return renderAppArea({
    frame: props.frame,
    head: props.head,
    tab: 'activity',
    title: t.title,
    line: t.line,
    actions: (
      <>
        <Periods {...props} />
        {!isEmpty && (
          <a class="button" href={activityAddress(app, view, { file: '.csv' })} aria-label={t.csvOf}>
            <Glyph name="download" />
            {t.csv}
          </a>
        )}
      </>
    ),
    children: isEmpty ? <NoResults {...props} /> : <Activity {...props} />,
  });
}

function Activity(props: AppActivityProps) {
  return (
    <>
      <Stats {...props} />
      <VersionPlot {...props} />
      <div class="two section">
        <BySystem systems={props.systems} />
        <ByPage pages={props.pages} />
      </div>
      <ByBuild {...props} />
      {props.people && <People {...props} listed={props.people} />}
    </>
  );
}

function Periods({ app, view }: AppActivityProps) {
  return (
    <nav class="segments" aria-label={t.period}>
      {periods.map((period) => (
        <a
          key={period}
          href={activityAddress(app, { ...view, period })}
          aria-current={period === view.period ? 'page' : undefined}
        >
          {t.days({ count: period })}
        </a>
      ))}
    </nav>
  );
}

function NoResults({ app, view }: AppActivityProps) {
  const longest = periods[2];
  return (
    <EmptyState title={t.empty}>
      <p class="soft">{t.emptyLine}</p>
      {view.period !== longest && (
        <a class="button" href={activityAddress(app, { ...view, period: longest })}>
          {t.longer({ count: longest })}
        </a>
      )}
    </EmptyState>
  );
}

const timesOf = (counts: readonly DayCount[], kind: DayCount['kind']) =>
  counts.filter((count) => count.kind === kind).reduce((sum, { times }) => sum + times, 0);

function Stats(props: AppActivityProps) {
  const { counts, installers, newest } = props;
  const guests = counts
    .filter(({ kind }) => kind === 'install')
    .reduce((sum, { people, members }) => sum + people - members, 0);
  const share = newest && newest.all > 0 ? formatShare(newest.people / newest.all) : '–';
  return (
    <dl class="stats">
      <Stat label={t.stats.people} value={formatCount(installers + guests)}>
        {t.stats.signedIn({ members: installers, guests })}
      </Stat>
      <Stat label={t.stats.installs} value={formatCount(timesOf(counts, 'install'))}>
        <Change {...props} kind="install" />
      </Stat>
      <Stat label={t.stats.opened} value={formatCount(timesOf(counts, 'view'))}>
        <Change {...props} kind="view" />
      </Stat>
      <Stat
        label={
          newest
            ? t.stats.onNewest({ revision: appTexts.app.revision({ revision: newest.revision }) })
            : t.stats.onLive
        }
        value={share}
      >
        {!newest && t.stats.noLive}
        {newest &&
          (newest.all > 0 ? t.stats.ofPeople({ some: newest.people, all: newest.all }) : t.stats.noMembers)}
      </Stat>
    </dl>
  );
}

/** Ten digits with separators. */
const maxLargeNumber = 13;

function Stat(props: { label: string; value: string; children: ComponentChildren }) {
  return (
    <div class="stat">
      <dt>{props.label}</dt>
      <dd class={props.value.length > maxLargeNumber ? 'long' : undefined}>{props.value}</dd>
      <dd class="fine">{props.children}</dd>
    </div>
  );
}

function Change({ counts, countsBefore, view, kind }: AppActivityProps & { kind: DayCount['kind'] }) {
  const before = timesOf(countsBefore, kind);
  if (before === 0) return <>{t.stats.noneBefore({ days: view.period })}</>;
  const change = timesOf(counts, kind) / before - 1;
  const sign = change < 0 ? '−' : '+';
  return (
    <>
      {t.stats.change({
        change: `${sign}${formatShare(Math.abs(change))}`,
        days: view.period,
        number: (children) => <span class={change < 0 ? undefined : 'up'}>{children}</span>,
      })}
    </>
  );
}
