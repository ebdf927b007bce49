import { type ExpressionBuilder, sql } from 'kysely';
import type { App, Build } from '../../apps/app.ts';
import { selectApps, toApp } from '../../apps/app-row-queries.ts';
import { toBuild } from '../../apps/builds/build-row-queries.ts';
import { defineQueries } from '../../db/data.ts';
import type { Queries } from '../../db/database.ts';
import type { InsightTables } from '../../db/insight-tables.ts';
import { type Library, libraryName } from './compare-libraries.ts';

export const libraryQueries = defineQueries(createLibraryQueries);

export interface FoundLibrary {
  app: App;
  build: Build;
  /** `group:name`, or the name alone. */
  library: string;
  version: string | null;
}

/** A row and what it is named by. */
export interface LibraryRow {
  buildId: string;
  library: string;
  version: string | null;
}

/** The end of a page: the rows are in this order, the newest build first. */
export type LibraryPosition = readonly [buildId: string, library: string, version: string];

/** PostgreSQL allows 65,535 values per statement, SQLite half as many. */
const rowsPerStatement = 1_000;

/** The first condition is for the index. */
const isAfter = (
  where: ExpressionBuilder<{ l: InsightTables['build_libraries'] }, 'l'>,
  [buildId, library, version]: LibraryPosition,
) =>
  where.and([
    where('l.build_id', '<=', buildId),
    where.or([
      where('l.build_id', '<', buildId),
      where('l.library', '>', library),
      where.and([where('l.library', '=', library), where('l.version', '>', version)]),
    ]),
  ]);

function createLibraryQueries(db: Queries) {
  return {
    /** Replaces the libraries of a build, which can have several versions of one. */
    async replace(buildId: string, libraries: readonly Library[]): Promise<void> {
      await db.deleteFrom('build_libraries').where('build_id', '=', buildId).execute();
      const distinct = new Map(libraries.map((one) => [`${libraryName(one)} ${one.version ?? ''}`, one]));
      const rows = [...distinct.values()].map((library) => ({
        build_id: buildId,
        library: libraryName(library),
        name_key: library.name.toLowerCase(),
        version: library.version ?? '',
      }));
      for (let at = 0; at < rows.length; at += rowsPerStatement)
        await db
          .insertInto('build_libraries')
          .values(rows.slice(at, at + rowsPerStatement))
          .execute();
    },

    /**
     * Lists builds that contain the library after a position, the newest first: those of apps of the owners, and of apps that Users share with the
     * tester.
     * @param wanted a name, or `group:name`; case is ignored
     * @param scope `latest`: the newest build of each app, and those that pages serve
     */
    async find(
      visible: { ownerIds: readonly string[]; testerId: string },
      wanted: string,
      scope: 'latest' | 'all',
      { after, limit }: { after: LibraryPosition | null; limit: number },
    ): Promise<LibraryRow[]> {
      const key = wanted.toLowerCase();
      const name = key.slice(key.lastIndexOf(':') + 1);
      const rows = await db
        .selectFrom('build_libraries as l')
        .innerJoin('builds as b', 'b.id', 'l.build_id')
        .innerJoin('apps as a', 'a.id', 'b.app_id')
        .select(['l.build_id', 'l.library', 'l.version'])
        .where('l.name_key', '=', name)
        .$if(after !== null, (query) => query.where((where) => isAfter(where, after ?? ['', '', ''])))
        .where('a.deleted_at', 'is', null)
        .where((where) =>
          where.or([
            where('a.owner_id', 'in', visible.ownerIds),
            // In a Project, only the teams decide, even if the table still contains shared access.
            where.exists(
              where
                .selectFrom('app_testers as t')
                .innerJoin('users as u', 'u.owner_id', 'a.owner_id')
                .select('t.app_id')
                .whereRef('t.app_id', '=', 'a.id')
                .where('t.user_id', '=', visible.testerId),
            ),
          ]),
        )
        .where('b.deleted_at', 'is', null)
        .$if(name !== key, (query) => query.where(sql<boolean>`lower(l.library) = ${key}`))
        .$if(scope === 'latest', (query) =>
          query.where((where) =>
            where.or([
              where(
                'b.revision',
                '=',
                where
                  .selectFrom('builds as newest')
                  .select(({ fn }) => fn.max('newest.revision').as('revision'))
                  .whereRef('newest.app_id', '=', 'b.app_id')
                  .where('newest.deleted_at', 'is', null),
              ),
              where.exists(
                where
                  .selectFrom('distribution_pages as p')
                  .select('p.id')
                  .whereRef('p.build_id', '=', 'b.id'),
              ),
            ]),
          ),
        )
        .orderBy('l.build_id', 'desc')
        .orderBy('l.library')
        .orderBy('l.version')
        .limit(limit)
        .execute();
      return rows.map((row) => ({
        buildId: row.build_id,
        library: row.library,
        version: row.version || null,
      }));
    },

    /** Adds the builds and apps to the rows. */
    async load(rows: readonly LibraryRow[]): Promise<FoundLibrary[]> {
      if (rows.length === 0) return [];
      const ids = [...new Set(rows.map(({ buildId }) => buildId))];
      const builds = (await db.selectFrom('builds').selectAll().where('id', 'in', ids).execute()).map(
        toBuild,
      );
      const appIds = [...new Set(builds.map(({ appId }) => appId))];
      const appRows = await selectApps(db).where('a.id', 'in', appIds).execute();
      const apps = new Map(appRows.map((row) => [row.id, toApp(row)]));
      const byId = new Map(builds.map((build) => [build.id, build]));
      return rows.flatMap(({ buildId, library, version }) => {
        const build = byId.get(buildId);
        const app = build && apps.get(build.appId);
        return build && app ? [{ app, build, library, version }] : [];
      });
    },
  };
}
