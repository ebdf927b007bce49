import { sql } from 'kysely';
import type { App } from '../../apps/app.ts';
import { selectApps, toApp } from '../../apps/app-row-queries.ts';
import { defineQueries } from '../../db/data.ts';
import type { Queries } from '../../db/database.ts';
import type { CheckFacts } from '../checks/check-facts.ts';
import type { RuleChange } from '../checks/store-rules.ts';

export const ruleCalendarQueries = defineQueries(createRuleCalendarQueries);

/** The newest build that pages of an app serve, or else its newest one, if the app has check settings and the build is analyzed. */
export interface NewestBuild {
  app: App;
  buildId: string;
  revision: number;
  uploadedAt: number;
  /** As stored. */
  settings: string;
  facts: CheckFacts;
}

/** Null for all apps. */
type Viewer = { ownerIds: readonly string[]; testerId: string } | null;

function createRuleCalendarQueries(db: Queries) {
  const visibleApps = (viewer: Viewer) => {
    const apps = selectApps(db);
    if (viewer === null) return apps;
    return apps.where((where) =>
      where.or([
        where('a.owner_id', 'in', viewer.ownerIds),
        where(
          'a.id',
          'in',
          where
            .selectFrom('app_testers as t')
            .innerJoin('users as u', (join) => join.on(sql<boolean>`u.owner_id = a.owner_id`))
            .select('t.app_id')
            .where('t.user_id', '=', viewer.testerId),
        ),
      ]),
    );
  };
  return {
    /** Apps with builds that go nowhere, as stored, by owner and package name. */
    async listWithoutDestination(viewer: Viewer, limit: number): Promise<App[]> {
      const rows = await visibleApps(viewer)
        .where('a.stored_builds', '>', 0)
        .where((where) =>
          where.or([where('a.checks', 'is', null), where('a.checks', 'like', '%"destinations":[]%')]),
        )
        .orderBy('o.name')
        .orderBy('a.package_name')
        .orderBy('a.platform')
        .limit(limit)
        .execute();
      return rows.map(toApp);
    },

    /** By owner and package name. */
    async listNewest(viewer: Viewer, limit: number): Promise<NewestBuild[]> {
      const rows = await visibleApps(viewer)
        .innerJoin('builds as b', 'b.app_id', 'a.id')
        .innerJoin('build_checks as c', 'c.build_id', 'b.id')
        .select(['b.id as build_id', 'b.revision', 'b.created_at as uploaded_at', 'a.checks', 'c.facts'])
        .where('a.checks', 'is not', null)
        .where(
          sql<boolean>`b.revision = coalesce(
            (select max(n.revision) from distribution_pages as p inner join builds as n on n.id = p.build_id
              where p.app_id = a.id and n.deleted_at is null),
            (select max(n.revision) from builds as n where n.app_id = a.id and n.deleted_at is null))`,
        )
        .orderBy('o.name')
        .orderBy('a.package_name')
        .orderBy('a.platform')
        .limit(limit)
        .execute();
      return rows.map((row) => ({
        app: toApp(row),
        buildId: row.build_id,
        revision: row.revision,
        uploadedAt: row.uploaded_at,
        settings: row.checks ?? '',
        facts: JSON.parse(row.facts),
      }));
    },

    /** Replaces what was changed about the rule. */
    async saveRule({ id, added, from, isMuted, changedAt }: RuleChange): Promise<void> {
      const values = {
        kind: added?.kind ?? null,
        threshold: added?.threshold ?? null,
        source: added?.source ?? null,
        from_day: from,
        muted: isMuted ? 1 : 0,
        updated_at: changedAt,
      };
      await db
        .insertInto('store_rules')
        .values({ id, ...values })
        .onConflict((conflict) => conflict.column('id').doUpdateSet(values))
        .execute();
    },

    /** Returns whether the rule existed. */
    async deleteRule(id: string): Promise<boolean> {
      const { numDeletedRows } = await db
        .deleteFrom('store_rules')
        .where('id', '=', id)
        .executeTakeFirstOrThrow();
      return numDeletedRows > 0n;
    },
  };
}
