import { newIdentifier } from '../../core/identifier.ts';
import { defineQueries } from '../../db/data.ts';
import type { Queries } from '../../db/database.ts';
import type { Passkey, PasskeyLine } from '../passkeys/passkey.ts';

export type SecondFactorQueries = ReturnType<typeof createSecondFactorQueries>;

export const secondFactorQueries = defineQueries(createSecondFactorQueries);

/** What somebody proves besides a password: codes of an app, passkeys, codes on paper. */
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
    /** What a person has; null when there is no such person. `sealedTotp`: the secret as it lies here. */
    async findFactors(userId: string): Promise<{
      sealedTotp: string | null;
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
        sealedTotp: row.totp_secret,
        passkeys: Number(row.passkeys ?? 0),
        recoveryCodes: Number(row.codes ?? 0),
      };
    },

    /** `lastStep`: the step whose code confirmed it, which is used up by that. Answers false when there is one already. */
    async insertTotp(userId: string, sealed: string, lastStep: number): Promise<boolean> {
      const row = await db
        .updateTable('users')
        .set({ totp_secret: sealed, totp_last_step: lastStep })
        .where('owner_id', '=', userId)
        .where('totp_secret', 'is', null)
        .returning('owner_id')
        .executeTakeFirst();
      return row !== undefined;
    },

    /** Uses up a step and all before it, for all nodes at once. Answers false when it was used, or the secret is another. */
    async takeTotpStep(userId: string, sealed: string, step: number): Promise<boolean> {
      const row = await db
        .updateTable('users')
        .set({ totp_last_step: step })
        .where('owner_id', '=', userId)
        .where('totp_secret', '=', sealed)
        .where((where) => where.or([where('totp_last_step', 'is', null), where('totp_last_step', '<', step)]))
        .returning('owner_id')
        .executeTakeFirst();
      return row !== undefined;
    },

    /** Answers whether there was one. */
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

    /** Takes the place of all that the person had. */
    async replaceRecoveryCodes(userId: string, hashes: readonly string[]): Promise<void> {
      await db.deleteFrom('recovery_codes').where('user_id', '=', userId).execute();
      if (hashes.length === 0) return;
      await db
        .insertInto('recovery_codes')
        .values(hashes.map((hash) => ({ user_id: userId, code_hash: hash })))
        .execute();
    },

    /** Answers whether the code was good until now; it is not any more. */
    async takeRecoveryCode(userId: string, hash: string): Promise<boolean> {
      const row = await db
        .deleteFrom('recovery_codes')
        .where('user_id', '=', userId)
        .where('code_hash', '=', hash)
        .returning('user_id')
        .executeTakeFirst();
      return row !== undefined;
    },

    /** Rejects with a violated constraint when the credential is known already. */
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
     * Notes that it was used, with what the authenticator has counted. Answers false when the count has not grown: then
     * it was used before, or copied. One that does not count says 0 for good.
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

    /** Answers whether the person has such a passkey. */
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

    /** Answers its name; null when the person has no such passkey. */
    async deletePasskey(userId: string, id: string): Promise<string | null> {
      const row = await db
        .deleteFrom('passkeys')
        .where('id', '=', id)
        .where('user_id', '=', userId)
        .returning('name')
        .executeTakeFirst();
      return row?.name ?? null;
    },

    /** Answers how many there were. */
    async deletePasskeysOf(userId: string): Promise<number> {
      const rows = await db.deleteFrom('passkeys').where('user_id', '=', userId).returning('id').execute();
      return rows.length;
    },

    /** Keeps what a person has as it is until the transaction ends. Answers whether there is such a person. */
    async holdFactors(userId: string): Promise<boolean> {
      const row = await db
        .updateTable('users')
        .set((set) => ({ administrator: set.ref('administrator') }))
        .where('owner_id', '=', userId)
        .returning('owner_id')
        .executeTakeFirst();
      return row !== undefined;
    },
  };
}
