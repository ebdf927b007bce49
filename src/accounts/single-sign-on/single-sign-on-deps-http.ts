/** Single sign-on for the routes; only created if a provider is configured. */

import type { ServerSecret } from '../../core/signature.ts';
import type { Data } from '../../db/data.ts';
import type { Quota } from '../../owners/quota.ts';
import { createOidcProvider, type OidcProvider } from './oidc-provider.ts';
import { createSingleSignOn, type SingleSignOn } from './single-sign-on.ts';
import type { SingleSignOnConfig } from './single-sign-on-config.ts';
import { createSingleSignOnCookies, type SingleSignOnCookies } from './single-sign-on-cookie-http.ts';

export interface SingleSignOnDeps {
  /** The provider's name in the UI. */
  name: string;
  /** Whether the issuer is the configured provider. */
  isIssuer(issuer: string): boolean;
  provider: OidcProvider;
  people: SingleSignOn;
  cookies: SingleSignOnCookies;
}

export function createSingleSignOnParts(
  config: SingleSignOnConfig,
  deps: {
    data: Data;
    secret: ServerSecret;
    signUpQuota: Quota | null;
    now: () => number;
    wakeOutbox: () => void;
  },
): SingleSignOnDeps {
  return {
    name: config.name,
    isIssuer: (issuer) => URL.parse(issuer)?.href === new URL(config.issuer).href,
    provider: createOidcProvider(config, deps.now),
    people: createSingleSignOn({ ...deps, config }),
    cookies: createSingleSignOnCookies(deps),
  };
}
