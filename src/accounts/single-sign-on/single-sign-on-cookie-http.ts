/**
 * Encrypted cookies that carry the state of a sign-in at the provider, so that any node can finish what another one started, and
 * nobody can read or forge it. They expire after ten minutes.
 */
import { createEncryption } from '../../core/encrypted-text.ts';
import type { ServerSecret } from '../../core/signature.ts';
import type { CookieChange } from '../../http/routes/answer.ts';
import type { Client } from '../../http/routes/client.ts';
import { clearPathCookie, pathCookie, readPathCookie } from '../../http/secure-cookies.ts';
import type { SignInChecks } from './oidc-provider.ts';
import type { ProviderIdentity } from './provider-identity.ts';
import type { SignOnPurpose } from './single-sign-on.ts';

/** The state while the browser is at the provider. */
export interface PendingSignIn<Checks = SignInChecks> {
  checks: Checks;
  /** A path on this origin. */
  to: string | null;
  purpose: SignOnPurpose;
}

/** The provider has identified the person, who has not confirmed the link yet. */
export interface PendingLink {
  identity: ProviderIdentity;
  linkFor: string;
  /** Where the person continues; null for their profile. */
  to: string | null;
}

/** The state of one step; storing it replaces the previous one. */
export interface StepCookie<T> {
  keep(client: Client, step: T): CookieChange;
  /** Null if the browser has no valid state from this server. */
  read(client: Client): T | null;
}

export interface SingleSignOnCookies<Checks> {
  begun: StepCookie<PendingSignIn<Checks>>;
  proven: StepCookie<PendingLink>;
  clear(client: Client): CookieChange;
}

export const singleSignOnLifetimeMs = 10 * 60_000;
/** Browsers limit cookies to 4,096 bytes. */
const maxCookieLength = 4000;

/** `path`: what the cookies are sent with. The browser returns from another site, where `strict` would drop them. */
export function createStepCookie<T>(
  deps: { secret: ServerSecret; now: () => number },
  { path, name }: { path: string; name: string },
  step: string,
): StepCookie<T> & { clear(client: Client): CookieChange } {
  const encryption = createEncryption(deps.secret, 'single sign-on');
  const owner = `${path} ${step}`;
  const cookie = { name, path, sameSite: 'lax', lifetimeMs: singleSignOnLifetimeMs } as const;
  return {
    keep: (client, value) => {
      const text = JSON.stringify([deps.now() + singleSignOnLifetimeMs, value]);
      return pathCookie(client.origin, { ...cookie, value: encryption.encrypt(Buffer.from(text), owner) });
    },
    read: (client) => {
      const encrypted = readPathCookie(client.origin, client.cookies, cookie) ?? '';
      const bytes = encrypted.length > maxCookieLength ? null : encryption.decrypt(encrypted, owner);
      if (!bytes) return null;
      const [expiresAt, value] = JSON.parse(Buffer.from(bytes).toString()) as [number, T];
      return expiresAt > deps.now() ? value : null;
    },
    clear: (client) => clearPathCookie(client.origin, cookie),
  };
}

/** `begun` and `proven` share a cookie, because one follows the other. */
export function createSingleSignOnCookies<Checks = SignInChecks>(
  deps: { secret: ServerSecret; now: () => number },
  path: string,
): SingleSignOnCookies<Checks> {
  const cookie = { path, name: 'slipway_sso' };
  const begun = createStepCookie<PendingSignIn<Checks>>(deps, cookie, 'begun for a purpose');
  return { begun, proven: createStepCookie<PendingLink>(deps, cookie, 'proven'), clear: begun.clear };
}
