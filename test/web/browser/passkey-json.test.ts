/** The data exchanged between the server and an authenticator, without a browser. */
import { describe, expect, it } from 'vitest';
import { decodeBase64url, encodeBase64url } from '../../../src/web/browser/passkeys/base64url.ts';
import { readCeremony } from '../../../src/web/browser/passkeys/ceremony.ts';
import { encodeCredential, isPasskeyCredential } from '../../../src/web/browser/passkeys/credential-json.ts';

const buffer = (...bytes: number[]) => Uint8Array.from(bytes).buffer;

describe('base64url', () => {
  it('is encoded and decoded like in Node for every length and byte', () => {
    const all = Uint8Array.from({ length: 256 }, (_, index) => index);
    for (const bytes of [all, all.slice(0, 254), all.slice(0, 255), all.slice(250), all.slice(0, 0)]) {
      const text = Buffer.from(bytes).toString('base64url');
      expect(encodeBase64url(bytes.buffer)).toBe(text);
      expect(decodeBase64url(text)).toEqual(bytes);
    }
  });
});

describe('the response of an authenticator', () => {
  const signIn = {
    id: '-_8',
    rawId: buffer(251, 255),
    type: 'public-key',
    response: {
      clientDataJSON: buffer(1),
      authenticatorData: buffer(2),
      signature: buffer(3),
      userHandle: null,
    },
  };

  it('is encoded with the fields that it contains', () => {
    expect(encodeCredential(signIn)).toEqual({
      id: '-_8',
      rawId: '-_8',
      type: 'public-key',
      response: { clientDataJSON: 'AQ', authenticatorData: 'Ag', signature: 'Aw' },
      clientExtensionResults: {},
    });
    const registration = {
      ...signIn,
      response: {
        clientDataJSON: buffer(1),
        attestationObject: buffer(4),
        getTransports: () => ['internal'],
      },
    };
    expect(encodeCredential(registration)).toMatchObject({
      response: { clientDataJSON: 'AQ', attestationObject: 'BA', transports: ['internal'] },
    });
  });

  it('is recognized by its fields, which may be inherited', () => {
    expect(isPasskeyCredential(signIn)).toBe(true);
    expect(isPasskeyCredential(Object.create(signIn))).toBe(true);
    expect([null, {}, { ...signIn, response: {} }].map(isPasskeyCredential)).toEqual([false, false, false]);
  });
});

describe('a ceremony', () => {
  it('includes the ticket to return', () => {
    const publicKey = { challenge: 'AQ' };
    expect(readCeremony({ publicKey, ticket: 't', other: 1 })).toEqual({ publicKey, ticket: 't' });
    expect(() => readCeremony({ publicKey })).toThrow('ceremony');
    expect(() => readCeremony(null)).toThrow('ceremony');
  });
});
