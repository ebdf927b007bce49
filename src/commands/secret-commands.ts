/** `slipway secret`: rotates the secret in the data folder, and allows a new secret to replace a lost one. */
import { readConfig } from '../config.ts';
import { invalid } from '../core/errors.ts';
import { findSecret, hasSecretFile, removePreviousSecret, rotateSecretFile } from '../core/secret.ts';
import { installationSecretQueries } from '../operations/installation-secret-queries.ts';
import { reencryptStoredSecrets } from '../operations/reencrypt-secrets.ts';
import { type CommandIo, print } from './command-io.ts';
import { installedEnvironment } from './settings-file.ts';
import { openExistingData, readInstalledConfig, withData } from './with-data.ts';

export async function runSecretRotate(io: CommandIo, options: { json?: boolean }): Promise<void> {
  const config = readConfig(await installedEnvironment(io));
  // A secret that is too short can be rotated before a database exists.
  if (!(await hasSecretFile(config))) await readInstalledConfig(io);
  await rotateSecretFile(config);
  const sentence = `Created a new secret; the old one is accepted as the previous one. Restart the server to re-encrypt stored
secrets. When links signed with the old one no longer matter, run: slipway secret retire`;
  print(io, options.json ?? false, { rotated: true }, sentence);
}

export async function runSecretRetire(io: CommandIo, options: { json?: boolean }): Promise<void> {
  const config = await readInstalledConfig(io);
  if (config.previousSecret !== null)
    throw invalid('the previous secret is set in SLIPWAY_PREVIOUS_SECRET: remove the setting and restart');
  const secret = await findSecret(config);
  const opened = await openExistingData(config);
  let resealed = 0;
  try {
    // No stored value may remain that only the previous secret can decrypt.
    if (secret !== null) resealed = await reencryptStoredSecrets(opened.data, secret);
  } finally {
    await opened.close();
  }
  const retired = await removePreviousSecret(config);
  const sentence = retired
    ? 'Removed the previous secret. Restart the server: links signed with it stop working.'
    : 'There is no previous secret.';
  print(io, options.json ?? false, { retired, resealed }, sentence);
}

export async function runSecretReset(io: CommandIo, options: { json?: boolean }): Promise<void> {
  await withData(io, async ({ data }) => {
    const reset = await installationSecretQueries(data).forget();
    const sentence = reset
      ? 'The next server that starts decides which secret the installation has.'
      : 'The installation has not recorded a secret yet.';
    print(io, options.json ?? false, { reset }, sentence);
  });
}
