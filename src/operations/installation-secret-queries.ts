import { defineQueries } from '../db/data.ts';
import type { Queries } from '../db/database.ts';

export const installationSecretQueries = defineQueries(createInstallationSecretQueries);

const name = 'secret-fingerprint';

function createInstallationSecretQueries(db: Queries) {
  return {
    /** Null if none is recorded. */
    async find(): Promise<string | null> {
      const row = await db
        .selectFrom('installation_facts')
        .select('value')
        .where('name', '=', name)
        .executeTakeFirst();
      return row?.value ?? null;
    },

    /** Does nothing if one is recorded. */
    async record(fingerprint: string): Promise<void> {
      await db
        .insertInto('installation_facts')
        .values({ name, value: fingerprint })
        .onConflict((conflict) => conflict.column('name').doNothing())
        .execute();
    },

    async replace(from: string, to: string): Promise<void> {
      await db
        .updateTable('installation_facts')
        .set({ value: to })
        .where('name', '=', name)
        .where('value', '=', from)
        .execute();
    },

    /** Returns whether one was recorded. */
    async forget(): Promise<boolean> {
      const row = await db
        .deleteFrom('installation_facts')
        .where('name', '=', name)
        .returning('name')
        .executeTakeFirst();
      return row !== undefined;
    },
  };
}
