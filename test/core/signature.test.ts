import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createSigner } from '../../src/core/signature.ts';

describe('signatures', () => {
  const signer = createSigner('a secret', 'link');

  it('are HMAC-SHA-256 over purpose and payload', () => {
    const expected = createHmac('sha256', 'a secret').update('slipway link\0file\0abc').digest('base64url');
    expect(signer.sign('file\0abc')).toBe(expected);
    expect(signer.holds('file\0abc', expected)).toBe(true);
  });

  it('are valid for one secret, one purpose and one payload only', () => {
    const signature = signer.sign('words');
    expect(signer.holds('other words', signature)).toBe(false);
    expect(createSigner('a secret', 'ticket').holds('words', signature)).toBe(false);
    expect(createSigner('another secret', 'link').holds('words', signature)).toBe(false);
  });

  it('are valid in one spelling: every other text of any length is refused', () => {
    const signature = signer.sign('words');
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const endings = [...alphabet].map((letter) => `${signature.slice(0, -1)}${letter}`);
    expect(endings.filter((text) => signer.holds('words', text))).toEqual([signature]);
    for (const text of ['', signature.slice(1), `${signature}=`, `${signature}A`, 'é'.repeat(43)]) {
      expect(signer.holds('words', text)).toBe(false);
    }
  });

  it('are valid under the previous secret while it is accepted, and created only with the current one', () => {
    const [old, fresh] = ['o'.repeat(32), 'f'.repeat(32)];
    const rotated = createSigner({ current: fresh, previous: old }, 'link');
    const before = createSigner(old, 'link').sign('words');
    expect(rotated.holds('words', before)).toBe(true);
    expect(rotated.holds('other words', before)).toBe(false);
    expect(createSigner({ current: fresh, previous: old }, 'ticket').holds('words', before)).toBe(false);
    expect(rotated.sign('words')).toBe(createSigner(fresh, 'link').sign('words'));
    expect(rotated.accepted('words')).toEqual([rotated.sign('words'), before]);
    expect(createSigner(fresh, 'link').holds('words', before)).toBe(false);
  });

  it('are never valid under a previous secret of fewer than 32 bytes', () => {
    for (const short of ['', 'x', 'x'.repeat(31)]) {
      const rotated = createSigner({ current: 'f'.repeat(32), previous: short }, 'link');
      expect(rotated.holds('words', createSigner(short, 'link').sign('words'))).toBe(false);
    }
  });
});
