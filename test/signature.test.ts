import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createSigner } from '../src/signature.ts';

describe('signatures', () => {
  const signer = createSigner('a secret', 'link');

  it('are HMAC-SHA-256 over purpose and words', () => {
    const expected = createHmac('sha256', 'a secret').update('slipway link\0file\0abc').digest('base64url');
    expect(signer.sign('file\0abc')).toBe(expected);
    expect(signer.holds('file\0abc', expected)).toBe(true);
  });

  it('hold for one secret, one purpose and the same words alone', () => {
    const signature = signer.sign('words');
    expect(signer.holds('other words', signature)).toBe(false);
    expect(createSigner('a secret', 'ticket').holds('words', signature)).toBe(false);
    expect(createSigner('another secret', 'link').holds('words', signature)).toBe(false);
  });

  it('hold in one spelling: every other text is refused, of whatever length', () => {
    const signature = signer.sign('words');
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const endings = [...alphabet].map((letter) => `${signature.slice(0, -1)}${letter}`);
    expect(endings.filter((text) => signer.holds('words', text))).toEqual([signature]);
    for (const text of ['', signature.slice(1), `${signature}=`, `${signature}A`, 'é'.repeat(43)]) {
      expect(signer.holds('words', text)).toBe(false);
    }
  });
});
