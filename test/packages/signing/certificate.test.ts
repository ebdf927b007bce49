import { createHash, X509Certificate } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { MalformedBer } from '../../../src/packages/certificate/ber.ts';
import {
  certificateFacts,
  maxCertificateBytes,
  readCertificate,
} from '../../../src/packages/certificate/certificate.ts';
import {
  comparableName,
  distinguishedName,
  maxDistinguishedNameLength,
} from '../../../src/packages/certificate/certificate-name.ts';
import {
  certify,
  commonName,
  createTestKey,
  der,
  derIdentifier,
  derName,
  derSequence,
  generalizedTime,
  utcTime,
} from '../../support/test-key.ts';

const country = '2.5.4.6';
const organization = '2.5.4.10';
const key = createTestKey('ec', {
  name: [
    [country, 'US'],
    [organization, 'Android'],
    [commonName, 'Android Debug'],
  ],
});

describe('the certificate reader', () => {
  it('agrees with node:crypto on digests, names and dates', () => {
    const peer = new X509Certificate(key.certificate);
    const facts = certificateFacts(key.certificate);
    expect(facts.sha1).toBe(peer.fingerprint.replaceAll(':', '').toLowerCase());
    expect(facts.sha256).toBe(peer.fingerprint256.replaceAll(':', '').toLowerCase());
    expect(facts.subject).toBe('CN=Android Debug, O=Android, C=US');
    expect(facts.issuer).toBe(peer.issuer.split('\n').reverse().join(', '));
    expect(facts.validFrom).toBe(new Date(peer.validFrom).toISOString());
    expect(facts.validUntil).toBe('2049-12-31T23:59:59.000Z');
  });

  it('hashes a non-DER certificate unchanged, unlike OpenSSL', () => {
    const length = key.certificate.subarray(2, 4);
    const odd = Buffer.concat([Buffer.of(0x30, 0x84, 0, 0), length, key.certificate.subarray(4)]);
    expect(certificateFacts(odd).sha1).toBe(createHash('sha1').update(odd).digest('hex'));
    expect(certificateFacts(odd).subject).toBe('CN=Android Debug, O=Android, C=US');
  });

  it('hashes only the certificate when bytes follow it', () => {
    const padded = Buffer.concat([key.certificate, Buffer.alloc(7)]);
    expect(certificateFacts(padded).sha1).toBe(createHash('sha1').update(key.certificate).digest('hex'));
  });

  it.each([
    ['ec', 'EC 256'],
    ['ec-384', 'EC 384'],
    ['rsa-1024', 'RSA 1024'],
    ['dsa-1024', 'DSA 1024'],
  ] as const)('names the key type %s', (kind, name) => {
    expect(certificateFacts(createTestKey(kind).certificate).key).toBe(name);
  });

  it.each([
    ['two digits of the year below 50', utcTime('490102030405Z'), '2049-01-02T03:04:05.000Z'],
    ['two digits of the year from 50 on', utcTime('500102030405Z'), '1950-01-02T03:04:05.000Z'],
    ['no seconds', utcTime('2001020304Z'), '2020-01-02T03:04:00.000Z'],
    ['an offset', utcTime('200102030405+0130'), '2020-01-02T01:34:05.000Z'],
    ['four digits of the year', generalizedTime('20991231235959Z'), '2099-12-31T23:59:59.000Z'],
    ['four digits and no seconds', generalizedTime('209912312359Z'), '2099-12-31T23:59:00.000Z'],
    ['a year before 1000', generalizedTime('00010101000000Z'), '0001-01-01T00:00:00.000Z'],
  ])('reads a date with %s', (_, validFrom, expected) => {
    const { certificate } = certify(key.privateKey, key.publicKey, { validFrom });
    expect(certificateFacts(certificate).validFrom).toBe(expected);
  });

  it.each([utcTime('yesterday'), utcTime(''), generalizedTime('20Z'), der(4, Buffer.from('200102030405Z'))])(
    'rejects an unreadable date',
    (validFrom) => {
      const { certificate } = certify(key.privateKey, key.publicKey, { validFrom });
      expect(() => certificateFacts(certificate)).toThrow(MalformedBer);
    },
  );

  it('reads extensions with their critical bit', () => {
    const keyUsage = derSequence([
      derIdentifier('2.5.29.15'),
      der(1, Buffer.of(0xff)),
      der(4, Buffer.from('03020780', 'hex')),
    ]);
    const { certificate } = certify(key.privateKey, key.publicKey, { extensions: [keyUsage] });
    expect(readCertificate(certificate).extensions.get('2.5.29.15')).toEqual({
      critical: true,
      value: Buffer.from('03020780', 'hex'),
    });
  });

  it('rejects a certificate over its size limit', () => {
    const huge = certify(key.privateKey, key.publicKey, {
      name: [[commonName, 'x'.repeat(maxCertificateBytes)]],
    });
    expect(() => certificateFacts(huge.certificate)).toThrow('too large');
  });

  it('rejects every truncated certificate without other errors', () => {
    for (let length = 0; length < key.certificate.length; length++) {
      expect(() => certificateFacts(key.certificate.subarray(0, length))).toThrow(MalformedBer);
    }
  });

  it('throws only its own error for certificates with any one byte changed', () => {
    for (let position = 0; position < key.certificate.length; position++) {
      const changed = Buffer.from(key.certificate);
      changed[position] = (changed[position] ?? 0) ^ 0xff;
      try {
        certificateFacts(changed);
      } catch (error) {
        expect(error).toBeInstanceOf(MalformedBer);
      }
    }
  });
});

describe('distinguished names', () => {
  it.each([
    ['a comma', 'Foo, Inc', 'CN="Foo, Inc"'],
    ['quotes', 'a "b"', 'CN="a \\"b\\""'],
    ['outer spaces', ' a ', 'CN=" a "'],
    ['two spaces', 'a  b', 'CN="a  b"'],
    ['other letters', 'Müller 株式会社', 'CN=Müller 株式会社'],
  ])('print %s like apksigner', (_, value, expected) => {
    expect(distinguishedName(derName([[commonName, value]]))).toBe(expected);
  });

  it('print types without a keyword as numbers and non-text values in hexadecimal', () => {
    expect(distinguishedName(derName([['1.2.3.4', 'x']]))).toBe('OID.1.2.3.4=x');
    expect(distinguishedName(derName([[commonName, der(4, Buffer.of(0xab))]]))).toBe('CN=#0401ab');
  });

  it('can use two-byte and one-byte string types', () => {
    expect(distinguishedName(derName([[commonName, der(0x1e, Buffer.from('0041005a', 'hex'))]]))).toBe(
      'CN=AZ',
    );
    expect(distinguishedName(derName([[commonName, der(0x14, Buffer.of(0xfc))]]))).toBe('CN=ü');
  });

  it('are truncated over their limit for display, but not for comparison', () => {
    const long = 'x'.repeat(maxDistinguishedNameLength);
    const name = (end: string) => derName([[commonName, long + end]]);
    expect(distinguishedName(name('a'))).toBe(`CN=${long.slice(4)}…`);
    expect(comparableName(name('a'))).not.toBe(comparableName(name('b')));
  });

  it('are compared regardless of case, spaces and string type', () => {
    const printable = derName([[commonName, der(0x13, Buffer.from('Some  Name'))]]);
    expect(comparableName(printable).replaceAll('"', '')).toBe(
      comparableName(derName([[commonName, 'SOME name']])),
    );
    expect(comparableName(printable)).not.toBe(comparableName(derName([[commonName, 'Other name']])));
  });
});
