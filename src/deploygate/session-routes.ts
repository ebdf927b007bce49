/** Sign-in of clients of DeployGate’s API without a password: with a code, or in a browser that they open. */
import * as v from 'valibot';
import type { RouteAccess } from '../accounts/authorization/route-access-http.ts';
import { revokeKey } from '../accounts/keys/key-changes.ts';
import { keyQueries } from '../accounts/keys/key-queries.ts';
import {
  deviceCodeLifetimeMs,
  deviceCodeLimit,
  formatUserCode,
  maxClientLength,
  newDeviceSecret,
  pollIntervalSeconds,
  readUserCode,
} from '../accounts/terminal-sign-in/device-code.ts';
import type { DeviceCodes } from '../accounts/terminal-sign-in/device-codes.ts';
import { renderConfirm, renderReturn } from '../accounts/terminal-sign-in/terminal-sign-in-page.tsx';
import { devicePath } from '../accounts/terminal-sign-in/terminal-sign-in-paths.ts';
import { keyDaysField } from '../accounts/terminal-sign-in/terminal-sign-in-routes.ts';
import { Forbidden, TooManyRequests, unauthenticated } from '../core/errors.ts';
import type { KeyScope } from '../core/key-scope.ts';
import type { Data } from '../db/data.ts';
import { TypedError } from '../http/error-body.ts';
import { empty, html, json } from '../http/routes/answer.ts';
import { defineRoute, type Route } from '../http/routes/route.ts';
import type { Attempts } from '../limits/attempts.ts';
import { networkOf } from '../limits/client-network.ts';
import { change, refused } from './deploygate-access-http.ts';
import { noError } from './deploygate-json.ts';

export interface SessionRouteDeps {
  data: Data;
  access: RouteAccess;
  deviceCodes: DeviceCodes;
  attempts: Attempts;
  now: () => number;
}

const scopes: readonly KeyScope[] = ['upload', 'read', 'manage'];
/** Limits wrong codes and nonces per network. */
const guesses = { limit: 60, windowMs: 10 * 60_000, refusal: 'codes' } as const;
const nonceSyntax = /^[A-Za-z0-9_-]{32,128}$/;
const nonceHeader = { 'x-client-nonce': v.optional(v.string(), '') };
/** The port on which the program listens, on the computer of the browser. */
const portField = v.pipe(
  v.string(),
  v.regex(/^\d{1,5}$/),
  v.transform(Number),
  v.minValue(1),
  v.maxValue(65_535),
);
/** The path on which each program listens. */
const returnPaths = { dg: '/', gradle: '/token' } as const;
const clientField = v.picklist(Object.keys(returnPaths) as (keyof typeof returnPaths)[]);
const loginPath = '/cli/login';

