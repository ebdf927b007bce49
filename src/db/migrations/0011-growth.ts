import { type Kysely, sql, type Transaction } from 'kysely';

type Schema = Transaction<unknown> | Kysely<unknown>;

interface SpokenBuild {
  id: string;
  app_id: string;
  revision: number;
  version_name: string | null;
  version_code: string;
  message: string;
  branch: string | null;
  commit_id: string | null;
  label: string | null;
}

const buildsPerBatch = 500;
const messageCharacters = 2000;

/** Indexes for large numbers of builds: search, the latest pages of an App, and its counters. */
export async function up(db: Schema): Promise<void> {
  // A narrow table, so that a search reads only matching builds.
  await db.schema
    .createTable('build_words')
    .addColumn('app_id', 'text', (c) => c.notNull())
    .addColumn('revision', 'bigint', (c) => c.notNull())
    .addColumn('words', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('build_words_pk', ['app_id', 'revision'])
    .addForeignKeyConstraint(
      'build_words_build',
      ['app_id', 'revision'],
      'builds',
      ['app_id', 'revision'],
      (c) => c.onDelete('cascade'),
    )
    .execute();
  await fillWords(db);
  await db.schema
    .createIndex('distribution_pages_newest')
    .on('distribution_pages')
    .columns(['app_id', 'updated_at', 'id'])
    .execute();
  await db.schema.createIndex('page_counts_day').on('page_counts').columns(['page_id', 'day']).execute();
}

/** In code, because SQLite lowercases only ASCII letters. */
async function fillWords(db: Schema): Promise<void> {
  let after = '';
  for (;;) {
    const { rows } = await sql<SpokenBuild>`
      select id, app_id, revision, version_name, version_code, message, branch, commit_id, label
      from builds where id > ${after} order by id limit ${buildsPerBatch}`.execute(db);
    const last = rows.at(-1);
    if (!last) return;
    const values = rows.map((row) => sql`(${row.app_id}, ${row.revision}, ${wordsOf(row)})`);
    await sql`insert into build_words (app_id, revision, words) values ${sql.join(values)}`.execute(db);
    after = last.id;
  }
}

function wordsOf(row: SpokenBuild): string {
  const { version_name, version_code, branch, commit_id, label } = row;
  const message = row.message.slice(0, messageCharacters);
  return [version_name, version_code, message, branch, commit_id, label]
    .filter((text) => text !== null)
    .join('\n')
    .toLowerCase();
}
