/** Runs the doctor for pages, once for concurrent callers, and remembers the latest results. */
import type { DoctorCheck } from './doctor-check.ts';

export interface LastDoctor {
  at: number;
  checks: readonly DoctorCheck[];
}

export interface DoctorRun {
  run(): Promise<DoctorCheck[]>;
  /** Null if it has not run since the start of this process. */
  last(): LastDoctor | null;
}

export function createDoctorRun(runDoctor: () => Promise<DoctorCheck[]>, now: () => number): DoctorRun {
  let inFlight: Promise<DoctorCheck[]> | null = null;
  let last: LastDoctor | null = null;
  const runOnce = async () => {
    const checks = await runDoctor();
    last = { at: now(), checks };
    return checks;
  };
  return {
    run: () => {
      inFlight ??= runOnce().finally(() => {
        inFlight = null;
      });
      return inFlight;
    },
    last: () => last,
  };
}
