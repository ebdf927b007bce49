import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createSigner } from '../../src/core/signature.ts';

describe('signatures', () => {
  const signer = createSigner('a secret', 'link');

  it('are HMAC-SHA-256 over purpose and message', () => {
    const expected = createHmac('sha256', 'a secret').update('slipway link\0file\0abc').digest('base64url');
    expect(signer.sign('file\0abc')).toBe(expected);
    expect(signer.verify('file\0abc', expected)).toBe(true);
  });

  it('are valid only for the same secret, purpose and message', () => {
    const signature = signer.sign('message');
    expect(signer.verify('another message', signature)).toBe(false);
    expect(createSigner('a secret', 'ticket').verify('message', signature)).toBe(false);
    expect(createSigner('another secret', 'link').verify('message', signature)).toBe(false);
  });

  it('have exactly one encoding: any other text is refused, regardless of length', () => {
    const signature = signer.sign('message');
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const endings = [...alphabet].map((letter) => `${signature.slice(0, -1)}${letter}`);
    expect(endings.filter((text) => signer.verify('message', text))).toEqual([signature]);
    for (const text of ['', signature.slice(1), `${signature}=`, `${signature}A`, 'é'.repeat(43)]) {
      expect(signer.verify('message', text)).toBe(false);
    }
  });

  it('are valid under the previous secret while it is accepted, and created only with the current one', () => {
    const [old, fresh] = ['o'.repeat(32), 'f'.repeat(32)];
    const rotated = createSigner({ current: fresh, previous: old }, 'link');
    const before = createSigner(old, 'link').sign('message');
    expect(rotated.verify('message', before)).toBe(true);
    expect(rotated.verify('another message', before)).toBe(false);
    expect(createSigner({ current: fresh, previous: old }, 'ticket').verify('message', before)).toBe(false);
    expect(rotated.sign('message')).toBe(createSigner(fresh, 'link').sign('message'));
    expect(rotated.accepted('message')).toEqual([rotated.sign('message'), before]);
    expect(createSigner(fresh, 'link').verify('message', before)).toBe(false);
  });

  it('are never valid under a previous secret of fewer than 32 bytes', () => {
    for (const short of ['', 'x', 'x'.repeat(31)]) {
      const rotated = createSigner({ current: 'f'.repeat(32), previous: short }, 'link');
      expect(rotated.verify('message', createSigner(short, 'link').sign('message'))).toBe(false);
    }
  });
});
