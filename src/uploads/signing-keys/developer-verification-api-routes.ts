/** Android developer verification in `/api/v1`. */
import * as v from 'valibot';
import type { RouteAccess } from '../../accounts/authorization/route-access-http.ts';
import { appApiPath } from '../../apps/app-api-routes.ts';
import type { ManagedAppAccess } from '../../apps/managed-app-access-http.ts';
import { formatNullableTime, integerShape, textShape, timeShape } from '../../core/json-shapes.ts';
import { listAnswer } from '../../http/api/pagination.ts';
import { json } from '../../http/routes/answer.ts';
import { defineRoute, type Route } from '../../http/routes/route.ts';
import { keyNumber, proofFileName } from './developer-verification-routes.ts';
import { type AppKey, fingerprintOf, type KeyRegistrations } from './key-registrations.ts';
import { signingKeyRateLimit } from './signing-key-routes.ts';

export interface DeveloperVerificationApiDeps {
  access: RouteAccess;
  managedApp: ManagedAppAccess['managedApp'];
  administeredApp: ManagedAppAccess['administeredApp'];
  keyRegistrations: KeyRegistrations;
}

const appKeyShape = v.pipe(
  v.object({
    number: integerShape('As in `listSigningKeys`.'),
    current: v.pipe(v.boolean(), v.description('Whether it signs new builds.')),
    sha256: textShape('SHA-256 of the certificate, lowercase hexadecimal.'),
    fingerprint: textShape('The same, as the Android Developer Console expects it: `AB:CD:…`.'),
    registered_at: v.nullable(timeShape('When it was marked as registered; null if it is not.')),
    newest_revision: v.nullable(integerShape('Revision of the newest build of the app that it signed.')),
  }),
  v.title('AppSigningKey'),
);

export function developerVerificationApiRoutes(deps: DeveloperVerificationApiDeps): Route[] {
  const { access, managedApp, keyRegistrations } = deps;
  const path = `${appApiPath}/developer-verification` as const;
  return [
    defineRoute({
      method: 'GET',
      path: `${path}/keys`,
      operationId: 'listAppSigningKeys',
      summary: 'List the signing keys of an app, and which of them are registered with Google',
      description:
        'The current key, and others that signed builds of the app or are registered for it; the newest first. Only for Android apps.',
      tag: 'Builds',
      access: access.byKey(managedApp),
      keyScope: 'read',
      answer: listAnswer(appKeyShape),
      handle: async ({ subject }) =>
        json({ data: (await keyRegistrations.keysOf(subject)).map(appKeyJson), next_cursor: null }),
    }),
    defineRoute({
      method: 'GET',
      path: `${path}/keys/:number`,
      operationId: 'getAppSigningKey',
      summary: 'Show a signing key of an app, and whether it is registered with Google',
      tag: 'Builds',
      access: access.byKey(managedApp),
      keyScope: 'read',
      params: { number: keyNumber() },
      answer: appKeyShape,
      handle: async ({ subject, params }) =>
        json(appKeyJson(await keyRegistrations.keyOf(subject, params.number))),
    }),
    defineRoute({
      method: 'PATCH',
      path: `${path}/keys/:number`,
      operationId: 'updateAppSigningKey',
      summary: 'Record whether a signing key is registered for an app',
      description:
        'Slipway does not ask Google. While the key of a build is not registered, its page tells testers with Android what they can do.',
      tag: 'Builds',
      access: access.byKey(managedApp),
      keyScope: 'manage',
      params: { number: keyNumber() },
      json: { registered: v.boolean() },
      answer: appKeyShape,
      handle: async ({ caller, subject, params, json: { registered } }) =>
        json(
          appKeyJson(await keyRegistrations.setRegistered(caller.actor, subject, params.number, registered)),
        ),
    }),
    defineRoute({
      method: 'POST',
      path: `${path}/keys/:number/proof`,
      operationId: 'createSigningKeyProof',
      summary: 'Create the APK that proves possession of a signing key',
      description:
        'It contains the package name and the token of the Android Developer Console in `assets/adi-registration.properties`, signed with the key alone.',
      tag: 'Builds',
      access: access.byUserKey(deps.administeredApp),
      keyScope: 'manage',
      rateLimit: signingKeyRateLimit,
      params: { number: keyNumber() },
      json: { token: v.pipe(v.string(), v.description('As the console shows it.')) },
      answer: v.object({
        file_name: v.string(),
        content: textShape('The APK in base64.'),
      }),
      handle: async ({ caller, subject, params: { number }, json: { token } }) => {
        const apk = await keyRegistrations.createProof(caller.actor, subject, { number, token });
        return json({ file_name: proofFileName(subject), content: apk.toString('base64') });
      },
    }),
  ];
}

function appKeyJson(key: AppKey): v.InferOutput<typeof appKeyShape> {
  const { number, isCurrent, sha256, registeredAt, newestRevision } = key;
  return {
    number,
    current: isCurrent,
    sha256,
    fingerprint: fingerprintOf(sha256),
    registered_at: formatNullableTime(registeredAt),
    newest_revision: newestRevision,
  };
}
