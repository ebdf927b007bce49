import { defineQueries } from '../../db/data.ts';
import type { Queries } from '../../db/database.ts';
import type { MemberFacts } from './project-people.ts';

export const memberQueries = defineQueries(createMemberQueries);

function createMemberQueries(db: Queries) {
  return {
    async factsOf(userIds: readonly string[]): Promise<Map<string, MemberFacts>> {
      if (userIds.length === 0) return new Map();
      const rows = await db
        .selectFrom('users as u')
        .select(['u.owner_id', 'u.email', 'u.last_seen_at'])
        .select((query) =>
          query
            .selectFrom('api_keys as k')
            .whereRef('k.owner_id', '=', 'u.owner_id')
            .select(({ fn }) => fn.max('k.last_used_at').as('at'))
            .as('key_used_at'),
        )
        .where('u.owner_id', 'in', userIds)
        .execute();
      return new Map(
        rows.map(({ owner_id: id, email, last_seen_at: seenAt, key_used_at: usedAt }) => {
          const times = [seenAt, usedAt].filter((at) => at !== null);
          return [id, { email, lastSeenAt: times.length === 0 ? null : Math.max(...times) }];
        }),
      );
    },
  };
}
