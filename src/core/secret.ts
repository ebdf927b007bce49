/** The server's secret, from a setting or a file created in the data folder. During a rotation, the previous secret is also accepted. */
import { randomBytes } from 'node:crypto';
import { chmod, link, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { syncFolder } from './durable-folders.ts';
import { conflict, invalid, unavailable } from './errors.ts';
import type { Settings } from './settings.ts';
import { minimumSecretBytes, type ServerSecret } from './signature.ts';

/** Files in the data folder. */
export const secretFile = 'secret';
export const previousSecretFile = 'secret.previous';

export interface SecretConfig {
  /** Null if it is created once and kept in the data folder. */
  secret: string | null;
  /** Null if there is none, or if it is in a file in the data folder. */
  previousSecret: string | null;
}

export function readSecretConfig(settings: Settings): SecretConfig {
  const secret = settings.text('SLIPWAY_SECRET');
  if (secret !== null && Buffer.byteLength(secret) < minimumSecretBytes)
    settings.addError(`${tooShort('SLIPWAY_SECRET', secret)} ${settingSteps}\n${voidLinks}`);
  return { secret, previousSecret: settings.text('SLIPWAY_PREVIOUS_SECRET') };
}

export interface SecretSource extends SecretConfig {
  dataFolder: string;
}

/** Returns the secret without creating one; null before the first start. Throws `invalid` if it is too short. */
export async function findSecret(source: SecretSource): Promise<ServerSecret | null> {
  const current = source.secret ?? (await readSecretFile(source.dataFolder, secretFile));
  if (current === null) return null;
  if (Buffer.byteLength(current) < minimumSecretBytes)
    throw invalid(shortSecretFile(join(source.dataFolder, secretFile), current));
  const previous = source.previousSecret ?? (await readSecretFile(source.dataFolder, previousSecretFile));
  return previous === null || previous === current ? current : { current, previous };
}

/**
 * Returns the secret, creating it if needed. If several processes start at once, one creates the file and all read the same
 * secret. Makes the files readable only by their owner.
 */
export async function readSecret(source: SecretSource): Promise<ServerSecret> {
  for (const name of [secretFile, previousSecretFile]) await restrict(join(source.dataFolder, name));
  const known = await findSecret(source);
  if (known !== null) return known;
  const path = join(source.dataFolder, secretFile);
  const draft = await writeDraft(path);
  await link(draft, path).catch(() => undefined);
  await rm(draft);
  const created = await findSecret(source);
  if (created === null) throw unavailable(`${path} was removed while the server was starting`);
  return created;
}

export async function hasSecretFile({ dataFolder }: SecretSource): Promise<boolean> {
  return (await readSecretFile(dataFolder, secretFile)) !== null;
}

/**
 * Replaces the secret in the data folder and keeps the old one as the previous secret. Throws `invalid` if the secret is a
 * setting, and `conflict` if a previous secret still exists or there is none to rotate.
 */
export async function rotateSecretFile(source: SecretSource): Promise<void> {
  if (source.secret !== null) throw invalid(`The secret is set in SLIPWAY_SECRET. ${settingSteps}`);
  const path = join(source.dataFolder, secretFile);
  const previous = join(source.dataFolder, previousSecretFile);
  if (!(await hasSecretFile(source)))
    throw conflict(`${path} does not exist: the first start of the server creates it`);
  const draft = await writeDraft(path);
  try {
    await link(path, previous);
  } catch (error) {
    await rm(draft);
    if ((error as { code?: string }).code !== 'EEXIST') throw error;
    throw conflict(
      `${previous} exists: the last rotation is not finished. Restart the server, then run: slipway secret retire`,
    );
  }
  await rename(draft, path);
  await restrict(previous);
  await syncFolder(source.dataFolder);
}

/** Stops accepting the previous secret in the data folder. Returns whether there was one. */
export async function removePreviousSecret({ dataFolder }: SecretSource): Promise<boolean> {
  const kept = await readSecretFile(dataFolder, previousSecretFile);
  await rm(join(dataFolder, previousSecretFile), { force: true });
  await syncFolder(dataFolder);
  return kept !== null;
}

async function readSecretFile(folder: string, name: string): Promise<string | null> {
  try {
    return (await readFile(join(folder, name), 'utf8')).trim();
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOENT') return null;
    throw error;
  }
}

async function writeDraft(path: string): Promise<string> {
  const draft = `${path}.${randomBytes(8).toString('hex')}`;
  await writeFile(draft, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600, flag: 'wx', flush: true });
  return draft;
}

/** Leaves a file with correct permissions alone, because it may be read-only or belong to another account. */
async function restrict(path: string): Promise<void> {
  const facts = await stat(path).catch(() => null);
  if (facts !== null && (facts.mode & 0o077) !== 0) await chmod(path, 0o600);
}

const settingSteps = `To rotate it:
  1. Create a new secret: openssl rand -hex 32
  2. Set SLIPWAY_SECRET to the new one and SLIPWAY_PREVIOUS_SECRET to the current one, on every node.
  3. Restart the server. It re-encrypts stored secrets with the new one.
  4. Later, remove SLIPWAY_PREVIOUS_SECRET and restart. docs/operations.md says when.`;

const tooShort = (what: string, secret: string) =>
  `${what} has ${Buffer.byteLength(secret)} bytes; at least ${minimumSecretBytes} are required, because links signed with a shorter secret can be forged.`;

const voidLinks = 'Links signed with the short secret stop working immediately.';

function shortSecretFile(path: string, secret: string): string {
  return `${tooShort(path, secret)} To rotate it:
  1. Stop the server and run: slipway secret rotate
  2. Start the server. It re-encrypts stored secrets with the new one.
  3. Run: slipway secret retire
${voidLinks}`;
}
