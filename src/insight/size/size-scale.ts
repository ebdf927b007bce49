/** The range of a plot of sizes. It need not begin at zero, so that differences of a few percent are visible. */

const steps = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500];
/** The share of a step that stays free above and below the line. */
const free = 0.1;

/** Returns the ends, which like their middle are round in the unit in which the largest size is written. */
export function scaleOf(sizes: readonly number[]): { low: number; high: number } {
  const [min, max] = [Math.min(...sizes), Math.max(...sizes, 1)];
  const unit = 1024 ** Math.floor(Math.log(max) / Math.log(1024));
  for (const step of steps) {
    const low = Math.max(0, Math.floor(min / unit / step - free) * step);
    const high = low + 2 * step;
    if (high - max / unit >= step * free) return { low: low * unit, high: high * unit };
  }
  return { low: 0, high: 1024 * unit };
}
