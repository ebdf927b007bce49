import { peopleListWeight } from '../../accounts/invitations/people-list.ts';
import { projectTexts } from '../project-texts.ts';

/**
 * Adding someone by name or address reveals whether an account exists. The limit, counted per user across all Projects,
 * makes this too slow for checking many addresses. It exceeds the longest list that can be added at once.
 */
export const addLimit = {
  name: 'add to a team',
  limit: 120,
  windowMs: 15 * 60_000,
  per: 'caller',
  weigh: peopleListWeight,
  get refusal() {
    return projectTexts.people.errors.tooMany;
  },
} as const;
