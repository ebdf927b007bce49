import { defineQueries } from '../../db/data.ts';
import type { Queries } from '../../db/database.ts';
import type { SymbolFileFacts } from '../../packages/symbols/symbol-file.ts';

/** Debug information beside a build. It is deleted with the build. */
export interface SymbolFile {
  id: string;
  buildId: string;
  appId: string;
  /** As it was uploaded. */
  fileName: string;
  facts: SymbolFileFacts;
  blob: string;
  sizeBytes: number;
  /** In hexadecimal. */
  sha256: string;
  uploadedBy: string;
  createdAt: number;
}

export const symbolFileQueries = defineQueries((db: Queries) => ({
  /** Oldest first. */
  async list(buildId: string): Promise<SymbolFile[]> {
    const rows = await db
      .selectFrom('symbol_files')
      .selectAll()
      .where('build_id', '=', buildId)
      .orderBy('id')
      .execute();
    return rows.map((row) => ({
      id: row.id,
      buildId: row.build_id,
      appId: row.app_id,
      fileName: row.file_name,
      facts: JSON.parse(row.facts),
      blob: row.blob,
      sizeBytes: row.size_bytes,
      sha256: row.sha256,
      uploadedBy: row.uploaded_by,
      createdAt: row.created_at,
    }));
  },

  async count(buildId: string): Promise<number> {
    const row = await db
      .selectFrom('symbol_files')
      .select((select) => select.fn.countAll<number>().as('count'))
      .where('build_id', '=', buildId)
      .executeTakeFirstOrThrow();
    return Number(row.count);
  },

  /** Returns false if the build has a file with this content already. */
  async insert(file: SymbolFile): Promise<boolean> {
    const row = await db
      .insertInto('symbol_files')
      .values({
        id: file.id,
        build_id: file.buildId,
        app_id: file.appId,
        file_name: file.fileName,
        facts: JSON.stringify(file.facts),
        blob: file.blob,
        size_bytes: file.sizeBytes,
        sha256: file.sha256,
        uploaded_by: file.uploadedBy,
        created_at: file.createdAt,
      })
      .onConflict((conflict) => conflict.columns(['build_id', 'sha256']).doNothing())
      .returning('id')
      .executeTakeFirst();
    return row !== undefined;
  },

  /** Returns the key of the blob; null if the build has no such file. */
  async remove(buildId: string, id: string): Promise<string | null> {
    const row = await db
      .deleteFrom('symbol_files')
      .where('id', '=', id)
      .where('build_id', '=', buildId)
      .returning('blob')
      .executeTakeFirst();
    return row?.blob ?? null;
  },
}));

/** Returns the keys of the blobs of the builds' symbol files. */
export async function symbolBlobsOf(db: Queries, buildIds: readonly string[]): Promise<string[]> {
  if (buildIds.length === 0) return [];
  const rows = await db.selectFrom('symbol_files').select('blob').where('build_id', 'in', buildIds).execute();
  return rows.map(({ blob }) => blob);
}

/** Returns the keys that a symbol file references. */
export async function namedSymbolFiles(db: Queries, keys: readonly string[]): Promise<string[]> {
  const rows = await db.selectFrom('symbol_files').select('blob').where('blob', 'in', keys).execute();
  return rows.map(({ blob }) => blob);
}
