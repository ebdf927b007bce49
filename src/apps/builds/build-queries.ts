import { type Selectable, sql } from 'kysely';
import type { DamageReason } from '../../blobs/verify-blob.ts';
import { defineQueries } from '../../db/data.ts';
import type { Queries } from '../../db/database.ts';
import { prepareQuery } from '../../db/prepared-query.ts';
import type { Tables } from '../../db/tables.ts';
import type { SignatureVerification } from '../../packages/package-info.ts';
import type { Build, BundleApk, IconState } from '../app.ts';
import { buildFieldList, buildFields, mapBuildFields } from '../build-fields.ts';
import { isServable } from '../distributions/page-state.ts';
import { namedScreenshots } from '../files/screenshot-queries.ts';
import { namedSymbolFiles } from '../files/symbol-file-queries.ts';
import { matchesFilters } from './build-filter-queries.ts';
import type { BuildFilters } from './build-filters.ts';
import { maxSearchedRevisions, searchTextOf } from './build-labels.ts';
import { apkColumns, blobColumns, blobsOf, toBuild, toBuildRow } from './build-row-queries.ts';

export const buildQueries = defineQueries(createBuildQueries);

/** Selects builds by their source; absent fields do not filter. */
interface BuildOrigin {
  commit?: string | undefined;
  versionName?: string | undefined;
  versionCode?: string | undefined;
  sha256?: string | undefined;
}

