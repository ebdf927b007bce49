/** The plot by version, and the same numbers as a table. */
import { formatCount, formatDay, formatList, formatShortCount } from '../../web/components/formats.ts';
import { activityAddress, type PlotKind } from './activity-address.ts';
import { countsByDay, type StackedPlot, stackSeries } from './activity-plot.ts';
import type { AppActivityProps } from './activity-props.ts';
import { activityTexts } from './activity-texts.ts';
import type { PlotSeries } from './adoption.ts';

const t = activityTexts.plot;
const written = (day: string | undefined) => formatDay(Date.parse(`${day}T00:00:00Z`));
const color = (index: number) => `p${index + 1}`;
/** How many days are labeled below the plot, besides the last one. */
const namedDays = 4;

type PlotProps = Pick<AppActivityProps, 'app' | 'view' | 'days' | 'counts' | 'plot'>;

export function VersionPlot(props: PlotProps) {
  const { days, plot } = props;
  const stacked = stackSeries(plot.series, days.length);
  const isEmpty = plot.series.length === 0;
  return (
    <section class="section" aria-labelledby="plot">
      <div class="section-head">
        <h2 id="plot">{t.title[plot.kind]}</h2>
        <PlotKinds {...props} />
      </div>
      <figure class="panel panel-pad plot-panel">
        {!isEmpty && <Legend series={plot.series} />}
        <div class="plot">
          <div class="plot-area">
            <Areas {...props} stacked={stacked} />
            {isEmpty ? (
              <p class="plot-none soft">{plot.kind === 'people' ? t.noPeople : t.noInstalls}</p>
            ) : (
              <DayColumns {...props} />
            )}
          </div>
          <p class="scale" aria-hidden="true">
            <span>{formatShortCount(stacked.top)}</span>
            <span>{formatShortCount(stacked.top / 2)}</span>
            <span>0</span>
          </p>
          <p class="day-names" aria-hidden="true">
            {Array.from({ length: namedDays }, (_, index) => (
              <span key={index}>{shortDay(days[Math.floor((index * days.length) / namedDays)])}</span>
            ))}
            <span>{t.today}</span>
          </p>
        </div>
        {plot.kind === 'people' && <figcaption class="soft fine">{t.guestsHidden}</figcaption>}
      </figure>
      <DayNumbers {...props} />
    </section>
  );
}

/** Without the year, which is in the table. */
const shortDay = (day: string | undefined) => written(day).replace(/,? \d{4}$/, '');

function PlotKinds({ app, view, plot }: PlotProps) {
  return (
    <nav class="segments" aria-label={t.shown}>
      {(['people', 'installs'] as const satisfies readonly PlotKind[]).map((kind) => (
        <a
          key={kind}
          href={activityAddress(app, { ...view, plot: kind })}
          aria-current={kind === plot.kind ? 'page' : undefined}
        >
          {t[kind]}
        </a>
      ))}
    </nav>
  );
}

function Legend({ series }: { series: readonly PlotSeries[] }) {
  return (
    <ul class="legend" aria-label={t.legend}>
      {series.map(({ label }, index) => (
        <li key={label} class="key">
          <i class={color(index)} />
          <bdi>{label}</bdi>
        </li>
      ))}
    </ul>
  );
}

function Areas({ days, plot, stacked }: PlotProps & { stacked: StackedPlot }) {
  const { width, height } = stacked;
  return (
    <svg
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={findingOf(plot, days)}
    >
      <path class="grid-line" d={`M0 0H${width}M0 ${height / 2}H${width}M0 ${height}H${width}`} />
      {stacked.areas.map((area, index) => (
        <path key={plot.series[index]?.label} class={`area ${color(index)}`} d={area} />
      ))}
      {plot.series.length > 0 && <path class="total-line" d={stacked.total} />}
    </svg>
  );
}

function findingOf({ kind, series }: PlotProps['plot'], days: readonly string[]): string {
  const [newest] = series;
  if (!newest) return kind === 'people' ? t.noPeople : t.noInstalls;
  const [from, to] = [written(days[0]), written(days.at(-1))];
  const sums = days.map((_, day) => series.reduce((sum, { values }) => sum + (values[day] ?? 0), 0));
  if (kind === 'people') {
    const some = newest.values.at(-1) ?? 0;
    return t.adoption({ from, to, version: newest.label, some, all: sums.at(-1) ?? 0 });
  }
  const max = Math.max(...sums);
  const total = sums.reduce((sum, count) => sum + count, 0);
  return t.installsPerDay({ from, to, total, max, maxDay: written(days[sums.indexOf(max)]) });
}

/** A link for each day to its row in the table. Its numbers are shown while it is hovered or focused. */
function DayColumns({ days, plot }: PlotProps) {
  return (
    <nav class={`day-columns days-${days.length}`} aria-label={t.dayColumns} data-days>
      {days.map((day, index) => {
        const shown = plot.series
          .map(({ label, values }, at) => ({ label, at, count: values[index] ?? 0 }))
          .filter(({ count }) => count > 0);
        const date = written(day);
        const numbers = formatList(shown.map(({ label, count }) => `${label} ${formatCount(count)}`));
        return (
          <a
            key={day}
            class="day"
            href={`#${day}`}
            aria-label={t.ofDay({ date, numbers: numbers || t.none })}
          >
            <span class="tip">
              <strong>{index === days.length - 1 ? t.soFar({ date }) : date}</strong>
              {shown.map(({ label, at, count }) => (
                <span key={label} class="key">
                  <i class={color(at)} />
                  <bdi>{label}</bdi>
                  <b>{formatCount(count)}</b>
                </span>
              ))}
              {shown.length === 0 && t.none}
            </span>
          </a>
        );
      })}
    </nav>
  );
}

function DayNumbers({ days, counts, plot }: PlotProps) {
  const installs = countsByDay(counts, 'install', days);
  const opened = countsByDay(counts, 'view', days);
  const rows = days.map((day, index) => ({ day, index })).reverse();
  return (
    <details class="quiet-fold">
      <summary>{t.numbers}</summary>
      <div class="panel day-table">
        <table class="table">
          <thead>
            <tr>
              <th scope="col">{t.day}</th>
              {plot.series.map(({ label }) => (
                <th key={label} scope="col" class="num">
                  <bdi>{label}</bdi>
                </th>
              ))}
              <th scope="col" class="num">
                {t.installs}
              </th>
              <th scope="col" class="num">
                {t.opened}
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ day, index }) => (
              <tr key={day} id={day}>
                <th scope="row">
                  {index === days.length - 1 ? t.soFar({ date: written(day) }) : written(day)}
                </th>
                {plot.series.map(({ label, values }) => (
                  <td key={label} class="num">
                    {formatCount(values[index] ?? 0)}
                  </td>
                ))}
                <td class="num">{formatCount(installs[index] ?? 0)}</td>
                <td class="num">{formatCount(opened[index] ?? 0)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}
