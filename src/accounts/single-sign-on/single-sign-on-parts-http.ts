/** Single sign-on as the routes need it; made only where a provider is set. */

import type { ServerSecret } from '../../core/signature.ts';
import type { Data } from '../../db/data.ts';
import type { Quota } from '../../owners/quota.ts';
import { createOidcProvider, type OidcProvider } from './oidc-provider.ts';
import { createSingleSignOn, type SingleSignOn } from './single-sign-on.ts';
import type { SingleSignOnConfig } from './single-sign-on-config.ts';
import { createSingleSignOnCookies, type SingleSignOnCookies } from './single-sign-on-cookie-http.ts';

export interface SingleSignOnParts {
  /** What people call the provider. */
  name: string;
  /** Whether the identities of that issuer are the provider's. */
  isIssuer(issuer: string): boolean;
  provider: OidcProvider;
  people: SingleSignOn;
  cookies: SingleSignOnCookies;
}

export function createSingleSignOnParts(
  config: SingleSignOnConfig,
  parts: {
    data: Data;
    secret: ServerSecret;
    signUpQuota: Quota | null;
    now: () => number;
    wakeOutbox: () => void;
  },
): SingleSignOnParts {
  return {
    name: config.name,
    isIssuer: (issuer) => URL.parse(issuer)?.href === new URL(config.issuer).href,
    provider: createOidcProvider(config, parts.now),
    people: createSingleSignOn({ ...parts, config }),
    cookies: createSingleSignOnCookies(parts),
  };
}
