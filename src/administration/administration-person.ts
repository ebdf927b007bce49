/** A person as administrators see them. */
import type { User } from '../owners/owner.ts';

export interface Person {
  user: User;
  madeAt: number;
  /** Null if the account is enabled. */
  disabledAt: number | null;
  /** Last sign-in or use of an API key; null if never. */
  lastSeenAt: number | null;
  hasPassword: boolean;
  /** Whether an authenticator app is set up. */
  hasTotp: boolean;
  passkeys: number;
}

export const peopleFilters = ['administrators', 'disabled'] as const;

export interface PeopleFilter {
  /** Null for everyone. */
  only: (typeof peopleFilters)[number] | null;
  words: readonly string[];
}
