/** Keystores by keytool: RSA and EC keys, current and old ciphers, and Java's own format. */
import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { readKeystore, UnusableKeystore } from '../../../src/packages/apk/signing/keystore.ts';
import { writeKeystore } from '../../../src/packages/apk/signing/keystore-writer.ts';
import { encodeSigningKey } from '../../../src/packages/apk/signing/signing-key.ts';
import { maxKeystoreBytes } from '../../../src/packages/package-task.ts';
import { createTestKey } from '../../support/test-key.ts';

const read = (name: string) => readFile(new URL(`keystores/${name}`, import.meta.url));
const password = 'secret1';

describe('keystores', () => {
  it.each([
    ['rsa.p12', undefined, 'rsa'],
    ['rsa.p12', 'KEY', 'rsa'],
    ['ec.p12', undefined, 'ec'],
    ['old-ciphers.p12', 'old', 'rsa'],
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
    const written = writeKeystore(key, { alias: 'schlüssel', password: 'pass word' });
    const read = readKeystore(written, { password: 'pass word', alias: 'schlüssel' });
    expect(encodeSigningKey(read)).toEqual(encodeSigningKey(key));
    expect(() => readKeystore(written, { password: 'password' })).toThrow(
      'password of the keystore is wrong',
    );
  });

  it('that are damaged are refused and never break the program', async () => {
    for (const name of ['rsa.p12', 'ec.p12', 'two-keys.jks']) {
      const bytes = await read(name);
      for (let at = 0; at < bytes.length; at += 23) {
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