/** Deleted builds are excluded from all queries that do not say otherwise. */
function createBuildQueries(db: Queries) {
  const buildById = prepareQuery(db, ['id'], (id) =>
    db.selectFrom('builds').selectAll().where('id', '=', id).where('deleted_at', 'is', null),
  );
  return {
    async insertBuild(build: Build): Promise<void> {
      await db.insertInto('builds').values(toBuildRow(build)).execute();
      const words = searchTextOf({ ...build, ...build.info });
      await db
        .insertInto('build_words')
        .values({ app_id: build.appId, revision: build.revision, words })
        .execute();
    },

    async findBuild(id: string): Promise<Build | null> {
      const [row] = await buildById(id);
      return row ? toBuild(row) : null;
    },

    async findBuildByRevision(appId: string, revision: number): Promise<Build | null> {
      const row = await db
        .selectFrom('builds')
        .selectAll()
        .where('app_id', '=', appId)
        .where('revision', '=', revision)
        .where('deleted_at', 'is', null)
        .executeTakeFirst();
      return row ? toBuild(row) : null;
    },

    /** Newest first: the builds below a revision, or the ones directly above it. */
    async listBuilds(
      appId: string,
      page: {
        below?: number | undefined;
        above?: number;
        limit: number;
        /** How many to skip from the start. */
        skip?: number;
        filters?: BuildFilters;
        origin?: BuildOrigin;
      },
    ): Promise<Build[]> {
      const { commit, versionName, versionCode, sha256 } = page.origin ?? {};
      const rows = await db
        .selectFrom('builds as b')
        .selectAll('b')
        .where('b.app_id', '=', appId)
        .where('b.deleted_at', 'is', null)
        .where(matchesFilters(page.filters ?? {}))
        .$if(commit !== undefined, (query) => query.where('b.commit_id', '=', commit ?? ''))
        .$if(versionName !== undefined, (query) => query.where('b.version_name', '=', versionName ?? ''))
        .$if(versionCode !== undefined, (query) => query.where('b.version_code', '=', versionCode ?? ''))
        .$if(sha256 !== undefined, (query) => query.where('b.sha256', '=', sha256 ?? ''))
        .$if(page.below !== undefined, (query) => query.where('b.revision', '<', page.below ?? 0))
        .$if(page.above !== undefined, (query) => query.where('b.revision', '>', page.above ?? 0))
        .orderBy('b.revision', page.above === undefined ? 'desc' : 'asc')
        .limit(page.limit)
        .$if(page.skip !== undefined, (query) => query.offset(page.skip ?? 0))
        .execute();
      const builds = rows.map(toBuild);
      return page.above === undefined ? builds : builds.reverse();
    },

    /**
     * Like `listBuilds`, but only builds with the text in version, message, branch, commit or label, ignoring case.
     * Searches at most `maxSearchedRevisions` revisions: if it stops before the page is full, pass `next` as `below` or
     * `above` to continue.
     */
    async searchBuilds(
      appId: string,
      page: ({ below: number } | { above: number }) & { limit: number; text: string; filters?: BuildFilters },
    ): Promise<{ builds: Build[]; next: number }> {
      const upwards = 'above' in page;
      const [first, end] = upwards
        ? [page.above + 1, page.above + 1 + maxSearchedRevisions]
        : [page.below - maxSearchedRevisions, page.below];
      const rows = await db
        .selectFrom('build_words as s')
        .innerJoin('builds as b', (join) =>
          join.onRef('b.app_id', '=', 's.app_id').onRef('b.revision', '=', 's.revision'),
        )
        .selectAll('b')
        .where('s.app_id', '=', appId)
        .where('s.revision', '>=', first)
        .where('s.revision', '<', end)
        .where(messageContains(page.text))
        .where(matchesFilters(page.filters ?? {}))
        .where('b.deleted_at', 'is', null)
        .orderBy('s.revision', upwards ? 'asc' : 'desc')
        .limit(page.limit)
        .execute();
      const builds = rows.map(toBuild);
      return { builds: upwards ? builds.reverse() : builds, next: upwards ? end - 1 : first };
    },

    async listByRevisions(appId: string, revisions: readonly number[]): Promise<Build[]> {
      if (revisions.length === 0) return [];
      const rows = await db
        .selectFrom('builds')
        .selectAll()
        .where('app_id', '=', appId)
        .where('revision', 'in', revisions)
        .where('deleted_at', 'is', null)
        .orderBy('revision', 'desc')
        .execute();
      return rows.map(toBuild);
    },

    /** Returns what pages show of the builds that they serve, by ID; deleted builds are left out. */
    async servedBuilds(
      buildIds: readonly string[],
    ): Promise<Map<string, { revision: number; isServable: boolean }>> {
      if (buildIds.length === 0) return new Map();
      const rows = await db
        .selectFrom('builds')
        .select(['id', 'revision', 'apk_state'])
        .where('id', 'in', buildIds)
        .where('deleted_at', 'is', null)
        .execute();
      return new Map(
        rows.map((row) => [row.id, { revision: row.revision, isServable: isServable(row.apk_state) }]),
      );
    },

    /** Sets the final state of a pending icon. Returns false if another call did so, or the build no longer exists. */
    async settleIcon(buildId: string, icon: IconState): Promise<boolean> {
      const row = await db
        .updateTable('builds')
        .set({ icon_state: icon.state, icon_blob: icon.state === 'drawn' ? icon.blob : null })
        .where('id', '=', buildId)
        .where('icon_state', '=', 'pending')
        .returning('id')
        .executeTakeFirst();
      return row !== undefined;
    },

    /** Returns whether the build exists and the value changed. */
    async setProtected(buildId: string, isProtected: boolean): Promise<boolean> {
      const row = await db
        .updateTable('builds')
        .set({ protected: isProtected ? 1 : 0 })
        .where('id', '=', buildId)
        .where('deleted_at', 'is', null)
        .where('protected', '=', isProtected ? 0 : 1)
        .returning('id')
        .executeTakeFirst();
      return row !== undefined;
    },

    /** Returns false if the message is no longer `seen`, unless that is null, or the build no longer exists. Call it in a transaction. */
    async changeMessage(buildId: string, seen: string | null, message: string): Promise<boolean> {
      const row = await db
        .updateTable('builds')
        .set({ message })
        .where('id', '=', buildId)
        .where('deleted_at', 'is', null)
        .$if(seen !== null, (query) => query.where('message', '=', seen ?? ''))
        .returning(searchedColumns)
        .executeTakeFirst();
      if (row) await updateWords(db, row);
      return row !== undefined;
    },

    /** Returns false if the build no longer exists. Call it in a transaction. */
    async changeLabel(buildId: string, label: string): Promise<boolean> {
      const row = await db
        .updateTable('builds')
        .set({ label })
        .where('id', '=', buildId)
        .where('deleted_at', 'is', null)
        .returning(searchedColumns)
        .executeTakeFirst();
      if (row) await updateWords(db, row);
      return row !== undefined;
    },

    /**
     * Stores the result of a check of the stored files. Returns false if the build no longer exists or references another icon by
     * now, because the result is then obsolete.
     */
    async setDamage(
      { id, iconBlob }: { id: string; iconBlob: string | null },
      damage: Readonly<Record<string, DamageReason>>,
    ): Promise<boolean> {
      const row = await db
        .updateTable('builds')
        .set({ damage: Object.keys(damage).length > 0 ? JSON.stringify(damage) : null })
        .where('id', '=', id)
        .where((where) =>
          iconBlob === null ? where('icon_blob', 'is', null) : where('icon_blob', '=', iconBlob),
        )
        .returning('id')
        .executeTakeFirst();
      return row !== undefined;
    },

    /** Includes deleted builds that can be restored. */
    async countDamaged(): Promise<number> {
      const row = await db
        .selectFrom('builds')
        .select((select) => select.fn.countAll<number>().as('count'))
        .where('damage', 'is not', null)
        .executeTakeFirstOrThrow();
      return Number(row.count);
    },

    async setVerification(buildId: string, verification: SignatureVerification): Promise<void> {
      await db
        .updateTable('builds')
        .set({ verification: JSON.stringify(verification) })
        .where('id', '=', buildId)
        .execute();
    },

    /**
     * Sets the final state of the APK of an app bundle, also for deleted builds, which can be restored. Returns false if the
     * build no longer exists, or had a final state. For an APK that is ready, lock the owner first: it changes the storage
     * totals.
     */
    async settleApk(buildId: string, apk: BundleApk): Promise<boolean> {
      const { apk_bytes: bytes, ...columns } = apkColumns(apk);
      const row = await db
        .updateTable('builds')
        // Setting the size fires a trigger that locks the totals.
        .set(bytes === null ? columns : { ...columns, apk_bytes: bytes })
        .where('id', '=', buildId)
        .where('apk_state', '=', 'converting')
        .returning('id')
        .executeTakeFirst();
      return row !== undefined;
    },

    /** Like `findBuild`, but also finds deleted builds that can be restored. */
    async findStoredBuild(id: string): Promise<Build | null> {
      const row = await db.selectFrom('builds').selectAll().where('id', '=', id).executeTakeFirst();
      return row ? toBuild(row) : null;
    },

    /** Also finds deleted builds. */
    async findConvertingBuild(id: string): Promise<Build | null> {
      const row = await db
        .selectFrom('builds')
        .selectAll()
        .where('id', '=', id)
        .where('apk_state', '=', 'converting')
        .executeTakeFirst();
      return row ? toBuild(row) : null;
    },

    /** Returns the keys that are referenced by a build, a symbol file or a screenshot, including deleted builds that can be restored. */
    async namedBlobs<Key extends string>(keys: readonly Key[]): Promise<Set<Key>> {
      if (keys.length === 0) return new Set();
      const rows = await db
        .selectFrom('builds')
        .select(blobColumns)
        .where((where) => where.or(blobColumns.map((column) => where(column, 'in', keys))))
        .execute();
      const ofBuilds = rows.flatMap(blobsOf);
      const named = new Set<string | null>([
        ...ofBuilds,
        ...(await namedScreenshots(db, keys)),
        ...(await namedSymbolFiles(db, keys)),
      ]);
      return new Set(keys.filter((key) => named.has(key)));
    },
  };
}

const searchedColumns = [
  'app_id',
  'revision',
  'version_name',
  'version_code',
  'message',
  'source',
  ...buildFieldList.map((field) => buildFields[field].column),
] as const;

async function updateWords(
  db: Queries,
  row: Pick<Selectable<Tables['builds']>, (typeof searchedColumns)[number]>,
): Promise<void> {
  const { version_name: versionName, version_code: versionCode, message } = row;
  const fields = mapBuildFields((field) => row[buildFields[field].column]);
  const source = row.source === null ? null : JSON.parse(row.source);
  await db
    .updateTable('build_words')
    .set({ words: searchTextOf({ versionName, versionCode, message, source, ...fields }) })
    .where('app_id', '=', row.app_id)
    .where('revision', '=', row.revision)
    .execute();
}

function messageContains(text: string) {
  const pattern = `%${text.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`;
  return sql<boolean>`s.words like ${pattern} escape '\\'`;
}
