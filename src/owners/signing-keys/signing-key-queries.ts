import { newIdentifier } from '../../core/identifier.ts';
import { defineQueries } from '../../db/data.ts';
import type { Queries } from '../../db/database.ts';
import type { StoredSigningKey } from './signing-key.ts';

export const signingKeyQueries = defineQueries((db: Queries) => ({
  /** Lists the keys of an owner, oldest first. */
  async listOf(ownerId: string): Promise<StoredSigningKey[]> {
    const rows = await db
      .selectFrom('signing_keys')
      .selectAll()
      .where('owner_id', '=', ownerId)
      .orderBy('number')
      .execute();
    return rows.map((row) => ({
      id: row.id,
      ownerId: row.owner_id,
      number: row.number,
      continues: row.continues === 1,
      origin: row.origin === 'imported' ? 'imported' : 'created',
      certificate: Buffer.from(row.certificate, 'base64'),
      encryptedKey: row.encrypted_key,
      createdAt: row.created_at,
    }));
  },

  /** Returns false if the owner has gotten a key with this number in the meantime. */
  async insert(key: Omit<StoredSigningKey, 'id'>): Promise<boolean> {
    const row = await db
      .insertInto('signing_keys')
      .values({
        id: newIdentifier(key.createdAt),
        owner_id: key.ownerId,
        number: key.number,
        continues: key.continues ? 1 : 0,
        origin: key.origin,
        certificate: key.certificate.toString('base64'),
        encrypted_key: key.encryptedKey,
        created_at: key.createdAt,
      })
      .onConflict((conflict) => conflict.columns(['owner_id', 'number']).doNothing())
      .returning('id')
      .executeTakeFirst();
    return row !== undefined;
  },
}));
