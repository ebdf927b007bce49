import { type Selectable, sql } from 'kysely';
import type { App } from '../apps/app.ts';
import { selectApps, toApp } from '../apps/app-row-queries.ts';
import { newIdentifier } from '../core/identifier.ts';
import { defineQueries } from '../db/data.ts';
import type { Queries } from '../db/database.ts';
import { prepareQuery } from '../db/prepared-query.ts';
import type { Tables } from '../db/tables.ts';
import { parsePolicies } from '../owners/policies/policies.ts';
import {
  type DistributionPage,
  type DistributionUpdate,
  initialPageSettings,
  type PageAccessKind,
  pageSettingsOfRow,
  pageSettingsToRow,
} from './distribution-page.ts';

export interface PageWithApp {
  page: DistributionPage;
  app: App;
}

interface PageContent {
  buildId: string;
  releaseNote: string;
  now: number;
}

interface NewPage extends PageContent {
  appId: string;
  name: string;
  accessKey: string;
  /** Absent: that of a page in no Workspace. */
  access?: PageAccessKind;
}

export const distributionQueries = defineQueries(createDistributionQueries);

function createDistributionQueries(db: Queries) {
  const recordUpdate = async (pageId: string, content: PageContent) => {
    await db
      .insertInto('distribution_updates')
      .values({
        id: newIdentifier(content.now),
        page_id: pageId,
        build_id: content.buildId,
        release_note: content.releaseNote,
        created_at: content.now,
      })
      .execute();
  };

  const insertion = (page: NewPage) =>
    db.insertInto('distribution_pages').values({
      id: newIdentifier(page.now),
      app_id: page.appId,
      access_key: page.accessKey,
      ...pageSettingsToRow({
        ...initialPageSettings,
        name: page.name,
        access: page.access ?? initialPageSettings.access,
      }),
      build_id: page.buildId,
      release_note: page.releaseNote,
      created_at: page.now,
      updated_at: page.now,
    });

  const updatesOf = (pageId: string) =>
    db
      .selectFrom('distribution_updates as d')
      .innerJoin('builds as b', 'b.id', 'd.build_id')
      .select(updateColumns)
      .where('d.page_id', '=', pageId)
      .where('b.deleted_at', 'is', null)
      .orderBy('d.id', 'desc');

  const pages = () => db.selectFrom('distribution_pages').selectAll().select(workspacePolicies);
  const pageByKey = prepareQuery(db, ['accessKey'], (accessKey) =>
    pages().where('access_key', '=', accessKey),
  );
  const appById = prepareQuery(db, ['id'], (id) => selectApps(db).where('a.id', '=', id));
  const newestUpdate = prepareQuery(db, ['pageId', 'buildId'], (pageId, buildId) =>
    updatesOf(pageId).where('d.build_id', '=', buildId).limit(1),
  );
  const updateOfRevision = prepareQuery(db, ['pageId', 'revision'], (pageId, revision) =>
    updatesOf(pageId)
      // Finds the build of the revision first, because the history of the page can be long.
      .where('d.build_id', '=', (inner) =>
        inner
          .selectFrom('builds as n')
          .innerJoin('distribution_pages as p', 'p.app_id', 'n.app_id')
          .select('n.id')
          .where('p.id', '=', pageId)
          .where('n.revision', '=', revision as unknown as number),
      )
      .limit(1),
  );

  const sizeBefore = prepareQuery(db, ['pageId', 'buildId', 'createdAt'], (pageId, buildId, createdAt) =>
    updatesOf(pageId)
      .clearSelect()
      .select('b.size_bytes')
      .where('d.build_id', '!=', buildId)
      .where('d.created_at', '<=', createdAt as unknown as number)
      .limit(1),
  );

  /** Keys are lowercase hexadecimal, but some tools send them in upper case. */
  const findPage = async (accessKey: string): Promise<DistributionPage | null> => {
    const [row] = await pageByKey(accessKey.toLowerCase());
    return row ? toPage(row) : null;
  };

  return {
    findPage,

    /** Also returns null for a page of a deleted app. */
    async findPageWithApp(accessKey: string): Promise<PageWithApp | null> {
      const page = await findPage(accessKey);
      if (!page) return null;
      const [row] = await appById(page.appId);
      return row ? { page, app: toApp(row) } : null;
    },

    async findPageById(id: string): Promise<DistributionPage | null> {
      const row = await pages().where('id', '=', id).executeTakeFirst();
      return row ? toPage(row) : null;
    },

    async findPageByName(appId: string, name: string): Promise<DistributionPage | null> {
      const row = await pages().where('app_id', '=', appId).where('name', '=', name).executeTakeFirst();
      return row ? toPage(row) : null;
    },

    /** `after`: the last name of the previous page of the list. */
    async listPagesByName(
      appId: string,
      { after, limit }: { after?: string | undefined; limit: number },
    ): Promise<DistributionPage[]> {
      const rows = await pages()
        .where('app_id', '=', appId)
        .$if(after !== undefined, (query) => query.where('name', '>', after ?? ''))
        .orderBy('name')
        .limit(limit)
        .execute();
      return rows.map(toPage);
    },

    /** Publishes another build. Returns null if the page was deleted in the meantime. */
    async updatePage(id: string, content: PageContent): Promise<DistributionPage | null> {
      const row = await db
        .updateTable('distribution_pages')
        .set({ build_id: content.buildId, release_note: content.releaseNote, updated_at: content.now })
        .where('id', '=', id)
        .returningAll()
        .executeTakeFirst();
      if (!row) return null;
      await recordUpdate(row.id, content);
      return toPage(row);
    },

    /** Violates the unique constraint if the app has a page with that name. */
    async insertPage(page: NewPage): Promise<DistributionPage> {
      const row = await insertion(page).returningAll().executeTakeFirstOrThrow();
      await recordUpdate(row.id, page);
      return toPage(row);
    },

    /** Updates or creates the page with that name in one statement, so that two parallel uploads create one page. */
    async putPageByName(page: NewPage): Promise<DistributionPage> {
      const row = await insertion(page)
        .onConflict((conflict) =>
          conflict.columns(['app_id', 'name']).doUpdateSet({
            build_id: page.buildId,
            release_note: page.releaseNote,
            updated_at: page.now,
          }),
        )
        .returningAll()
        .executeTakeFirstOrThrow();
      await recordUpdate(row.id, page);
      return toPage(row);
    },

    /** Newest first. `before`: ID of the last entry of the previous page. */
    async listUpdates(
      pageId: string,
      { limit, before = null }: { limit: number; before?: string | null },
    ): Promise<DistributionUpdate[]> {
      const rows = await updatesOf(pageId)
        .$if(before !== null, (query) => query.where('d.id', '<', before))
        .limit(limit)
        .execute();
      return rows.map(toUpdate);
    },

    /** Returns the size of the build that the page served before this one; null without an earlier one. */
    async sizeServedBefore(pageId: string, build: { id: string; createdAt: number }): Promise<number | null> {
      const [row] = await sizeBefore(pageId, build.id, build.createdAt);
      return row?.size_bytes ?? null;
    },

    /** Returns the newest update with this build, or null. */
    async findUpdateOfBuild(pageId: string, buildId: string): Promise<DistributionUpdate | null> {
      const [row] = await newestUpdate(pageId, buildId);
      return row ? toUpdate(row) : null;
    },

    /** Returns the newest update with this revision, or null. */
    async findUpdate(pageId: string, revision: number): Promise<DistributionUpdate | null> {
      const [row] = await updateOfRevision(pageId, revision);
      return row ? toUpdate(row) : null;
    },
  };
}

