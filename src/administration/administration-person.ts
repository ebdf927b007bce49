/** A person as administrators see them. */
import type { User } from '../owners/owner.ts';

export interface Person {
  user: User;
  madeAt: number;
  /** Null: the account works. */
  disabledAt: number | null;
  /** Signed in or with an API key; null when nobody ever saw them. */
  lastSeenAt: number | null;
  hasPassword: boolean;
  /** A second factor by an app that shows codes. */
  hasTotp: boolean;
  passkeys: number;
}

export const peopleFilters = ['administrators', 'disabled'] as const;

export interface PeopleFilter {
  /** Null: everybody. */
  only: (typeof peopleFilters)[number] | null;
  words: readonly string[];
}
