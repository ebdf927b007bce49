import type { Kysely, Transaction } from 'kysely';

type Schema = Transaction<unknown> | Kysely<unknown>;

/** Confirmed email addresses, and identities of single sign-on; one per provider and person. */
export async function up(db: Schema): Promise<void> {
  await db.schema
    .alterTable('users')
    .addColumn('email_confirmed', 'smallint', (c) => c.notNull().defaultTo(0))
    .execute();
  await db.schema
    .alterTable('identities')
    .addColumn('label', 'text', (c) => c.notNull().defaultTo(''))
    .execute();
  await db.schema.dropIndex('identities_user').execute();
  await db.schema
    .createIndex('identities_user')
    .unique()
    .on('identities')
    .columns(['user_id', 'issuer'])
    .execute();
}
