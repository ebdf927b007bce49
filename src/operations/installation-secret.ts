/** All nodes of an installation have the same secret: the database contains its fingerprint. */
import { conflict } from '../core/errors.ts';
import { findSecret, readSecret, type SecretSource } from '../core/secret.ts';
import { fingerprintOf, type ServerSecret } from '../core/signature.ts';
import type { Data } from '../db/data.ts';
import { installationSecretQueries } from './installation-secret-queries.ts';

const advice = `Links, forms and encrypted values of the installation would be invalid. Set SLIPWAY_SECRET to the same value on every node. To change
it on purpose, or if it is lost, see "Rotate the secret" in docs/operations.md.`;

/**
 * Returns the secret of this node, and creates the first one of an installation. Throws `conflict` if it is not that of the
 * installation and does not replace it. During a rotation, a node knows the old and the new one.
 */
export async function readInstallationSecret(data: Data, source: SecretSource): Promise<ServerSecret> {
  const queries = installationSecretQueries(data);
  const recorded = await queries.find();
  // Otherwise, a new secret would be created.
  if (recorded !== null && (await findSecret(source)) === null)
    throw conflict(`this node has no secret, but the installation has one. ${advice}`);
  const secret = await readSecret(source);
  const { current, previous } = typeof secret === 'string' ? { current: secret, previous: null } : secret;
  const fingerprint = fingerprintOf(current);
  if (recorded === null) await queries.record(fingerprint);
  // Another node may have recorded its own secret at the same time.
  const known = recorded ?? (await queries.find());
  if (known === null || known === fingerprint) return secret;
  if (previous === null || known !== fingerprintOf(previous))
    throw conflict(`the secret of this node is not that of the installation. ${advice}`);
  await queries.replace(known, fingerprint);
  return secret;
}
