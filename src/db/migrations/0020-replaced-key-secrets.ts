import { type Kysely, PostgresAdapter, sql, type Transaction } from 'kysely';

type Schema = Transaction<unknown> | Kysely<unknown>;

const secretHasEnded = `old.revoked_at is null and old.expiry_noticed_at is null
    and ((old.key_hash <> new.key_hash and new.previous_hash is distinct from old.key_hash)
      or (old.previous_hash is not null and new.previous_hash is distinct from old.previous_hash))`;

/** Apps also get a new secret when a replaced key secret that could have seen theirs stops working. */
export async function up(db: Schema): Promise<void> {
  await db.schema
    .createIndex('api_keys_replaced')
    .on('api_keys')
    .column('previous_until')
    .where(sql.ref('previous_until'), 'is not', null)
    .execute();
  const isPostgres = db.getExecutor().adapter instanceof PostgresAdapter;
  await sql.raw(isPostgres ? postgresTrigger : sqliteTrigger).execute(db);
}

const sqliteTrigger = `create trigger secrets_key_replaced after update of key_hash, previous_hash on api_keys
  when ${secretHasEnded} begin
  update apps set secret = lower(hex(randomblob(20))), secret_rotations = secret_rotations + 1
    where deleted_at is null and (owner_id = new.owner_id or owner_id in (
      select project_id from team_members where user_id = new.owner_id and team in ('owner', 'developer')));
end`;

/** The function of migration 0015. */
const postgresTrigger = `create trigger secrets_key_replaced after update of key_hash, previous_hash on api_keys for each row
    when (${secretHasEnded}) execute function slipway_secrets_key_ended()`;
