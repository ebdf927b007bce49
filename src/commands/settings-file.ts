/** Settings files, and the path of an installation's file. Variables that are already set in the environment take precedence. */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { reasonOf, unavailable } from '../core/errors.ts';
import type { CommandIo } from './command-io.ts';
import { writeLines } from './terminal-text.ts';

/** Where `integrations/deploy/slipway` and the systemd unit keep the settings. */
export const defaultSettingsFile = '/etc/slipway.env';

/** The file in the data folder that records the path of the server's settings file. */
const recordName = 'settings-file';

/**
 * Loads the file in SLIPWAY_ENV_FILE, otherwise `.env` in the working folder if it exists. Returns its path, or null if there is
 * none. Throws `unavailable` if it cannot be read.
 */
export function loadSettingsFile(host: NodeJS.Process): string | null {
  const named = host.env.SLIPWAY_ENV_FILE?.trim();
  const path = resolve(named || '.env');
  const { SLIPWAY_API_KEY: key, SLIPWAY_URL: url } = host.env;
  try {
    host.loadEnvFile(path);
    if (!named && key?.trim() && !url?.trim()) dropForeignKey(host, path);
    return path;
  } catch (error) {
    const absent = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    if (absent && !named) return null;
    const setting = named ? ' (SLIPWAY_ENV_FILE)' : '';
    throw unavailable(`the settings file cannot be read: ${reasonOf(error)}${setting}`, error);
  }
}

/** A file in a folder, such as a cloned repository, must not decide where a key in the environment is sent. */
function dropForeignKey({ env, stderr }: NodeJS.Process, path: string): void {
  if (!env.SLIPWAY_URL?.trim()) return;
  env.SLIPWAY_API_KEY = '';
  const reason = `SLIPWAY_URL is from ${path}, and the key is not`;
  writeLines(
    stderr,
    `SLIPWAY_API_KEY is not used: ${reason}. Set both in the environment, or both in the file.`,
  );
}

/** Records the path of the settings file in the data folder, for commands that know only the data folder. */
export async function recordSettingsFile(io: CommandIo, dataFolder: string): Promise<void> {
  const record = join(dataFolder, recordName);
  if (!io.settingsFile) return rm(record, { force: true });
  const text = `${io.settingsFile}\n`;
  // Avoids a write, because a server must also start on a full disk.
  if ((await readFile(record, 'utf8').catch(() => null)) === text) return;
  await writeFile(record, text, { mode: 0o600 });
}

/**
 * Returns the environment of a command, with the settings file that the server of this data folder was started with. Only
 * settings are read from that file: the server's account, which writes the record, must not control root's programs.
 */
export async function installedEnvironment(io: CommandIo): Promise<CommandIo['environment']> {
  // Most commands read no settings, and do not need to load the code that checks them.
  const { readConfig } = await import('../config.ts');
  const { dataFolder } = readConfig(io.environment);
  const recorded = await readFile(join(dataFolder, recordName), 'utf8').catch(() => null);
  const path = recorded?.trim();
  if (!path || path === io.settingsFile) return io.environment;
  const text = await readFile(path, 'utf8').catch((error) => {
    const words = `the settings file of the server cannot be read: ${reasonOf(error)}`;
    throw unavailable(`${words} (recorded in ${join(dataFolder, recordName)})`, error);
  });
  const settings = Object.entries(parseEnv(text)).filter(([name]) => isSetting(name));
  return { ...Object.fromEntries(settings), ...io.environment };
}

const storeSettings = [
  'AWS_ACCESS_KEY_ID',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_SESSION_TOKEN',
  'AWS_REGION',
  'AWS_DEFAULT_REGION',
];
const isSetting = (name: string) => name.startsWith('SLIPWAY_') || storeSettings.includes(name);
