/** Keys in addresses that work without headers: HMAC-SHA-256 over purpose and build under the server's secret. */
import { createHmac, timingSafeEqual } from 'node:crypto';

export type LinkPurpose = 'file' | 'icon' | 'simulator';

export interface LinkSigner {
  sign(purpose: LinkPurpose, buildId: string): string;
  verify(purpose: LinkPurpose, buildId: string, key: unknown): boolean;
}

/** Links have no expiry: they are void when the secret is rotated or the build deleted. */
export function createLinkSigner(secret: string): LinkSigner {
  const digest = (purpose: LinkPurpose, buildId: string) =>
    createHmac('sha256', secret).update(`slipway link\0${purpose}\0${buildId}`).digest();
  return {
    sign: (purpose, buildId) => digest(purpose, buildId).toString('base64url'),
    verify: (purpose, buildId, key) => {
      if (typeof key !== 'string') return false;
      const given = Buffer.from(key, 'base64url');
      const expected = digest(purpose, buildId);
      return given.length === expected.length && timingSafeEqual(given, expected);
    },
  };
}
