/** The servers that a person is signed in to, stored in a file that only they can read. */
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { CommandIo } from '../command-io.ts';

export interface SignedIn {
  token: string;
  user: string;
  /** ISO 8601; null for never. */
  expiresAt: string | null;
}

export interface Credentials {
  /** The server of commands without `--server`; null if there is none. */
  current: string | null;
  /** By origin. */
  servers: Record<string, SignedIn>;
}

/** Not an `AppError`, whose texts in every language the uploader would contain. */
export class SettingsUnavailable extends Error {
  override name = 'SettingsUnavailable';
}

const none: Credentials = { current: null, servers: {} };

/** XDG Base Directory Specification. */
export function settingsFolder({ environment }: Pick<CommandIo, 'environment'>): string {
  const { XDG_CONFIG_HOME: config, HOME: home, APPDATA: appData } = environment;
  const folder = config || appData || (home && join(home, '.config'));
  if (!folder)
    throw new SettingsUnavailable('set HOME or XDG_CONFIG_HOME: Slipway stores its settings there');
  return join(folder, 'slipway');
}

export const credentialsPath = (io: Pick<CommandIo, 'environment'>) =>
  join(settingsFolder(io), 'credentials.json');

/** Throws if the file is damaged. */
export async function readCredentials(io: Pick<CommandIo, 'environment'>): Promise<Credentials> {
  const { XDG_CONFIG_HOME: config, HOME: home, APPDATA: appData } = io.environment;
  if (!config && !home && !appData) return none;
  const path = credentialsPath(io);
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return none;
    throw error;
  }
  try {
    return { ...none, ...(JSON.parse(text) as Partial<Credentials>) };
  } catch {
    throw new SettingsUnavailable(`${path} is damaged: delete it and run slipway login`);
  }
}

/** Replaces the file atomically, so that a reader never sees half of it. */
export async function writeCredentials(io: CommandIo, credentials: Credentials): Promise<void> {
  const path = credentialsPath(io);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${io.host.pid}`;
  try {
    await writeFile(draft, `${JSON.stringify(credentials, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
