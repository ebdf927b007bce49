import { type ExpressionBuilder, sql } from 'kysely';
import type { Database, Queries } from '../../db/database.ts';
import type { Tables } from '../../db/tables.ts';
import type { KeyRestriction } from '../../owners/actor.ts';
import type { App, Build } from '../app.ts';
import { selectApps, toApp } from '../app-row-queries.ts';
import { toBuild } from '../builds/build-row-queries.ts';

/** An app with its newest build, or null if all builds were deleted. */
export interface AppListing {
  app: App;
  latest: Build | null;
}

/** Position of an app in a list. The ID breaks ties between equal times. */
export type AppPosition = Pick<App, 'id' | 'lastUploadAt'>;

/** The first `limit` rows, the rows after `below`, or the rows directly above `above`. */
export interface AppListPage {
  limit: number;
  below?: AppPosition | undefined;
  above?: AppPosition | undefined;
}

export function createAppListQueries(db: Queries, database: Pick<Database, 'dialect'>) {
  const hasWord = hasWordOf(database.dialect);
  return {
    /**
     * Lists apps by latest upload: those of the owners and, with `testerId`, those shared with that user. `reach` limits them to
     * the apps of a restricted key. Each of `words` must occur in the name, package name or owner name, ignoring case.
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
          .$if(page.below !== undefined, (query) => query.where(isPastPosition('<', page.below ?? noPlace)))
          .$if(page.above !== undefined, (query) => query.where(isPastPosition('>', page.above ?? noPlace)))
          .orderBy('a.last_upload_at', order)
          .orderBy('a.id', order)
          .limit(page.limit);
      // Each part is read along an index until it is full. Other columns are read only for apps on the page.
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
                  // In a Project, only the teams decide, even if the table still contains shared access.
                  .where('a.owner_id', 'in', (users) => users.selectFrom('users').select('owner_id'))
                  .as('given'),
              )
              .select(['id', 'last_upload_at']),
          ),
        )
        .orderBy('last_upload_at', order)
        .orderBy('id', order)
        .limit(page.limit)
        .execute();
      const ids = keys.map(({ id }) => id);
      return readListings(db, page.above === undefined ? ids : ids.reverse());
    },
  };
}

const nowhere: KeyRestriction = { owners: [], apps: [] };

/** Apps that a restricted key can access. */
function reached(where: ExpressionBuilder<{ a: Tables['apps'] }, 'a'>, { owners, apps }: KeyRestriction) {
  return where.or([
    ...(owners.length > 0 ? [where('a.owner_id', 'in', owners)] : []),
    ...apps.map(({ ownerId, platform, packageName }) =>
      where.and({ 'a.owner_id': ownerId, 'a.platform': platform, 'a.package_name': packageName }),
    ),
  ]);
}

const noPlace: AppPosition = { id: '', lastUploadAt: 0 };
const isPastPosition = (comparison: '<' | '>', { lastUploadAt, id }: AppPosition) =>
  sql<boolean>`(a.last_upload_at, a.id) ${sql.raw(comparison)} (${lastUploadAt}, ${id})`;

/**
 * One concatenated text, because comparisons dominate the cost of a search; words contain no spaces. On SQLite, case is ignored
 * for ASCII letters only.
 */
export function hasWordOf(dialect: Database['dialect']) {
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
    // The newest build of each app is the first row of an index. Querying builds instead would read every build.
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
