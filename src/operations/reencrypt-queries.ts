import { defineQueries } from '../db/data.ts';
import type { Queries } from '../db/database.ts';
import type { EncryptedSecrets } from '../webhooks/send-webhook.ts';

export interface EncryptedTotp {
  userId: string;
  encrypted: string;
}

export interface EncryptedSigningKey {
  id: string;
  ownerId: string;
  encrypted: string;
}

type EncryptedWebhookRow = EncryptedSecrets & { id: string };

export const reencryptQueries = defineQueries(createReencryptQueries);

/** All columns with values encrypted with the server's secret. An update changes nothing if the row was changed in the meantime. */
function createReencryptQueries(db: Queries) {
  return {
    async listTotp(): Promise<EncryptedTotp[]> {
      const rows = await db
        .selectFrom('users')
        .select(['owner_id', 'totp_secret'])
        .where('totp_secret', 'is not', null)
        .execute();
      return rows.map((row) => ({ userId: row.owner_id, encrypted: row.totp_secret ?? '' }));
    },

    async replaceTotp({ userId, encrypted }: EncryptedTotp, reencrypt: string): Promise<boolean> {
      const row = await db
        .updateTable('users')
        .set({ totp_secret: reencrypt })
        .where('owner_id', '=', userId)
        .where('totp_secret', '=', encrypted)
        .returning('owner_id')
        .executeTakeFirst();
      return row !== undefined;
    },

    async listSigningKeys(): Promise<EncryptedSigningKey[]> {
      return db
        .selectFrom('signing_keys')
        .select(['id', 'owner_id as ownerId', 'encrypted_key as encrypted'])
        .execute();
    },

    async replaceSigningKey({ id, encrypted }: EncryptedSigningKey, reencrypt: string): Promise<boolean> {
      const row = await db
        .updateTable('signing_keys')
        .set({ encrypted_key: reencrypt })
        .where('id', '=', id)
        .where('encrypted_key', '=', encrypted)
        .returning('id')
        .executeTakeFirst();
      return row !== undefined;
    },

    /** One, or none before the first entry was sealed. */
    async listAuditKeys(): Promise<{ encrypted: string }[]> {
      return db
        .selectFrom('installation_facts')
        .select('value as encrypted')
        .where('name', '=', 'audit-key')
        .execute();
    },

    async replaceAuditKey(encrypted: string, reencrypt: string): Promise<boolean> {
      const row = await db
        .updateTable('installation_facts')
        .set({ value: reencrypt })
        .where('name', '=', 'audit-key')
        .where('value', '=', encrypted)
        .returning('name')
        .executeTakeFirst();
      return row !== undefined;
    },

    async listWebhooks(): Promise<EncryptedWebhookRow[]> {
      const rows = await db.selectFrom('hooks').select(['id', 'sealed_address', 'sealed_secret']).execute();
      return rows.map((row) => ({
        id: row.id,
        encryptedAddress: row.sealed_address,
        encryptedSecret: row.sealed_secret,
      }));
    },

    async replaceWebhook(
      webhook: EncryptedWebhookRow,
      reencrypt: Omit<EncryptedWebhookRow, 'id'>,
    ): Promise<boolean> {
      const row = await db
        .updateTable('hooks')
        .set({ sealed_address: reencrypt.encryptedAddress, sealed_secret: reencrypt.encryptedSecret })
        .where('id', '=', webhook.id)
        .where('sealed_address', '=', webhook.encryptedAddress)
        .where('sealed_secret', '=', webhook.encryptedSecret)
        .returning('id')
        .executeTakeFirst();
      return row !== undefined;
    },
  };
}
