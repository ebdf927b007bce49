import { projectTexts } from '../project-texts.ts';

/**
 * Adding someone by name or address reveals whether an account exists. The limit, counted per user across all Projects,
 * makes this too slow for checking a list of addresses.
 */
export const addLimit = {
  name: 'add to a team',
  limit: 60,
  windowMs: 15 * 60_000,
  per: 'caller',
  refusal: projectTexts.people.errors.tooMany,
} as const;