export function deploygateSessionRoutes(deps: SessionRouteDeps): Route[] {
  const { data, access, deviceCodes, attempts, now } = deps;
  const open = { ...change, method: 'POST', access: access.anyone } as const;
  /** The secret consists of the code and the nonce, because the code alone is visible on a screen. */
  const secretOf = (code: string, nonce: string) => `${code} ${nonce}`;
  return [
    defineRoute({
      ...open,
      path: '/api/sessions/codes',
      summary: 'Ask for a code with which a program signs in',
      headers: nonceHeader,
      rateLimit: deviceCodeLimit,
      form: { client_label: v.optional(v.string(), '') },
      handle: async ({ headers, form: { client_label: label }, client }) => {
        const nonce = headers['x-client-nonce'];
        if (!nonceSyntax.test(nonce)) throw refused('Invalid X-Client-Nonce format.');
        if (label.length > maxClientLength) throw refused('client_label is too long');
        const code = await deviceCodes.create({
          client: label,
          network: networkOf(client.address),
          scopes,
          secretOf: (userCode) => secretOf(userCode, nonce),
        });
        const page = `${client.origin}${devicePath}`;
        const complete = `${page}?code=${formatUserCode(code)}`;
        return json({
          ...noError,
          results: {
            code,
            verification_url: page,
            verification_uri_complete: complete,
            qr_code_url: `${client.origin}/qr?data=${encodeURIComponent(complete)}`,
            expires_in: deviceCodeLifetimeMs / 1000,
            interval: pollIntervalSeconds,
          },
        });
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/api/sessions/codes/:code',
      summary: 'Ask whether a code was approved',
      access: access.anyone,
      headers: nonceHeader,
      handle: async ({ headers, params, client }) => {
        const code = readUserCode(params.code);
        const nonce = headers['x-client-nonce'];
        const result = code ? await deviceCodes.poll(secretOf(code, nonce)) : ({ kind: 'unknown' } as const);
        switch (result.kind) {
          case 'approved': {
            const { key, user } = result;
            const { name, email } = user;
            return json({
              ...noError,
              results: { status: 'authorized', api_token: key, user: { name, email } },
            });
          }
          case 'pending':
            return json({ ...noError, results: { status: 'pending' } });
          case 'slow down':
            throw new TooManyRequests('polling', pollIntervalSeconds);
          case 'denied':
            throw unauthenticated();
          case 'unknown': {
            // The answer reveals whether the code is pending, so it counts as a guess (RFC 8628, section 5.1).
            await attempts.countFrom(networkOf(client.address), ['terminal code', 'from'], guesses);
            if (code && (await deviceCodes.find(code))) throw refused('Client nonce mismatch.');
            throw unauthenticated();
          }
        }
      },
    }),
    defineRoute({
      ...change,
      keyScope: ['upload', 'read', 'manage'],
      method: 'DELETE',
      path: '/api/sessions/current_token',
      summary: 'Revoke the key that a program signed in with',
      access: access.userByKey(() => refused('requester must be a user')),
      form: {},
      handle: async ({ caller, subject: user }) => {
        const keyId = 'keyId' in caller.actor ? String(caller.actor.keyId) : '';
        const key = await keyQueries(data).findKeyById(keyId);
        if (key?.client == null)
          throw new Forbidden('the key is not from a sign-in: revoke it in the console');
        const by = { kind: 'user', user } as const;
        await data.transaction((tx) => revokeKey(tx, { ownerId: user.id, keyId, by, at: now() }));
        return empty(204);
      },
    }),
    defineRoute({
      method: 'GET',
      path: loginPath,
      summary: 'Sign in a program that opened this page',
      access: access.unrestricted,
      query: { port: portField, client: clientField },
      handle: async ({ frame, query: { port, client: name }, client }) =>
        html(
          renderConfirm({
            frame,
            program: { client: name, network: networkOf(client.address), scopes, createdAt: null },
            userCode: null,
            approvePath: `${loginPath}/approve`,
            denyPath: null,
            hidden: { port: String(port), client: name },
          }),
        ),
    }),
    defineRoute({
      method: 'POST',
      path: `${loginPath}/approve`,
      page: '/settings/keys',
      summary: 'Approve the sign-in of a program that opened the page',
      access: access.unrestricted,
      reauthentication: true,
      form: { port: portField, client: clientField, days: keyDaysField },
      handle: async ({ frame, caller, form: { port, client: name, days }, client }) => {
        const secret = newDeviceSecret();
        const network = networkOf(client.address);
        await deviceCodes.createApproved(
          { client: name, network, scopes, secretOf: () => secret },
          caller,
          days,
        );
        const address = `http://localhost:${port}${returnPaths[name]}?key=${secret}`;
        return html(renderReturn({ frame, address }), { headers: { Refresh: `0;url=${address}` } });
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/cli/credential',
      summary: 'Exchange what an approved sign-in returned for an API key',
      access: access.anyone,
      query: { key: v.pipe(v.string(), v.maxLength(200)) },
      handle: async ({ query: { key } }) => {
        const result = await deviceCodes.poll(key);
        if (result.kind !== 'approved')
          throw new TypedError(
            'unauthenticated',
            'unauthorized',
            'the key is unknown, has expired or was used',
          );
        return json({ name: result.user.name, token: result.key });
      },
    }),
    defineRoute({
      ...open,
      path: '/cli/notify',
      summary: 'Take note of what a program does',
      description: 'Changes nothing.',
      form: {},
      handle: async () => json(noError),
    }),
  ];
}
