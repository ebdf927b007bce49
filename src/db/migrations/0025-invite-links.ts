import { type Kysely, sql, type Transaction } from 'kysely';

/** Invitations that several people may use. `max_people` is null for one person. */
export async function up(db: Transaction<unknown> | Kysely<unknown>): Promise<void> {
  const add = () => db.schema.alterTable('invitations');
  await add().addColumn('label', 'text').execute();
  await add().addColumn('max_people', 'bigint').execute();
  await add()
    .addColumn('people', 'bigint', (column) => column.notNull().defaultTo(0))
    .execute();
  await add()
    .addColumn('group_id', 'text', (column) => column.references('groups.id').onDelete('set null'))
    .execute();
  for (const column of ['project_id', 'app_id']) {
    await db.schema
      .createIndex(`invitations_links_${column}`)
      .on('invitations')
      .columns([column, 'id'])
      .where(sql.ref('max_people'), 'is not', null)
      .execute();
  }
  await db.schema
    .createIndex('invitations_group')
    .on('invitations')
    .column('group_id')
    .where(sql.ref('group_id'), 'is not', null)
    .execute();
}
