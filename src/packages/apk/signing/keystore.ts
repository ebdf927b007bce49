/** Reads the key in an Android keystore: PKCS #12, or Java's own format (JKS). Own code, because no library limits the iterations. */

import { createHash, createPrivateKey, type KeyObject, timingSafeEqual } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import {
  type BerValue,
  berChildren,
  berObjectIdentifier,
  berOctets,
  readBer,
} from '../../certificate/ber.ts';
import { say } from '../../messages/package-messages.ts';
import { type EncodedSigningKey, UnreadablePackage } from '../../package-info.ts';
import { maxKeystoreBytes } from '../../package-task.ts';
import {
  decryptWithPassword,
  type KeystorePassword,
  keystoreMac,
  keystorePassword,
  maxKeystoreIterations,
  TooManyIterations,
  UnknownAlgorithm,
} from './pkcs12-cipher.ts';
import { algorithmOf } from './signing-block-writer.ts';
import { encodeSigningKey, type SigningKey, signingKeyOf } from './signing-key.ts';

export interface KeystoreOptions {
  password: string;
  /** Defaults to the password of the keystore. */
  keyPassword?: string;
  /** Required if there are several keys. Case is ignored. */
  alias?: string;
}

/** The message is for the owner of the keystore, and never contains a password. */
export class UnusableKeystore extends UnreadablePackage {
  override name = 'UnusableKeystore';
}

interface Entry {
  alias: string;
  read: () => SigningKey;
}

/** Like `readKeystore`, for a file. */
export async function readKeystoreFile(path: string, options: KeystoreOptions): Promise<EncodedSigningKey> {
  if ((await stat(path)).size > maxKeystoreBytes) throw tooLarge();
  return encodeSigningKey(readKeystore(await readFile(path), options));
}

const tooLarge = () => new UnusableKeystore(say('keystore-too-large', { bytes: maxKeystoreBytes }));

/** @throws UnusableKeystore */
export function readKeystore(bytes: Buffer, options: KeystoreOptions): SigningKey {
  if (bytes.length > maxKeystoreBytes) throw tooLarge();
  const entries = isJks(bytes) ? readJks(bytes, options) : readPkcs12(bytes, options);
  const wanted = options.alias?.toLowerCase();
  const found =
    wanted === undefined ? entries : entries.filter(({ alias }) => alias.toLowerCase() === wanted);
  const names = entries.map(({ alias }) => alias).join(', ');
  if (entries.length === 0) throw new UnusableKeystore(say('keystore-empty'));
  if (found.length === 0)
    throw new UnusableKeystore(say('keystore-alias-missing', { alias: options.alias ?? '', names }));
  if (found.length > 1) throw new UnusableKeystore(say('keystore-several-keys', { names }));
  const [entry] = found;
  try {
    const key = entry?.read();
    if (!key) throw new UnusableKeystore(say('keystore-empty'));
    algorithmOf(key.privateKey);
    return key;
  } catch (cause) {
    if (cause instanceof UnusableKeystore) throw cause;
    throw new UnusableKeystore(say('keystore-unusable-key'), { cause });
  }
}

const bagOids = {
  key: '1.2.840.113549.1.12.10.1.1',
  shroudedKey: '1.2.840.113549.1.12.10.1.2',
  certificate: '1.2.840.113549.1.12.10.1.3',
} as const;
const dataOid = '1.2.840.113549.1.7.1';
const encryptedDataOid = '1.2.840.113549.1.7.6';
const friendlyNameOid = '1.2.840.113549.1.9.20';

interface Bag {
  oid: string;
  value: BerValue | undefined;
  alias: string;
}

function readPkcs12(bytes: Buffer, options: KeystoreOptions): Entry[] {
  const password = keystorePassword(options.password);
  const bags = reading('keystore-other-file', () => readBags(bytes, password));
  const certificates = bags
    .filter(({ oid }) => oid === bagOids.certificate)
    .map(({ value }) => berOctets(partsOf(partsOf(value)[1])[0]));
  return bags
    .filter(({ oid }) => oid === bagOids.key || oid === bagOids.shroudedKey)
    .map(({ oid, value, alias }) => ({
      alias,
      read: () => {
        const [algorithm, data] = partsOf(value);
        const key = reading('keystore-unusable-key', () =>
          oid === bagOids.key
            ? (value?.encoded ?? Buffer.alloc(0))
            : decryptWithPassword(algorithm, berOctets(data), password),
        );
        const privateKey = createPrivateKey({ key, format: 'der', type: 'pkcs8' });
        const own = certificates.flatMap((certificate) => keyWith(privateKey, certificate));
        if (!own[0]) throw new UnusableKeystore(say('keystore-without-certificate'));
        return own[0];
      },
    }));
}

const partsOf = (value: BerValue | undefined) => (value ? berChildren(value) : []);

/** Runs `read`, and explains why a keystore cannot be read. `otherwise`: the message if the reason is unknown. */
function reading<T>(otherwise: 'keystore-other-file' | 'keystore-unusable-key', work: () => T): T {
  try {
    return work();
  } catch (cause) {
    if (cause instanceof UnusableKeystore) throw cause;
    if (cause instanceof TooManyIterations)
      throw new UnusableKeystore(say('keystore-too-slow', { count: maxKeystoreIterations }), { cause });
    if (cause instanceof UnknownAlgorithm)
      throw new UnusableKeystore(say('keystore-algorithm-unknown', { name: cause.message }), { cause });
    throw new UnusableKeystore(say(otherwise), { cause });
  }
}

