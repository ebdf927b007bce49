/** What a browser keeps after the right passcode: signed, for one page, void when the passcode changes. */
import { createSigner } from '../signature.ts';
import type { DistributionPage } from './distribution-page.ts';

export const passLifetimeMs = 7 * 24 * 60 * 60_000;
/** At the path of its page. */
export const passcodeCookie = {
  name: 'slipway_passcode',
  sameSite: 'lax',
  lifetimeMs: passLifetimeMs,
} as const;

type PassedPage = Pick<DistributionPage, 'id' | 'passcodeHash'>;

export interface PasscodePasses {
  issue(page: PassedPage, now: number): string;
  isValid(page: PassedPage, pass: string | undefined, now: number): boolean;
}

export function createPasscodePasses(secret: string): PasscodePasses {
  const signer = createSigner(secret, 'passcode');
  const wordsOf = (page: PassedPage, expiresAt: number) =>
    JSON.stringify([page.id, page.passcodeHash, expiresAt]);
  return {
    issue: (page, now) => {
      const expiresAt = now + passLifetimeMs;
      return `${expiresAt.toString(36)}.${signer.sign(wordsOf(page, expiresAt))}`;
    },
    isValid: (page, pass, now) => {
      const [, expires, signature] = /^([0-9a-z]{1,11})\.([\w-]{43})$/.exec(pass ?? '') ?? [];
      if (!expires || !signature) return false;
      const expiresAt = Number.parseInt(expires, 36);
      return signer.holds(wordsOf(page, expiresAt), signature) && expiresAt > now;
    },
  };
}
