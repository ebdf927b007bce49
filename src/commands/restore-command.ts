/** `slipway restore`: restores a backup into an empty installation. */
import { resolve } from 'node:path';
import { type Config, readConfig } from '../config.ts';
import { invalid } from '../core/errors.ts';
import { type RestoreDatabase, restoreBackup } from '../operations/backup/restore.ts';
import { type CommandIo, print } from './command-io.ts';
import { checkSqlite, openExistingData } from './with-data.ts';

export interface RestoreOptions {
  json?: boolean;
  verify?: boolean;
}

export async function runRestore(io: CommandIo, folder: string, options: RestoreOptions): Promise<void> {
  const config = readConfig(io.environment);
  const { blobs } = config;
  if (blobs.kind !== 'disk') {
    throw invalid('a backup is restored to disk: unset SLIPWAY_BLOB_URL, then move the files to S3');
  }
  const { manifest, linked, copied, verified } = await restoreBackup({
    folder: resolve(folder),
    dataFolder: config.dataFolder,
    blobsFolder: blobs.folder,
    database: databaseOf(config),
    secretIsSetting: config.secret !== null,
    verify: options.verify ?? false,
  });
  const facts = { made_at: manifest.made_at, files: linked + copied, linked, copied, verified };
  const sentence = `Restored the backup of ${manifest.made_at}: the database and ${linked + copied} files (${linked} linked, ${copied} copied, ${verified} verified). Start the server.`;
  print(io, options.json ?? false, facts, sentence);
}

function databaseOf(config: Config): RestoreDatabase {
  const { database } = config;
  if (database.kind === 'postgres') return { kind: 'postgres', open: () => openExistingData(config) };
  return {
    kind: 'sqlite',
    path: database.path,
    openCopy: async (path) => {
      checkSqlite(path);
      return openExistingData({ ...config, database: { kind: 'sqlite', path } });
    },
  };
}
