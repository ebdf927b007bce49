import { type Kysely, sql, type Transaction } from 'kysely';

type Schema = Transaction<unknown> | Kysely<unknown>;

/**
 * A person's limits apply to everything that counts toward them: their own apps and the Projects whose `accountable_id` they
 * are. Each Project counts toward its first owner. Limits copied from that person, or no lower, are removed: the limit on the
 * sum enforces them. Invitations may be for someone who has an account, to own a Workspace, and to see an app.
 */
export async function up(db: Schema): Promise<void> {
  const owners = db.schema.alterTable('owners');
  await owners.addColumn('max_projects', 'bigint').execute();
  await owners.addColumn('accountable_id', 'text').execute();
  await db.schema.createIndex('owners_accountable').on('owners').column('accountable_id').execute();
  await sql`
    update owners set accountable_id = (
      select t.user_id from team_members as t join users as u on u.owner_id = t.user_id
      where t.project_id = owners.id and t.team = 'owner'
      order by case when u.disabled_at is null then 0 else 1 end, t.created_at, t.user_id limit 1)
    where kind = 'project' and deleted_at is null`.execute(db);
  for (const limit of ['max_storage_bytes', 'max_builds']) {
    const column = sql.ref(limit);
    await sql`
      update owners set ${column} = null
      where accountable_id is not null and ${column} >= (
        select person.${column} from owners as person where person.id = owners.accountable_id)`.execute(db);
  }
  const invitations = db.schema.alterTable('invitations');
  await invitations
    .addColumn('user_id', 'text', (c) => c.references('users.owner_id').onDelete('cascade'))
    .execute();
  await invitations
    .addColumn('workspace_id', 'text', (c) => c.references('workspaces.id').onDelete('cascade'))
    .execute();
  await invitations.addColumn('app_id', 'text', (c) => c.references('apps.id').onDelete('cascade')).execute();
  await db.schema.createIndex('invitations_user').on('invitations').column('user_id').execute();
  await db.schema.createIndex('invitations_workspace').on('invitations').column('workspace_id').execute();
  await db.schema.createIndex('invitations_app').on('invitations').column('app_id').execute();
}
