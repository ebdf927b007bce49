/**
 * Decrypts an assertion (XML Encryption 1.1). Only authenticated encryption with AES-GCM, and keys encrypted with RSA-OAEP: CBC and
 * PKCS #1 v1.5 reveal the plain text to anyone who may try often enough. Every failure gives the same error.
 */
import { constants, createDecipheriv, type KeyObject, privateDecrypt } from 'node:crypto';
import { SamlRefused } from './saml-refused.ts';
import { allNamed, attributeOf, decodeXml, onlyChild, textOf, xmlNamespaces } from './xml-document.ts';

const { encryption: xenc, signature: dsig } = xmlNamespaces;
const xenc11 = 'http://www.w3.org/2009/xmlenc11#';
const keyBytes: Readonly<Record<string, number>> = {
  [`${xenc11}aes128-gcm`]: 16,
  [`${xenc11}aes256-gcm`]: 32,
};
const nonceBytes = 12;
const tagBytes = 16;
/** `rsa-oaep` names the digest and the mask function; both must be the same here. */
const digests: Readonly<Record<string, { mask: string; hash: string }>> = {
  [`${dsig}sha1`]: { mask: `${xenc11}mgf1sha1`, hash: 'sha1' },
  [`${xenc}sha256`]: { mask: `${xenc11}mgf1sha256`, hash: 'sha256' },
};

/** Returns the text of the assertion, checked by `decodeXml`. Throws `SamlRefused`. */
export function decryptAssertion(encrypted: Element, key: KeyObject | null): string {
  if (key === null)
    throw new SamlRefused('encrypted', 'the assertion is encrypted, but this server has no key for it');
  const method = cipherOf(encrypted);
  let plain: Buffer;
  try {
    plain = decrypt(key, method);
  } catch {
    throw new SamlRefused('encrypted', 'the assertion can’t be decrypted');
  }
  return decodeXml(plain);
}

/** What is refused here depends on nothing secret. */
function cipherOf(encrypted: Element) {
  const [data, ...more] = allNamed(encrypted, 'EncryptedData');
  const [wrapped, ...others] = allNamed(encrypted, 'EncryptedKey');
  if (!data || !wrapped || more.length + others.length > 0)
    throw new SamlRefused(
      'malformed',
      'the encrypted assertion must have one EncryptedData and one EncryptedKey',
    );
  const bytes = keyBytes[attributeOf(onlyChild(data, 'encryption', 'EncryptionMethod'), 'Algorithm') ?? ''];
  if (bytes === undefined) throw new SamlRefused('cipher', 'the assertion is not encrypted with AES-GCM');
  return { data, wrapped, bytes, hash: oaepHashOf(wrapped) };
}

function oaepHashOf(wrapped: Element): string {
  const method = onlyChild(wrapped, 'encryption', 'EncryptionMethod');
  const algorithm = attributeOf(method, 'Algorithm');
  const [digest = null] = method ? allNamed(method, 'DigestMethod') : [];
  const [mask = null] = method ? allNamed(method, 'MGF') : [];
  const named = digests[attributeOf(digest, 'Algorithm') ?? `${dsig}sha1`];
  const isFixedMask = algorithm === `${xenc}rsa-oaep-mgf1p` && named?.hash === 'sha1' && mask === null;
  const isNamedMask =
    algorithm === `${xenc11}rsa-oaep` &&
    named?.mask === (attributeOf(mask, 'Algorithm') ?? `${xenc11}mgf1sha1`);
  if (!named || !(isFixedMask || isNamedMask))
    throw new SamlRefused('cipher', 'the key of the assertion is not encrypted with RSA-OAEP as expected');
  return named.hash;
}

function decrypt(key: KeyObject, { data, wrapped, bytes, hash }: ReturnType<typeof cipherOf>): Buffer {
  const padding = constants.RSA_PKCS1_OAEP_PADDING;
  const secret = privateDecrypt({ key, padding, oaepHash: hash }, cipherValueOf(wrapped));
  const sealed = cipherValueOf(data);
  if (secret.length !== bytes || sealed.length <= nonceBytes + tagBytes)
    throw new Error('sizes do not match');
  const decipher = createDecipheriv(
    `aes-${bytes * 8}-gcm` as 'aes-256-gcm',
    secret,
    sealed.subarray(0, nonceBytes),
  );
  decipher.setAuthTag(sealed.subarray(-tagBytes));
  return Buffer.concat([decipher.update(sealed.subarray(nonceBytes, -tagBytes)), decipher.final()]);
}

function cipherValueOf(element: Element): Buffer {
  const data = onlyChild(element, 'encryption', 'CipherData');
  const value = data && onlyChild(data, 'encryption', 'CipherValue');
  return Buffer.from(value ? textOf(value) : '', 'base64');
}
