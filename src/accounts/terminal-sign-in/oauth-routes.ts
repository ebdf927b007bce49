/**
 * The device authorization grant for programs without a browser (RFC 8628), the exchange of a CI's ID token (RFC 8693), revocation
 * (RFC 7009) and metadata (RFC 8414).
 */
import * as v from 'valibot';
import type { KeyScope } from '../../core/key-scope.ts';
import { keyScopes } from '../../core/key-scope.ts';
import type { Data } from '../../db/data.ts';
import { json } from '../../http/routes/answer.ts';
import type { Client } from '../../http/routes/client.ts';
import { defineRoute, type Route } from '../../http/routes/route.ts';
import { networkOf } from '../../limits/client-network.ts';
import type { RouteAccess } from '../authorization/route-access-http.ts';
import { hashApiKey, maxKeyLength } from '../keys/api-key.ts';
import { revokeKey } from '../keys/key-changes.ts';
import { keyQueries } from '../keys/key-queries.ts';
import { type ExchangeIdToken, trustedKeyLifetimeMs } from '../trusted-publishing/exchange-id-token.ts';
import { idTokenLimits } from '../trusted-publishing/id-token.ts';
import { TokenRefused } from '../trusted-publishing/token-refused.ts';
import { trustedPublisherQueries } from '../trusted-publishing/trusted-publisher-queries.ts';
import { trustedPublishingTexts } from '../trusted-publishing/trusted-publishing-texts.ts';
import {
  deviceCodeLifetimeMs,
  deviceCodeLimit,
  formatUserCode,
  newDeviceSecret,
  pollIntervalSeconds,
} from './device-code.ts';
import type { DeviceCodes } from './device-codes.ts';
import { devicePath } from './terminal-sign-in-paths.ts';

export interface OauthRouteDeps {
  data: Data;
  access: RouteAccess;
  deviceCodes: DeviceCodes;
  exchangeIdToken: ExchangeIdToken;
  /** Counts a refused ID token against its network, like a wrong key. Throws `TooManyRequests`. */
  countWrongKey(address: string): Promise<void>;
  now: () => number;
}

const grant = 'urn:ietf:params:oauth:grant-type:device_code';
const exchangeGrant = 'urn:ietf:params:oauth:grant-type:token-exchange';
const idTokenType = 'urn:ietf:params:oauth:token-type:id_token';
const accessTokenType = 'urn:ietf:params:oauth:token-type:access_token';
const paths = {
  authorize: '/oauth/device_authorization',
  token: '/oauth/token',
  revoke: '/oauth/revoke',
} as const;
/** Responses with tokens must not be cached (RFC 6749, section 5.1). */
const headers = { 'Cache-Control': 'no-store', Pragma: 'no-cache' };
const text = v.optional(v.pipe(v.string(), v.maxLength(1000)), '');
/** Longer ones are refused by the exchange, which has a code for it. */
const idToken = v.optional(v.pipe(v.string(), v.maxLength(4 * idTokenLimits.bytes)), '');
/** The scopes of a program that asks for none. */
const defaultScopes: readonly KeyScope[] = ['upload', 'read', 'manage'];

/** RFC 6749, section 5.2. */
const refusal = (error: string, description: string, status = 400) =>
  json({ error, error_description: description }, { status, headers });

const refusals = {
  pending: ['authorization_pending', 'the code has not been approved yet'],
  'slow down': ['slow_down', `ask every ${pollIntervalSeconds} seconds`],
  denied: ['access_denied', 'the sign-in was denied'],
  unknown: ['expired_token', 'the code is unknown, has expired or was used'],
} as const;

