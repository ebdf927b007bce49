import { defineQueries } from '../db/data.ts';
import type { Queries } from '../db/database.ts';
import type { EncryptedWebhook } from '../webhooks/send-webhook.ts';

export interface SealedTotp {
  userId: string;
  sealed: string;
}

type SealedWebhookRow = Omit<EncryptedWebhook, 'kind'>;

export const reencryptQueries = defineQueries(createReencryptQueries);

/** Every column with values sealed with the server's secret. An update changes nothing if the row changed meanwhile. */
function createReencryptQueries(db: Queries) {
  return {
    async listTotp(): Promise<SealedTotp[]> {
      const rows = await db
        .selectFrom('users')
        .select(['owner_id', 'totp_secret'])
        .where('totp_secret', 'is not', null)
        .execute();
      return rows.map((row) => ({ userId: row.owner_id, sealed: row.totp_secret ?? '' }));
    },

    async replaceTotp({ userId, sealed }: SealedTotp, renewed: string): Promise<boolean> {
      const row = await db
        .updateTable('users')
        .set({ totp_secret: renewed })
        .where('owner_id', '=', userId)
        .where('totp_secret', '=', sealed)
        .returning('owner_id')
        .executeTakeFirst();
      return row !== undefined;
    },

    async listWebhooks(): Promise<SealedWebhookRow[]> {
      const rows = await db.selectFrom('hooks').select(['id', 'sealed_address', 'sealed_secret']).execute();
      return rows.map((row) => ({
        id: row.id,
        sealedAddress: row.sealed_address,
        sealedSecret: row.sealed_secret,
      }));
    },

    async replaceWebhook(webhook: SealedWebhookRow, renewed: Omit<SealedWebhookRow, 'id'>): Promise<boolean> {
      const row = await db
        .updateTable('hooks')
        .set({ sealed_address: renewed.sealedAddress, sealed_secret: renewed.sealedSecret })
        .where('id', '=', webhook.id)
        .where('sealed_address', '=', webhook.sealedAddress)
        .where('sealed_secret', '=', webhook.sealedSecret)
        .returning('id')
        .executeTakeFirst();
      return row !== undefined;
    },
  };
}
