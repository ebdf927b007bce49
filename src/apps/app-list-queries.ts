import { type ExpressionBuilder, sql } from 'kysely';
import type { Database, Queries } from '../db/database.ts';
import type { Tables } from '../db/tables.ts';
import type { KeyRestriction } from '../owners/actor.ts';
import type { App, Build } from './app.ts';
import { selectApps, toApp } from './app-row-queries.ts';
import { toBuild } from './builds/build-queries.ts';

/** One line of a list of apps: the App with its newest build, null when all of them were deleted. */
export interface AppListing {
  app: App;
  latest: Build | null;
}

/** Where an App stands in a list; times alone may be the same. */
export type AppPlace = Pick<App, 'id' | 'lastUploadAt'>;

/** The first `most`, or those that follow behind `below`, or those that stand nearest before `above`. */
export interface AppListPage {
  most: number;
  below?: AppPlace | undefined;
  above?: AppPlace | undefined;
}

export function createAppListQueries(db: Queries, database: Pick<Database, 'dialect'>) {
  const hasWord = hasWordOf(database.dialect);
  return {
    /**
     * Latest upload first: those of the Owners and, with `testerId`, those to which that User was given access.
     * `reach`: of those, only what the key reaches. `words`: each of them is part of the name, the package name or the owner's name, whatever the case.
     */
    async listApps(
      scope: {
        ownerIds: readonly string[];
        testerId?: string | null;
        words?: readonly string[];
        restriction?: KeyRestriction | null;
      },
      page: AppListPage,
    ): Promise<AppListing[]> {
      const { ownerIds, testerId = null, words = [], restriction = null } = scope;
      if (ownerIds.length === 0) return [];
      const order = page.above !== undefined ? 'asc' : 'desc';
      const listed = () =>
        db
          .selectFrom('apps as a')
          .select(['a.id', 'a.last_upload_at'])
          .where('a.deleted_at', 'is', null)
          .$if(restriction !== null, (query) =>
            query.where((where) => reached(where, restriction ?? nowhere)),
          )
          .$if(words.length > 0, (query) =>
            query
              .innerJoin('owners as o', 'o.id', 'a.owner_id')
              .where((where) => where.and(words.map(hasWord))),
          )
          .$if(page.below !== undefined, (query) => query.where(isBeyond('<', page.below ?? noPlace)))
          .$if(page.above !== undefined, (query) => query.where(isBeyond('>', page.above ?? noPlace)))
          .orderBy('a.last_upload_at', order)
          .orderBy('a.id', order)
          .limit(page.most);
      // Each part is read along an index until it is full, and nothing else of an App before it is known to be shown.
      const owned = listed().where('a.owner_id', 'in', ownerIds);
      const keys = await db
        .selectFrom(owned.as('owned'))
        .select(['id', 'last_upload_at'])
        .$if(testerId !== null, (query) =>
          query.union(
            db
              .selectFrom(
                listed()
                  .innerJoin('app_testers as t', 't.app_id', 'a.id')
                  .where('t.user_id', '=', testerId)
                  .as('given'),
              )
              .select(['id', 'last_upload_at']),
          ),
        )
        .orderBy('last_upload_at', order)
        .orderBy('id', order)
        .limit(page.most)
        .execute();
      const ids = keys.map(({ id }) => id);
      return readListings(db, page.above === undefined ? ids : ids.reverse());
    },
  };
}

const nowhere: KeyRestriction = { owners: [], apps: [] };

/** The Apps on which a restricted key acts. */
function reached(where: ExpressionBuilder<{ a: Tables['apps'] }, 'a'>, { owners, apps }: KeyRestriction) {
  return where.or([
    ...(owners.length > 0 ? [where('a.owner_id', 'in', owners)] : []),
    ...apps.map(({ ownerId, platform, packageName }) =>
      where.and({ 'a.owner_id': ownerId, 'a.platform': platform, 'a.package_name': packageName }),
    ),
  ]);
}

const noPlace: AppPlace = { id: '', lastUploadAt: 0 };
const isBeyond = (comparison: '<' | '>', { lastUploadAt, id }: AppPlace) =>
  sql<boolean>`(a.last_upload_at, a.id) ${sql.raw(comparison)} (${lastUploadAt}, ${id})`;

/**
 * In one text, because comparing is what a search costs; a word has no space in it. SQLite knows only the letters of
 * English in both cases: there a name in other letters is found as it is written.
 */
function hasWordOf(dialect: Database['dialect']) {
  const like = sql.raw(dialect === 'postgres' ? 'ilike' : 'like');
  return (word: string) => {
    const pattern = `%${word.replace(/[\\%_]/g, '\\$&')}%`;
    return sql<boolean>`(a.package_name || ' ' || o.name || ' ' || coalesce(a.latest_name, '')) ${like} ${pattern} escape '\\'`;
  };
}

async function readListings(db: Queries, ids: string[]): Promise<AppListing[]> {
  if (ids.length === 0) return [];
  const rows = await selectApps(db).where('a.id', 'in', ids).execute();
  const apps = new Map(rows.map((row) => [row.id, toApp(row)]));
  const latest = await latestBuilds(db, ids);
  return ids.flatMap((id) => {
    const app = apps.get(id);
    return app ? [{ app, latest: latest.get(id) ?? null }] : [];
  });
}

async function latestBuilds(db: Queries, appIds: string[]): Promise<Map<string, Build>> {
  if (appIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('builds as b')
    .selectAll('b')
    // Each App's newest is the first of an index; asked of the builds instead, every one of them would be read.
    .where('b.id', 'in', (inner) =>
      inner
        .selectFrom('apps as a')
        .select((select) =>
          select
            .selectFrom('builds as n')
            .select('n.id')
            .whereRef('n.app_id', '=', 'a.id')
            .where('n.deleted_at', 'is', null)
            .orderBy('n.revision', 'desc')
            .limit(1)
            .as('newest'),
        )
        .where('a.id', 'in', appIds),
    )
    .execute();
  return new Map(rows.map((row) => [row.app_id, toBuild(row)]));
}
