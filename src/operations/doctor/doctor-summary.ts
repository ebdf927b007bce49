import type { DoctorCheck } from './doctor-check.ts';
import { doctorTexts } from './doctor-texts.ts';

/** Summarizes all checks in one sentence. */
export function doctorSummary(checks: readonly DoctorCheck[]): string {
  for (const state of ['problem', 'warning'] as const) {
    const count = checks.filter((check) => check.state === state).length;
    if (count > 0) return doctorTexts.summary[state]({ count });
  }
  return doctorTexts.summary.ok;
}
