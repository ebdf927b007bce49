/**
 * Encryption and authentication of PKCS #12 keystores: password-based ciphers and MACs. The number of iterations comes from the
 * file and is limited before they run. RC2 is from node-forge, because OpenSSL does not include it.
 * @see RFC 7292, appendices B and C; RFC 8018, sections 5.2 and 6.2
 */
import { createDecipheriv, createHmac, hash, pbkdf2Sync } from 'node:crypto';
import forge from 'node-forge';
import {
  type BerValue,
  berChildren,
  berIntegerHex,
  berObjectIdentifier,
  berOctets,
} from '../../certificate/ber.ts';

/** Maximum number of iterations for one keystore, each for one block of key. keytool uses up to 350,000, OpenSSL 8,192. */
export const maxKeystoreIterations = 1_000_000;

export class TooManyIterations extends Error {
  override name = 'TooManyIterations';
}

export class UnknownAlgorithm extends Error {
  override name = 'UnknownAlgorithm';
}

export interface KeystorePassword {
  text: string;
  iterationsLeft: number;
}

export const keystorePassword = (text: string): KeystorePassword => ({
  text,
  iterationsLeft: maxKeystoreIterations,
});

interface Digest {
  name: 'sha1' | 'sha224' | 'sha256' | 'sha384' | 'sha512';
  bytes: number;
  blockBytes: number;
}

const sha1: Digest = { name: 'sha1', bytes: 20, blockBytes: 64 };
const sha224: Digest = { name: 'sha224', bytes: 28, blockBytes: 64 };
const sha256: Digest = { name: 'sha256', bytes: 32, blockBytes: 64 };
const sha384: Digest = { name: 'sha384', bytes: 48, blockBytes: 128 };
const sha512: Digest = { name: 'sha512', bytes: 64, blockBytes: 128 };
const digests: Readonly<Record<string, Digest>> = {
  '1.3.14.3.2.26': sha1,
  '2.16.840.1.101.3.4.2.4': sha224,
  '2.16.840.1.101.3.4.2.1': sha256,
  '2.16.840.1.101.3.4.2.2': sha384,
  '2.16.840.1.101.3.4.2.3': sha512,
};
/** Hashes of PBKDF2. The first is the default. */
const hmacs: Readonly<Record<string, Digest>> = {
  '1.2.840.113549.2.7': sha1,
  '1.2.840.113549.2.8': sha224,
  '1.2.840.113549.2.9': sha256,
  '1.2.840.113549.2.10': sha384,
  '1.2.840.113549.2.11': sha512,
};
const pbes2 = '1.2.840.113549.1.5.13';
const pbkdf2 = '1.2.840.113549.1.5.12';
const tripleDes = { name: 'des-ede3-cbc', keyBytes: 24 };
const ciphers: Readonly<Record<string, { name: string; keyBytes: number }>> = {
  '2.16.840.1.101.3.4.1.2': { name: 'aes-128-cbc', keyBytes: 16 },
  '2.16.840.1.101.3.4.1.22': { name: 'aes-192-cbc', keyBytes: 24 },
  '2.16.840.1.101.3.4.1.42': { name: 'aes-256-cbc', keyBytes: 32 },
  '1.2.840.113549.3.7': tripleDes,
};
const pkcs12TripleDes = '1.2.840.113549.1.12.1.3';
const pkcs12Rc2 = '1.2.840.113549.1.12.1.6';
const rc2 = { keyBytes: 5, keyBits: 40 } as const;
const ivBytes = 8;
/** The purpose of a derived key, RFC 7292, appendix B.3. */
const purpose = { key: 1, iv: 2, mac: 3 } as const;

/** Throws `TooManyIterations` before doing the work. */
function spend(password: KeystorePassword, iterations: number, blocks: number): void {
  password.iterationsLeft -= iterations * blocks;
  if (iterations < 1 || !(password.iterationsLeft >= 0)) throw new TooManyIterations();
}

const smallInteger = (value: BerValue | undefined) => Number.parseInt(berIntegerHex(value), 16);

function algorithmOf(identifier: BerValue | undefined): { oid: string; parameters: BerValue | undefined } {
  const [oid, parameters] = childrenOf(identifier);
  return { oid: berObjectIdentifier(oid), parameters };
}

const childrenOf = (value: BerValue | undefined) => (value ? berChildren(value) : []);

/**
 * Returns the MAC of a keystore, to be compared with the stored one.
 * @param digest an AlgorithmIdentifier
 */
export function keystoreMac(
  content: Buffer,
  {
    digest,
    salt,
    iterations,
  }: { digest: BerValue | undefined; salt: Buffer; iterations: BerValue | undefined },
  password: KeystorePassword,
): Buffer {
  const used = digests[algorithmOf(digest).oid];
  if (!used) throw new UnknownAlgorithm(algorithmOf(digest).oid);
  const count = iterations === undefined ? 1 : smallInteger(iterations);
  const key = deriveKey(password, used, { salt, iterations: count, purpose: purpose.mac, bytes: used.bytes });
  return createHmac(used.name, key).update(content).digest();
}

