/** Keystores by keytool: RSA and EC keys, current and old ciphers, and Java's own format. */
import { readFile } from 'node:fs/promises';
import forge from 'node-forge';
import { describe, expect, it } from 'vitest';
import { readKeystore, UnusableKeystore } from '../../../src/packages/apk/signing/keystore.ts';
import { writeKeystore } from '../../../src/packages/apk/signing/keystore-writer.ts';
import { encodeSigningKey } from '../../../src/packages/apk/signing/signing-key.ts';
import { maxKeystoreBytes } from '../../../src/packages/package-task.ts';
import { runsEverything } from '../../support/runs-everything.ts';
import { createTestKey } from '../../support/test-key.ts';

const read = (name: string) => readFile(new URL(`keystores/${name}`, import.meta.url));
const password = 'secret1';

/** A keystore whose password is checked quickly. */
function weakKeystore(): Buffer {
  const { privateKey, certificate } = createTestKey('rsa-2048');
  const pem = privateKey.export({ format: 'pem', type: 'pkcs1' }).toString();
  const parsed = forge.pki.certificateFromAsn1(forge.asn1.fromDer(certificate.toString('latin1')));
  const options = { count: 1, algorithm: 'aes256', friendlyName: 'one' } as const;
  const keystore = forge.pkcs12.toPkcs12Asn1(forge.pki.privateKeyFromPem(pem), parsed, password, options);
  return Buffer.from(forge.asn1.toDer(keystore).getBytes(), 'latin1');
}

describe('keystores', () => {
  it.each<readonly [string, string | undefined, string]>([
    ['rsa.p12', undefined, 'rsa'],
    ['ec.p12', undefined, 'ec'],
    // Its key takes a second.
    ...(runsEverything ? [['old-ciphers.p12', 'old', 'rsa'] as const] : []),
    ['two-keys.jks', 'one', 'rsa'],
    ['two-keys.jks', 'TWO', 'ec'],
  ])('%s has the key %s of type %s', async (name, alias, type) => {
    const options = { password, ...(name.endsWith('.jks') ? { keyPassword: 'secret2' } : {}) };
    const key = readKeystore(await read(name), { ...options, ...(alias === undefined ? {} : { alias }) });
    expect(key.privateKey.asymmetricKeyType).toBe(type);
  });

  it.each([
    ['rsa.p12', { password: 'wrong' }, 'the password of the keystore is wrong'],
    ['two-keys.jks', { password: 'wrong' }, 'the password of the keystore is wrong'],
    ['two-keys.jks', { password, alias: 'one' }, 'the password of the key is wrong'],
    ['two-keys.jks', { password }, 'choose one of two, one'],
    ['rsa.p12', { password, alias: 'other' }, 'no key other, but key'],
  ])('%s is refused with the reason: %#', async (name, options, reason) => {
    const bytes = await read(name);
    expect(() => readKeystore(bytes, options)).toThrow(new RegExp(reason));
  });

  it.each(['rsa-2048', 'ec'] as const)('that Slipway writes are read again: %s', (kind) => {
    const key = createTestKey(kind);
    const written = writeKeystore(key, { alias: 'Schlüssel', password: 'pass word' });
    const read = readKeystore(written, { password: 'pass word', alias: 'schlüsseL' });
    expect(encodeSigningKey(read)).toEqual(encodeSigningKey(key));
    expect(() => readKeystore(written, { password: 'password' })).toThrow(
      'password of the keystore is wrong',
    );
  });

  it('that are damaged are refused and never break the program', async () => {
    const keystores: [name: string, bytes: Buffer, step: number][] = [
      ['weak', weakKeystore(), 23],
      ['two-keys.jks', await read('two-keys.jks'), 23],
      ['ec.p12', await read('ec.p12'), runsEverything ? 101 : 1009],
    ];
    for (const [name, bytes, step] of keystores) {
      for (let at = 0; at < bytes.length; at += step) {
        const damaged = Buffer.from(bytes);
        damaged[at] = (damaged[at] ?? 0) ^ 0x41;
        try {
          readKeystore(damaged, { password, keyPassword: 'secret2', alias: 'one' });
        } catch (error) {
          expect([name, at, error]).toEqual([name, at, expect.any(UnusableKeystore)]);
        }
      }
    }
  });

  it('above maxKeystoreBytes are refused', () => {
    expect(() => readKeystore(Buffer.alloc(maxKeystoreBytes + 1), { password })).toThrow('at most');
  });
});
