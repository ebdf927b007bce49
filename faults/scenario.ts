/** Types and helpers that all scenarios share. */
import { join } from 'node:path';
import type { RandomSource } from '../fuzz/random.ts';
import type { CheckResult } from './check-invariants.ts';
import type { Ground, Servers, StoresName } from './ground.ts';
import type { Ledger } from './ledger.ts';

export interface ScenarioRun {
  servers: Servers;
  stores: StoresName;
  random: RandomSource;
  /** Number of random repetitions. */
  rounds: number;
  /** Reports progress. */
  say(text: string): void;
}

/** One row of the result table. `counts` in display order. */
export interface Outcome {
  counts: Record<string, number>;
  /** Violations as full sentences; empty on success. */
  faults: string[];
  /** Why the scenario cannot run on this machine; null: it ran. */
  skipped: string | null;
}

export interface Scenario {
  name: string;
  /** One sentence. */
  about: string;
  stores: readonly StoresName[];
  run(run: ScenarioRun): Promise<Outcome>;
}

export const skipped = (why: string): Outcome => ({ counts: {}, faults: [], skipped: why });

/** The only refusal that a client may get because of what happens to a node. */
export const isUnavailable = (status: number, retryAfter: string | null) =>
  status === 503 && retryAfter !== null;

/** Settings of another node on the same database and files. */
export function nodeSettings({ folder, dataFolder, stores }: Ground, name: string): Record<string, string> {
  const blobs = `file:${join(dataFolder, 'blobs')}`;
  return {
    SLIPWAY_DATA_DIR: join(folder, name),
    ...(stores === 'postgres+s3' ? {} : { SLIPWAY_BLOB_URL: blobs }),
  };
}

export function outcomeOf(
  ledger: Ledger,
  checks: readonly CheckResult[],
  counts: Record<string, number>,
): Outcome {
  const last = checks.at(-1);
  return {
    counts: {
      ...counts,
      ...ledger.counts,
      checks: checks.length,
      builds: last?.builds ?? 0,
      audited: last?.audited ?? 0,
    },
    faults: [...new Set(checks.flatMap(({ faults }) => faults))],
    skipped: null,
  };
}

/** Polls until the condition holds; throws after `patienceMs`, far longer than a loaded machine needs. */
export async function until(
  what: string,
  holds: () => boolean | Promise<boolean>,
  waitTimeoutMs = 90_000,
): Promise<void> {
  const deadline = performance.now() + waitTimeoutMs;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`timed out waiting until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
