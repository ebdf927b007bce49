import { type Kysely, PostgresAdapter, sql, type Transaction } from 'kysely';

type Schema = Transaction<unknown> | Kysely<unknown>;

/** Name of an App: that of its newest build that is not deleted. */
const latestName = (appId: string) =>
  `(select name from builds where app_id = ${appId} and deleted_at is null order by revision desc limit 1)`;
const bytesOf = (row: string) => `${row}size_bytes + coalesce(${row}simulator_bytes, 0)`;
/** All builds of an App, including deleted ones that are not removed yet. */
const buildsOf = (appId: string) => `(select count(*) from builds where app_id = ${appId})`;
const bytesOfApp = (appId: string) =>
  `(select coalesce(sum(${bytesOf('')}), 0) from builds where app_id = ${appId})`;
const isThere = (row: string) => `case when ${row}.deleted_at is null then 1 else 0 end`;

/**
 * Adds to the totals of an owner and platform; the sums may be negative. `from` is the rest of the query that finds
 * them, including its `where`, without which SQLite parses `on conflict` as part of a join.
 */
export const add = (
  sums: { owner: string; platform: string; apps: string; builds: string; bytes: string },
  from = 'where true',
) => `
  insert into stored_totals (owner_id, platform, apps, builds, bytes)
  select ${sums.owner}, ${sums.platform}, ${sums.apps}, ${sums.builds}, ${sums.bytes} ${from}
  on conflict (owner_id, platform) do update set
    apps = stored_totals.apps + excluded.apps,
    builds = stored_totals.builds + excluded.builds,
    bytes = stored_totals.bytes + excluded.bytes;`;

const addApps = (row: 'old' | 'new', apps: string) =>
  add({ owner: `${row}.owner_id`, platform: `${row}.platform`, apps, builds: '0', bytes: '0' });
const addAppWithBuilds = (row: 'old' | 'new', sign: '+' | '-') =>
  add({
    owner: `${row}.owner_id`,
    platform: `${row}.platform`,
    apps: `${sign} ${isThere(row)}`,
    builds: `${sign} ${buildsOf(`${row}.id`)}`,
    bytes: `${sign} ${bytesOfApp(`${row}.id`)}`,
  });
export const addBuilds = (appId: string, builds: string, bytes: string) =>
  add(
    { owner: 'a.owner_id', platform: 'a.platform', apps: '0', builds, bytes },
    `from apps as a where a.id = ${appId}`,
  );
const nameApp = (appId: string) => `
  update apps set latest_name = ${latestName(appId)} where id = ${appId}
    and latest_name is distinct from ${latestName(appId)};`;

/**
 * Storage totals of owners and names of Apps, maintained by triggers, so that every change updates them, including
 * cascading deletes and an older version that is still running during an upgrade.
 */