export function oauthRoutes(deps: OauthRouteDeps): Route[] {
  const { data, access, deviceCodes, now } = deps;
  const post = {
    method: 'POST',
    access: access.anyone,
    // Addresses are logged, so credentials in a query are not read (RFC 6749, section 3.2).
    looseForm: 'body',
    reauthentication: false,
  } as const;
  return [
    defineRoute({
      method: 'GET',
      path: '/.well-known/oauth-authorization-server',
      summary: 'Describe how programs without a browser sign in',
      access: access.anyone,
      handle: async ({ client: { origin } }) =>
        json({
          issuer: origin,
          device_authorization_endpoint: `${origin}${paths.authorize}`,
          token_endpoint: `${origin}${paths.token}`,
          revocation_endpoint: `${origin}${paths.revoke}`,
          grant_types_supported: [grant, exchangeGrant],
          response_types_supported: [],
          token_endpoint_auth_methods_supported: ['none'],
          revocation_endpoint_auth_methods_supported: ['none'],
          scopes_supported: keyScopes,
          service_documentation: `${origin}/docs`,
        }),
    }),
    defineRoute({
      ...post,
      path: paths.authorize,
      summary: 'Ask for a code with which a program signs in',
      rateLimit: deviceCodeLimit,
      form: { client_id: text, client_label: text, scope: text },
      handle: async ({ form, client }) => {
        const asked = form.scope.split(' ').filter(Boolean);
        const scopes = keyScopes.filter((scope) => asked.includes(scope));
        if (scopes.length < new Set(asked).size)
          return refusal('invalid_scope', `the scopes are ${keyScopes.join(', ')}`);
        const secret = newDeviceSecret();
        const code = await deviceCodes.create({
          client: form.client_label || form.client_id,
          network: networkOf(client.address),
          scopes: scopes.length > 0 ? scopes : defaultScopes,
          secretOf: () => secret,
        });
        const page = `${client.origin}${devicePath}`;
        return json(
          {
            device_code: secret,
            user_code: formatUserCode(code),
            verification_uri: page,
            verification_uri_complete: `${page}?code=${formatUserCode(code)}`,
            expires_in: deviceCodeLifetimeMs / 1000,
            interval: pollIntervalSeconds,
          },
          { headers },
        );
      },
    }),
    defineRoute({
      ...post,
      path: paths.token,
      summary: 'Exchange an approved code, or the ID token of a CI, for an API key',
      form: {
        grant_type: text,
        device_code: text,
        client_id: text,
        subject_token: idToken,
        subject_token_type: text,
        scope: text,
        resource: text,
        audience: text,
        requested_token_type: text,
        actor_token: text,
      },
      handle: async ({ form, client }) => {
        if (form.grant_type === exchangeGrant) return exchange(deps, form, client);
        if (form.grant_type !== grant)
          return refusal('unsupported_grant_type', `the grants are ${grant} and ${exchangeGrant}`);
        if (form.device_code === '') return refusal('invalid_request', 'device_code is missing');
        const result = await deviceCodes.poll(form.device_code);
        if (result.kind !== 'approved') {
          const [error, description] = refusals[result.kind];
          return refusal(error, description);
        }
        const { key, user, scopes, expiresAt } = result;
        return json(
          {
            access_token: key,
            token_type: 'Bearer',
            ...(expiresAt === null ? {} : { expires_in: Math.floor((expiresAt - now()) / 1000) }),
            scope: scopes.join(' '),
            user: user.name,
          },
          { headers },
        );
      },
    }),
    defineRoute({
      method: 'POST',
      path: paths.revoke,
      summary: 'Revoke the API key that a program signed in with',
      description: 'Answers 200 for unknown keys, too.',
      access: access.anyone,
      csrfExempt: 'the key in the form is what it revokes',
      reauthentication: false,
      form: { token: v.pipe(v.string(), v.maxLength(maxKeyLength)) },
      handle: async ({ form }) => {
        const at = now();
        const known = await keyQueries(data).findKey(hashApiKey(form.token), at);
        const key = known && (await keyQueries(data).findKeyById(known.id));
        if (known?.actor.key?.source) await trustedPublisherQueries(data).deleteKey(known.id);
        else if (known?.actor.kind === 'user' && key?.client != null) {
          const { user } = known.actor;
          const by = { kind: 'user', user } as const;
          await data.transaction((tx) => revokeKey(tx, { ownerId: user.id, keyId: key.id, by, at }));
        }
        return json({}, { headers });
      },
    }),
  ];
}

interface ExchangeForm {
  subject_token: string;
  subject_token_type: string;
  scope: string;
  resource: string;
  audience: string;
  requested_token_type: string;
  actor_token: string;
}

/** RFC 8693, sections 2.1 and 2.2. */
async function exchange(deps: OauthRouteDeps, form: ExchangeForm, client: Client) {
  const t = trustedPublishingTexts.exchange;
  if (form.subject_token === '') return refusal('invalid_request', t.missing);
  if (form.subject_token_type !== idTokenType)
    return refusal('invalid_request', t.type({ type: idTokenType }));
  // What is ignored would be given in another sense than it was asked for.
  if (!['', accessTokenType].includes(form.requested_token_type))
    return refusal('invalid_request', t.requested({ type: accessTokenType }));
  if (form.actor_token !== '') return refusal('invalid_request', t.delegation);
  if (form.audience !== '') return refusal('invalid_target', t.audience);
  if (form.scope !== '' && form.scope !== 'upload') return refusal('invalid_scope', t.scope);
  try {
    const key = await deps.exchangeIdToken({ idToken: form.subject_token, resource: form.resource });
    return json(
      {
        access_token: key,
        issued_token_type: accessTokenType,
        token_type: 'Bearer',
        expires_in: trustedKeyLifetimeMs / 1000,
        scope: 'upload',
      },
      { headers },
    );
  } catch (error) {
    if (!(error instanceof TokenRefused)) throw error;
    const { code, message } = error;
    client.log.info({ event: 'id-token.refused', code }, 'refused an ID token');
    if (code === 'issuer_unavailable') return refusal(code, message, 503);
    await deps.countWrongKey(client.address);
    return refusal(code, message);
  }
}
