import { defineQueries } from '../../db/data.ts';
import type { Queries } from '../../db/database.ts';
import type { KeyRegistration, RegisteredPackage } from './signing-key.ts';

export const keyRegistrationQueries = defineQueries((db: Queries) => ({
  async listOfApp(appId: string): Promise<KeyRegistration[]> {
    const rows = await db.selectFrom('key_registrations').selectAll().where('app_id', '=', appId).execute();
    return rows.map((row) => ({ sha256: row.sha256, registeredAt: row.registered_at }));
  },

  /** Sorted by package name. */
  async listOfOwner(ownerId: string): Promise<RegisteredPackage[]> {
    const rows = await db
      .selectFrom('key_registrations as r')
      .innerJoin('apps as a', 'a.id', 'r.app_id')
      .select(['r.sha256', 'r.registered_at', 'a.package_name'])
      .where('a.owner_id', '=', ownerId)
      .where('a.deleted_at', 'is', null)
      .orderBy('a.package_name')
      .execute();
    return rows.map((row) => ({
      sha256: row.sha256,
      registeredAt: row.registered_at,
      packageName: row.package_name,
    }));
  },

  async isRegistered(appId: string, sha256: string): Promise<boolean> {
    const row = await db
      .selectFrom('key_registrations')
      .select('app_id')
      .where('app_id', '=', appId)
      .where('sha256', '=', sha256)
      .executeTakeFirst();
    return row !== undefined;
  },

  /** Keeps the time of an earlier registration. Returns whether this changed anything. */
  async register(appId: string, { sha256, registeredAt }: KeyRegistration): Promise<boolean> {
    const row = await db
      .insertInto('key_registrations')
      .values({ app_id: appId, sha256, registered_at: registeredAt })
      .onConflict((conflict) => conflict.columns(['app_id', 'sha256']).doNothing())
      .returning('app_id')
      .executeTakeFirst();
    return row !== undefined;
  },

  /** Returns whether this changed anything. */
  async unregister(appId: string, sha256: string): Promise<boolean> {
    const row = await db
      .deleteFrom('key_registrations')
      .where('app_id', '=', appId)
      .where('sha256', '=', sha256)
      .returning('app_id')
      .executeTakeFirst();
    return row !== undefined;
  },
}));
