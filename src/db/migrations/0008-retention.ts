import { type Kysely, sql, type Transaction } from 'kysely';

type Schema = Transaction<unknown> | Kysely<unknown>;

/** Which builds are kept: a rule of an App, an Owner or a Workspace, and builds that a rule lets be for a while. */
export async function up(db: Schema): Promise<void> {
  for (const table of ['apps', 'owners', 'workspaces']) {
    await db.schema.alterTable(table).addColumn('retention', 'text').execute();
    // Whether there is any rule at all is asked every day.
    await db.schema
      .createIndex(`${table}_retention`)
      .on(table)
      .column('id')
      .where(sql.ref('retention'), 'is not', null)
      .execute();
  }
  await db.schema.alterTable('builds').addColumn('spared_until', 'bigint').execute();
}
