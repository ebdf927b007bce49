/** Single sign-on at one provider, for the routes; only created if the provider is configured. */

import type { ServerSecret } from '../../core/signature.ts';
import type { Data } from '../../db/data.ts';
import type { CookieChange } from '../../http/routes/answer.ts';
import type { Client } from '../../http/routes/client.ts';
import type { Quota } from '../../owners/quota.ts';
import { oidcPaths } from '../profile/account-paths.ts';
import type { GroupClaimant } from './group-claims.ts';
import { createOidcProvider, type OidcProvider } from './oidc-provider.ts';
import { createSingleSignOn, installationRules, type SingleSignOn } from './single-sign-on.ts';
import type { NamedProvider } from './single-sign-on-button.tsx';
import type { SingleSignOnConfig } from './single-sign-on-config.ts';
import {
  createSingleSignOnCookies,
  type PendingLink,
  type PendingSignIn,
  type StepCookie,
} from './single-sign-on-cookie-http.ts';

/** What every provider has in common, whatever protocol it speaks. */
export interface SignOn extends NamedProvider {
  claimant: GroupClaimant;
  /** Whether the issuer is the configured provider. */
  isIssuer(issuer: string): boolean;
  people: SingleSignOn;
  /** The identity to link, until the person confirms it. */
  proven: StepCookie<PendingLink>;
  clear(client: Client): CookieChange;
}

export interface OidcSignOn extends SignOn {
  provider: OidcProvider;
  begun: StepCookie<PendingSignIn>;
}

export interface SignOnParts {
  data: Data;
  secret: ServerSecret;
  signUpQuota: Quota | null;
  now: () => number;
  wakeOutbox: () => void;
}

export function createOidcSignOn(config: SingleSignOnConfig, deps: SignOnParts): OidcSignOn {
  return {
    name: config.name,
    claimant: { source: 'oidc' },
    paths: oidcPaths,
    isIssuer: (issuer) => URL.parse(issuer)?.href === new URL(config.issuer).href,
    provider: createOidcProvider(config, deps.now),
    people: createSingleSignOn({ ...deps, rules: installationRules(config) }),
    ...createSingleSignOnCookies(deps, oidcPaths.base),
  };
}
