import { projectTexts } from '../project-texts.ts';

/**
 * Adding somebody by name or address tells whether there is such an account: that is enough for a team, and too slow
 * for a list of addresses. Counted for a person, wherever they add.
 */
export const addLimit = {
  name: 'add to a team',
  most: 60,
  windowMs: 15 * 60_000,
  per: 'caller',
  refusal: projectTexts.people.faults.tooMany,
} as const;
