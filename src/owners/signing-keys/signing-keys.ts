/**
 * The keys with which Slipway signs APKs generated from an owner's app bundles. Private keys are encrypted with the server's
 * secret and bound to their owner.
 */
import { generateKeyPair } from 'node:crypto';
import { promisify } from 'node:util';
import { createEncryption, type Encryption } from '../../core/encrypted-text.ts';
import { AppError, conflict, invalidField, NotFound } from '../../core/errors.ts';
import type { ServerSecret } from '../../core/signature.ts';
import type { Connection, Data } from '../../db/data.ts';
import {
  certify,
  commonName,
  decodeSigningKey,
  encodeSigningKey,
} from '../../packages/apk/signing/signing-key.ts';
import { certificateFacts, certificateSha256 } from '../../packages/certificate/certificate.ts';
import { utcTime } from '../../packages/certificate/der-writer.ts';
import type { EncodedSigningKey } from '../../packages/package-info.ts';
import { formatNames } from '../../web/components/formats.ts';
import type { Actor } from '../actor.ts';
import { auditQueries } from '../audit-queries.ts';
import { keyRegistrationQueries } from './key-registration-queries.ts';
import type { StoredSigningKey } from './signing-key.ts';
import { signingKeyQueries } from './signing-key-queries.ts';
import { signingKeyTexts } from './signing-key-texts.ts';

const t = signingKeyTexts.errors;

export interface SigningKeys {
  /** Oldest first. There are none before the first bundle. */
  list(ownerId: string): Promise<StoredSigningKey[]>;
  /**
   * Adds a new key that replaces the current one, with a proof of rotation unless that one is lost. Throws `invalid` unless it is
   * confirmed, if the current key is registered with Google for an app.
   */
  rotate(change: SigningKeyReplacement): Promise<void>;
  /**
   * Makes the key in a keystore the current one. `continues`: it replaces the previous key, if there is one, with a proof of
   * rotation. Throws `conflict` if its certificate is the current one, `LostSigningKey`, and `invalid` like `rotate`.
   */
  importKey(change: SigningKeyReplacement, key: EncodedSigningKey, continues: boolean): Promise<void>;
  /** Returns the key with this number as PKCS #12. Throws `NotFound` and `LostSigningKey`. */
  exportKey(change: SigningKeyChange, number: number, password: string): Promise<Buffer>;
  /** Returns the certificates of the current key (last) and of the keys that it replaces. Creates the first key. */
  certificatesOf(owner: { id: string; name: string }): Promise<SigningCertificates>;
  /** Returns the keys up to this number. Null if the owner no longer exists. Throws `LostSigningKey`. */
  keysUpTo(ownerId: string, number: number): Promise<EncodedSigningKey[] | null>;
}

export interface SigningKeyChange {
  by: Actor;
  owner: { id: string; name: string };
}

export interface SigningKeyReplacement extends SigningKeyChange {
  /** Whether the person knows that the new key must be registered with Google like the current one. */
  confirmed: boolean;
}

/** The key is encrypted with a secret that the server no longer has. */
export class LostSigningKey extends AppError {
  override name = 'LostSigningKey';

  constructor() {
    super('conflict', t.lost);
  }
}

/** Limited because a proof of rotation contains all certificates since its start. */
export const maxSigningKeys = 50;
export const minimumKeystorePasswordLength = 6;
const keystoreAlias = 'slipway';

