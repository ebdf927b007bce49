import { type Kysely, PostgresAdapter, sql } from 'kysely';

/**
 * Symbol files beside builds. Their bytes count in `stored_totals` and in the totals of apps. `app_id` is that of the build, whose row
 * is gone already when a cascade deletes its symbol files.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter;
  await sql`
    create table symbol_files (
      id text primary key,
      build_id text not null references builds (id) on delete cascade,
      app_id text not null,
      file_name text not null,
      facts text not null,
      blob text not null,
      size_bytes bigint not null,
      sha256 text not null,
      uploaded_by text not null,
      created_at bigint not null,
      constraint symbol_files_content unique (build_id, sha256),
      constraint symbol_files_blob unique (blob)
    )`.execute(db);
  await sql`create index symbol_files_app_id on symbol_files (app_id)`.execute(db);
  for (const statement of isPostgres ? postgresTriggers : sqliteTriggers)
    await sql.raw(statement).execute(db);
}

/** `source`: where the owner and platform of `row` come from. */
const addToOwner = (row: string, bytes: string, source: string) => `
    insert into stored_totals (owner_id, platform, apps, builds, bytes)
    select ${row}.owner_id, ${row}.platform, 0, 0, ${bytes} ${source}
    on conflict (owner_id, platform) do update set bytes = stored_totals.bytes + excluded.bytes;`;

const addToApp = (bytes: string, appId: string) => `
    ${addToOwner('a', bytes, `from apps as a where a.id = ${appId}`)}
    update apps set stored_bytes = stored_bytes + ${bytes} where id = ${appId};`;

const sumOf = (appId: string) =>
  `(select coalesce(sum(size_bytes), 0) from symbol_files where app_id = ${appId})`;
const subtractOld = addToOwner('old', `- ${sumOf('old.id')}`, 'where true');
const addNew = addToOwner('new', sumOf('new.id'), 'where true');

const sqliteTriggers = [
  `create trigger symbols_added after insert on symbol_files begin
    ${addToApp('new.size_bytes', 'new.app_id')}
  end`,
  `create trigger symbols_removed after delete on symbol_files begin
    ${addToApp('- old.size_bytes', 'old.app_id')}
  end`,
  `create trigger symbols_moved after update of owner_id, platform on apps begin
    ${subtractOld}
    ${addNew}
  end`,
  `create trigger symbols_removed_with_app before delete on apps begin
    ${subtractOld}
  end`,
];

const postgresTriggers = [
  `create function slipway_symbols_changed() returns trigger language plpgsql as $function$
  begin
    if tg_op = 'INSERT' then
      ${addToApp('new.size_bytes', 'new.app_id')}
    else
      ${addToApp('- old.size_bytes', 'old.app_id')}
    end if;
    return null;
  end $function$`,
  `create function slipway_symbols_of_app_changed() returns trigger language plpgsql as $function$
  begin
    ${subtractOld}
    if tg_op = 'DELETE' then
      return old;
    end if;
    ${addNew}
    return null;
  end $function$`,
  `create trigger symbols_added after insert on symbol_files
    for each row execute function slipway_symbols_changed()`,
  `create trigger symbols_removed after delete on symbol_files
    for each row execute function slipway_symbols_changed()`,
  `create trigger symbols_moved after update of owner_id, platform on apps
    for each row execute function slipway_symbols_of_app_changed()`,
  `create trigger symbols_removed_with_app before delete on apps
    for each row execute function slipway_symbols_of_app_changed()`,
];
