/** One-time passwords against the test vectors of their standards, and recovery codes. */
import { describe, expect, it } from 'vitest';
import {
  hashRecoveryCode,
  newRecoveryCodes,
  readRecoveryCode,
} from '../../src/accounts/second-factor/recovery-code.ts';
import {
  base32,
  newTotpSecret,
  readTotpCode,
  stepOfCode,
  totpAddress,
  totpCode,
} from '../../src/accounts/second-factor/totp.ts';
import { createEncryption } from '../../src/core/encrypted-text.ts';

const rfcSecret = Buffer.from('12345678901234567890');

describe('codes of an authenticator app', () => {
  it('match RFC 4226, appendix D', () => {
    const expected = [755224, 287082, 359152, 969429, 338314, 254676, 287922, 162583, 399871, 520489];
    const codes = expected.map((_, counter) => totpCode(rfcSecret, counter));
    expect(codes).toEqual(expected.map(String));
  });

  it.each([
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_111_111_111, '050471'],
    [1_234_567_890, '005924'],
    [2_000_000_000, '279037'],
    [20_000_000_000, '353130'],
  ])('match six digits of RFC 6238, appendix B, at %i seconds', (seconds, code) => {
    expect(stepOfCode(rfcSecret, code, seconds * 1000)).toBe(Math.floor(seconds / 30));
  });

  it('are valid one step early and one step late', () => {
    const now = 1_000_000_000_000;
    const step = Math.floor(now / 30_000);
    const found = [-2, -1, 0, 1, 2].map((off) => stepOfCode(rfcSecret, totpCode(rfcSecret, step + off), now));
    expect(found).toEqual([null, step - 1, step, step + 1, null]);
  });

  it.each(['', '28708', '2870821', '28708a', '２８７０８２', '-28708'])('are refused: %j', (submitted) => {
    expect(stepOfCode(rfcSecret, readTotpCode(submitted) ?? submitted, 59_000)).toBeNull();
  });

  it('may be entered with spaces', () => {
    expect(readTotpCode(' 287 082 ')).toBe('287082');
  });

  it('come from unique secrets of 160 bits', () => {
    const secrets = Array.from({ length: 50 }, () => Buffer.from(newTotpSecret()).toString('hex'));
    expect(secrets[0]).toHaveLength(40);
    expect(new Set(secrets).size).toBe(50);
  });

  // RFC 4648, section 10, without padding.
  it.each([
    ['', ''],
    ['f', 'MY'],
    ['fo', 'MZXQ'],
    ['foo', 'MZXW6'],
    ['foob', 'MZXW6YQ'],
    ['fooba', 'MZXW6YTB'],
    ['foobar', 'MZXW6YTBOI'],
  ])('have secrets in base32: %j is %j', (plain, encoded) => {
    expect(base32(Buffer.from(plain))).toBe(encoded);
  });

  it('have an otpauth URI that apps can read, for any names', () => {
    const address = totpAddress(rfcSecret, { issuer: 'Slip:way', account: 'mina & co (a.example:8080)' });
    expect(address).toBe(
      'otpauth://totp/Slip%20way:mina%20%26%20co%20(a.example%208080)?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=Slip%20way',
    );
    expect(new URL(address).searchParams.get('issuer')).toBe('Slip way');
  });
});

describe('recovery codes', () => {
  it('are ten unique codes of 80 bits', () => {
    const codes = newRecoveryCodes();
    expect(codes).toHaveLength(10);
    expect(new Set([...codes, ...newRecoveryCodes()]).size).toBe(20);
    for (const code of codes) expect(code).toMatch(/^[0-9a-hjkmnp-tv-z]{4}(-[0-9a-hjkmnp-tv-z]{4}){3}$/);
  });

  it('are accepted with common variations in how people type them', () => {
    const code = '0123456789abcdef';
    for (const submitted of ['0123-4567-89ab-cdef', ' oI23 4567 89AB CDEF ', 'OL23456789abcdef'])
      expect(readRecoveryCode(submitted)).toBe(code);
    for (const submitted of ['', '0123', `${code}0`, '0123-4567-89ab-cdeu', 'x'.repeat(10_000)])
      expect(readRecoveryCode(submitted)).toBeNull();
  });

  it('are hashed per person', () => {
    expect(hashRecoveryCode('u1', 'a')).not.toBe(hashRecoveryCode('u2', 'a'));
  });
});

describe('an encrypted secret', () => {
  const encryption = createEncryption('s'.repeat(32), 'totp secret');

  it('decrypts for its person, and looks different each time', () => {
    const [one, other] = [encryption.encrypt(rfcSecret, 'u1'), encryption.encrypt(rfcSecret, 'u1')];
    expect(one).not.toBe(other);
    expect(Buffer.from(encryption.decrypt(one, 'u1') ?? '')).toEqual(rfcSecret);
    expect(one).not.toContain(rfcSecret.toString('base64url').slice(0, 8));
  });

  it('does not decrypt for others, under another secret or purpose, or after a change', () => {
    const encrypted = encryption.encrypt(rfcSecret, 'u1');
    expect(encryption.decrypt(encrypted, 'u2')).toBeNull();
    expect(createEncryption('t'.repeat(32), 'totp secret').decrypt(encrypted, 'u1')).toBeNull();
    expect(createEncryption('s'.repeat(32), 'other').decrypt(encrypted, 'u1')).toBeNull();
    const at = encrypted.length - 10;
    const changed = `${encrypted.slice(0, at)}${encrypted[at] === 'A' ? 'B' : 'A'}${encrypted.slice(at + 1)}`;
    for (const hostile of [changed, encrypted.slice(0, 30), `2.${encrypted.slice(2)}`, '', '1.', 'GEZDGNBV'])
      expect(encryption.decrypt(hostile, 'u1')).toBeNull();
  });
});
