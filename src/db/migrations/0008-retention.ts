import { type Kysely, sql, type Transaction } from 'kysely';

type Schema = Transaction<unknown> | Kysely<unknown>;

/** Retention rules of Apps, Owners and Workspaces, and temporary exemptions of builds. */
export async function up(db: Schema): Promise<void> {
  for (const table of ['apps', 'owners', 'workspaces']) {
    await db.schema.alterTable(table).addColumn('retention', 'text').execute();
    // Every day, a query checks whether any rule exists.
    await db.schema
      .createIndex(`${table}_retention`)
      .on(table)
      .column('id')
      .where(sql.ref('retention'), 'is not', null)
      .execute();
  }
  await db.schema.alterTable('builds').addColumn('spared_until', 'bigint').execute();
}
