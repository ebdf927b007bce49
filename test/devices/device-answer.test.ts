/** The response of a device, including hostile ones. */
import { execFileSync } from 'node:child_process';
import { hash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { check, integer, property, tuple } from 'fast-check';
import { build } from 'plist';
import { describe, expect, it } from 'vitest';
import { AppError } from '../../src/core/errors.ts';
import { maxDeviceNameLength } from '../../src/devices/device.ts';
import { maxDeviceResponseBytes, readDeviceResponse } from '../../src/devices/device-response.ts';
import { buildCms, createSigningIdentity } from '../packages/ipa/signing-identity.ts';
import { deviceIdentity, iphone13, signAnswer, testUdid } from '../support/profile-service-peer.ts';

const refusal = (bytes: Buffer): string => {
  try {
    readDeviceResponse(bytes);
  } catch (error) {
    if (error instanceof AppError && error.kind === 'invalid') return error.message;
    throw error;
  }
  return '';
};
const refusalOf = (changes: Record<string, unknown>) => refusal(signAnswer({ ...iphone13, ...changes }));

describe('device response', () => {
  it('is parsed in the format of devices and of other tools', () => {
    const expected = {
      udid: testUdid,
      product: 'iPhone14,5',
      osVersion: '22B83',
      name: 'Mina’s iPhone',
      challenge: 'abc',
    };
    const answer = { ...iphone13, CHALLENGE: 'abc' };
    expect(readDeviceResponse(signAnswer(answer))).toEqual(expected);
    expect(readDeviceResponse(signAnswer(answer, { digest: 'sha256', indefiniteLengths: false }))).toEqual(
      expected,
    );
    expect(readDeviceResponse(signAnswer({ ...answer, CHALLENGE: Buffer.from('abc') }))).toEqual(expected);
    const elliptic = createSigningIdentity({ commonName: 'device' });
    expect(readDeviceResponse(signAnswer(answer, { identity: elliptic }))).toEqual(expected);
  });

  it('requires only the UDID and the model', () => {
    const { UDID = '', PRODUCT = '' } = iphone13;
    expect(readDeviceResponse(signAnswer({ UDID, PRODUCT }))).toEqual({
      udid: testUdid,
      product: PRODUCT,
      osVersion: '',
      name: '',
      challenge: null,
    });
  });

  it('is parsed when openssl created it', () => {
    const folder = mkdtempSync(join(tmpdir(), 'slipway-answer-'));
    try {
      const file = (name: string) => join(folder, name);
      const openssl = (...args: string[]) => execFileSync('openssl', args, { stdio: 'pipe' });
      const subject = ['-subj', '/CN=device', '-keyout', file('key.pem'), '-out', file('cert.pem')];
      openssl('req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', ...subject);
      writeFileSync(file('answer.plist'), build(iphone13));
      const signer = ['-signer', file('cert.pem'), '-inkey', file('key.pem')];
      const files = ['-in', file('answer.plist'), '-out', file('answer.der')];
      openssl(
        'cms',
        '-sign',
        '-binary',
        '-nodetach',
        '-stream',
        '-md',
        'sha1',
        ...signer,
        ...files,
        '-outform',
        'DER',
      );
      expect(readDeviceResponse(readFileSync(file('answer.der')))).toMatchObject({ udid: testUdid });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it.each([
    ['40 digits', 'A1B2C3D4E5'.repeat(4), 'a1b2c3d4e5'.repeat(4)],
    ['8 and 16 digits', testUdid.toLowerCase(), testUdid],
  ])('with a UDID of %s is normalized to the form of profiles', (_name, given, expected) => {
    expect(readDeviceResponse(signAnswer({ ...iphone13, UDID: given })).udid).toBe(expected);
  });

  it.each([
    ['a UUID, as simulators have', '8B4C1A52-0F5B-4A8C-9E38-0E6F5A3F2D11'],
    ['39 digits', 'a'.repeat(39)],
    ['41 digits', 'a'.repeat(41)],
    ['letters beyond f', 'g'.repeat(40)],
    ['nothing', ''],
    ['a number', 42],
    ['a list', [testUdid]],
    ['data', Buffer.from(testUdid)],
    ['a line break behind it', `${testUdid}\n00008110-000A1C2E3D41801F`],
  ])('with a UDID that is %s is rejected', (_name, UDID) => {
    expect(refusalOf({ UDID })).toContain('contains no device UDID');
  });

  it.each([
    ['MacBookPro18,1', 'only iPhone'],
    ['AppleTV11,1', 'only iPhone'],
    ['Watch6,1', 'only iPhone'],
    ['iPhone', 'device model'],
    ['<b>1,1', 'device model'],
    [7, 'device model'],
    [`${'x'.repeat(80)}1,1`, 'device model'],
  ])('of a %s is rejected', (PRODUCT, why) => {
    expect(refusalOf({ PRODUCT })).toContain(why);
  });

  it.each(['iPhone17,3', 'iPad16,6', 'iPod9,1', 'RealityDevice14,1'])('of a %s is accepted', (PRODUCT) => {
    expect(readDeviceResponse(signAnswer({ ...iphone13, PRODUCT })).product).toBe(PRODUCT);
  });

  it.each([
    ['tabs and lines', 'a\tb\r\nc\u2028d', 'a b c d'],
    ['bells', 'a\u0001b\u0007c', 'a b c'],
    ['a turned direction', 'a\u202Egpj.exe', 'agpj.exe'],
    ['markup', '<script>alert("1")</script>', '<script>alert("1")</script>'],
    ['too much', '株'.repeat(200), '株'.repeat(maxDeviceNameLength)],
    ['a picture at the cut', `${'a'.repeat(49)}📱📱`, `${'a'.repeat(49)}📱`],
    ['spaces alone', '   ', ''],
  ])('reduces a name with %s to a single valid line', (_name, given, expected) => {
    // Inserted directly: the library would omit control characters.
    const xml = build({ ...iphone13, DEVICE_NAME: 'here' }).replace(
      'here',
      given.replaceAll('&', '&amp;').replaceAll('<', '&lt;'),
    );
    const answer = readDeviceResponse(buildCms({ content: Buffer.from(xml), identity: deviceIdentity }));
    expect(answer.name).toBe(expected);
  });

  it('ignores an invalid version', () => {
    for (const VERSION of ['<b>', 'x'.repeat(33), 18, ['22B83'], '']) {
      expect(readDeviceResponse(signAnswer({ ...iphone13, VERSION })).osVersion).toBe('');
    }
  });

  it('is rejected when it is unsigned or signed over other data', () => {
    const list = Buffer.from(build(iphone13));
    expect(refusal(list)).toBe('the device response is not signed');
    expect(refusal(Buffer.alloc(0))).toBe('the device response is not signed');
    expect(refusal(signAnswer(iphone13, { detached: true }))).toBe('the device response is not signed');
    expect(refusal(signAnswer(iphone13, { signerCount: 0 }))).toBe('the device response is not signed');
    const other = Buffer.from(signAnswer(iphone13, { indefiniteLengths: false }));
    other.write('00009999', other.indexOf(testUdid.slice(0, 8)));
    expect(refusal(other)).toBe('the signature of the device response is over other content');
    const damaged = Buffer.from(signAnswer(iphone13, { indefiniteLengths: false }));
    damaged.writeUInt8(damaged.readUInt8(damaged.length - 9) ^ 1, damaged.length - 9);
    expect(refusal(damaged)).toBe('the signature of the device response does not match its certificate');
    const digest = hash('sha1', Buffer.from(build(iphone13)), 'buffer');
    const unreadable = Buffer.from(signAnswer(iphone13));
    // The digest among the signed attributes becomes a null.
    unreadable.writeUInt8(0x05, unreadable.indexOf(digest) - 2);
    expect(refusal(unreadable)).toBe('the signature of the device response cannot be read');
    const stranger = { ...createSigningIdentity({ commonName: 'other' }), chain: deviceIdentity.chain };
    expect(refusal(signAnswer(iphone13, { identity: stranger }))).toBe(
      'the signature of the device response lacks the certificate of its signer',
    );
  });

  it('is rejected without a dictionary or with too large a one', () => {
    const signed = (content: string) =>
      refusal(buildCms({ content: Buffer.from(content), identity: deviceIdentity }));
    expect(signed('<plist><array/></plist>')).toBe('the device response is not a dictionary');
    expect(signed('nonsense <')).toContain('is not a readable property list');
    const deep = `<plist><dict><key>a</key>${'<array>'.repeat(9)}${'</array>'.repeat(9)}</dict></plist>`;
    expect(signed(deep)).toContain('nested deeper');
    expect(
      signed(
        `<plist><dict><key>a</key><string>${'x'.repeat(maxDeviceResponseBytes)}</string></dict></plist>`,
      ),
    ).toContain('is larger than');
    expect(signed('<!DOCTYPE plist [<!ENTITY a "b">]><plist><dict/></plist>')).toContain('declarations');
  });

  it('is either rejected or parsed to the same values when damaged, and never crashes the parser', () => {
    const whole = signAnswer(iphone13);
    const expected = readDeviceResponse(whole);
    const at = integer({ min: 0, max: whole.length - 1 });
    const damage = property(tuple(at, integer({ min: 0, max: 255 }), at), ([place, octet, end]) => {
      const bytes = Buffer.from(whole);
      bytes.writeUInt8(octet, place);
      const read = (some: Buffer) => {
        try {
          return readDeviceResponse(some);
        } catch (error) {
          if (error instanceof AppError) return null;
          throw error;
        }
      };
      // Parts that the signature does not cover, such as another certificate, may be damaged.
      expect([null, expected]).toContainEqual(read(bytes));
      expect([null, expected]).toContainEqual(read(whole.subarray(0, end)));
    });
    expect(check(damage, { numRuns: 300 }).counterexample).toBeNull();
  });
});
