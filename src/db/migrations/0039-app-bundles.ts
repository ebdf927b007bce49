import { type Kysely, PostgresAdapter, sql, type Transaction } from 'kysely';
import { add, addBuilds, postgresFunction, sqliteTrigger } from './0012-stored-totals.ts';

type Schema = Transaction<unknown> | Kysely<unknown>;

/**
 * The APKs that are made of Android App Bundles, and the keys that sign them. `apk_state` is null for other builds. A key that
 * `continues` the one before it has a proof of rotation.
 */
export async function up(db: Schema): Promise<void> {
  for (const column of ['apk_state', 'apk_blob', 'apk_sha256', 'apk_error'] as const)
    await db.schema.alterTable('builds').addColumn(column, 'text').execute();
  for (const column of ['apk_percent', 'apk_bytes'] as const)
    await db.schema.alterTable('builds').addColumn(column, 'bigint').execute();
  await db.schema.createIndex('builds_apk_blob').on('builds').column('apk_blob').unique().execute();
  await db.schema
    .createTable('signing_keys')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('owner_id', 'text', (c) => c.notNull().references('owners.id').onDelete('cascade'))
    .addColumn('number', 'integer', (c) => c.notNull())
    .addColumn('continues', 'smallint', (c) => c.notNull())
    .addColumn('origin', 'text', (c) => c.notNull())
    .addColumn('certificate', 'text', (c) => c.notNull())
    .addColumn('encrypted_key', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute();
  await db.schema
    .createIndex('signing_keys_owner')
    .on('signing_keys')
    .columns(['owner_id', 'number'])
    .unique()
    .execute();
  const triggers = db.getExecutor().adapter instanceof PostgresAdapter ? postgresTriggers : sqliteTriggers;
  for (const statement of triggers) await sql.raw(statement).execute(db);
}

const ofRow = (row: string) => `coalesce(${row}.apk_bytes, 0)`;
/** Only the bytes: builds and Apps are counted by the triggers of `0012-stored-totals`. */
const addBytes = (appId: string, bytes: string) => addBuilds(appId, '0', bytes);
const addApp = (row: 'old' | 'new', sign: '+' | '-') =>
  add({
    owner: `${row}.owner_id`,
    platform: `${row}.platform`,
    apps: '0',
    builds: '0',
    bytes: `${sign} (select coalesce(sum(apk_bytes), 0) from builds where app_id = ${row}.id)`,
  });

const sqliteTriggers = [
  sqliteTrigger(
    'apks_added',
    'after insert on builds when new.apk_bytes is not null',
    addBytes('new.app_id', ofRow('new')),
  ),
  sqliteTrigger(
    'apks_changed',
    'after update of apk_bytes on builds',
    addBytes('new.app_id', `${ofRow('new')} - ${ofRow('old')}`),
  ),
  sqliteTrigger(
    'apks_removed',
    'after delete on builds when old.apk_bytes is not null',
    addBytes('old.app_id', `- ${ofRow('old')}`),
  ),
  sqliteTrigger(
    'apks_moved',
    'after update of owner_id, platform on apps',
    addApp('old', '-') + addApp('new', '+'),
  ),
  sqliteTrigger('apks_removed_with_app', 'before delete on apps', addApp('old', '-')),
];

const postgresTriggers = [
  postgresFunction(
    'slipway_apks_changed',
    `begin
  if tg_op = 'DELETE' then
    ${addBytes('old.app_id', `- ${ofRow('old')}`)}
  elsif tg_op = 'INSERT' then
    ${addBytes('new.app_id', ofRow('new'))}
  else
    ${addBytes('new.app_id', `${ofRow('new')} - ${ofRow('old')}`)}
  end if;
  return null;
end`,
  ),
  postgresFunction(
    'slipway_apks_of_app_changed',
    `begin
  ${addApp('old', '-')}
  if tg_op = 'DELETE' then
    return old;
  end if;
  ${addApp('new', '+')}
  return null;
end`,
  ),
  `create trigger apks_added after insert on builds for each row
    when (new.apk_bytes is not null) execute function slipway_apks_changed()`,
  `create trigger apks_changed after update of apk_bytes on builds for each row
    execute function slipway_apks_changed()`,
  `create trigger apks_removed after delete on builds for each row
    when (old.apk_bytes is not null) execute function slipway_apks_changed()`,
  `create trigger apks_moved after update of owner_id, platform on apps for each row
    execute function slipway_apks_of_app_changed()`,
  `create trigger apks_removed_with_app before delete on apps for each row
    execute function slipway_apks_of_app_changed()`,
];
