/**
 * The keys with which Slipway signs the APKs that it makes of an owner's app bundles. Private keys are encrypted with the
 * server's secret and bound to their owner.
 */
import { generateKeyPair } from 'node:crypto';
import { promisify } from 'node:util';
import { createEncryption, type Encryption } from '../../core/encrypted-text.ts';
import type { ServerSecret } from '../../core/signature.ts';
import type { Data } from '../../db/data.ts';
import { certify, commonName } from '../../packages/apk/signing/signing-key.ts';
import type { EncodedSigningKey } from '../../packages/package-info.ts';
import { type StoredSigningKey, signingKeyQueries } from './signing-key-queries.ts';

export interface SigningKeys {
  /** The certificates of the current key, last, and of those that it replaces. Creates the first key. */
  certificatesOf(owner: { id: string; name: string }): Promise<SigningCertificates>;
  /** The keys up to this number. Null if the owner no longer exists. Throws if the server's secret was changed. */
  keysUpTo(ownerId: string, number: number): Promise<EncodedSigningKey[] | null>;
}

export interface SigningCertificates {
  /** Of the current key. */
  number: number;
  certificates: { certificate: Buffer }[];
}

const modulusLength = 3072;
const generate = promisify(generateKeyPair);

export const createSigningKeyEncryption = (secret: ServerSecret): Encryption =>
  createEncryption(secret, 'signing key');

export function createSigningKeys(deps: {
  data: Data;
  secret: ServerSecret;
  now: () => number;
}): SigningKeys {
  const { data } = deps;
  const encryption = createSigningKeyEncryption(deps.secret);
  return {
    certificatesOf: async (owner) => {
      let keys = await signingKeyQueries(data).listOf(owner.id);
      if (keys.length === 0) {
        await createFirstKey(data, encryption, owner, deps.now());
        keys = await signingKeyQueries(data).listOf(owner.id);
      }
      const current = keys.at(-1);
      if (!current) throw new Error('the owner has no signing key');
      return { number: current.number, certificates: lineageOf(keys, current.number) };
    },
    keysUpTo: async (ownerId, number) => {
      const keys = lineageOf(await signingKeyQueries(data).listOf(ownerId), number);
      return keys.length === 0 ? null : keys.map((key) => decode(encryption, key));
    },
  };
}

/** The key of this number, last, and those before it that it replaces. */
function lineageOf(keys: readonly StoredSigningKey[], number: number): StoredSigningKey[] {
  const known = keys.filter((key) => key.number <= number);
  return known.slice(known.findLastIndex(({ continues }) => !continues));
}

function decode(encryption: Encryption, key: StoredSigningKey): EncodedSigningKey {
  const privateKey = encryption.decrypt(key.encryptedKey, key.ownerId);
  if (!privateKey) throw new Error('a signing key is encrypted with a secret that is no longer accepted');
  return {
    privateKey: Buffer.from(privateKey).toString('base64'),
    certificate: key.certificate.toString('base64'),
  };
}

/** Of two uploads at the same time, one creates the key. */
async function createFirstKey(
  data: Data,
  encryption: Encryption,
  { id: ownerId, name }: { id: string; name: string },
  createdAt: number,
): Promise<void> {
  const { privateKey, publicKey } = await generate('rsa', { modulusLength });
  const key = certify(privateKey, publicKey.export({ format: 'der', type: 'spki' }), {
    name: [[commonName, name]],
  });
  await signingKeyQueries(data).insert({
    ownerId,
    number: 1,
    continues: false,
    origin: 'created',
    certificate: key.certificate,
    encryptedKey: encryption.encrypt(privateKey.export({ format: 'der', type: 'pkcs8' }), ownerId),
    createdAt,
  });
}
