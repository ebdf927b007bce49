/** The result of one check. */
import { doctorTexts } from './doctor-texts.ts';

/** `warning`: works, but could be better. `problem`: users are affected. `skipped`: could not be checked. */
export type CheckState = 'ok' | 'warning' | 'problem' | 'skipped';
export type CheckId = keyof typeof doctorTexts.titles;

export interface DoctorCheck {
  id: CheckId;
  title: string;
  state: CheckState;
  /** The finding, as one sentence. */
  found: string;
  /** The advice, as one sentence; null if there is nothing to do. */
  advice: string | null;
}

export function hasProblem(checks: readonly DoctorCheck[]): boolean {
  return checks.some(({ state }) => state === 'problem');
}

function check(id: CheckId, state: CheckState, found: string, advice: string | null): DoctorCheck {
  return { id, title: doctorTexts.titles[id], state, found, advice };
}

export const ok = (id: CheckId, found: string) => check(id, 'ok', found, null);
export const warning = (id: CheckId, found: string, advice: string) => check(id, 'warning', found, advice);
export const problem = (id: CheckId, found: string, advice: string) => check(id, 'problem', found, advice);
export const skipped = (id: CheckId, found: string) => check(id, 'skipped', found, null);
