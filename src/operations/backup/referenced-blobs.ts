/** The blobs referenced by a database, and their paths on disk. */
import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { parseBlobKey } from '../../blobs/blob-key.ts';
import { createDiskBlobStore } from '../../blobs/disk-blob-store.ts';
import { linkOrCopy } from '../../blobs/link-or-copy.ts';
import type { ExpectedBlob } from '../../blobs/verify-blob.ts';
import { syncFolder } from '../../core/durable-folders.ts';
import { errorCode } from '../../core/file-errors.ts';
import type { Data } from '../../db/data.ts';
import type { StoredBuild } from './backup-queries.ts';
import { backupQueries, fileTables } from './backup-queries.ts';

const buildsPerBatch = 500;
const filesPerBatch = 500;

/** Read from rows, which contain neither size nor hash of icons. */
export type ReferencedBlob = ExpectedBlob;

export function blobsOf(build: StoredBuild): ReferencedBlob[] {
  const { packageBlob, packageBytes, sha256, simulatorBlob, simulatorBytes, simulatorSha256 } = build;
  const { apkBlob, apkBytes, apkSha256, iconBlob } = build;
  const named: ReferencedBlob[] = [{ key: parseBlobKey(packageBlob), sizeBytes: packageBytes, sha256 }];
  if (simulatorBlob) {
    named.push({ key: parseBlobKey(simulatorBlob), sizeBytes: simulatorBytes, sha256: simulatorSha256 });
  }
  if (apkBlob) named.push({ key: parseBlobKey(apkBlob), sizeBytes: apkBytes, sha256: apkSha256 });
  if (iconBlob) named.push({ key: parseBlobKey(iconBlob), sizeBytes: null, sha256: null });
  return named;
}

export async function* referencedBlobs(data: Data): AsyncGenerator<ReferencedBlob> {
  let after = '';
  for (;;) {
    const builds = await backupQueries(data).listStored(after, buildsPerBatch);
    for (const build of builds) yield* blobsOf(build);
    after = builds.at(-1)?.id ?? '';
    if (builds.length < buildsPerBatch) break;
  }
  for (const table of Object.values(fileTables)) yield* referencedFiles(data, table);
}

async function* referencedFiles(
  data: Data,
  table: (typeof fileTables)[keyof typeof fileTables],
): AsyncGenerator<ReferencedBlob> {
  let after = '';
  for (;;) {
    const files = await backupQueries(data).listFiles(table, after, filesPerBatch);
    for (const { blob, sizeBytes, sha256 } of files) yield { key: parseBlobKey(blob), sizeBytes, sha256 };
    after = files.at(-1)?.blob ?? '';
    if (files.length < filesPerBatch) return;
  }
}

export interface CopiedBlobs {
  count: number;
  sizeBytes: number;
  linked: number;
  copied: number;
  /** Descriptions of blobs that are missing or differ from their row. */
  errors: string[];
}

export interface BlobCopier {
  /** Links or copies every one of `blobs`; skips existing ones. */
  take(blobs: AsyncIterable<ReferencedBlob>): Promise<CopiedBlobs>;
  /** Makes all new names durable. */
  sync(): Promise<void>;
}

/** Copies from one blob folder to another with the same layout. `from` is never written. */
export function createBlobCopier(from: string, to: string): BlobCopier {
  const source = createDiskBlobStore({ root: from });
  const target = createDiskBlobStore({ root: to });
  const folders = new Set<string>();
  const ensureFolder = async (folder: string) => {
    if (folders.has(folder)) return;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    folders.add(folder).add(dirname(folder)).add(to);
  };
  return {
    take: async (blobs) => {
      const taken: CopiedBlobs = { count: 0, sizeBytes: 0, linked: 0, copied: 0, errors: [] };
      for await (const { key, sizeBytes } of blobs) {
        const place = target.localPath(key);
        await ensureFolder(dirname(place));
        const how = await linkOrCopy(source.localPath(key), place).catch(codeOf);
        if (how === 'ENOENT') {
          taken.errors.push(`${key} is missing`);
          continue;
        }
        if (how !== 'EEXIST') taken[how] += 1;
        const { size } = await stat(place);
        if (sizeBytes !== null && size !== sizeBytes) {
          taken.errors.push(`${key} has ${size} bytes instead of ${sizeBytes}`);
        }
        taken.count += 1;
        taken.sizeBytes += size;
      }
      return taken;
    },
    sync: async () => {
      for (const folder of folders) await syncFolder(folder);
    },
  };
}

function codeOf(error: unknown): 'ENOENT' | 'EEXIST' {
  const code = errorCode(error);
  if (code === 'ENOENT' || code === 'EEXIST') return code;
  throw error;
}

const maxErrorsShown = 20;

export function describeDamage(errors: readonly string[]): string {
  const shown = errors.slice(0, maxErrorsShown).map((problem) => `\n  ${problem}`);
  const more = errors.length - shown.length;
  return `${shown.join('')}${more > 0 ? `\n  and ${more} more` : ''}`;
}
