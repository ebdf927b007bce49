import { defineQueries } from '../../db/data.ts';
import type { Queries } from '../../db/database.ts';
import { emailKey, type User } from '../../owners/owner.ts';
import type { LinkedIdentity } from './provider-identity.ts';

export interface IdentityHolder {
  user: User;
  subject: string;
  isDisabled: boolean;
  /** The directory disabled the account, and not an administrator. */
  isDisabledByDirectory: boolean;
}

export const identityQueries = defineQueries(createIdentityQueries);

/** Links between accounts at an identity provider and Users. */
function createIdentityQueries(db: Queries) {
  const users = () =>
    db
      .selectFrom('users as u')
      .innerJoin('owners as o', 'o.id', 'u.owner_id')
      .select(['o.id', 'o.name', 'u.email', 'u.administrator', 'u.email_confirmed']);
  return {
    /** Returns the linked User; null if there is none. */
    async findUserOfIdentity(issuer: string, subject: string): Promise<User | null> {
      const row = await users()
        .innerJoin('identities as i', 'i.user_id', 'u.owner_id')
        .where('i.issuer', '=', issuer)
        .where('i.subject', '=', subject)
        .executeTakeFirst();
      return row ? toUser(row) : null;
    },

    /** Lists everyone with an identity of the issuer, in the order of ids. */
    async listHolders(issuer: string): Promise<IdentityHolder[]> {
      const rows = await users()
        .innerJoin('identities as i', 'i.user_id', 'u.owner_id')
        .select(['i.subject', 'i.disabled_account', 'u.disabled_at'])
        .where('i.issuer', '=', issuer)
        .orderBy('o.id')
        .execute();
      return rows.map((row) => ({
        user: toUser(row),
        subject: row.subject,
        isDisabled: row.disabled_at !== null,
        isDisabledByDirectory: row.disabled_account === 1,
      }));
    },

    async setDisabledByDirectory(issuer: string, subject: string, isDisabled: boolean): Promise<void> {
      await db
        .updateTable('identities')
        .set({ disabled_account: isDisabled ? 1 : 0 })
        .where('issuer', '=', issuer)
        .where('subject', '=', subject)
        .execute();
    },

    /** Returns the User with that address. */
    async findHolderOfEmail(email: string): Promise<User | null> {
      const row = await users().where('u.email_key', '=', emailKey(email)).executeTakeFirst();
      return row ? toUser(row) : null;
    },

    /** Rejects with a constraint violation if the identity is linked to another person, or this person already has one of that issuer. */
    async insertIdentity(identity: {
      issuer: string;
      subject: string;
      label: string;
      userId: string;
      createdAt: number;
    }): Promise<void> {
      await db
        .insertInto('identities')
        .values({
          issuer: identity.issuer,
          subject: identity.subject,
          label: identity.label,
          user_id: identity.userId,
          created_at: identity.createdAt,
        })
        .execute();
    },

    /** Lists the identities of a person, oldest first. */
    async listIdentities(userId: string): Promise<LinkedIdentity[]> {
      const rows = await db
        .selectFrom('identities')
        .select(['issuer', 'subject', 'label', 'created_at'])
        .where('user_id', '=', userId)
        .orderBy('created_at')
        .execute();
      return rows.map(({ created_at: createdAt, ...row }) => ({ ...row, createdAt }));
    },

    /** Returns whether the person had that identity. */
    async deleteIdentity(userId: string, issuer: string, subject: string): Promise<boolean> {
      const row = await db
        .deleteFrom('identities')
        .where('issuer', '=', issuer)
        .where('subject', '=', subject)
        .where('user_id', '=', userId)
        .returning('user_id')
        .executeTakeFirst();
      return row !== undefined;
    },
  };
}

function toUser(row: {
  id: string;
  name: string;
  email: string | null;
  email_confirmed: number;
  administrator: number;
}): User {
  const { id, name, email } = row;
  const emailConfirmed = row.email_confirmed === 1;
  return { kind: 'user', id, name, email, emailConfirmed, administrator: row.administrator === 1 };
}
