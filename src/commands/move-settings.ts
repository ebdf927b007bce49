/** The source and target of `slipway move`: the current and the new settings. */
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { isDeepStrictEqual, parseEnv } from 'node:util';
import type { BlobConfig } from '../blobs/blob-config.ts';
import { type Config, readConfig } from '../config.ts';
import { invalid } from '../core/errors.ts';
import { findSecret } from '../core/secret.ts';
import type { CommandIo } from './command-io.ts';
import { installedEnvironment } from './settings-file.ts';
import { UsageError } from './uploader/upload-error.ts';
import { requireDatabaseFile } from './with-data.ts';

export interface MoveOptions {
  settings?: string;
  databaseUrl?: string;
  blobUrl?: string;
  ahead?: boolean;
  verify?: boolean;
  json?: boolean;
}

export interface MovePlan {
  from: Config;
  to: Config;
  /** The parts of the installation that differ between the settings and must move. */
  moves: { database: boolean; files: boolean };
  /** The new SLIPWAY_BLOB_URL as given; it never contains a secret. */
  blobUrl: string;
  secret: SecretMove;
}

/**
 * Where the secret is. `kept`: in the new settings. `setting`: in the current settings. `file`: in `path`, and missing from the
 * new settings.
 */
export type SecretMove = { kind: 'none' | 'kept' | 'setting' } | { kind: 'file'; path: string };

/**
 * Throws `ConfigError`, `UsageError` or `invalid`. The new settings are the current ones, overridden by the file and then by the
 * options.
 */
export async function planMove(io: CommandIo, options: MoveOptions): Promise<MovePlan> {
  const present = await installedEnvironment(io);
  const from = readConfig(present);
  await requireDatabaseFile(io, from);
  const file = options.settings === undefined ? {} : await readSettings(options.settings);
  const environment = {
    ...present,
    ...file,
    ...(options.databaseUrl === undefined ? {} : { SLIPWAY_DATABASE_URL: options.databaseUrl }),
    ...(options.blobUrl === undefined ? {} : { SLIPWAY_BLOB_URL: options.blobUrl }),
  };
  const to = readConfig(environment);
  const moves = {
    database: !isDeepStrictEqual(from.database, to.database) && options.ahead !== true,
    files: locationOf(from.blobs) !== locationOf(to.blobs),
  };
  if (!moves.database && !moves.files) throw new UsageError(nothingToMove(options));
  const blobUrl = environment.SLIPWAY_BLOB_URL?.trim() || `file:${join(to.dataFolder, 'blobs')}`;
  return { from, to, moves, blobUrl, secret: await planSecretMove(from, to) };
}

function nothingToMove({ ahead }: MoveOptions): string {
  if (ahead) return '--ahead copies files: set another location with --blob-url or SLIPWAY_BLOB_URL';
  return 'nothing to move: set another location with --database-url, --blob-url or --settings';
}

const maxSettingsBytes = 64 * 1024;

async function readSettings(path: string): Promise<Record<string, string | undefined>> {
  const text = await readFile(path, 'utf8').catch((error) => {
    throw invalid(`the settings file ${path} cannot be read: ${error.message}`);
  });
  if (text.length > maxSettingsBytes) throw invalid(`${path} is too large for a settings file`);
  return parseEnv(text);
}

/** Returns the same text for the same blobs, regardless of credentials. */
function locationOf(config: BlobConfig): string {
  if (config.kind === 'disk') return `file:${resolve(config.folder)}`;
  const { endpoint, region, bucket, prefix } = config;
  return `s3:${endpoint ?? region}/${bucket}/${prefix}`;
}

const unfinishedRotation =
  'the previous secret is still accepted: start the server once, then run slipway secret retire or remove SLIPWAY_PREVIOUS_SECRET, and move after that';

async function planSecretMove(from: Config, to: Config): Promise<SecretMove> {
  const secret = await findSecret(from);
  if (secret === null) return { kind: 'none' };
  if (typeof secret !== 'string') throw invalid(unfinishedRotation);
  if (to.secret !== null && to.secret !== secret) {
    throw invalid(
      'SLIPWAY_SECRET of the new settings is not the secret of this installation: links and tickets would stop working, and encrypted values could not be read',
    );
  }
  if (from.secret !== null) return { kind: 'setting' };
  if (to.secret !== null) return { kind: 'kept' };
  return { kind: 'file', path: resolve(from.dataFolder, 'secret') };
}
