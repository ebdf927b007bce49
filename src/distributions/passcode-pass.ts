/** What a browser keeps after the right passcode: signed, for one page, void when the passcode changes. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { DistributionPage } from './distribution-page.ts';

export const passcodeCookie = 'slipway_passcode';
export const passLifetimeMs = 7 * 24 * 60 * 60_000;

type PassedPage = Pick<DistributionPage, 'id' | 'passcodeHash'>;

export interface PasscodePasses {
  issue(page: PassedPage, now: number): string;
  isValid(page: PassedPage, pass: string | undefined, now: number): boolean;
}

export function createPasscodePasses(secret: string): PasscodePasses {
  const digest = (page: PassedPage, expiresAt: number) =>
    createHmac('sha256', secret)
      .update(JSON.stringify(['slipway passcode', page.id, page.passcodeHash, expiresAt]))
      .digest();
  return {
    issue: (page, now) => {
      const expiresAt = now + passLifetimeMs;
      return `${expiresAt.toString(36)}.${digest(page, expiresAt).toString('base64url')}`;
    },
    isValid: (page, pass, now) => {
      const [, expires, signature] = /^([0-9a-z]{1,11})\.([\w-]{43})$/.exec(pass ?? '') ?? [];
      if (!expires || !signature) return false;
      const expiresAt = Number.parseInt(expires, 36);
      const given = Buffer.from(signature, 'base64url');
      const expected = digest(page, expiresAt);
      return given.length === expected.length && timingSafeEqual(given, expected) && expiresAt > now;
    },
  };
}
