import type { AttemptLimit } from '../access/attempts.ts';
import { projectTexts } from '../web/project-texts.ts';

/**
 * Adding somebody by name or address tells whether there is such an account: that is enough for a team, and too slow
 * for a list of addresses. Counted for a person, wherever they add.
 */
export const addLimit: AttemptLimit = {
  most: 60,
  windowMs: 15 * 60_000,
  refusal: projectTexts.people.faults.tooMany,
};
export const addSubject = (userId: string) => ['add to a team', userId];
