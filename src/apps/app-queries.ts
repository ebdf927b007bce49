import { sql } from 'kysely';
import type { Queries } from '../db/database.ts';
import { newIdentifier } from '../identifier.ts';
import type { Platform } from '../packages/package-info.ts';
import type { App, Build } from './app.ts';
import { toBuild } from './build-queries.ts';

export type AppQueries = ReturnType<typeof createAppQueries>;

/** One line of a list of apps: the App with its newest build, null when all of them were deleted. */
export interface AppListing {
  app: App;
  latest: Build | null;
}

export function createAppQueries(db: Queries) {
  const apps = () =>
    db
      .selectFrom('apps as a')
      .innerJoin('owners as o', 'o.id', 'a.owner_id')
      .select([
        'a.id',
        'a.platform',
        'a.package_name',
        'a.secret',
        'a.last_revision',
        'a.created_at',
        'a.last_upload_at',
        'o.id as owner_id',
        'o.kind as owner_kind',
        'o.name as owner_name',
      ])
      .where('a.deleted_at', 'is', null);

  return {
    /**
     * The App of that Owner, platform and package name, made when missing, with its next revision taken: one statement,
     * so that parallel uploads get 1, 2, 3 … each once. Rolls back with its transaction.
     */
    async takeNextRevision(app: {
      ownerId: string;
      platform: Platform;
      packageName: string;
      secret: string;
      now: number;
    }): Promise<Omit<App, 'owner' | 'platform' | 'packageName'>> {
      const row = await db
        .insertInto('apps')
        .values({
          id: newIdentifier(app.now),
          owner_id: app.ownerId,
          platform: app.platform,
          package_name: app.packageName,
          secret: app.secret,
          last_revision: 1,
          created_at: app.now,
          last_upload_at: app.now,
        })
        .onConflict((conflict) =>
          conflict.columns(['owner_id', 'package_name', 'platform']).doUpdateSet((set) => ({
            last_revision: set('apps.last_revision', '+', 1),
            last_upload_at: app.now,
          })),
        )
        .returning(['id', 'last_revision', 'secret', 'created_at', 'last_upload_at'])
        .executeTakeFirstOrThrow();
      return {
        id: row.id,
        lastRevision: row.last_revision,
        secret: row.secret,
        createdAt: row.created_at,
        lastUploadAt: row.last_upload_at,
      };
    },

    async findApp(ownerId: string, platform: Platform, packageName: string): Promise<App | null> {
      const row = await apps()
        .where('a.owner_id', '=', ownerId)
        .where('a.platform', '=', platform)
        .where('a.package_name', '=', packageName)
        .executeTakeFirst();
      return row ? toApp(row) : null;
    },

    async findAppById(id: string): Promise<App | null> {
      const row = await apps().where('a.id', '=', id).executeTakeFirst();
      return row ? toApp(row) : null;
    },

    /** One App for each platform on which the Owner has that package name. */
    async findAppsByPackageName(ownerId: string, packageName: string): Promise<App[]> {
      const rows = await apps()
        .where('a.owner_id', '=', ownerId)
        .where('a.package_name', '=', packageName)
        .orderBy('a.platform')
        .execute();
      return rows.map(toApp);
    },

    /**
     * Latest upload first, `most` of them after the first `skip`; with `testerId` also the Apps to which that User was
     * given access. `words`: each of them is part of the name, the package name or the owner's name, whatever the case.
     */
    async listApps(
      ownerIds: readonly string[],
      skip: number,
      most: number,
      testerId: string | null = null,
      words: readonly string[] = [],
    ): Promise<AppListing[]> {
      if (ownerIds.length === 0) return [];
      const rows = await apps()
        .$if(testerId === null, (query) => query.where('a.owner_id', 'in', ownerIds))
        // A union of ids is found by indexes; `or` with a subquery would read every App on PostgreSQL.
        .$if(testerId !== null, (query) =>
          query.where('a.id', 'in', (inner) =>
            inner
              .selectFrom('apps as m')
              .select('m.id')
              .where('m.owner_id', 'in', ownerIds)
              .union(
                inner
                  .selectFrom('app_testers as t')
                  .select('t.app_id as id')
                  .where('t.user_id', '=', testerId),
              ),
          ),
        )
        .$if(words.length > 0, (query) => query.where((where) => where.and(words.map(hasWord))))
        .orderBy('a.last_upload_at', 'desc')
        .orderBy('a.id', 'desc')
        .offset(skip)
        .limit(most)
        .execute();
      const latest = await latestBuilds(
        db,
        rows.map((row) => row.id),
      );
      return rows.map((row) => ({ app: toApp(row), latest: latest.get(row.id) ?? null }));
    },
  };
}

/** SQLite lowers the letters of English alone: there a name in other letters is found as it is written. */
function hasWord(word: string) {
  const pattern = `%${word.replace(/[\\%_]/g, '\\$&')}%`;
  const holds = (column: string) =>
    sql<boolean>`(lower(${sql.ref(column)}) like ${pattern.toLowerCase()} escape '\\' or ${sql.ref(column)} like ${pattern} escape '\\')`;
  return sql<boolean>`(${holds('a.package_name')} or ${holds('o.name')} or exists (
    select b.id from builds as b where b.app_id = a.id and b.deleted_at is null and b.revision = (
      select max(n.revision) from builds as n where n.app_id = a.id and n.deleted_at is null
    ) and ${holds('b.name')}
  ))`;
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

interface AppRow {
  id: string;
  platform: string;
  package_name: string;
  secret: string;
  last_revision: number;
  created_at: number;
  last_upload_at: number;
  owner_id: string;
  owner_kind: 'user' | 'project';
  owner_name: string;
}

function toApp(row: AppRow): App {
  return {
    id: row.id,
    owner: { id: row.owner_id, kind: row.owner_kind, name: row.owner_name },
    platform: row.platform as Platform,
    packageName: row.package_name,
    secret: row.secret,
    lastRevision: row.last_revision,
    createdAt: row.created_at,
    lastUploadAt: row.last_upload_at,
  };
}
