/** A server's key and self-signed certificate for some names or IPv4 addresses, in PEM. */
import { isIP } from 'node:net';
import { createTestKey, der, derIdentifier, derSequence } from './test-key.ts';

export function createTlsIdentity(names: readonly string[]): { key: string; cert: string } {
  const alternatives = derSequence(
    names.map((name) =>
      isIP(name) === 4 ? der(0x87, Buffer.from(name.split('.').map(Number))) : der(0x82, Buffer.from(name)),
    ),
  );
  const extension = derSequence([derIdentifier('2.5.29.17'), der(0x04, alternatives)]);
  const { privateKey, certificate } = createTestKey('ec', { extensions: [extension] });
  const lines = certificate.toString('base64').match(/.{1,64}/g) ?? [];
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`,
  };
}
