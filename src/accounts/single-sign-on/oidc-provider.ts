/** OpenID Connect client: authorization code flow with PKCE, state and nonce. The library is loaded on first use. */
import type * as OpenIdClient from 'openid-client';
import { isLocal } from '../../core/outbound/outbound-address.ts';
import { identityOf, type ProviderIdentity } from './provider-identity.ts';
import type { SingleSignOnConfig } from './single-sign-on-config.ts';

type Library = typeof OpenIdClient;
type Configuration = OpenIdClient.Configuration;

/**
 * Values that the browser stores encrypted during the visit, so that a response is valid once and only for the browser that
 * requested it.
 */
export interface SignInChecks {
  state: string;
  nonce: string;
  /** The PKCE code verifier (RFC 7636). */
  verifier: string;
}

export interface OidcProvider {
  /** Returns the address to redirect the browser to. `isFresh`: the person must sign in again there. Throws `ProviderError`. */
  begin(
    redirectUri: string,
    options: { isFresh: boolean },
  ): Promise<{ address: string; checks: SignInChecks }>;
  /** Verifies the address that the browser returned to. Pass the same options as to `begin`. Throws `ProviderError`. */
  finish(answer: URL, checks: SignInChecks, options: { isFresh: boolean }): Promise<ProviderIdentity>;
  /** Fetches the provider's metadata. Throws `ProviderError`. */
  ask(): Promise<void>;
}

/**
 * `unreachable`: no response, or a request to try again later. `cancelled`: the person, or the provider, declined. `refused`: the
 * response is invalid or unusable. `not-recent`: the provider does not confirm that the person has just signed in. The message is
 * for operators.
 */
export class ProviderError extends Error {
  override name = 'ProviderError';
  readonly kind: 'unreachable' | 'cancelled' | 'refused' | 'not-recent';

  constructor(kind: ProviderError['kind'], message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.kind = kind;
  }
}

const scope = 'openid email profile';
const responseTimeoutSeconds = 10;
/** Metadata, keys, tokens and claims are far smaller. */
export const maxProviderResponseBytes = 1024 * 1024;
/** Tolerated clock skew to the provider. */
const clockToleranceSeconds = 60;
/** How recent a sign-in at the provider must be to confirm access. */
export const recentSignInMs = 10 * 60_000;
/** The library caches keys for a shorter time. */
const metadataLifetimeMs = 60 * 60_000;

export function createOidcProvider(config: SingleSignOnConfig, now: () => number): OidcProvider {
  let known: { configuration: Configuration; at: number } | null = null;
  let inFlight: Promise<Configuration> | null = null;

  const discover = async (): Promise<Configuration> => {
    if (known && now() - known.at < metadataLifetimeMs) return known.configuration;
    inFlight ??= readMetadata(config).finally(() => {
      inFlight = null;
    });
    try {
      known = { configuration: await inFlight, at: now() };
    } catch (error) {
      // Falls back to the cached metadata.
      if (known) return known.configuration;
      throw toProviderError(error, 'unreachable');
    }
    return known.configuration;
  };

  return {
    ask: async () => {
      await discover();
    },
    begin: async (redirectUri, { isFresh }) => {
      const library = await load();
      const configuration = await discover();
      const checks = {
        state: library.randomState(),
        nonce: library.randomNonce(),
        verifier: library.randomPKCECodeVerifier(),
      };
      const address = library.buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUri,
        scope: [scope, ...config.scopes].join(' '),
        state: checks.state,
        nonce: checks.nonce,
        code_challenge: await library.calculatePKCECodeChallenge(checks.verifier),
        code_challenge_method: 'S256',
        // OpenID Connect Core 1.0, section 3.1.2.1: with `max_age`, the ID token must contain the time of the sign-in.
        ...(isFresh ? { max_age: '0', prompt: 'login' } : {}),
      });
      return { address: address.href, checks };
    },
    finish: async (answer, checks, { isFresh }) => {
      const library = await load();
      const configuration = await discover();
      try {
        return await exchange(library, configuration, answer, {
          checks,
          isFresh,
          groupsClaim: config.groupsClaim,
        });
      } catch (error) {
        throw toProviderError(error, 'refused');
      }
    },
  };
}

const load = (): Promise<Library> => import('openid-client');

async function readMetadata(config: SingleSignOnConfig): Promise<Configuration> {
  const library = await load();
  const issuer = new URL(config.issuer);
  // Otherwise, the ID token would be trusted because of TLS alone (OpenID Connect Core 1.0, section 3.1.3.7, point 6).
  const execute = [library.enableNonRepudiationChecks];
  if (issuer.protocol === 'http:' && isLocal(issuer)) execute.push(library.allowInsecureRequests);
  return library.discovery(
    issuer,
    config.clientId,
    { [library.clockTolerance]: clockToleranceSeconds },
    authenticationOf(library, config.clientSecret),
    { execute, timeout: responseTimeoutSeconds, [library.customFetch]: fetchWithLimit },
  );
}

