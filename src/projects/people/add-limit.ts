import { peopleListWeight } from '../../accounts/invitations/people-list.ts';
import { projectTexts } from '../project-texts.ts';

/**
 * Adding someone by name or address reveals whether an account exists. The limit, counted per user across all Projects,
 * makes this too slow for checking many addresses. It exceeds the longest list that can be added at once.
 */
const shared = { name: 'add to a team', limit: 120, windowMs: 15 * 60_000, per: 'caller' } as const;

export const addLimit = {
  ...shared,
  weigh: peopleListWeight,
  get refusal() {
    return projectTexts.people.errors.tooMany;
  },
} as const;

/** Of a JSON body with `logins`. */
export const weighLogins = ({ logins }: Readonly<Record<string, unknown>>) =>
  Array.isArray(logins) ? Math.max(1, logins.length) : 1;

/** The same limit for the API, which is in English. */
export const apiAddLimit = {
  ...shared,
  weigh: weighLogins,
  refusal: 'too many people were added. Try again later',
} as const;
