/** What the registration of a device carries from step to step, each signed for its own purpose under the server's secret. */
import { createSigner, type ServerSecret } from '../../core/signature.ts';
import type { DistributionPage } from '../distribution-page.ts';

/** From the tap to the device's answer, and from there to the page that shows the outcome. */
export const deviceStepLifetimeMs = 15 * 60_000;

export const deviceCookie = {
  name: 'slipway_device',
  path: '/distributions',
  sameSite: 'lax',
  lifetimeMs: 365 * 24 * 60 * 60_000,
} as const;

export type Checked<T> = ({ kind: 'valid' } & T) | { kind: 'late' } | { kind: 'wrong' };

/** A changed passcode or kind of access voids what was begun before. */
type AdmittedPage = Pick<DistributionPage, 'id' | 'access' | 'passcodeHash'>;

/** Who registers a device. */
export interface Registrant {
  /** Id of the browser. */
  browser: string;
  /** The person who was signed in; null for an anonymous visitor. */
  userId: string | null;
}

export interface DeviceTokens {
  /** Proves that its holder was admitted to the page, in which browser, and who was signed in there. */
  challenge(page: AdmittedPage, visitor: Registrant, now: number): string;
  checkChallenge(page: AdmittedPage, text: unknown, now: number): Checked<Registrant>;
  /** Says which device has just been registered. */
  outcome(page: AdmittedPage, deviceId: string, now: number): string;
  checkOutcome(page: AdmittedPage, text: unknown, now: number): Checked<{ deviceId: string }>;
  cookie(browser: string): string;
  /** The id of the browser; null for a cookie that is not ours. */
  browserOf(cookie: string | undefined): string | null;
}

const signed = /^([0-9a-z]{0,26}(?:-[0-9a-z]{0,26})?)\.([0-9a-z]{0,11})\.([\w-]{43})$/;

export function createDeviceTokens(secret: ServerSecret): DeviceTokens {
  const signer = createSigner(secret, 'device');
  const wordsOf = (purpose: string, context: readonly (string | null)[], id: string, expires: string) =>
    JSON.stringify([purpose, ...context, id, expires]);
  const sign = (purpose: string, context: readonly (string | null)[], id: string, expires: string) =>
    `${id}.${expires}.${signer.sign(wordsOf(purpose, context, id, expires))}`;
  const open = (purpose: string, context: readonly (string | null)[], text: unknown) => {
    const [, id, expires, signature] = typeof text === 'string' ? (signed.exec(text) ?? []) : [];
    if (id === undefined || expires === undefined || signature === undefined) return null;
    const holds = signer.holds(wordsOf(purpose, context, id, expires), signature);
    return holds ? { id, expiresAt: Number.parseInt(expires, 36) } : null;
  };
  const contextOf = (page: AdmittedPage) => [page.id, page.access, page.passcodeHash];
  const expiryAfter = (now: number) => (now + deviceStepLifetimeMs).toString(36);
  return {
    challenge: (page, { browser, userId }, now) =>
      sign('challenge', contextOf(page), `${browser}-${userId ?? ''}`, expiryAfter(now)),
    checkChallenge: (page, text, now) => {
      const found = open('challenge', contextOf(page), text);
      if (!found) return { kind: 'wrong' };
      if (found.expiresAt <= now) return { kind: 'late' };
      const [browser = '', userId = ''] = found.id.split('-');
      return { kind: 'valid', browser, userId: userId || null };
    },
    outcome: (page, deviceId, now) => sign('outcome', contextOf(page), deviceId, expiryAfter(now)),
    checkOutcome: (page, text, now) => {
      const found = open('outcome', contextOf(page), text);
      if (!found) return { kind: 'wrong' };
      return found.expiresAt > now ? { kind: 'valid', deviceId: found.id } : { kind: 'late' };
    },
    cookie: (browser) => sign('cookie', [], browser, ''),
    browserOf: (cookie) => open('cookie', [], cookie)?.id || null,
  };
}
