import { newIdentifier } from '../../core/identifier.ts';
import { defineQueries } from '../../db/data.ts';
import type { Queries } from '../../db/database.ts';
import type { Attestation, VerifiedAttestation } from './attestation.ts';

export const provenanceQueries = defineQueries((db: Queries) => ({
  /** Oldest first. */
  async listAttestations(buildId: string): Promise<Attestation[]> {
    const rows = await db
      .selectFrom('attestations')
      .selectAll()
      .where('build_id', '=', buildId)
      .orderBy('id')
      .execute();
    return rows.map((row) => ({
      id: row.id,
      facts: JSON.parse(row.facts),
      bundle: row.bundle,
      bundleSha256: row.bundle_sha256,
      attachedAt: row.attached_at,
      attachedBy: row.attached_by,
    }));
  },

  async countAttestations(buildId: string): Promise<number> {
    const row = await db
      .selectFrom('attestations')
      .select((select) => select.fn.countAll<number>().as('count'))
      .where('build_id', '=', buildId)
      .executeTakeFirstOrThrow();
    return Number(row.count);
  },

  /** Returns false if the build has it already. */
  async insertAttestation(
    buildId: string,
    { facts, bundle, bundleSha256 }: VerifiedAttestation,
    { at, by }: { at: number; by: string },
  ): Promise<boolean> {
    const row = await db
      .insertInto('attestations')
      .values({
        id: newIdentifier(at),
        build_id: buildId,
        bundle,
        bundle_sha256: bundleSha256,
        facts: JSON.stringify(facts),
        attached_at: at,
        attached_by: by,
      })
      .onConflict((conflict) => conflict.columns(['build_id', 'bundle_sha256']).doNothing())
      .returning('id')
      .executeTakeFirst();
    return row !== undefined;
  },

  /** The commit that the file names itself; null if it names none. */
  async findPackageCommit(buildId: string): Promise<string | null> {
    const row = await db
      .selectFrom('package_commits')
      .select('commit_id')
      .where('build_id', '=', buildId)
      .executeTakeFirst();
    return row?.commit_id ?? null;
  },

  async insertPackageCommit(buildId: string, commit: string): Promise<void> {
    await db.insertInto('package_commits').values({ build_id: buildId, commit_id: commit }).execute();
  },
}));
