/** The device authorization grant for programs without a browser (RFC 8628), revocation (RFC 7009) and metadata (RFC 8414). */
import * as v from 'valibot';
import type { KeyScope } from '../../core/key-scope.ts';
import { keyScopes } from '../../core/key-scope.ts';
import type { Data } from '../../db/data.ts';
import { json } from '../../http/routes/answer.ts';
import { defineRoute, type Route } from '../../http/routes/route.ts';
import { networkOf } from '../../limits/client-network.ts';
import type { RouteAccess } from '../authorization/route-access-http.ts';
import { hashApiKey, maxKeyLength } from '../keys/api-key.ts';
import { revokeKey } from '../keys/key-changes.ts';
import { keyQueries } from '../keys/key-queries.ts';
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
  now: () => number;
}

const grant = 'urn:ietf:params:oauth:grant-type:device_code';
const paths = {
  authorize: '/oauth/device_authorization',
  token: '/oauth/token',
  revoke: '/oauth/revoke',
} as const;
/** Responses with tokens must not be cached (RFC 6749, section 5.1). */
const headers = { 'Cache-Control': 'no-store', Pragma: 'no-cache' };
const text = v.optional(v.pipe(v.string(), v.maxLength(1000)), '');
/** The scopes of a program that asks for none. */
const defaultScopes: readonly KeyScope[] = ['upload', 'read', 'manage'];

/** RFC 6749, section 5.2. */
const refusal = (error: string, description: string) =>
  json({ error, error_description: description }, { status: 400, headers });

const refusals = {
  pending: ['authorization_pending', 'the code has not been approved yet'],
  'slow down': ['slow_down', `ask every ${pollIntervalSeconds} seconds`],
  denied: ['access_denied', 'the sign-in was denied'],
  unknown: ['expired_token', 'the code is unknown, has expired or was used'],
} as const;

export function oauthRoutes({ data, access, deviceCodes, now }: OauthRouteDeps): Route[] {
  const post = {
    method: 'POST',
    access: access.anyone,
    looseForm: true,
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
          grant_types_supported: [grant],
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
      summary: 'Exchange an approved code for an API key',
      form: { grant_type: text, device_code: text, client_id: text },
      handle: async ({ form }) => {
        if (form.grant_type !== grant) return refusal('unsupported_grant_type', `the only grant is ${grant}`);
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
        if (known?.actor.kind === 'user' && key?.client != null) {
          const { user } = known.actor;
          const by = { kind: 'user', user } as const;
          await data.transaction((tx) => revokeKey(tx, { ownerId: user.id, keyId: key.id, by, at }));
        }
        return json({}, { headers });
      },
    }),
  ];
}
