/** The download size of the builds of an app over time: a plot, and the same as a table. */

import { type AppHead, renderAppArea } from '../../apps/app-head.tsx';
import { buildSizePath, sizeTrendPath } from '../../apps/app-paths.ts';
import { sizeDifference } from '../../apps/compare/compare-builds.ts';
import { keyedPath } from '../../apps/files/path-with-secret.ts';
import { formatBytes } from '../../core/byte-size.ts';
import { SubmitButton } from '../../web/components/form-field.tsx';
import { Timestamp } from '../../web/components/timestamp.tsx';
import type { PageFrame } from '../../web/shell/page-frame.ts';
import type { TrendPoint } from './compare-sizes.ts';
import { scaleOf } from './size-scale.ts';
import { SizeTable } from './size-table.tsx';
import { sizeTexts } from './size-texts.ts';

export interface TrendPageProps {
  frame: PageFrame;
  head: AppHead;
  /** Oldest first. */
  points: readonly TrendPoint[];
  /** What the builds can be limited to, with its value in the query string. */
  options: readonly { value: string; label: string }[];
  /** The chosen value; `''` for all builds. */
  shown: string;
}

const t = sizeTexts.trend;

export function renderTrendPage(props: TrendPageProps): string {
  const { frame, head, points } = props;
  return renderAppArea({
    frame,
    head,
    tab: 'builds',
    title: t.title,
    crumb: { label: t.title, address: keyedPath(sizeTrendPath(head.app), head.key) },
    line: t.line({ count: maxTrendBuilds }),
    children: (
      <>
        <ShownBuilds {...props} />
        {points.length === 0 ? (
          <p class="soft">{t.none}</p>
        ) : (
          <>
            <figure class="panel panel-pad plot-panel">
              <Finding {...props} />
              <TrendPlot {...props} />
            </figure>
            <TrendTable {...props} />
          </>
        )}
      </>
    ),
  });
}

/** How many builds are shown. */
export const maxTrendBuilds = 60;

function ShownBuilds({ head, options, shown }: TrendPageProps) {
  if (options.length === 0) return null;
  return (
    <form class="choose-two choose-builds" method="get" action={sizeTrendPath(head.app)}>
      {head.key !== null && <input type="hidden" name="key" value={head.key} />}
      <div class="field">
        <label for="of">{t.of}</label>
        <select id="of" name="of">
          <option value="">{t.all}</option>
          {options.map(({ value, label }) => (
            <option key={value} value={value} selected={value === shown}>
              {label}
            </option>
          ))}
        </select>
      </div>
      <SubmitButton label={t.apply} />
    </form>
  );
}

function TrendPlot({ head, points }: TrendPageProps) {
  const scale = scaleOf(points.map(({ downloadBytes }) => downloadBytes));
  const places = points.map(({ downloadBytes }, index) => {
    const x = ((index + 0.5) / points.length) * 100;
    const y = 100 - ((downloadBytes - scale.low) / (scale.high - scale.low)) * 100;
    return `${x.toFixed(2)} ${y.toFixed(2)}`;
  });
  const named = [points[0], points[Math.floor(points.length / 2)], points.at(-1)];
  return (
    <div class="plot">
      <div class="plot-area">
        <svg viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">
          <path class="grid-line" d="M0 0H100M0 50H100M0 100H100" />
          <path class="trend-line" d={`M${places.join('L')}`} />
          {/* Lines without a length have round ends, which are not stretched. */}
          <path
            class={points.length > maxDots ? 'trend-dots wide-only' : 'trend-dots'}
            d={places.map((place) => `M${place}h0`).join('')}
          />
          <path class="trend-dots" d={`M${places.at(-1)}h0`} />
        </svg>
        <nav class="day-columns" aria-label={t.numbers} data-days>
          {points.map((point, index) => (
            <a
              key={point.revision}
              class={index < points.length / 2 ? 'day early' : 'day'}
              href={keyedPath(buildSizePath(head.app, point.revision), head.key)}
              aria-label={labelOf(point)}
            >
              <span class="tip">
                <strong>
                  #{point.revision} <bdi>{point.versionName}</bdi>
                </strong>
                {point.branch && <bdi class="soft">{point.branch}</bdi>}
                <span class="key">
                  {t.download} <b>{formatBytes(point.downloadBytes)}</b>
                </span>
                <span class="key">
                  {t.install} <b>{formatBytes(point.installBytes)}</b>
                </span>
              </span>
            </a>
          ))}
        </nav>
      </div>
      <p class="scale" aria-hidden="true">
        {[scale.high, (scale.low + scale.high) / 2, scale.low].map((bytes) => (
          <span key={bytes}>{formatBytes(bytes)}</span>
        ))}
      </p>
      <p class="day-names" aria-hidden="true">
        {[...new Set(named)].map((point) => (
          <span key={point?.revision}>#{point?.revision}</span>
        ))}
      </p>
    </div>
  );
}

/** More dots touch each other on a phone. */
const maxDots = 24;

/** The sentence above the plot. */
function Finding({ points }: Pick<TrendPageProps, 'points'>) {
  const [first, last] = [points[0], points.at(-1)];
  if (!first || !last) return null;
  return (
    <figcaption>
      {t.finding({
        count: points.length,
        first: first.revision,
        from: formatBytes(first.downloadBytes),
        last: last.revision,
        to: formatBytes(last.downloadBytes),
      })}
    </figcaption>
  );
}

const labelOf = ({ revision, versionName, downloadBytes }: TrendPoint) =>
  t.ofBuild({ revision, version: versionName ?? '', size: formatBytes(downloadBytes) });

function TrendTable({ frame, head, points }: TrendPageProps) {
  const rows = points.map((point, index) => ({ point, before: points[index - 1] })).reverse();
  return (
    <details class="quiet-fold" open>
      <summary>{t.numbers}</summary>
      <SizeTable
        caption={t.title}
        columns={[t.build, t.download, t.difference, t.install]}
        wideColumns={[3]}
        rows={rows.map(({ point, before }) => ({
          id: String(point.revision),
          cells: [
            <span>
              <span class="revision">#{point.revision}</span>{' '}
              <a href={keyedPath(buildSizePath(head.app, point.revision), head.key)}>
                <bdi>{point.versionName ?? `#${point.revision}`}</bdi>
              </a>
              <span class="line-2 sub">
                <Timestamp at={point.uploadedAt} now={frame.now} />
                {point.branch && (
                  <>
                    {' · '}
                    <bdi>{point.branch}</bdi>
                  </>
                )}
              </span>
            </span>,
            formatBytes(point.downloadBytes),
            before ? sizeDifference({ from: before.downloadBytes, to: point.downloadBytes }).bytes : '–',
            formatBytes(point.installBytes),
          ],
        }))}
      />
    </details>
  );
}
