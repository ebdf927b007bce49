/** People with access to an app, and the reason: the owner, the teams of its Project, or a User who shared it. */
import type { Team } from '../../owners/owner.ts';
import type { PageLinks } from '../../web/components/paging.tsx';

export interface AppPerson {
  user: { id: string; name: string };
  /** The team with the most permissions, or how a person got access to a User's app. */
  reason: Team | 'self' | 'shared';
  /** Epoch ms; null for the owner of a User's app. */
  since: number | null;
}

/** One page of the people with access to an app. */
export interface AppPeople {
  /** The search text; empty without a search. */
  query: string;
  people: readonly AppPerson[];
  paging: PageLinks;
}