const workspacePolicies = sql<string | null>`(select w.policies from apps as pa
  join projects as pp on pp.owner_id = pa.owner_id join workspaces as w on w.id = pp.workspace_id
  where pa.id = distribution_pages.app_id)`.as('workspace_policies');

/** Rows that a change returns lack the policies, which only visits need. */
export function toPage(
  row: Selectable<Tables['distribution_pages']> & { workspace_policies?: string | null },
): DistributionPage {
  return {
    ...pageSettingsOfRow(row),
    workspaceNetworks: parsePolicies(row.workspace_policies ?? null).networks,
    id: row.id,
    appId: row.app_id,
    accessKey: row.access_key,
    passcodeHash: row.passcode_hash,
    installs: row.installs,
    buildId: row.build_id,
    releaseNote: row.release_note,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

/** Selects the columns that `toUpdate` reads. Aliases: `d` for updates, `b` for builds. */
export const updateColumns = [
  'd.id',
  'd.build_id',
  'd.release_note',
  'd.created_at',
  'd.withdrawn',
  'b.revision',
  'b.version_name',
  'b.version_code',
] as const;

interface UpdateRow {
  id: string;
  build_id: string;
  revision: number;
  version_name: string | null;
  version_code: string;
  release_note: string;
  withdrawn: number;
  created_at: number;
}

export function toUpdate(row: UpdateRow): DistributionUpdate {
  return {
    id: row.id,
    buildId: row.build_id,
    revision: row.revision,
    versionName: row.version_name,
    versionCode: row.version_code,
    releaseNote: row.release_note,
    withdrawn: row.withdrawn === 1,
    createdAt: row.created_at,
  };
}
