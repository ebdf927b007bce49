import { defineQueries } from '../../db/data.ts';
import type { Queries } from '../../db/database.ts';

/** The blobs referenced by one build. */
export interface StoredBuild {
  id: string;
  /** SHA-256 of the package, in hexadecimal. */
  sha256: string;
  packageBlob: string;
  packageBytes: number;
  simulatorBlob: string | null;
  simulatorBytes: number | null;
  simulatorSha256: string | null;
  apkBlob: string | null;
  apkBytes: number | null;
  apkSha256: string | null;
  iconBlob: string | null;
  isDamaged: boolean;
}

export const backupQueries = defineQueries(createBackupQueries);

/** A screenshot of feedback, or a symbol file. */
export interface StoredFile {
  blob: string;
  sizeBytes: number;
  /** In hexadecimal. */
  sha256: string;
}

/** Tables with one blob per row, in the order in which files are checked: that of their keys. */
export const fileTables = { 'feedback/': 'feedback_screenshots', 'symbols/': 'symbol_files' } as const;
type FileTable = (typeof fileTables)[keyof typeof fileTables];

function createBackupQueries(db: Queries) {
  return {
    /** Lists the files of the table in order, after the blob `after`. */
    async listFiles(table: FileTable, after: string, limit: number): Promise<StoredFile[]> {
      return db
        .selectFrom(table)
        .select(['blob', 'size_bytes as sizeBytes', 'sha256'])
        .where('blob', '>', after)
        .orderBy('blob')
        .limit(limit)
        .execute();
    },

    /** Lists builds in order of id, after the id `after`, including deleted ones that can be restored. */
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
          'apk_blob as apkBlob',
          'apk_bytes as apkBytes',
          'apk_sha256 as apkSha256',
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
