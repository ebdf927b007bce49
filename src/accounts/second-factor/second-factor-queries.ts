import { newIdentifier } from '../../core/identifier.ts';
import { defineQueries } from '../../db/data.ts';
import type { Queries } from '../../db/database.ts';
import type { Passkey, PasskeyLine } from '../passkeys/passkey.ts';

export const secondFactorQueries = defineQueries(createSecondFactorQueries);

/** Second factors of users: authenticator apps, passkeys and recovery codes. */
function createSecondFactorQueries(db: Queries) {
  const passkeyColumns = [
    'id',
    'user_id',
    'credential_id',
    'public_key',
    'signature_count',
    'transports',
    'name',
    'created_at',
    'last_used_at',
  ] as const;

  return {
    /** Null if there is no such User. `encryptedTotp`: the secret. */
    async findFactors(userId: string): Promise<{
      encryptedTotp: string | null;
      passkeys: number;
      recoveryCodes: number;
    } | null> {
      const row = await db
        .selectFrom('users as u')
        .select((select) => [
          'u.totp_secret',
          select
            .selectFrom('passkeys as p')
            .select(({ fn }) => fn.countAll<number>().as('count'))
            .whereRef('p.user_id', '=', 'u.owner_id')
            .as('passkeys'),
          select
            .selectFrom('recovery_codes as r')
            .select(({ fn }) => fn.countAll<number>().as('count'))
            .whereRef('r.user_id', '=', 'u.owner_id')
            .as('codes'),
        ])
        .where('u.owner_id', '=', userId)
        .executeTakeFirst();
      if (!row) return null;
      return {
        encryptedTotp: row.totp_secret,
        passkeys: Number(row.passkeys ?? 0),
        recoveryCodes: Number(row.codes ?? 0),
      };
    },

    /** `lastStep`: the step of the code that confirmed it, which can't be used again. Returns false if there already is an app. */
    async insertTotp(userId: string, encrypted: string, lastStep: number): Promise<boolean> {
      const row = await db
        .updateTable('users')
        .set({ totp_secret: encrypted, totp_last_step: lastStep })
        .where('owner_id', '=', userId)
        .where('totp_secret', 'is', null)
        .returning('owner_id')
        .executeTakeFirst();
      return row !== undefined;
    },

    /**
     * Uses up a step and all earlier ones, atomically across nodes. Returns false if it was used, or the secret has
     * changed.
     */
    async takeTotpStep(userId: string, encrypted: string, step: number): Promise<boolean> {
      const row = await db
        .updateTable('users')
        .set({ totp_last_step: step })
        .where('owner_id', '=', userId)
        .where('totp_secret', '=', encrypted)
        .where((where) => where.or([where('totp_last_step', 'is', null), where('totp_last_step', '<', step)]))
        .returning('owner_id')
        .executeTakeFirst();
      return row !== undefined;
    },

    /** Returns whether there was one. */
    async deleteTotp(userId: string): Promise<boolean> {
      const row = await db
        .updateTable('users')
        .set({ totp_secret: null, totp_last_step: null })
        .where('owner_id', '=', userId)
        .where('totp_secret', 'is not', null)
        .returning('owner_id')
        .executeTakeFirst();
      return row !== undefined;
    },

    /** Replaces all recovery codes of the person. */
    async replaceRecoveryCodes(userId: string, hashes: readonly string[]): Promise<void> {
      await db.deleteFrom('recovery_codes').where('user_id', '=', userId).execute();
      if (hashes.length === 0) return;
      await db
        .insertInto('recovery_codes')
        .values(hashes.map((hash) => ({ user_id: userId, code_hash: hash })))
        .execute();
    },

    /** Returns whether the code was valid, and invalidates it. */
    async takeRecoveryCode(userId: string, hash: string): Promise<boolean> {
      const row = await db
        .deleteFrom('recovery_codes')
        .where('user_id', '=', userId)
        .where('code_hash', '=', hash)
        .returning('user_id')
        .executeTakeFirst();
      return row !== undefined;
    },

    /** Rejects with a constraint violation if the credential already exists. */
    async insertPasskey(
      passkey: Pick<
        Passkey,
        'userId' | 'credentialId' | 'publicKey' | 'signatureCount' | 'transports' | 'name'
      >,
      createdAt: number,
    ): Promise<void> {
      await db
        .insertInto('passkeys')
        .values({
          id: newIdentifier(createdAt),
          user_id: passkey.userId,
          credential_id: passkey.credentialId,
          public_key: passkey.publicKey,
          signature_count: passkey.signatureCount,
          transports: JSON.stringify(passkey.transports),
          name: passkey.name,
          created_at: createdAt,
          last_used_at: null,
        })
        .execute();
    },

    async findPasskey(credentialId: string): Promise<Passkey | null> {
      const row = await db
        .selectFrom('passkeys')
        .select(passkeyColumns)
        .where('credential_id', '=', credentialId)
        .executeTakeFirst();
      if (!row) return null;
      return {
        id: row.id,
        userId: row.user_id,
        credentialId: row.credential_id,
        publicKey: row.public_key,
        signatureCount: row.signature_count,
        transports: JSON.parse(row.transports),
        name: row.name,
      };
    },

    /** Oldest first. */
    async listPasskeys(userId: string): Promise<PasskeyLine[]> {
      const rows = await db
        .selectFrom('passkeys')
        .select(passkeyColumns)
        .where('user_id', '=', userId)
        .orderBy('id')
        .execute();
      return rows.map((row) => ({
        id: row.id,
        credentialId: row.credential_id,
        transports: JSON.parse(row.transports),
        name: row.name,
        createdAt: row.created_at,
        lastUsedAt: row.last_used_at,
      }));
    },

    /**
     * Records a use with the authenticator's signature counter. Returns false if the counter has not grown, which
     * suggests a replay or a cloned passkey. Authenticators without a counter always report 0.
     */
    async usePasskey(id: string, signatureCount: number, usedAt: number): Promise<boolean> {
      const row = await db
        .updateTable('passkeys')
        .set({ signature_count: signatureCount, last_used_at: usedAt })
        .where('id', '=', id)
        .where((where) =>
          signatureCount === 0
            ? where('signature_count', '=', 0)
            : where('signature_count', '<', signatureCount),
        )
        .returning('id')
        .executeTakeFirst();
      return row !== undefined;
    },

    /** Returns whether the person has such a passkey. */
    async renamePasskey(userId: string, id: string, name: string): Promise<boolean> {
      const row = await db
        .updateTable('passkeys')
        .set({ name })
        .where('id', '=', id)
        .where('user_id', '=', userId)
        .returning('id')
        .executeTakeFirst();
      return row !== undefined;
    },

    /** Returns its name; null if the person has no such passkey. */
    async deletePasskey(userId: string, id: string): Promise<string | null> {
      const row = await db
        .deleteFrom('passkeys')
        .where('id', '=', id)
        .where('user_id', '=', userId)
        .returning('name')
        .executeTakeFirst();
      return row?.name ?? null;
    },

    /** Returns the number of passkeys deleted. */
    async deletePasskeysOf(userId: string): Promise<number> {
      const rows = await db.deleteFrom('passkeys').where('user_id', '=', userId).returning('id').execute();
      return rows.length;
    },
  };
}
