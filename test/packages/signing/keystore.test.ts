/** Keystores by keytool: RSA and EC keys, current and old ciphers, and Java's own format. */
import { readFile } from 'node:fs/promises';
import forge from 'node-forge';
import { describe, expect, it } from 'vitest';
import { readKeystore, UnusableKeystore } from '../../../src/packages/apk/signing/keystore.ts';
import { writeKeystore } from '../../../src/packages/apk/signing/keystore-writer.ts';
import {
  keystoreMac,
  maxKeystoreIterations,
  TooManyIterations,
} from '../../../src/packages/apk/signing/pkcs12-cipher.ts';
import { encodeSigningKey } from '../../../src/packages/apk/signing/signing-key.ts';
import { readBer } from '../../../src/packages/certificate/ber.ts';
import { der, derIdentifier, derSequence } from '../../../src/packages/certificate/der-writer.ts';
import { maxKeystoreBytes } from '../../../src/packages/package-task.ts';
import { runsEverything } from '../../support/runs-everything.ts';
import { createTestKey } from '../../support/test-key.ts';
import { startProcessorTime } from '../processor-time.ts';

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

const dataOid = '1.2.840.113549.1.7.1';
const octets = (content: Buffer) => der(0x04, content);
const tagged = (content: Buffer) => der(0xa0, content);
const dataOf = (...bags: Buffer[]) =>
  derSequence([derIdentifier(dataOid), tagged(octets(derSequence(bags)))]);
const integer = (value: number) => der(0x02, Buffer.from(value.toString(16).padStart(10, '0'), 'hex'));
/** @param code none, unless stated */
const keystoreOf = (parts: readonly Buffer[], ...code: Buffer[]) =>
  derSequence([integer(3), dataOf(...parts), ...code]);

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

  it.each([
    ['unicode.p12', 'Schlüssel-鍵\u{1f600}', 'rsa'],
    ['unicode.jks', 'Schlüssel-鍵', 'ec'],
  ])('%s has a password that is not ASCII', async (name, unicode, type) => {
    const bytes = await read(name);
    expect(readKeystore(bytes, { password: unicode }).privateKey.asymmetricKeyType).toBe(type);
    expect(() => readKeystore(bytes, { password: unicode.slice(1) })).toThrow('the password of the keystore');
    const written = writeKeystore(createTestKey('ec'), { alias: 'a', password: unicode });
    expect(readKeystore(written, { password: unicode }).privateKey.asymmetricKeyType).toBe('ec');
  });

  const endless = [2 ** 31 - 1, 0xffff_ffff, maxKeystoreIterations + 1];
  it.each(endless)('with %i iterations are refused before the first', (count) => {
    const isTooSlow = `more than ${maxKeystoreIterations} iterations`;
    const iterations = integer(count);
    const code = derSequence([
      derSequence([derSequence([derIdentifier('1.3.14.3.2.26')]), octets(Buffer.alloc(20))]),
      octets(Buffer.alloc(8)),
      iterations,
    ]);
    const legacy = derSequence([octets(Buffer.alloc(8)), iterations]);
    const derivation = derSequence([
      derIdentifier('1.2.840.113549.1.5.12'),
      derSequence([octets(Buffer.alloc(8)), iterations]),
    ]);
    const aes = derSequence([derIdentifier('2.16.840.1.101.3.4.1.42'), octets(Buffer.alloc(16))]);
    const current = derSequence([derivation, aes]);
    const stop = startProcessorTime();
    for (const algorithm of [
      derSequence([derIdentifier('1.2.840.113549.1.12.1.3'), legacy]),
      derSequence([derIdentifier('1.2.840.113549.1.12.1.6'), legacy]),
      derSequence([derIdentifier('1.2.840.113549.1.5.13'), current]),
    ]) {
      const key = derSequence([algorithm, octets(Buffer.alloc(16))]);
      const bag = derSequence([derIdentifier('1.2.840.113549.1.12.10.1.2'), tagged(key)]);
      expect(() => readKeystore(keystoreOf([dataOf(bag)]), { password })).toThrow(isTooSlow);
      const hidden = derSequence([derIdentifier(dataOid), algorithm, der(0x80, Buffer.alloc(16))]);
      const encrypted = derSequence([
        derIdentifier('1.2.840.113549.1.7.6'),
        tagged(derSequence([integer(0), hidden])),
      ]);
      expect(() => readKeystore(keystoreOf([encrypted]), { password })).toThrow(isTooSlow);
    }
    expect(() => readKeystore(keystoreOf([], code), { password })).toThrow(isTooSlow);
    stop(500);
  });

  it('have one limit for the iterations of all their parts', () => {
    const secret = { text: password, iterationsLeft: 5 };
    const digest = readBer(derSequence([derIdentifier('1.3.14.3.2.26')]));
    const code = { digest, salt: Buffer.alloc(8), iterations: readBer(integer(3)) };
    expect(keystoreMac(Buffer.alloc(1), code, secret)).toHaveLength(20);
    expect(() => keystoreMac(Buffer.alloc(1), code, secret)).toThrow(TooManyIterations);
  });

  it('with an unknown algorithm are refused with its identifier', () => {
    const algorithm = derSequence([derIdentifier('1.2.840.113549.1.12.1.1')]);
    const key = derSequence([algorithm, octets(Buffer.alloc(16))]);
    const bag = derSequence([derIdentifier('1.2.840.113549.1.12.10.1.2'), tagged(key)]);
    expect(() => readKeystore(keystoreOf([dataOf(bag)]), { password })).toThrow('1.2.840.113549.1.12.1.1');
  });

  it('above maxKeystoreBytes are refused', () => {
    expect(() => readKeystore(Buffer.alloc(maxKeystoreBytes + 1), { password })).toThrow('at most');
  });
});
