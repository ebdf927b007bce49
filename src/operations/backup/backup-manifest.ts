/** The manifest of a backup. It is written last, so a folder without it is not a complete backup. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import * as v from 'valibot';
import { copyDurably } from '../../blobs/link-or-copy.ts';
import { invalid } from '../../core/errors.ts';
import { errorCode } from '../../core/file-errors.ts';
import { previousSecretFile, secretFile } from '../../core/secret.ts';

/** File names in a backup. */
export const backupNames = {
  manifest: 'backup.json',
  blobs: 'blobs',
  secret: secretFile,
  hashes: 'blobs.sha256',
} as const;

const maxManifestBytes = 64 * 1024;

const count = v.pipe(v.number(), v.integer(), v.minValue(0));

const sha256 = v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/));

const manifestSchema = v.object({
  format: v.literal(1),
  /** Version of Slipway that created it. */
  slipway: v.string(),
  /** ISO 8601. */
  made_at: v.string(),
  /** `file`: the copy of the SQLite database, or the dump of pg_dump. */
  database: v.object({
    kind: v.picklist(['sqlite', 'postgres']),
    file: v.picklist(['slipway.sqlite', 'postgres.dump']),
    size: count,
    sha256,
  }),
  blobs: v.object({ count, size: count }),
  /** SHA-256 of the list of hashes. */
  hashes_sha256: sha256,
  /** `setting`: the secret was in SLIPWAY_SECRET and is not part of the backup. */
  secret: v.picklist(['file', 'setting']),
});
export type BackupManifest = v.InferOutput<typeof manifestSchema>;

export async function writeManifest(folder: string, manifest: BackupManifest): Promise<void> {
  const text = `${JSON.stringify(manifest, null, 2)}\n`;
  await writeFile(join(folder, backupNames.manifest), text, { mode: 0o600, flag: 'wx', flush: true });
}

/** Throws `invalid` unless `folder` is a complete backup that this version can read. */
export async function readManifest(folder: string): Promise<BackupManifest> {
  const path = join(folder, backupNames.manifest);
  const facts = await stat(path).catch(() => null);
  if (!facts) throw invalid(`${folder} is not a complete backup: it contains no ${backupNames.manifest}`);
  const text = facts.size <= maxManifestBytes ? await readFile(path, 'utf8') : '';
  const manifest = v.safeParse(manifestSchema, parse(text));
  if (manifest.success) return manifest.output;
  throw invalid(`${path} cannot be read: it is damaged, or from another version of Slipway`);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** During a rotation, the database contains values that only the previous secret can decrypt. */
export async function copyPreviousSecret(from: string, to: string): Promise<void> {
  try {
    await copyDurably(join(from, previousSecretFile), join(to, previousSecretFile));
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
  }
}

/** Returns hexadecimal digits. */
export async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path, { highWaterMark: 1024 * 1024 }), hash);
  return hash.digest('hex');
}

/** Throws `invalid` if the copy of the database has changed since it was written. */
export async function checkDatabaseFile(folder: string, { database }: BackupManifest): Promise<void> {
  const path = join(folder, database.file);
  const facts = await stat(path).catch(() => null);
  if (!facts) throw invalid(`${path} is missing`);
  if (facts.size !== database.size || (await sha256Of(path)) !== database.sha256) {
    throw invalid(`${path} has changed since it was written: the backup is damaged`);
  }
}
