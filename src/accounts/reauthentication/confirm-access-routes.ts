import * as v from 'valibot';
import { empty, json } from '../../http/routes/answer.ts';
import { defineRoute, type Route } from '../../http/routes/route.ts';
import { ceremonyContextOf } from '../passkeys/passkey-routes.ts';
import { confirmPasskeyOptionsPath, confirmPasskeyPath } from '../profile/account-paths.ts';
import { secondFactorQueries } from '../second-factor/second-factor-queries.ts';
import type { SecurityDeps } from '../second-factor/security-deps-http.ts';
import { hashSessionToken } from '../sessions/session.ts';
import { sessionQueries } from '../sessions/session-queries.ts';

/** Confirms access with a passkey. The script submits both forms, and then the form of the protected action. */
export function confirmAccessRoutes(deps: SecurityDeps): Route[] {
  const { data, ceremonies, secondFactors, now } = deps;
  const form = {
    method: 'POST',
    access: deps.access.signedIn,
    page: '/settings/security',
    reauthentication: false,
    rateLimit: {
      name: 'confirm access by passkey',
      limit: 60,
      windowMs: 15 * 60_000,
      per: 'caller',
      refusal: 'passkeys',
    },
  } as const;
  return [
    defineRoute({
      ...form,
      path: confirmPasskeyOptionsPath,
      summary: 'Request a challenge to confirm access with a passkey',
      form: {},
      handle: async ({ caller, subject: user, client }) => {
        const known = await secondFactorQueries(data).listPasskeys(user.id);
        const place = ceremonyContextOf(client, caller);
        const asked = ceremonies.createAuthenticationOptions(place, { userId: user.id, known });
        return json(asked, { headers: { 'Cache-Control': 'no-store' } });
      },
    }),
    defineRoute({
      ...form,
      path: confirmPasskeyPath,
      summary: 'Confirm access with a passkey',
      form: { ticket: v.string(), credential: v.string() },
      handle: async ({ caller, subject: user, client, form }) => {
        const place = ceremonyContextOf(client, caller);
        const find = secondFactorQueries(data).findPasskey;
        const proof = await ceremonies.verifyAuthentication(place, { userId: user.id }, form, find);
        await secondFactors.usePasskey(proof.passkey, proof.signatureCount);
        await sessionQueries(data).recordProof(hashSessionToken(caller.sessionToken), now());
        return empty(204);
      },
    }),
  ];
}
