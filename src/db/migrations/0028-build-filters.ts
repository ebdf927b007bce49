import { type Kysely, PostgresAdapter, sql, type Transaction } from 'kysely';

type Schema = Transaction<unknown> | Kysely<unknown>;

const sqliteSigner = (row: string) => `json_extract(${row}info, '$.signing.certificates[0].sha256')`;
const postgresSigner = (row: string) => `(${row}info::jsonb #>> '{signing,certificates,0,sha256}')`;

/**
 * Filters of the build list: an index for each, and the signer of a build as a column. A trigger fills the column, so
 * that an older version that is still running does, too.
 */
export async function up(db: Schema): Promise<void> {
  await db.schema.alterTable('builds').addColumn('signer', 'text').execute();
  for (const statement of isPostgres(db) ? postgresStatements : sqliteStatements) {
    await sql.raw(statement).execute(db);
  }
  for (const column of ['branch', 'label', 'uploaded_by', 'signer']) {
    await db.schema
      .createIndex(`builds_${column}`)
      .on('builds')
      .columns(['app_id', column, 'revision'])
      .where(sql.ref('deleted_at'), 'is', null)
      .execute();
  }
}

const isPostgres = (db: Schema) => db.getExecutor().adapter instanceof PostgresAdapter;

const sqliteStatements = [
  `update builds set signer = ${sqliteSigner('')}`,
  `create trigger builds_signed after insert on builds begin
  update builds set signer = ${sqliteSigner('new.')} where id = new.id;
end`,
];

const postgresStatements = [
  `update builds set signer = ${postgresSigner('')}`,
  `create function builds_signed() returns trigger language plpgsql as $$
begin
  new.signer = ${postgresSigner('new.')};
  return new;
end $$`,
  'create trigger builds_signed before insert on builds for each row execute function builds_signed()',
];
