/**
 * What a browser carries while somebody signs in at the provider, sealed, so that any node can finish what another one
 * began and nobody else can read or make it. It is good for ten minutes.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { OriginOf } from '../http/request-origin.ts';
import { clearPartCookie, readPartCookie, setCookies, setPartCookie } from '../http/secure-cookies.ts';
import type { SignInChecks } from './oidc-provider.ts';
import type { ProviderIdentity } from './provider-identity.ts';
import { createSeal } from './sealed-text.ts';

/** The way to the provider and back. */
export interface BegunSignIn {
  checks: SignInChecks;
  /** A path on this origin. */
  to: string | null;
  /** Id of the person who is signed in and wants the identity linked; null: somebody signs in. */
  linkFor: string | null;
}

/** The provider has answered, and the person has not yet said yes. */
export interface ProvenIdentity {
  identity: ProviderIdentity;
  linkFor: string;
}

/** One step of the way: keeping it replaces whatever was kept before. */
export interface CarriedStep<T> {
  keep(request: FastifyRequest, reply: FastifyReply, step: T): void;
  /** Null when the browser carries none of this server that is still good. */
  read(request: FastifyRequest): T | null;
}

export interface SingleSignOnCookies {
  begun: CarriedStep<BegunSignIn>;
  proven: CarriedStep<ProvenIdentity>;
  clear(request: FastifyRequest, reply: FastifyReply): void;
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
  secret: string;
  originOf: OriginOf;
  now: () => number;
}): SingleSignOnCookies {
  const seal = createSeal(parts.secret, 'single sign-on');
  const step = <T>(name: string): CarriedStep<T> => ({
    keep: (request, reply, value) => {
      const text = JSON.stringify([parts.now() + singleSignOnLifetimeMs, value]);
      const sealed = seal.close(Buffer.from(text), name);
      setPartCookie(parts.originOf, request, reply, { ...cookie, value: sealed });
    },
    read: (request) => {
      const sealed = readPartCookie(parts.originOf, request, cookie) ?? '';
      const bytes = sealed.length > maxCookieLength ? null : seal.open(sealed, name);
      if (!bytes) return null;
      const [expiresAt, value] = JSON.parse(Buffer.from(bytes).toString()) as [number, T];
      return expiresAt > parts.now() ? value : null;
    },
  });
  return {
    begun: step<BegunSignIn>('begun'),
    proven: step<ProvenIdentity>('proven'),
    clear: (request, reply) => void setCookies(reply, [clearPartCookie(parts.originOf(request), cookie)]),
  };
}