export async function up(db: Schema): Promise<void> {
  await db.schema.alterTable('apps').addColumn('latest_name', 'text').execute();
  await db.schema
    .createTable('stored_totals')
    .addColumn('owner_id', 'text', (c) => c.notNull().references('owners.id').onDelete('cascade'))
    .addColumn('platform', 'text', (c) => c.notNull())
    .addColumn('apps', 'bigint', (c) => c.notNull())
    .addColumn('builds', 'bigint', (c) => c.notNull())
    .addColumn('bytes', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('stored_totals_pk', ['owner_id', 'platform'])
    .execute();
  // Lists of apps read only this index until they know which fifty they show.
  await db.schema.dropIndex('apps_last_upload').execute();
  await db.schema
    .createIndex('apps_listed')
    .on('apps')
    .columns(['owner_id', 'last_upload_at', 'id'])
    .where(sql.ref('deleted_at'), 'is', null)
    .execute();
  // Each filter of an owner’s log, and the count of protected builds, reads only matching rows.
  await db.schema
    .createIndex('audit_rows_owner_action')
    .on('audit_rows')
    .columns(['owner_id', 'action', 'id'])
    .execute();
  await db.schema
    .createIndex('audit_rows_owner_actor')
    .on('audit_rows')
    .columns(['owner_id', 'actor_name', 'id'])
    .execute();
  await db.schema
    .createIndex('builds_protected')
    .on('builds')
    .column('app_id')
    .where(sql.ref('protected'), '=', sql.lit(1))
    .where(sql.ref('deleted_at'), 'is', null)
    .execute();
  // Creating the triggers waits for writers, and blocks others until the existing rows are counted.
  const triggers = db.getExecutor().adapter instanceof PostgresAdapter ? postgresTriggers : sqliteTriggers;
  for (const statement of triggers) await sql.raw(statement).execute(db);
  await sql`
    insert into stored_totals (owner_id, platform, apps, builds, bytes)
    select owner_id, platform, sum(${sql.raw(isThere('apps'))}),
      sum(${sql.raw(buildsOf('apps.id'))}), sum(${sql.raw(bytesOfApp('apps.id'))})
    from apps group by owner_id, platform`.execute(db);
  await sql`update apps set latest_name = ${sql.raw(latestName('apps.id'))}`.execute(db);
}

export const sqliteTrigger = (name: string, when: string, statements: string) =>
  `create trigger ${name} ${when} begin ${statements}\nend`;

const sqliteTriggers = [
  sqliteTrigger(
    'builds_added',
    'after insert on builds',
    addBuilds('new.app_id', '1', bytesOf('new.')) + nameApp('new.app_id'),
  ),
  sqliteTrigger(
    'builds_hidden',
    'after update of deleted_at on builds when old.deleted_at is distinct from new.deleted_at',
    nameApp('new.app_id'),
  ),
  sqliteTrigger(
    'builds_removed',
    'after delete on builds',
    addBuilds('old.app_id', '-1', `- (${bytesOf('old.')})`),
  ),
  sqliteTrigger('apps_added', 'after insert on apps', addApps('new', isThere('new'))),
  sqliteTrigger(
    'apps_hidden',
    'after update of deleted_at on apps',
    addApps('new', `${isThere('new')} - ${isThere('old')}`),
  ),
  sqliteTrigger(
    'apps_moved',
    'after update of owner_id, platform on apps',
    addAppWithBuilds('old', '-') + addAppWithBuilds('new', '+'),
  ),
  // Before the delete, because its cascading deletes of builds no longer find their App.
  sqliteTrigger('apps_removed', 'before delete on apps', addAppWithBuilds('old', '-')),
];

export const postgresFunction = (name: string, body: string) => `
create function ${name}() returns trigger language plpgsql as $function$
${body}
$function$`;

const postgresTriggers = [
  postgresFunction(
    'slipway_builds_added',
    `declare one record;
begin
  for one in select app_id, count(*) as builds, sum(${bytesOf('')}) as bytes from added group by app_id loop
    ${addBuilds('one.app_id', 'one.builds', 'one.bytes')}
    ${nameApp('one.app_id')}
  end loop;
  return null;
end`,
  ),
  postgresFunction(
    'slipway_builds_hidden',
    `begin
  ${nameApp('new.app_id')}
  return null;
end`,
  ),
  postgresFunction(
    'slipway_builds_removed',
    `declare one record;
begin
  for one in select app_id, count(*) as builds, sum(${bytesOf('')}) as bytes from removed group by app_id loop
    ${addBuilds('one.app_id', '- one.builds', '- one.bytes')}
  end loop;
  return null;
end`,
  ),
  postgresFunction(
    'slipway_apps_changed',
    `begin
  if tg_op = 'INSERT' then
    ${addApps('new', isThere('new'))}
  elsif tg_op = 'DELETE' then
    ${addAppWithBuilds('old', '-')}
    return old;
  elsif tg_argv[0] = 'moved' then
    ${addAppWithBuilds('old', '-')}
    ${addAppWithBuilds('new', '+')}
  else
    ${addApps('new', `${isThere('new')} - ${isThere('old')}`)}
  end if;
  return null;
end`,
  ),
  `create trigger builds_added after insert on builds referencing new table as added
    for each statement execute function slipway_builds_added()`,
  `create trigger builds_hidden after update of deleted_at on builds for each row
    when (old.deleted_at is distinct from new.deleted_at) execute function slipway_builds_hidden()`,
  `create trigger builds_removed after delete on builds referencing old table as removed
    for each statement execute function slipway_builds_removed()`,
  'create trigger apps_added after insert on apps for each row execute function slipway_apps_changed()',
  `create trigger apps_hidden after update of deleted_at on apps for each row
    execute function slipway_apps_changed('hidden')`,
  `create trigger apps_moved after update of owner_id, platform on apps for each row
    execute function slipway_apps_changed('moved')`,
  'create trigger apps_removed before delete on apps for each row execute function slipway_apps_changed()',
];
