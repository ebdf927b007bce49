/** Signatures in links, cookies and tokens: HMAC-SHA-256 under the server's secret, each for one purpose alone. */
import { createHmac, timingSafeEqual } from 'node:crypto';

export interface Signer {
  /** 43 characters of base64url. */
  sign(words: string): string;
  /** Compares in constant time. Exactly the text that `sign` answers holds, no other spelling of the same bytes. */
  holds(words: string, signature: string): boolean;
}

/** What is signed for one purpose never holds for another. */
export function createSigner(secret: string, purpose: string): Signer {
  const sign = (words: string) =>
    createHmac('sha256', secret).update(`slipway ${purpose}\0${words}`).digest('base64url');
  return {
    sign,
    holds: (words, signature) => {
      const [given, expected] = [Buffer.from(signature), Buffer.from(sign(words))];
      return given.length === expected.length && timingSafeEqual(given, expected);
    },
  };
}
