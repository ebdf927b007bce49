import { sql } from 'kysely';
import { newIdentifier } from '../core/identifier.ts';
import { defineQueries } from '../db/data.ts';
import type { Database, Queries } from '../db/database.ts';
import type { PackageInfo, Platform } from '../packages/package-info.ts';
import type { App } from './app.ts';
import { selectApps, selectStoredApps, toApp } from './app-row-queries.ts';
import { createAppListQueries } from './lists/app-list-queries.ts';

export const appQueries = defineQueries(createAppQueries);

function createAppQueries(db: Queries, database: Pick<Database, 'dialect'>) {
  const apps = () => selectApps(db);

  return {
    ...createAppListQueries(db, database),

    /**
     * Finds or creates the app and takes its next revision in one statement, so that parallel uploads get 1, 2, 3 … each once. A
     * rollback of the transaction undoes it.
     */
    async takeNextRevision(app: {
      ownerId: string;
      platform: Platform;
      packageName: string;
      secret: string;
      now: number;
    }): Promise<Omit<App, 'owner' | 'platform' | 'packageName' | 'latestName'>> {
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
        .returning([
          'id',
          'last_revision',
          'secret',
          'secret_rotations',
          'created_at',
          'last_upload_at',
          'trusted_publishers_only',
        ])
        .executeTakeFirstOrThrow();
      return {
        id: row.id,
        lastRevision: row.last_revision,
        secret: row.secret,
        secretRotations: row.secret_rotations,
        createdAt: row.created_at,
        lastUploadAt: row.last_upload_at,
        trustedPublishersOnly: row.trusted_publishers_only === 1,
      };
    },

    /** Returns whether the App exists. */
    async rotateSecret(id: string, secret: string): Promise<boolean> {
      const row = await db
        .updateTable('apps')
        .set((set) => ({ secret, secret_rotations: set('secret_rotations', '+', 1) }))
        .where('id', '=', id)
        .where('deleted_at', 'is', null)
        .returning('id')
        .executeTakeFirst();
      return row !== undefined;
    },

    async findApp(ownerId: string, platform: Platform, packageName: string): Promise<App | null> {
      const row = await apps()
        .where('a.owner_id', '=', ownerId)
        .where('a.platform', '=', platform)
        .where('a.package_name', '=', packageName)
        .executeTakeFirst();
      return row ? toApp(row) : null;
    },

    /** Sorted by package name and platform, so that uploads do not change the order. */
    async listAppsByName(
      ownerId: string,
      page: { after?: Pick<App, 'packageName' | 'platform'> | undefined; limit: number },
    ): Promise<App[]> {
      const { after } = page;
      const rows = await apps()
        .where('a.owner_id', '=', ownerId)
        .$if(after !== undefined, (query) =>
          query.where(
            sql<boolean>`(a.package_name, a.platform) > (${after?.packageName}, ${after?.platform})`,
          ),
        )
        .orderBy('a.package_name')
        .orderBy('a.platform')
        .limit(page.limit)
        .execute();
      return rows.map(toApp);
    },

    async findAppById(id: string): Promise<App | null> {
      const row = await apps().where('a.id', '=', id).executeTakeFirst();
      return row ? toApp(row) : null;
    },

    /** Like `findAppById`, but also finds a deleted app that still has builds, by the name that it had. */
    async findStoredApp(id: string): Promise<App | null> {
      const row = await selectStoredApps(db)
        .innerJoin('builds as b', 'b.app_id', 'a.id')
        .select('b.info')
        .where('a.id', '=', id)
        .orderBy('b.revision', 'desc')
        .limit(1)
        .executeTakeFirst();
      if (!row) return null;
      const { packageName } = JSON.parse(row.info) as PackageInfo;
      return { ...toApp(row), packageName };
    },

    /** Returns one app per platform with that package name. */
    async findAppsByPackageName(ownerId: string, packageName: string): Promise<App[]> {
      const rows = await apps()
        .where('a.owner_id', '=', ownerId)
        .where('a.package_name', '=', packageName)
        .orderBy('a.platform')
        .execute();
      return rows.map(toApp);
    },
  };
}
