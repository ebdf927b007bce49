/** Writes a key as a PKCS #12 keystore that keytool and Android Studio can read. */
import { createHmac, randomBytes } from 'node:crypto';
import { der, derIdentifier, derSequence } from '../../certificate/der-writer.ts';
import { macKey } from './pkcs12-cipher.ts';
import type { SigningKey } from './signing-key.ts';

const oids = {
  data: '1.2.840.113549.1.7.1',
  shroudedKeyBag: '1.2.840.113549.1.12.10.1.2',
  certificateBag: '1.2.840.113549.1.12.10.1.3',
  x509: '1.2.840.113549.1.9.22.1',
  friendlyName: '1.2.840.113549.1.9.20',
  localKeyId: '1.2.840.113549.1.9.21',
  sha256: '2.16.840.1.101.3.4.2.1',
} as const;
const iterations = 10_000;
const saltBytes = 20;

const octets = (bytes: Buffer) => der(0x04, bytes);
const set = (parts: readonly Buffer[]) => der(0x31, Buffer.concat(parts));
const tagged = (content: Buffer) => der(0xa0, content);
const contentOf = (bytes: Buffer) => derSequence([derIdentifier(oids.data), tagged(octets(bytes))]);

/**
 * The private key is encrypted with AES-256 (PBES2); the certificate is not encrypted.
 * @see RFC 7292, section 4
 */
export function writeKeystore(
  { privateKey, certificate }: Pick<SigningKey, 'privateKey' | 'certificate'>,
  { alias, password }: { alias: string; password: string },
): Buffer {
  const encrypted = privateKey.export({
    format: 'der',
    type: 'pkcs8',
    cipher: 'aes-256-cbc',
    passphrase: password,
  });
  const attributes = set([
    derSequence([derIdentifier(oids.friendlyName), set([der(0x1e, Buffer.from(alias, 'utf16le').swap16())])]),
    derSequence([derIdentifier(oids.localKeyId), set([octets(Buffer.of(1))])]),
  ]);
  const bag = (type: string, value: Buffer) => derSequence([derIdentifier(type), tagged(value), attributes]);
  const certificateValue = derSequence([derIdentifier(oids.x509), tagged(octets(certificate))]);
  const safe = derSequence([
    contentOf(derSequence([bag(oids.shroudedKeyBag, encrypted)])),
    contentOf(derSequence([bag(oids.certificateBag, certificateValue)])),
  ]);
  return derSequence([integer(3), contentOf(safe), macOf(safe, password)]);
}

function macOf(safe: Buffer, password: string): Buffer {
  const salt = randomBytes(saltBytes);
  const mac = createHmac('sha256', macKey(password, salt, iterations))
    .update(safe)
    .digest();
  const algorithm = derSequence([derIdentifier(oids.sha256), der(0x05, Buffer.alloc(0))]);
  return derSequence([derSequence([algorithm, octets(mac)]), octets(salt), integer(iterations)]);
}

function integer(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  const first = bytes.findIndex((byte) => byte !== 0);
  const start = (bytes[first] ?? 0) > 0x7f ? first - 1 : first;
  return der(0x02, bytes.subarray(start));
}