/** PFX, AuthenticatedSafe and SafeContents of RFC 7292. */
function readBags(bytes: Buffer, password: KeystorePassword): Bag[] {
  const [, safe, mac] = partsOf(readBer(bytes));
  const content = contentOf(safe).data();
  const [digestInfo, salt, iterations] = partsOf(mac);
  if (digestInfo) {
    const [digest, expected] = partsOf(digestInfo);
    const given = keystoreMac(content, { digest, salt: berOctets(salt), iterations }, password);
    const wanted = berOctets(expected);
    if (given.length !== wanted.length || !timingSafeEqual(given, wanted))
      throw new UnusableKeystore(say('keystore-wrong-password'));
  }
  return partsOf(readBer(content)).flatMap((part) => {
    const { oid, data, encrypted } = contentOf(part);
    return partsOf(readBer(oid === encryptedDataOid ? encrypted(password) : data())).map(readBag);
  });
}

/** ContentInfo: an identifier, and the content in a tag. */
function contentOf(info: BerValue | undefined) {
  const [type, tagged] = partsOf(info);
  const [content] = partsOf(tagged);
  const oid = berObjectIdentifier(type);
  if (oid !== dataOid && oid !== encryptedDataOid) throw new UnknownAlgorithm(oid);
  return {
    oid,
    data: () => berOctets(content),
    /** EncryptedData: a version, then type, algorithm and data. The tag of the data replaces that of an OCTET STRING. */
    encrypted: (password: KeystorePassword) => {
      const [, algorithm, data] = partsOf(partsOf(content)[1]);
      const isWhole = data?.tag === 0x80;
      const octets = isWhole ? data.content : Buffer.concat(partsOf(data).map((one) => berOctets(one)));
      try {
        return decryptWithPassword(algorithm, octets, password);
      } catch (cause) {
        if (cause instanceof TooManyIterations || cause instanceof UnknownAlgorithm) throw cause;
        throw new UnusableKeystore(say('keystore-wrong-password'), { cause });
      }
    },
  };
}

function readBag(bag: BerValue): Bag {
  const [type, tagged, attributes] = partsOf(bag);
  const name = partsOf(attributes)
    .map(partsOf)
    .find(([oid]) => berObjectIdentifier(oid) === friendlyNameOid);
  const text = Buffer.from(partsOf(name?.[1])[0]?.content ?? []);
  return {
    oid: berObjectIdentifier(type),
    value: partsOf(tagged)[0],
    alias: text.length % 2 === 0 ? text.swap16().toString('utf16le') : '',
  };
}

function keyWith(privateKey: KeyObject, certificate: Buffer): SigningKey[] {
  try {
    return [signingKeyOf(privateKey, certificate)];
  } catch {
    return [];
  }
}

const jksMagic = 0xfeedfeed;
const isJks = (bytes: Buffer) => bytes.length >= 32 && bytes.readUInt32BE(0) === jksMagic;

/**
 * Magic 4, version 4, count 4; each entry: kind 4 (1 for a key), alias, date 8, then for a key its encryption and chain; at the
 * end, a SHA-1 of password and content.
 * @see OpenJDK, `sun.security.provider.JavaKeyStore`
 */
function readJks(bytes: Buffer, { password, keyPassword = password }: KeystoreOptions): Entry[] {
  const end = bytes.length - 20;
  const digest = createHash('sha1')
    .update(utf16be(password))
    .update('Mighty Aphrodite')
    .update(bytes.subarray(0, end))
    .digest();
  if (!timingSafeEqual(digest, bytes.subarray(end)))
    throw new UnusableKeystore(say('keystore-wrong-password'));
  const entries: Entry[] = [];
  let position = 12;
  const take = (length: number) => {
    if (length > end - position) throw new UnusableKeystore(say('keystore-damaged'));
    position += length;
    return bytes.subarray(position - length, position);
  };
  const integer = () => take(4).readUInt32BE(0);
  const text = () => take(take(2).readUInt16BE(0)).toString();
  const certificate = () => {
    text();
    return take(integer());
  };
  for (let left = bytes.readUInt32BE(8); left > 0; left--) {
    const kind = integer();
    const alias = text();
    take(8);
    if (kind !== 1) {
      certificate();
      continue;
    }
    const encrypted = take(integer());
    const chain = Array.from({ length: Math.min(integer(), 100) }, certificate);
    entries.push({
      alias,
      read: () => {
        const privateKey = createPrivateKey({
          key: decryptJksKey(encrypted, keyPassword),
          format: 'der',
          type: 'pkcs8',
        });
        const [own] = chain;
        if (!own) throw new UnusableKeystore(say('keystore-without-certificate'));
        return signingKeyOf(privateKey, own);
      },
    });
  }
  return entries;
}

/** EncryptedPrivateKeyInfo with this data: a salt of 20 bytes, the key XOR a chain of SHA-1, and a checksum of 20 bytes. */
function decryptJksKey(encrypted: Buffer, password: string): Buffer {
  const [, octets] = childrenOf(encrypted);
  const data = octets ?? Buffer.alloc(0);
  if (data.length < 40) throw new UnusableKeystore(say('keystore-damaged'));
  const secret = utf16be(password);
  const plain = Buffer.from(data.subarray(20, -20));
  let chain = data.subarray(0, 20);
  for (let at = 0; at < plain.length; at++) {
    if (at % 20 === 0) chain = createHash('sha1').update(secret).update(chain).digest();
    plain[at] = (plain[at] ?? 0) ^ (chain[at % 20] ?? 0);
  }
  const checksum = createHash('sha1').update(secret).update(plain).digest();
  if (!timingSafeEqual(checksum, data.subarray(-20)))
    throw new UnusableKeystore(say('keystore-wrong-key-password'));
  return plain;
}

function childrenOf(encoded: Buffer): Buffer[] {
  return berChildren(readBer(encoded)).map(({ content }) => content);
}

function utf16be(text: string): Buffer {
  return Buffer.from(text, 'utf16le').swap16();
}
