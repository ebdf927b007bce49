/** A plot of one number per day, and the same numbers as a table. */
import { formatCount, formatDay, formatHours } from '../../web/components/formats.ts';
import { hoursLeftToday, plotBars } from './activity-plot.ts';
import { plotTexts } from './plot-texts.ts';

const t = plotTexts;
const written = (day: string | undefined) => formatDay(Date.parse(`${day}T00:00:00Z`));

export interface DayPlotProps {
  kind: 'views' | 'installs';
  word: string;
  /** One per day, ending with today. */
  values: readonly number[];
  days: readonly string[];
  now: number;
}

export function DayPlot(props: DayPlotProps) {
  const { kind, word, values, days } = props;
  const plot = plotBars(values);
  const last = values.length - 1;
  const total = values.reduce((sum, value) => sum + value, 0);
  return (
    <section class="plot" aria-labelledby={`${kind}-total`}>
      <h2 id={`${kind}-total`}>
        {word} <strong class="plot-total">{formatCount(total)}</strong>
      </h2>
      <div class="plot-area">
        <svg
          viewBox={`0 0 ${plot.width} ${plot.height}`}
          preserveAspectRatio="none"
          role="img"
          aria-label={summaryOf(props, total)}
        >
          <path class="plot-grid" d={`M0 0H${plot.width}M0 50H${plot.width}M0 100H${plot.width}`} />
          {plot.bars.map((bar, index) => {
            const say = index === last ? t.onDayPartly : t.onDay;
            return (
              <g key={days[index]}>
                <title>{say(written(days[index]), formatCount(values[index] ?? 0))}</title>
                <rect x={index * 10} width="10" height="100" />
                {bar && <rect {...bar} class={index === last ? `bar-${kind} partly` : `bar-${kind}`} />}
              </g>
            );
          })}
        </svg>
        <p class="plot-scale" aria-hidden="true">
          <span>{formatCount(plot.top)}</span>
          <span>{formatCount(plot.top / 2)}</span>
          <span>0</span>
        </p>
      </div>
      <p class="plot-days">
        <span>{written(days[0])}</span>
        <span>{t.today(formatHours(hoursLeftToday(props.now)))}</span>
      </p>
    </section>
  );
}

function summaryOf({ word, values, days }: DayPlotProps, total: number): string {
  const [from, to] = [written(days[0]), written(days.at(-1))];
  if (total === 0) return t.flat(word, from, to);
  const max = Math.max(...values);
  return t.summary({
    word,
    total: formatCount(total),
    from,
    to,
    max: formatCount(max),
    maxDay: written(days[values.indexOf(max)]),
  });
}

export function DayNumbers(props: {
  days: readonly string[];
  views: readonly number[];
  installs: readonly number[];
}) {
  const rows = props.days.map((day, index) => ({ day, index })).reverse();
  return (
    <details class="quiet-fold numbers">
      <summary>{t.numbers}</summary>
      <table class="counts">
        <thead>
          <tr>
            <th scope="col">{t.day}</th>
            <th scope="col">{t.views}</th>
            <th scope="col">{t.installs}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ day, index }) => (
            <tr key={day}>
              <th scope="row">
                {written(day)}
                {index === rows.length - 1 && ` (${t.soFar})`}
              </th>
              <td>{formatCount(props.views[index] ?? 0)}</td>
              <td>{formatCount(props.installs[index] ?? 0)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}
