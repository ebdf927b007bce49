import { defineQueries } from '../../db/data.ts';
import type { Queries } from '../../db/database.ts';
import type { PackageInfo } from '../../packages/package-info.ts';
import type { CheckFacts } from './check-facts.ts';
import type { Acceptance } from './check-result.ts';
import type { RuleChange, StoreRuleKind } from './store-rules.ts';

export const checkQueries = defineQueries(createCheckQueries);

/** A build that sizes are compared with. */
export interface EarlierBuild {
  id: string;
  revision: number;
  info: PackageInfo;
  facts: CheckFacts | null;
}

export interface BuildPosition {
  id: string;
  appId: string;
  revision: number;
  branch: string | null;
}

function createCheckQueries(db: Queries) {
  const earlier = () =>
    db
      .selectFrom('builds as b')
      .leftJoin('build_checks as c', 'c.build_id', 'b.id')
      .select(['b.id', 'b.revision', 'b.info', 'c.facts'])
      .where('b.deleted_at', 'is', null);
  const toEarlier = (row: { id: string; revision: number; info: string; facts: string | null }) => ({
    ...row,
    info: JSON.parse(row.info) as PackageInfo,
    facts: row.facts === null ? null : (JSON.parse(row.facts) as CheckFacts),
  });

  return {
    async store(buildId: string, facts: CheckFacts, now: number): Promise<void> {
      const values = { facts: JSON.stringify(facts), updated_at: now };
      await db
        .insertInto('build_checks')
        .values({ build_id: buildId, ...values })
        .onConflict((conflict) => conflict.column('build_id').doUpdateSet(values))
        .execute();
    },

    async listFacts(buildIds: readonly string[]): Promise<ReadonlyMap<string, CheckFacts>> {
      if (buildIds.length === 0) return new Map();
      const rows = await db
        .selectFrom('build_checks')
        .select(['build_id', 'facts'])
        .where('build_id', 'in', buildIds)
        .execute();
      return new Map(rows.map((row) => [row.build_id, JSON.parse(row.facts) as CheckFacts]));
    },

    async listFactsByRevision(
      appId: string,
      revisions: readonly number[],
    ): Promise<ReadonlyMap<number, CheckFacts>> {
      if (revisions.length === 0) return new Map();
      const rows = await db
        .selectFrom('builds as b')
        .innerJoin('build_checks as c', 'c.build_id', 'b.id')
        .select(['b.revision', 'c.facts'])
        .where('b.app_id', '=', appId)
        .where('b.revision', 'in', revisions)
        .execute();
      return new Map(rows.map((row) => [row.revision, JSON.parse(row.facts) as CheckFacts]));
    },

    /** The build before it on the first page that served it; without one, the app's previous build, of the same branch if there is one. */
    async findPrevious({ id, appId, revision, branch }: BuildPosition): Promise<EarlierBuild | null> {
      const onPage = await earlier()
        .innerJoin('distribution_updates as before', 'before.build_id', 'b.id')
        .innerJoin('distribution_updates as own', 'own.page_id', 'before.page_id')
        .where('own.build_id', '=', id)
        .where('b.id', '!=', id)
        .whereRef('before.id', '<', 'own.id')
        .orderBy('own.id')
        .orderBy('before.id', 'desc')
        .limit(1)
        .executeTakeFirst();
      if (onPage) return toEarlier(onPage);
      const before = earlier().where('b.app_id', '=', appId).where('b.revision', '<', revision);
      const newest = before.orderBy('b.revision', 'desc').limit(1);
      const found =
        (branch === null ? undefined : await newest.where('b.branch', '=', branch).executeTakeFirst()) ??
        (await newest.executeTakeFirst());
      return found ? toEarlier(found) : null;
    },

    async findNewestOfBranch(
      { appId, revision }: BuildPosition,
      branch: string,
    ): Promise<EarlierBuild | null> {
      const row = await earlier()
        .where('b.app_id', '=', appId)
        .where('b.revision', '<', revision)
        .where('b.branch', '=', branch)
        .orderBy('b.revision', 'desc')
        .limit(1)
        .executeTakeFirst();
      return row ? toEarlier(row) : null;
    },

    /** Whether the key that signed the build is marked as registered; absent for builds that were signed with a key that Slipway does not have. */
    async listKeyRegistrations(buildIds: readonly string[]): Promise<ReadonlyMap<string, boolean>> {
      if (buildIds.length === 0) return new Map();
      const rows = await db
        .selectFrom('builds as b')
        .leftJoin('key_registrations as r', (join) =>
          join.onRef('r.app_id', '=', 'b.app_id').onRef('r.sha256', '=', 'b.signer'),
        )
        .select(['b.id', 'r.registered_at'])
        .where('b.id', 'in', buildIds)
        .where((where) => where.or([where('b.apk_state', 'is not', null), where('r.sha256', 'is not', null)]))
        .execute();
      return new Map(rows.map((row) => [row.id, row.registered_at !== null]));
    },

    async findSettings(appId: string): Promise<string | null> {
      const row = await db.selectFrom('apps').select('checks').where('id', '=', appId).executeTakeFirst();
      return row?.checks ?? null;
    },

    /** Returns whether the app exists. */
    async setSettings(appId: string, settings: string): Promise<boolean> {
      const { numUpdatedRows } = await db
        .updateTable('apps')
        .set({ checks: settings })
        .where('id', '=', appId)
        .where('deleted_at', 'is', null)
        .executeTakeFirstOrThrow();
      return numUpdatedRows > 0n;
    },

    async listAcceptances(buildIds: readonly string[]): Promise<ReadonlyMap<string, Acceptance[]>> {
      const byBuild = new Map<string, Acceptance[]>(buildIds.map((id) => [id, []]));
      if (buildIds.length === 0) return byBuild;
      const rows = await db
        .selectFrom('check_acceptances')
        .selectAll()
        .where('build_id', 'in', buildIds)
        .orderBy('check_id')
        .execute();
      for (const row of rows)
        byBuild.get(row.build_id)?.push({
          checkId: row.check_id,
          by: row.accepted_by,
          reason: row.reason,
          at: row.created_at,
        });
      return byBuild;
    },

    async accept(buildId: string, { checkId, reason, by, at }: Acceptance): Promise<void> {
      const values = { reason, accepted_by: by, created_at: at };
      await db
        .insertInto('check_acceptances')
        .values({ build_id: buildId, check_id: checkId, ...values })
        .onConflict((conflict) => conflict.columns(['build_id', 'check_id']).doUpdateSet(values))
        .execute();
    },

    /** Returns whether it was accepted. */
    async revoke(buildId: string, checkId: string): Promise<boolean> {
      const { numDeletedRows } = await db
        .deleteFrom('check_acceptances')
        .where('build_id', '=', buildId)
        .where('check_id', '=', checkId)
        .executeTakeFirstOrThrow();
      return numDeletedRows > 0n;
    },

    async listRuleChanges(): Promise<RuleChange[]> {
      const rows = await db.selectFrom('store_rules').selectAll().orderBy('id').execute();
      return rows.map(({ id, kind, threshold, source, from_day: from, muted, updated_at: changedAt }) => ({
        id,
        added: kind === null ? null : { kind: kind as StoreRuleKind, threshold, source: source ?? '' },
        from,
        isMuted: muted === 1,
        changedAt,
      }));
    },
  };
}
