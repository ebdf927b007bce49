import { expect } from 'vitest';
import { runsEverything } from '../support/runs-everything.ts';

/**
 * Starts measuring the processor time of this process; the result fails when it exceeds this many milliseconds. Only in the full
 * run: processors that do other work take longer for the same.
 */
export function startProcessorTime(): (maxMs: number) => void {
  const before = process.cpuUsage();
  return (maxMs) => {
    const { user, system } = process.cpuUsage(before);
    if (runsEverything) expect((user + system) / 1_000).toBeLessThan(maxMs);
  };
}
