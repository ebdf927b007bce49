/**
 * What a browser carries while somebody signs in at the provider, sealed, so that any node can finish what another one
 * began and nobody else can read or make it. It is good for ten minutes.
 */

import { createSeal } from '../../core/encrypted-text.ts';
import type { ServerSecret } from '../../core/signature.ts';
import type { CookieChange } from '../../http/routes/answer.ts';
import type { Client } from '../../http/routes/client.ts';
import { clearPartCookie, partCookie, readPartCookie } from '../../http/secure-cookies.ts';
import type { SignInChecks } from './oidc-provider.ts';
import type { ProviderIdentity } from './provider-identity.ts';
import type { SignOnPurpose } from './single-sign-on.ts';

/** The way to the provider and back. */
export interface BegunSignIn {
  checks: SignInChecks;
  /** A path on this origin. */
  to: string | null;
  purpose: SignOnPurpose;
}

/** The provider has answered, and the person has not yet said yes. */
export interface ProvenIdentity {
  identity: ProviderIdentity;
  linkFor: string;
}

/** One step of the way: keeping it replaces whatever was kept before. */
export interface CarriedStep<T> {
  keep(client: Client, step: T): CookieChange;
  /** Null when the browser carries none of this server that is still good. */
  read(client: Client): T | null;
}

export interface SingleSignOnCookies {
  begun: CarriedStep<BegunSignIn>;
  proven: CarriedStep<ProvenIdentity>;
  clear(client: Client): CookieChange;
}

export const singleSignOnLifetimeMs = 10 * 60_000;
const cookie = {
  name: 'slipway_sso',
  path: '/sign-in/sso',
  // The way back begins at another site; `strict` would lose the cookie on it.
  sameSite: 'lax',
  lifetimeMs: singleSignOnLifetimeMs,
} as const;
/** Browsers keep cookies of 4,096 bytes. */
const maxCookieLength = 4000;

export function createSingleSignOnCookies(parts: {
  secret: ServerSecret;
  now: () => number;
}): SingleSignOnCookies {
  const seal = createSeal(parts.secret, 'single sign-on');
  const step = <T>(name: string): CarriedStep<T> => ({
    keep: (client, value) => {
      const text = JSON.stringify([parts.now() + singleSignOnLifetimeMs, value]);
      return partCookie(client.origin, { ...cookie, value: seal.close(Buffer.from(text), name) });
    },
    read: (client) => {
      const sealed = readPartCookie(client.origin, client.cookies, cookie) ?? '';
      const bytes = sealed.length > maxCookieLength ? null : seal.open(sealed, name);
      if (!bytes) return null;
      const [expiresAt, value] = JSON.parse(Buffer.from(bytes).toString()) as [number, T];
      return expiresAt > parts.now() ? value : null;
    },
  });
  return {
    begun: step<BegunSignIn>('begun for a purpose'),
    proven: step<ProvenIdentity>('proven'),
    clear: (client) => clearPartCookie(client.origin, cookie),
  };
}
