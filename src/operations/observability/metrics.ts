/**
 * Counters, gauges and histograms in the text format of Prometheus, version 0.0.4 (see "Exposition formats" in its docs). Not
 * prom-client: each service has its own registry without global state, in 120 lines.
 */

export interface Counter {
  add(labels: readonly string[], amount?: number): void;
}

export interface Gauge {
  set(labels: readonly string[], value: number): void;
}

export interface Histogram {
  observe(labels: readonly string[], value: number): void;
}

export interface Registry {
  counter(name: string, help: string, labelNames?: readonly string[]): Counter;
  gauge(name: string, help: string, labelNames?: readonly string[]): Gauge;
  /** `bounds` are ascending. Larger values count as `+Inf`. */
  histogram(name: string, help: string, bounds: readonly number[], labelNames?: readonly string[]): Histogram;
  text(): string;
}

export const textFormat = 'text/plain; version=0.0.4; charset=utf-8';

/** Labels must have few distinct values, because each combination is kept permanently. */
export function createRegistry(): Registry {
  const metrics: (() => string)[] = [];
  const head = (name: string, help: string, type: string) =>
    `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`;

  const numbers = (type: 'counter' | 'gauge', name: string, help: string, labelNames: readonly string[]) => {
    const series = createSeries(() => ({ value: 0 }));
    metrics.push(() => {
      const lines = series.map((labels, kept) => line(name, labelNames, labels, kept.value));
      return head(name, help, type) + lines.join('');
    });
    return series;
  };

  return {
    counter: (name, help, labelNames = []) => {
      const series = numbers('counter', name, help, labelNames);
      if (labelNames.length === 0) series.of([]);
      return {
        add: (labels, amount = 1) => {
          series.of(labels).value += amount;
        },
      };
    },
    gauge: (name, help, labelNames = []) => {
      const series = numbers('gauge', name, help, labelNames);
      return {
        set: (labels, value) => {
          series.of(labels).value = value;
        },
      };
    },
    histogram: (name, help, bounds, labelNames = []) => {
      const series = createSeries(() => ({ counts: new Float64Array(bounds.length + 1), sum: 0 }));
      metrics.push(() => {
        const lines = series.map((labels, { counts, sum }) =>
          histogramLines(name, labelNames, labels, bounds, counts, sum),
        );
        return head(name, help, 'histogram') + lines.join('');
      });
      return {
        observe: (labels, value) => {
          const kept = series.of(labels);
          const place = bounds.findIndex((bound) => value <= bound);
          const index = place === -1 ? bounds.length : place;
          kept.counts[index] = (kept.counts[index] ?? 0) + 1;
          kept.sum += value;
        },
      };
    },
    text: () => metrics.map((metric) => metric()).join(''),
  };
}

function createSeries<Kept>(make: () => Kept) {
  const series = new Map<string, { labels: readonly string[]; kept: Kept }>();
  return {
    of: (labels: readonly string[]): Kept => {
      const key = labels.join('\0');
      const known = series.get(key);
      if (known) return known.kept;
      const kept = make();
      series.set(key, { labels: [...labels], kept });
      return kept;
    },
    map: (write: (labels: readonly string[], kept: Kept) => string): string[] =>
      [...series.values()].map(({ labels, kept }) => write(labels, kept)),
  };
}

function histogramLines(
  name: string,
  labelNames: readonly string[],
  labels: readonly string[],
  bounds: readonly number[],
  counts: Float64Array,
  sum: number,
): string {
  let below = 0;
  const lines = [...counts].map((count, index) => {
    below += count;
    const bound = index < bounds.length ? String(bounds[index]) : '+Inf';
    return line(`${name}_bucket`, [...labelNames, 'le'], [...labels, bound], below);
  });
  lines.push(line(`${name}_sum`, labelNames, labels, sum), line(`${name}_count`, labelNames, labels, below));
  return lines.join('');
}

function line(name: string, labelNames: readonly string[], labels: readonly string[], value: number): string {
  const pairs = labelNames.map((label, index) => `${label}="${escaped(labels[index] ?? '')}"`);
  return `${name}${pairs.length > 0 ? `{${pairs.join(',')}}` : ''} ${value}\n`;
}

function escaped(text: string): string {
  return text.replace(/\\/g, '\\\\').replace(/"/g, '\\"').replace(/\n/g, '\\n');
}
