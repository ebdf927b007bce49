/** `slipway backup`: copies everything while the server runs. */
import { join, resolve } from 'node:path';
import type { Config } from '../config.ts';
import { invalid } from '../core/errors.ts';
import { version } from '../core/version.ts';
import { type BackupDatabase, createBackup } from '../operations/backup/backup.ts';
import { verifyBackup } from '../operations/backup/backup-hashes.ts';
import { type CommandIo, print } from './command-io.ts';
import { writeLines } from './terminal-text.ts';
import { copySqlite, openExistingData, readInstalledConfig } from './with-data.ts';

export interface BackupOptions {
  json?: boolean;
  dump?: string;
  /** Verify an existing backup instead of creating one. */
  verify?: boolean;
}

export async function runBackup(io: CommandIo, folder: string, options: BackupOptions): Promise<void> {
  if (options.verify) return verify(io, folder, options);
  const config = await readInstalledConfig(io);
  const { blobs } = config;
  if (blobs.kind !== 'disk') throw invalid(adviceForS3(config));
  const made = await createBackup({
    folder,
    dataFolder: config.dataFolder,
    blobsFolder: blobs.folder,
    database: databaseOf(config, folder, options),
    secretInFile: config.secret === null,
    version: version(),
    now: Date.now,
  });
  const { manifest, linked, copied, damagedBuilds } = made;
  const facts = {
    folder: made.folder,
    blobs: manifest.blobs.count,
    blob_bytes: manifest.blobs.size,
    database_bytes: manifest.database.size,
    linked,
    copied,
    damaged_builds: damagedBuilds,
  };
  const sentence = `Backed up ${manifest.blobs.count} files (${linked} linked, ${copied} copied) and the database into ${made.folder}.`;
  print(io, options.json ?? false, facts, sentence);
  if (damagedBuilds > 0)
    writeLines(
      io.stderr,
      `Builds with damaged files, which are in the backup as they are: ${damagedBuilds}. Restore the files from an older backup; slipway doctor --files names them.`,
    );
}

async function verify(io: CommandIo, folder: string, options: BackupOptions): Promise<void> {
  if (options.dump !== undefined)
    throw invalid('--verify reads an existing backup and cannot be combined with --dump');
  const { manifest, files } = await verifyBackup(resolve(folder));
  const facts = { folder: resolve(folder), made_at: manifest.made_at, files };
  const sentence = `The backup of ${manifest.made_at} is intact: the database and ${files} files match their hashes.`;
  print(io, options.json ?? false, facts, sentence);
}

function databaseOf(config: Config, folder: string, { dump }: BackupOptions): BackupDatabase {
  const { database } = config;
  if (database.kind === 'sqlite') {
    if (dump !== undefined) throw invalid('--dump is for PostgreSQL; SQLite is copied by the command itself');
    return {
      kind: 'sqlite',
      copyTo: (path) => copySqlite(database.path, path),
      openCopy: (path) => openExistingData({ ...config, database: { kind: 'sqlite', path } }),
    };
  }
  if (dump === undefined) throw invalid(adviceForPostgres(folder));
  return { kind: 'postgres', dump, open: () => openExistingData(config) };
}

const dumpCommand = 'pg_dump --format=custom --file=slipway.dump "$SLIPWAY_DATABASE_URL"';

function adviceForPostgres(folder: string): string {
  return `PostgreSQL is backed up by its own tools. Dump the database first, then back up the files with the dump:

  ${dumpCommand}
  slipway backup ${JSON.stringify(folder)} --dump slipway.dump
`;
}

/** Returns instructions only: S3 has its own ways to protect files. */
function adviceForS3(config: Config): string {
  const { blobs, database } = config;
  const bucket = blobs.kind === 's3' ? blobs.bucket : '';
  const dump =
    database.kind === 'postgres'
      ? dumpCommand
      : `sqlite3 ${JSON.stringify(database.path)} ".backup slipway.sqlite"`;
  const secret =
    config.secret === null ? `\n  cp -p ${JSON.stringify(join(config.dataFolder, 'secret'))} .` : '';
  return `the files are on S3, which has its own ways to protect them. Once, to make deleted files recoverable:

  aws s3api put-bucket-versioning --bucket ${bucket} --versioning-configuration Status=Enabled

and replicate the bucket to another location. Then, for each backup, copy the database${secret ? ' and the secret' : ''}:

  ${dump}${secret}
`;
}
