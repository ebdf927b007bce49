import { findPeopleLimit, peopleListWeight } from '../../accounts/invitations/people-list.ts';
import { projectTexts } from '../project-texts.ts';

export const addLimit = {
  ...findPeopleLimit,
  weigh: peopleListWeight,
  get refusal() {
    return projectTexts.people.errors.tooMany;
  },
} as const;

/** Of a JSON body with `logins`. */
const weighLogins = ({ logins }: Readonly<Record<string, unknown>>) =>
  Array.isArray(logins) ? Math.max(1, logins.length) : 1;

/** The same limit for the API, which is in English. */
export const apiAddLimit = {
  ...findPeopleLimit,
  weigh: weighLogins,
  refusal: 'too many people were added. Try again later',
} as const;