/**
 * Returns a client authentication method that the provider supports; HTTP Basic if it lists none (OpenID Connect
 * Discovery 1.0, section 3).
 */
function authenticationOf(library: Library, secret: string | null): OpenIdClient.ClientAuth {
  if (secret === null) return library.None();
  const basic = library.ClientSecretBasic(secret);
  const post = library.ClientSecretPost(secret);
  return (server, client, body, headers) => {
    const methods = server.token_endpoint_auth_methods_supported;
    const way = !methods || methods.includes('client_secret_basic') ? basic : post;
    return way(server, client, body, headers);
  };
}

async function exchange(
  library: Library,
  configuration: Configuration,
  answer: URL,
  { checks, isFresh, groupsClaim }: { checks: SignInChecks; isFresh: boolean; groupsClaim: string | null },
): Promise<ProviderIdentity> {
  const tokens = await library.authorizationCodeGrant(configuration, answer, {
    expectedState: checks.state,
    expectedNonce: checks.nonce,
    pkceCodeVerifier: checks.verifier,
    idTokenExpected: true,
  });
  const claims = tokens.claims();
  if (!claims) throw new ProviderError('refused', 'there is no ID token');
  checkClient(claims, configuration.clientMetadata().client_id);
  if (isFresh && !isRecent(claims.auth_time))
    throw new ProviderError('not-recent', 'auth_time of the ID token is missing or older than ten minutes');
  const { userinfo_endpoint: hasMore } = configuration.serverMetadata();
  const needed = ['email', 'preferred_username', ...(groupsClaim === null ? [] : [groupsClaim])];
  const asksMore = hasMore && needed.some((name) => claims[name] === undefined);
  const more = asksMore ? await library.fetchUserInfo(configuration, tokens.access_token, claims.sub) : {};
  const identity = identityOf(claims, more, groupsClaim);
  if (!identity) throw new ProviderError('refused', 'the ID token has no usable subject');
  return identity;
}

/**
 * OpenID Connect Core 1.0, sections 2 and 3.1.3.7: `azp` names the client that the token was issued to, and `iat` the time. The
 * library checks `azp` only for tokens with several clients, and does not check that `iat` is in the past.
 */
function checkClient({ azp, iat }: OpenIdClient.IDToken, clientId: string): void {
  if (azp !== undefined && azp !== clientId)
    throw new ProviderError('refused', 'azp of the ID token names another client');
  if (iat > Date.now() / 1000 + clockToleranceSeconds)
    throw new ProviderError('refused', 'iat of the ID token is in the future: check the clocks');
}

/** `authTime` is in seconds since the epoch and compared with the system clock, like the other times in the ID token. */
function isRecent(authTime: unknown): boolean {
  if (typeof authTime !== 'number') return false;
  const age = Date.now() / 1000 - authTime;
  return age >= -clockToleranceSeconds && age <= recentSignInMs / 1000 + clockToleranceSeconds;
}

/** Rejects responses that are larger than the limit, or that report a failure of the provider or of a proxy in front of it. */
async function fetchWithLimit(address: string, options: OpenIdClient.CustomFetchOptions): Promise<Response> {
  const response = await fetch(address, options as RequestInit);
  if (response.status >= 500) {
    await response.body?.cancel();
    throw new ProviderError('unreachable', `the provider answers ${response.status}`);
  }
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of response.body ?? []) {
    bytes += piece.length;
    if (bytes > maxProviderResponseBytes) {
      throw new ProviderError('refused', `the response has more than ${maxProviderResponseBytes} bytes`);
    }
    pieces.push(piece);
  }
  const { status, statusText, headers } = response;
  return new Response(response.body === null ? null : Buffer.concat(pieces), { status, statusText, headers });
}

const later = new Set(['server_error', 'temporarily_unavailable']);

/** `otherwise`: the kind to use if the error does not determine it. The message never contains tokens or secrets. */
function toProviderError(error: unknown, otherwise: ProviderError['kind']): ProviderError {
  if (error instanceof ProviderError) return error;
  // The library wraps what `fetchWithLimit` throws.
  if (error instanceof Error && error.cause instanceof ProviderError) return error.cause;
  const {
    code,
    error: word,
    message,
  } = error as {
    code?: unknown;
    error?: unknown;
    message?: unknown;
  };
  const said = [message, code, word].filter((text) => typeof text === 'string').join(', ');
  const text = said.replace(/\s+/g, ' ').slice(0, 300);
  if (word === 'access_denied') return new ProviderError('cancelled', text, { cause: error });
  const comesLater = typeof word === 'string' && later.has(word);
  const noAnswer = code === 'OAUTH_TIMEOUT' || (error instanceof TypeError && message === 'fetch failed');
  const kind = comesLater || noAnswer ? 'unreachable' : otherwise;
  return new ProviderError(kind, text, { cause: error });
}
