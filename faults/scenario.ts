/** What the programme and its scenarios agree on. */
import type { RandomSource } from '../fuzz/random.ts';
import type { CheckResult } from './check-invariants.ts';
import type { Servers, StoresName } from './ground.ts';
import type { Ledger } from './ledger.ts';

export interface ScenarioRun {
  servers: Servers;
  stores: StoresName;
  random: RandomSource;
  /** How often what is random happens. */
  rounds: number;
  /** Something worth a line while it lasts. */
  say(text: string): void;
}

/** A line of the table. `counts` in the order in which they are shown. */
export interface Outcome {
  counts: Record<string, number>;
  /** Full sentences; none when all was sound. */
  faults: string[];
  /** Why it could not be done on this machine; null: it was. */
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

export function outcomeOf(
  ledger: Ledger,
  checks: readonly CheckResult[],
  counts: Record<string, number>,
): Outcome {
  const last = checks.at(-1);
  return {
    counts: { ...counts, ...ledger.counts, checks: checks.length, builds: last?.builds ?? 0 },
    faults: [...new Set(checks.flatMap(({ faults }) => faults))],
    skipped: null,
  };
}

/** Asks until it holds; throws after `patienceMs`, which is far longer than a loaded machine needs. */
export async function until(
  what: string,
  holds: () => boolean | Promise<boolean>,
  patienceMs = 90_000,
): Promise<void> {
  const deadline = performance.now() + patienceMs;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`it took too long until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
