/** The secret that signs download links: made once and kept in the data folder when no setting gives one. */
import { randomBytes } from 'node:crypto';
import { link, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The secret without making one: null before the first start. */
export async function findSecret(dataFolder: string, configured: string | null): Promise<string | null> {
  if (configured !== null) return configured;
  const known = await readFile(join(dataFolder, 'secret'), 'utf8').catch(() => null);
  return known?.trim() || null;
}

/** Of several processes that start at once on a new folder, one makes the file; all read the same. */
export async function readSecret(dataFolder: string, configured: string | null): Promise<string> {
  const known = await findSecret(dataFolder, configured);
  if (known) return known;
  const path = join(dataFolder, 'secret');
  const draft = `${path}.${randomBytes(8).toString('hex')}`;
  await writeFile(draft, `${randomBytes(32).toString('hex')}\n`, { mode: 0o600, flag: 'wx', flush: true });
  await link(draft, path).catch(() => undefined);
  await rm(draft);
  return (await readFile(path, 'utf8')).trim();
}