export interface SigningCertificates {
  /** Number of the current key. */
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
  const insert = async (
    tx: Connection,
    ownerId: string,
    known: readonly StoredSigningKey[],
    { key, continues, origin }: { key: EncodedSigningKey } & Pick<StoredSigningKey, 'continues' | 'origin'>,
  ) =>
    signingKeyQueries(tx).insert({
      ownerId,
      number: (known.at(-1)?.number ?? 0) + 1,
      continues: continues && known.length > 0,
      origin,
      certificate: Buffer.from(key.certificate, 'base64'),
      encryptedKey: encryption.encrypt(Buffer.from(key.privateKey, 'base64'), ownerId),
      createdAt: deps.now(),
    });
  const record = (tx: Connection, { by, owner }: SigningKeyChange, action: string, certificate: Buffer) =>
    auditQueries(tx).record({
      at: deps.now(),
      actor: by,
      action,
      ownerId: owner.id,
      subject: certificateFacts(certificate).subject,
      details: { sha256: certificateSha256(certificate) },
    });
  const add = (
    { confirmed, ...change }: SigningKeyReplacement,
    added: { key: EncodedSigningKey } & Pick<StoredSigningKey, 'continues' | 'origin'>,
  ) =>
    data.transaction(async (tx) => {
      const known = await signingKeyQueries(tx).listOf(change.owner.id);
      const certificate = Buffer.from(added.key.certificate, 'base64');
      if (known.length >= maxSigningKeys) throw conflict(t.tooMany({ limit: maxSigningKeys }));
      const current = known.at(-1);
      if (current?.certificate.equals(certificate)) throw conflict(t.alreadyCurrent);
      if (current && !confirmed) await requireUnregistered(tx, current);
      const isLost = current !== undefined && decrypted(encryption, current) === null;
      if (isLost && added.continues && added.origin === 'imported') throw new LostSigningKey();
      // Another change was faster.
      const stored = { ...added, continues: added.continues && !isLost };
      if (!(await insert(tx, change.owner.id, known, stored))) throw conflict(t.changed);
      const action = added.origin === 'imported' ? 'signing-key.imported' : 'signing-key.rotated';
      await record(tx, change, action, certificate);
    });
  return {
    list: (ownerId) => signingKeyQueries(data).listOf(ownerId),
    rotate: async (change) =>
      add(change, {
        key: await createKey(change.owner.name, deps.now()),
        continues: true,
        origin: 'created',
      }),
    importKey: (change, key, continues) => add(change, { key, continues, origin: 'imported' }),
    exportKey: async (change, number, password) => {
      const keys = await signingKeyQueries(data).listOf(change.owner.id);
      const key = keys.find((one) => one.number === number);
      if (!key) throw new NotFound();
      const decoded = decodeSigningKey(decode(encryption, key));
      await data.transaction((tx) => record(tx, change, 'signing-key.exported', key.certificate));
      const { writeKeystore } = await import('../../packages/apk/signing/keystore-writer.ts');
      return writeKeystore(decoded, { alias: keystoreAlias, password });
    },
    certificatesOf: async (owner) => {
      let keys = await signingKeyQueries(data).listOf(owner.id);
      if (keys.length === 0) {
        const key = await createKey(owner.name, deps.now());
        await data.transaction((tx) =>
          insert(tx, owner.id, [], { key, continues: false, origin: 'created' }),
        );
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

/** Name of the field with which people confirm that they replace a registered key. */
export const confirmationField = 'confirm_registered';

async function requireUnregistered(
  tx: Connection,
  { ownerId, certificate }: StoredSigningKey,
): Promise<void> {
  const packages = await registeredPackages(tx, ownerId, certificateSha256(certificate));
  if (packages.length === 0) return;
  const { unconfirmed } = signingKeyTexts.registration;
  throw invalidField(confirmationField, unconfirmed({ packages: formatNames(packages) }));
}

/** Names of the packages for which the key is registered. */
export async function registeredPackages(tx: Connection, ownerId: string, sha256: string): Promise<string[]> {
  const all = await keyRegistrationQueries(tx).listOfOwner(ownerId);
  return all.filter((one) => one.sha256 === sha256).map(({ packageName }) => packageName);
}

/** Returns the key with this number (last) and the keys before it that it replaces. */
function lineageOf(keys: readonly StoredSigningKey[], number: number): StoredSigningKey[] {
  const known = keys.filter((key) => key.number <= number);
  return known.slice(known.findLastIndex(({ continues }) => !continues));
}

const decrypted = (encryption: Encryption, { encryptedKey, ownerId }: StoredSigningKey) =>
  encryption.decrypt(encryptedKey, ownerId);

function decode(encryption: Encryption, key: StoredSigningKey): EncodedSigningKey {
  const privateKey = decrypted(encryption, key);
  if (!privateKey) throw new LostSigningKey();
  return {
    privateKey: Buffer.from(privateKey).toString('base64'),
    certificate: key.certificate.toString('base64'),
  };
}

async function createKey(name: string, now: number): Promise<EncodedSigningKey> {
  const { privateKey, publicKey } = await generate('rsa', { modulusLength });
  const spki = publicKey.export({ format: 'der', type: 'spki' });
  const validFrom = utcTime(`${new Date(now).toISOString().slice(2, 10).replaceAll('-', '')}000000Z`);
  return encodeSigningKey(certify(privateKey, spki, { name: [[commonName, name]], validFrom }));
}
