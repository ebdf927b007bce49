/** Keys in addresses that work without headers: HMAC-SHA-256 over purpose and build under the server's secret. */
import { createSigner, type ServerSecret } from '../signature.ts';

export type LinkPurpose = 'file' | 'icon' | 'simulator';

export interface LinkSigner {
  sign(purpose: LinkPurpose, buildId: string): string;
  verify(purpose: LinkPurpose, buildId: string, key: unknown): boolean;
}

/** Links have no expiry: they are void when the secret is rotated or the build deleted. */
export function createLinkSigner(secret: ServerSecret): LinkSigner {
  const signer = createSigner(secret, 'link');
  const wordsOf = (purpose: LinkPurpose, buildId: string) => `${purpose}\0${buildId}`;
  return {
    sign: (purpose, buildId) => signer.sign(wordsOf(purpose, buildId)),
    verify: (purpose, buildId, key) =>
      typeof key === 'string' && signer.holds(wordsOf(purpose, buildId), key),
  };
}
