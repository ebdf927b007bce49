import { randomBytes } from 'node:crypto';
import * as v from 'valibot';
import { AppError } from '../../core/errors.ts';
import { html, json } from '../../http/routes/answer.ts';
import type { Client } from '../../http/routes/client.ts';
import { flag } from '../../http/routes/form.ts';
import { defineRoute, type Route } from '../../http/routes/route.ts';
import { pathCookie, readPathCookie } from '../../http/secure-cookies.ts';
import { localPath } from '../../web/components/safe-address.ts';
import { sitePaths } from '../../web/shell/site-paths.ts';
import { passkeyOptionsPath, passkeySignInPath } from '../profile/account-paths.ts';
import { renderPasskeyRefusedPage } from '../second-factor/second-factor-page.tsx';
import { secondFactorQueries } from '../second-factor/second-factor-queries.ts';
import type { PendingSignIn } from '../second-factor/second-step-http.ts';
import type { SecurityDeps } from '../second-factor/security-deps-http.ts';
import { securityTexts } from '../second-factor/security-texts.ts';
import type { SessionStart } from '../sessions/start-session-http.ts';
import type { PasskeySite } from '../sign-in/sign-in-access-http.ts';
import type { PasskeyResponse } from './passkey-ceremony.ts';

/** Binds a challenge to the browser that requested it; does not identify the user. */
const browserCookie = { name: 'slipway_passkey', path: '/sign-in', sameSite: 'strict' } as const;
const browserMark = /^[\w-]{32}$/;

/** Signs in with a passkey, alone or as the second step after a password. */
export function passkeySignInRoutes(deps: SecurityDeps): Route[] {
  const { ceremonies, data, secondStep, signIns } = deps;
  const access = deps.signInAccess.passkeys;
  const claimedAt = async (step: boolean, client: Client) => {
    const pending = step ? await secondStep.findPending(client) : null;
    return pending && { userId: pending.user.id };
  };
  return [
    defineRoute({
      method: 'POST',
      path: passkeyOptionsPath,
      summary: 'Request a challenge to sign in with a passkey',
      access,
      reauthentication: false,
      form: { 'second-step': flag() },
      handle: async ({ subject: site, client, form }) => {
        const known = markOf(client);
        const mark = known ?? randomBytes(24).toString('base64url');
        const pending = form['second-step'] ? await requirePending(deps, client) : null;
        const userId = pending?.user.id ?? null;
        const asked = ceremonies.createAuthenticationOptions(
          { ...site, boundTo: mark },
          userId === null ? null : { userId, known: await secondFactorQueries(data).listPasskeys(userId) },
        );
        return json(asked, {
          headers: { 'Cache-Control': 'no-store' },
          // Shared by all tabs of a browser, so that one tab does not invalidate the challenge of another.
          cookies: known ? [] : [pathCookie(client.origin, { ...browserCookie, value: mark })],
        });
      },
    }),
    defineRoute({
      method: 'POST',
      path: passkeySignInPath,
      page: sitePaths.signIn,
      summary: 'Sign in with a passkey',
      access,
      reauthentication: false,
      rateLimit: {
        name: 'passkey',
        limit: 300,
        windowMs: 15 * 60_000,
        per: 'network',
        refusal: 'passkeys',
      },
      form: {
        ticket: v.string(),
        credential: v.string(),
        'second-step': flag(),
        to: v.optional(v.string(), ''),
      },
      handle: async ({ subject: site, client, form, frame }) => {
        const to = localPath(form.to);
        const step = form['second-step'];
        const way = step ? 'password and passkey' : 'passkey';
        try {
          const proved = await verifySignInPasskey(deps, client, site, { answer: form, step });
          return await secondStep.finish(client, { ...proved, to, way });
        } catch (error) {
          if (!(error instanceof AppError) || error.kind !== 'invalid') throw error;
          signIns.refused(client, { way, why: 'wrong', claimed: await claimedAt(step, client) });
          return html(renderPasskeyRefusedPage({ frame, to, why: error.sentence }), { status: 401 });
        }
      },
      renderErrors: async ({ error, submitted }, { client, frame }) => {
        const step = submitted['second-step'] !== '';
        const way = step ? 'password and passkey' : 'passkey';
        signIns.refused(client, { way, why: 'paused', claimed: await claimedAt(step, client) });
        return renderPasskeyRefusedPage({ frame, to: localPath(submitted.to), why: error.sentence });
      },
      renderedErrorKinds: ['too_many'],
    }),
  ];
}

/** Throws `invalid` if the response does not verify. */
async function verifySignInPasskey(
  deps: SecurityDeps,
  client: Client,
  site: PasskeySite,
  { answer, step }: { answer: PasskeyResponse; step: boolean },
): Promise<Pick<SessionStart, 'userId' | 'proof'>> {
  const place = { ...site, boundTo: readPathCookie(client.origin, client.cookies, browserCookie) ?? '' };
  const pending = step ? await requirePending(deps, client) : null;
  const only = pending && { userId: pending.user.id };
  const find = secondFactorQueries(deps.data).findPasskey;
  const { passkey, signatureCount } = await deps.ceremonies.verifyAuthentication(place, only, answer, find);
  await deps.secondFactors.usePasskey(passkey, signatureCount);
  const { userId, id: passkeyId } = passkey;
  return { userId, proof: pending?.proof ?? { kind: 'passkey', passkeyId } };
}

/** After a password, it must be a passkey of that person. */
async function requirePending(deps: SecurityDeps, client: Client): Promise<PendingSignIn> {
  const pending = await deps.secondStep.findPending(client);
  if (!pending) throw new AppError('invalid', securityTexts.passkeys.late);
  return pending;
}

function markOf(client: Client): string | null {
  const known = readPathCookie(client.origin, client.cookies, browserCookie);
  return known !== undefined && browserMark.test(known) ? known : null;
}
