/** Reads the key of an Android keystore: PKCS #12 with node-forge, which also knows its old ciphers, or Java's own format (JKS). */

import { createHash, createPrivateKey, type KeyObject, timingSafeEqual } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import forge from 'node-forge';
import { berChildren, readBer } from '../../certificate/ber.ts';
import { say } from '../../messages/package-messages.ts';
import { type EncodedSigningKey, UnreadablePackage } from '../../package-info.ts';
import { maxKeystoreBytes } from '../../package-task.ts';
import { algorithmOf } from './signing-block-writer.ts';
import { encodeSigningKey, type SigningKey, signingKeyOf } from './signing-key.ts';

export interface KeystoreOptions {
  password: string;
  /** That of the keystore unless stated. */
  keyPassword?: string;
  /** Needed when there are several keys; upper and lower case are the same. */
  alias?: string;
}

/** The message is for the owner of the keystore; it never contains a password. */
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

function readPkcs12(bytes: Buffer, { password }: KeystoreOptions): Entry[] {
  let keystore: forge.pkcs12.Pkcs12Pfx;
  try {
    keystore = forge.pkcs12.pkcs12FromAsn1(forge.asn1.fromDer(bytes.toString('latin1')), password);
  } catch (cause) {
    const isPassword = cause instanceof Error && /password|MAC/i.test(cause.message);
    throw new UnusableKeystore(isPassword ? say('keystore-wrong-password') : say('keystore-other-file'), {
      cause,
    });
  }
  const bags = keystore.safeContents.flatMap(({ safeBags }) => safeBags);
  const certificates = bags
    .filter(({ type }) => type === forge.pki.oids.certBag)
    .map(({ cert, asn1 }) => derOf(cert ? forge.pki.certificateToAsn1(cert) : asn1));
  return bags
    .filter(({ key, asn1, type }) => isKeyBag(type) && (key || asn1))
    .map(({ key, asn1, attributes }) => ({
      alias: attributes?.friendlyName?.[0] ?? '',
      read: () => {
        const encoded = key ? forge.pki.wrapRsaPrivateKey(forge.pki.privateKeyToAsn1(key)) : asn1;
        const privateKey = createPrivateKey({ key: derOf(encoded), format: 'der', type: 'pkcs8' });
        const own = certificates.flatMap((certificate) => keyWith(privateKey, certificate));
        if (!own[0]) throw new UnusableKeystore(say('keystore-without-certificate'));
        return own[0];
      },
    }));
}

const isKeyBag = (type: string) =>
  type === forge.pki.oids.keyBag || type === forge.pki.oids.pkcs8ShroudedKeyBag;
const derOf = (asn1: forge.asn1.Asn1) => Buffer.from(forge.asn1.toDer(asn1).getBytes(), 'latin1');

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
 * Magic 4, version 4, count 4; each entry: kind 4 (1: a key), alias, date 8, then for a key its encryption and chain; at the end a
 * SHA-1 of password and content.
 *
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

/** EncryptedPrivateKeyInfo whose data is a salt of 20 bytes, the key XOR a chain of SHA-1, and a checksum of 20 bytes. */
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
