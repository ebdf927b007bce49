/** What a browser keeps after the right passcode: signed, for one page, void when the passcode changes. */
import { createSigner, type ServerSecret } from '../../core/signature.ts';
import type { DistributionPage } from '../distribution-page.ts';

const dayMs = 24 * 60 * 60_000;
export const passLifetimeMs = 7 * dayMs;
/** At the path of its page. Kept beyond its pass, to tell a browser that has been let in from one that has not. */
export const passcodeCookie = {
  name: 'slipway_passcode',
  sameSite: 'lax',
  lifetimeMs: 365 * dayMs,
} as const;

type PassedPage = Pick<DistributionPage, 'id' | 'passcodeHash'>;

export interface PasscodePasses {
  issue(page: PassedPage, now: number): string;
  isValid(page: PassedPage, pass: string | undefined, now: number): boolean;
  /** Whether it was issued for the page and its present passcode, however long ago. */
  wasIssued(page: PassedPage, pass: string): boolean;
}

export function createPasscodePasses(secret: ServerSecret): PasscodePasses {
  const signer = createSigner(secret, 'passcode');
  const wordsOf = (page: PassedPage, expiresAt: number) =>
    JSON.stringify([page.id, page.passcodeHash, expiresAt]);
  /** When it expires; null: it is none of this page and passcode. */
  const expiryOf = (page: PassedPage, pass: string): number | null => {
    const [, expires, signature] = /^([0-9a-z]{1,11})\.([\w-]{43})$/.exec(pass) ?? [];
    if (!expires || !signature) return null;
    const expiresAt = Number.parseInt(expires, 36);
    return signer.holds(wordsOf(page, expiresAt), signature) ? expiresAt : null;
  };
  return {
    issue: (page, now) => {
      const expiresAt = now + passLifetimeMs;
      return `${expiresAt.toString(36)}.${signer.sign(wordsOf(page, expiresAt))}`;
    },
    isValid: (page, pass, now) => (expiryOf(page, pass ?? '') ?? 0) > now,
    wasIssued: (page, pass) => expiryOf(page, pass) !== null,
  };
}
