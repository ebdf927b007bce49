import { defineQueries } from '../../db/data.ts';
import type { Queries } from '../../db/database.ts';

/** The blobs that one build references. */
export interface StoredBuild {
  id: string;
  /** Of the package, in hexadecimal. */
  sha256: string;
  packageBlob: string;
  packageBytes: number;
  simulatorBlob: string | null;
  simulatorBytes: number | null;
  simulatorSha256: string | null;
  iconBlob: string | null;
  isDamaged: boolean;
}

export const backupQueries = defineQueries(createBackupQueries);

function createBackupQueries(db: Queries) {
  return {
    /** Every build after the id `after` in order, including deleted ones that can be restored. */
    async listStored(after: string, limit: number): Promise<StoredBuild[]> {
      const rows = await db
        .selectFrom('builds')
        .select([
          'id',
          'sha256',
          'package_blob as packageBlob',
          'size_bytes as packageBytes',
          'simulator_blob as simulatorBlob',
          'simulator_bytes as simulatorBytes',
          'simulator_sha256 as simulatorSha256',
          'icon_blob as iconBlob',
          'damage',
        ])
        .where('id', '>', after)
        .orderBy('id')
        .limit(limit)
        .execute();
      return rows.map(({ damage, ...stored }) => ({ ...stored, isDamaged: damage !== null }));
    },
  };
}
