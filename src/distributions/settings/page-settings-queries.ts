import { isServable } from '../../apps/distributions/page-state.ts';
import { defineQueries } from '../../db/data.ts';
import type { Database, Queries } from '../../db/database.ts';
import { prepareQuery } from '../../db/prepared-query.ts';
import {
  type DistributionPage,
  type DistributionUpdate,
  type PageSettingValues,
  pageSettingsToRow,
} from '../distribution-page.ts';
import { toPage, toUpdate, updateColumns } from '../distribution-queries.ts';

export const pageSettingsQueries = defineQueries(createPageSettingsQueries);

/** Queries that change pages. Queries named `lock…` lock their row until the transaction ends. */
function createPageSettingsQueries(db: Queries, database: Pick<Database, 'dialect'>) {
  // SQLite transactions are exclusive already.
  const locksRows = database.dialect === 'postgres';

  const served = (pageId: string, limit: string) =>
    db
      .selectFrom('distribution_updates as d')
      .innerJoin('builds as b', 'b.id', 'd.build_id')
      .select(updateColumns)
      .where('d.page_id', '=', pageId)
      .where('b.deleted_at', 'is', null)
      // Selects the newest update of each build. A scalar subquery runs once per row on an index and stops at the limit;
      // PostgreSQL plans `not exists` as an anti join that reads the entire history.
      .where('d.id', '=', (inner) =>
        inner
          .selectFrom('distribution_updates as n')
          .select((select) => select.fn.max('n.id').as('id'))
          .where('n.page_id', '=', pageId)
          .whereRef('n.build_id', '=', 'd.build_id'),
      )
      .orderBy('d.id', 'desc')
      .limit(limit as unknown as number);
  const newestServed = prepareQuery(db, ['pageId', 'limit'], served);
  const servedBefore = prepareQuery(db, ['pageId', 'limit', 'before'], (pageId, limit, before) =>
    served(pageId, limit).where('d.id', '<', before),
  );

  return {
    /** Returns null if the page was deleted in the meantime. */
    async lockPage(id: string): Promise<DistributionPage | null> {
      const row = await db
        .selectFrom('distribution_pages')
        .selectAll()
        .where('id', '=', id)
        .$if(locksRows, (query) => query.forNoKeyUpdate())
        .executeTakeFirst();
      return row ? toPage(row) : null;
    },

    /** Locks the build of the revision against deletion. Null if it does not exist. */
    async lockBuild(
      appId: string,
      revision: number,
    ): Promise<{ id: string; message: string; isServable: boolean } | null> {
      const row = await db
        .selectFrom('builds')
        .select(['id', 'message', 'apk_state'])
        .where('app_id', '=', appId)
        .where('revision', '=', revision)
        .where('deleted_at', 'is', null)
        .$if(locksRows, (query) => query.forKeyShare())
        .executeTakeFirst();
      if (!row) return null;
      return { id: row.id, message: row.message, isServable: isServable(row.apk_state) };
    },

    async hasPageNamed(appId: string, name: string): Promise<boolean> {
      const row = await db
        .selectFrom('distribution_pages')
        .select('id')
        .where('app_id', '=', appId)
        .where('name', '=', name)
        .executeTakeFirst();
      return row !== undefined;
    },

    /** Violates the unique constraint if the app has another page with that name. */
    async saveRules(
      id: string,
      values: PageSettingValues & { passcodeHash: string | null; recount: boolean },
    ): Promise<void> {
      await db
        .updateTable('distribution_pages')
        .set({
          ...pageSettingsToRow(values),
          passcode_hash: values.passcodeHash,
          ...(values.recount ? { installs: 0 } : {}),
        })
        .where('id', '=', id)
        .execute();
    },

    /** Changes the note of the live build, on the page and in its history. */
    async saveNote(page: Pick<DistributionPage, 'id' | 'buildId'>, releaseNote: string): Promise<void> {
      await db
        .updateTable('distribution_pages')
        .set({ release_note: releaseNote })
        .where('id', '=', page.id)
        .execute();
      await db
        .updateTable('distribution_updates')
        .set({ release_note: releaseNote })
        .where('id', '=', (inner) =>
          inner
            .selectFrom('distribution_updates as d')
            .select('d.id')
            .where('d.page_id', '=', page.id)
            .where('d.build_id', '=', page.buildId)
            .orderBy('d.id', 'desc')
            .limit(1),
        )
        .execute();
    },

    /** Returns the newest update of each build that the page served, newest first. `before`: ID of an update. */
    async listServedBuilds(
      pageId: string,
      { limit, before = null }: { limit: number; before?: string | null },
    ): Promise<DistributionUpdate[]> {
      const rows = await (before === null
        ? newestServed(pageId, limit)
        : servedBefore(pageId, limit, before));
      return rows.map(toUpdate);
    },

    /** Returns whether anything changed. */
    async setWithdrawn(pageId: string, buildId: string, withdrawn: boolean): Promise<boolean> {
      const rows = await db
        .updateTable('distribution_updates')
        .set({ withdrawn: withdrawn ? 1 : 0 })
        .where('page_id', '=', pageId)
        .where('build_id', '=', buildId)
        .where('withdrawn', '=', withdrawn ? 0 : 1)
        .returning('id')
        .execute();
      return rows.length > 0;
    },

    async setAccessKey(id: string, accessKey: string): Promise<void> {
      await db
        .updateTable('distribution_pages')
        .set({ access_key: accessKey })
        .where('id', '=', id)
        .execute();
    },

    /** Deletes the page with its history, but not its builds. Returns whether it existed. */
    async deletePage(id: string): Promise<boolean> {
      const row = await db
        .deleteFrom('distribution_pages')
        .where('id', '=', id)
        .returning('id')
        .executeTakeFirst();
      return row !== undefined;
    },
  };
}