/** Returns the key of a MAC with SHA-256. */
export const macKey = (password: string, salt: Buffer, iterations: number): Buffer =>
  deriveKey(keystorePassword(password), sha256, {
    salt,
    iterations,
    purpose: purpose.mac,
    bytes: sha256.bytes,
  });

/** Throws the error of the cipher for a wrong password. */
export function decryptWithPassword(
  algorithm: BerValue | undefined,
  data: Buffer,
  password: KeystorePassword,
): Buffer {
  const { oid, parameters } = algorithmOf(algorithm);
  if (oid === pbes2) return decryptPbes2(childrenOf(parameters), data, password);
  if (oid !== pkcs12TripleDes && oid !== pkcs12Rc2) throw new UnknownAlgorithm(oid);
  const [salt, count] = childrenOf(parameters);
  const derived = (kind: number, bytes: number) =>
    deriveKey(password, sha1, {
      salt: berOctets(salt),
      iterations: smallInteger(count),
      purpose: kind,
      bytes,
    });
  const iv = derived(purpose.iv, ivBytes);
  if (oid === pkcs12Rc2) return decryptRc2(derived(purpose.key, rc2.keyBytes), iv, data);
  return decrypt(tripleDes.name, derived(purpose.key, tripleDes.keyBytes), iv, data);
}

/** Its password is encoded as UTF-8, as in OpenSSL and Java. */
function decryptPbes2([kdf, scheme]: BerValue[], data: Buffer, password: KeystorePassword): Buffer {
  const derivation = algorithmOf(kdf);
  const { oid, parameters: iv } = algorithmOf(scheme);
  const cipher = ciphers[oid];
  if (derivation.oid !== pbkdf2) throw new UnknownAlgorithm(derivation.oid);
  if (!cipher) throw new UnknownAlgorithm(oid);
  const [salt, count, ...optional] = childrenOf(derivation.parameters);
  const prf = optional.find(({ tag }) => tag === 0x30);
  const digest = prf ? hmacs[algorithmOf(prf).oid] : sha1;
  if (!digest) throw new UnknownAlgorithm(algorithmOf(prf).oid);
  const iterations = smallInteger(count);
  spend(password, iterations, Math.ceil(cipher.keyBytes / digest.bytes));
  const text = Buffer.from(password.text);
  const key = pbkdf2Sync(text, berOctets(salt), iterations, cipher.keyBytes, digest.name);
  return decrypt(cipher.name, key, berOctets(iv), data);
}

function decrypt(name: string, key: Buffer, iv: Buffer, data: Buffer): Buffer {
  const decipher = createDecipheriv(name, key, iv);
  return Buffer.concat([decipher.update(data), decipher.final()]);
}

function decryptRc2(key: Buffer, iv: Buffer, data: Buffer): Buffer {
  const cipher = forge.rc2.createDecryptionCipher(key.toString('latin1'), rc2.keyBits);
  cipher.start(iv.toString('latin1'));
  cipher.update(forge.util.createBuffer(data.toString('latin1')));
  if (!cipher.finish()) throw new Error('bad decrypt');
  return Buffer.from(cipher.output.getBytes(), 'latin1');
}

interface Derivation {
  salt: Buffer;
  iterations: number;
  purpose: number;
  bytes: number;
}

/** RFC 7292, appendix B.2. The password is a BMPString with its terminating zero. */
function deriveKey(
  password: KeystorePassword,
  { name, bytes: digestBytes, blockBytes }: Digest,
  { salt, iterations, purpose: kind, bytes }: Derivation,
): Buffer {
  const blocks = Math.ceil(bytes / digestBytes);
  spend(password, iterations, blocks);
  const text = Buffer.from(`${password.text}\0`, 'utf16le').swap16();
  const repeated = (content: Buffer) =>
    Buffer.alloc(blockBytes * Math.ceil(content.length / blockBytes), content);
  const diversifier = Buffer.alloc(blockBytes, kind);
  const input = Buffer.concat([salt.length === 0 ? salt : repeated(salt), repeated(text)]);
  const parts: Buffer[] = [];
  for (let block = 0; block < blocks; block++) {
    let part = Buffer.concat([diversifier, input]);
    for (let round = 0; round < iterations; round++) part = hash(name, part, 'buffer');
    parts.push(part);
    addToBlocks(input, Buffer.alloc(blockBytes, part));
  }
  return Buffer.concat(parts).subarray(0, bytes);
}

/** Adds a number, and one, to each block of this length, modulo the size of a block. */
function addToBlocks(input: Buffer, number: Buffer): void {
  for (let start = 0; start < input.length; start += number.length) {
    let carry = 1;
    for (let at = number.length - 1; at >= 0; at--) {
      carry += (input[start + at] ?? 0) + (number[at] ?? 0);
      input[start + at] = carry & 0xff;
      carry >>= 8;
    }
  }
}
