import { type Kysely, PostgresAdapter, sql, type Transaction } from 'kysely';

type Schema = Transaction<unknown> | Kysely<unknown>;

/** Apps whose secret the holder of a key could have seen: those it could upload to. `key` is the owner of the key. */
const uploadedToBy = (key: string) =>
  `(owner_id = ${key} or owner_id in (
      select project_id from team_members where user_id = ${key} and team in ('owner', 'developer')))`;
/** Apps that a person could see. */
const seenBy = (user: string) => `id in (
      select id from apps where owner_id = ${user}
      union all select id from apps where owner_id in (select project_id from team_members where user_id = ${user})
      union all select app_id from app_testers where user_id = ${user})`;
const keyHasEnded = `old.revoked_at is null and old.expiry_noticed_at is null
    and (new.revoked_at is not null or new.expiry_noticed_at is not null)`;
const accountIsDisabled = 'old.disabled_at is null and new.disabled_at is not null';

/**
 * Apps get a new secret when anyone loses access, by triggers, so that every change rotates it, including cascading
 * deletes and an older version that is still running. The rotation count identifies links that were signed before
 * secrets were part of them; those stay valid until the first rotation.
 */
export async function up(db: Schema): Promise<void> {
  await db.schema
    .alterTable('apps')
    .addColumn('secret_rotations', 'integer', (c) => c.notNull().defaultTo(0))
    .execute();
  await db.schema.alterTable('api_keys').addColumn('expiry_noticed_at', 'bigint').execute();
  // Keys that expired before the upgrade must not invalidate links.
  await sql`update api_keys set expiry_noticed_at = expires_at where expires_at <= ${Date.now()}`.execute(db);
  await db.schema
    .createIndex('api_keys_unnoticed')
    .on('api_keys')
    .column('expires_at')
    .where(sql.ref('expiry_noticed_at'), 'is', null)
    .where(sql.ref('revoked_at'), 'is', null)
    .where(sql.ref('expires_at'), 'is not', null)
    .execute();
  const triggers = db.getExecutor().adapter instanceof PostgresAdapter ? postgresTriggers : sqliteTriggers;
  for (const statement of triggers) await sql.raw(statement).execute(db);
}

const sqliteTrigger = (name: string, when: string, apps: string) => `create trigger ${name} ${when} begin
  update apps set secret = lower(hex(randomblob(20))), secret_rotations = secret_rotations + 1
    where deleted_at is null and ${apps};
end`;

const sqliteTriggers = [
  sqliteTrigger('secrets_member_removed', 'after delete on team_members', 'owner_id = old.project_id'),
  sqliteTrigger('secrets_tester_removed', 'after delete on app_testers', 'id = old.app_id'),
  sqliteTrigger(
    'secrets_account_disabled',
    `after update of disabled_at on users when ${accountIsDisabled}`,
    seenBy('new.owner_id'),
  ),
  sqliteTrigger(
    'secrets_key_ended',
    `after update of revoked_at, expiry_noticed_at on api_keys when ${keyHasEnded}`,
    uploadedToBy('new.owner_id'),
  ),
  sqliteTrigger(
    'secrets_project_moved',
    'after update of workspace_id on projects when old.workspace_id is distinct from new.workspace_id',
    'owner_id = new.owner_id',
  ),
  sqliteTrigger(
    'secrets_app_moved',
    'after update of owner_id on apps when old.owner_id is distinct from new.owner_id',
    'id = new.id',
  ),
];

/**
 * Two random UUIDs contain 244 random bits from the system’s generator. Rows are locked in one order, so that
 * concurrent rotations wait for each other instead of ending in a deadlock.
 */
const postgresFunction = (
  name: string,
  apps: string,
) => `create function ${name}() returns trigger language plpgsql as $function$
begin
  update apps set secret_rotations = secret_rotations + 1, secret = substr(encode(sha256(convert_to(
      gen_random_uuid()::text || gen_random_uuid()::text, 'UTF8')), 'hex'), 1, 40)
    where id in (select id from apps where deleted_at is null and ${apps} order by id for no key update);
  return null;
end
$function$`;

const postgresTriggers = [
  postgresFunction('slipway_secrets_member_removed', 'owner_id in (select project_id from removed)'),
  postgresFunction('slipway_secrets_tester_removed', 'id in (select app_id from removed)'),
  postgresFunction('slipway_secrets_account_disabled', seenBy('new.owner_id')),
  postgresFunction('slipway_secrets_key_ended', uploadedToBy('new.owner_id')),
  postgresFunction('slipway_secrets_project_moved', 'owner_id = new.owner_id'),
  postgresFunction('slipway_secrets_app_moved', 'id = new.id'),
  `create trigger secrets_member_removed after delete on team_members referencing old table as removed
    for each statement execute function slipway_secrets_member_removed()`,
  `create trigger secrets_tester_removed after delete on app_testers referencing old table as removed
    for each statement execute function slipway_secrets_tester_removed()`,
  `create trigger secrets_account_disabled after update of disabled_at on users for each row
    when (${accountIsDisabled}) execute function slipway_secrets_account_disabled()`,
  `create trigger secrets_key_ended after update of revoked_at, expiry_noticed_at on api_keys for each row
    when (${keyHasEnded}) execute function slipway_secrets_key_ended()`,
  `create trigger secrets_project_moved after update of workspace_id on projects for each row
    when (old.workspace_id is distinct from new.workspace_id) execute function slipway_secrets_project_moved()`,
  `create trigger secrets_app_moved after update of owner_id on apps for each row
    when (old.owner_id is distinct from new.owner_id) execute function slipway_secrets_app_moved()`,
];
