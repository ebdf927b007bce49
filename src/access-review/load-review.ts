/** Assembles the review of a scope from the database. */
import type { Connection } from '../db/data.ts';
import {
  type DecidedContent,
  decideContent,
  noReach,
  type PersonPlace,
  type ReviewedPerson,
  type ReviewScope,
  reachOf,
  type Way,
} from './access-review.ts';
import { accessReviewQueries, type ListedPerson } from './access-review-queries.ts';

const ownAccount: Way = { kind: 'account', name: null, id: null, since: null, addedBy: null, rules: [] };

/** Remembers the apps and pages of owners between batches of people, up to this many owners. */
const maxRemembered = 1000;

export type LoadPeople = (people: readonly ListedPerson[], scope: ReviewScope) => Promise<ReviewedPerson[]>;

/** Creates the loader of one review, which reads the apps and pages of each owner once. */
export function createLoadPeople(data: Connection, now: number): LoadPeople {
  const known = new Map<string, DecidedContent>();
  const contentOf = async (ownerIds: readonly string[]) => {
    const missing = ownerIds.filter((id) => !known.has(id));
    if (known.size + missing.length > maxRemembered) known.clear();
    const loaded = await accessReviewQueries(data).contentOf(ownerIds.filter((id) => !known.has(id)));
    for (const [id, content] of loaded) known.set(id, decideContent(content, now));
    return known;
  };
  return async (people, scope) => {
    const queries = accessReviewQueries(data);
    const ids = people.map(({ user }) => user.id);
    const [memberships, visits] = await Promise.all([
      queries.listMemberships(ids, scope),
      queries.lastVisits(ids, scope),
    ]);
    const placeIds = [...new Set(memberships.map(({ placeId }) => placeId))];
    const places = await queries.findPlaces(placeIds);
    const owned = scope.kind === 'installation' ? ids : [];
    const content = await contentOf([...new Set([...placeIds, ...owned])]);
    const ofPerson = Map.groupBy(memberships, ({ userId }) => userId);
    return people.map((person): ReviewedPerson => {
      const { user, disabled, seenAt, keyUsedAt } = person;
      const waysOf = Map.groupBy(ofPerson.get(user.id) ?? [], ({ placeId }) => placeId);
      const inPlaces = [...waysOf].flatMap(([id, found]): PersonPlace[] => {
        const place = places.get(id);
        if (!place) return [];
        const ways = found.map(({ way }) => way);
        const has = content.get(id);
        const reach = place.kind === 'workspace' || !has ? noReach : reachOf(person, place, ways, has);
        return [{ place, ways, reach }];
      });
      const own = scope.kind === 'installation' ? content.get(user.id) : undefined;
      const account = { place: user, ways: [ownAccount] };
      const isUsed = own !== undefined && own.apps.length > 0;
      return {
        user,
        disabled,
        lastUsed: {
          signIn: seenAt,
          key: keyUsedAt,
          ...(visits.get(user.id) ?? { visit: null, install: null }),
        },
        places: [
          ...(isUsed ? [{ ...account, reach: reachOf(person, user, account.ways, own) }] : []),
          ...inPlaces,
        ],
      };
    });
  };
}

/** On PostgreSQL, finding the people of a batch reads all memberships of the scope. */
const peoplePerBatch = 500;

/** Everyone in the scope, by name. Reads them in parts to limit memory, each while the one before is used. */
export async function* reviewedPeople(
  data: Connection,
  scope: ReviewScope,
  now: number,
): AsyncGenerator<ReviewedPerson> {
  const load = createLoadPeople(data, now);
  const read = async (after: string | undefined) => {
    const listed = await accessReviewQueries(data).listPeople(scope, { after, limit: peoplePerBatch });
    const last = listed.length < peoplePerBatch ? undefined : listed.at(-1)?.key;
    return { people: await load(listed, scope), last };
  };
  for (let batch = read(undefined); ; ) {
    const { people, last } = await batch;
    if (last !== undefined) {
      batch = read(last);
      // Reported when it is used. Nobody waits for it if the reader stops.
      batch.catch(() => undefined);
    }
    yield* people;
    if (last === undefined) return;
  }
}
