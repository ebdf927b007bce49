import { type Kysely, PostgresAdapter, sql } from 'kysely';

/** Number and bytes of each app's builds, maintained by triggers like `stored_totals`. */
export async function up(db: Kysely<unknown>): Promise<void> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter;
  await sql`alter table apps add column stored_builds bigint not null default 0`.execute(db);
  await sql`alter table apps add column stored_bytes bigint not null default 0`.execute(db);
  await sql`
    update apps set (stored_builds, stored_bytes) = (
      select count(*), coalesce(sum(size_bytes + coalesce(simulator_bytes, 0) + coalesce(apk_bytes, 0)), 0)
      from builds where app_id = apps.id)`.execute(db);
  for (const statement of isPostgres ? postgresTriggers : sqliteTriggers)
    await sql.raw(statement).execute(db);
}

const bytesOf = (row: string) =>
  `${row}size_bytes + coalesce(${row}simulator_bytes, 0) + coalesce(${row}apk_bytes, 0)`;

const sqliteTriggers = [
  `create trigger app_totals_added after insert on builds begin
    update apps set stored_builds = stored_builds + 1, stored_bytes = stored_bytes + ${bytesOf('new.')}
    where id = new.app_id;
  end`,
  `create trigger app_totals_changed after update of size_bytes, simulator_bytes, apk_bytes on builds begin
    update apps set stored_bytes = stored_bytes + ${bytesOf('new.')} - (${bytesOf('old.')}) where id = new.app_id;
  end`,
  `create trigger app_totals_removed after delete on builds begin
    update apps set stored_builds = stored_builds - 1, stored_bytes = stored_bytes - (${bytesOf('old.')})
    where id = old.app_id;
  end`,
];

/** One update for each app and statement. */
const postgresTriggers = [
  `create function slipway_app_totals() returns trigger language plpgsql as $function$
  begin
    update apps set stored_builds = stored_builds + c.builds, stored_bytes = stored_bytes + c.bytes from (
      select app_id, sum(builds) as builds, sum(bytes) as bytes from (
        select app_id, tg_argv[0]::int as builds, tg_argv[0]::int * (${bytesOf('')}) as bytes from changed
      ) as b group by app_id
    ) as c where id = c.app_id;
    return null;
  end $function$`,
  `create function slipway_app_bytes() returns trigger language plpgsql as $function$
  begin
    update apps set stored_bytes = stored_bytes + ${bytesOf('new.')} - (${bytesOf('old.')}) where id = new.app_id;
    return null;
  end $function$`,
  `create trigger app_totals_added after insert on builds referencing new table as changed
    for each statement execute function slipway_app_totals('1')`,
  `create trigger app_totals_changed after update of size_bytes, simulator_bytes, apk_bytes on builds
    for each row execute function slipway_app_bytes()`,
  `create trigger app_totals_removed after delete on builds referencing old table as changed
    for each statement execute function slipway_app_totals('-1')`,
];
