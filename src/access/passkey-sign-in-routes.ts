import { randomBytes } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError, NotFound } from '../errors.ts';
import { renderingOf } from '../http/error-reply.ts';
import type { RouteModule } from '../http/http-server.ts';
import { clientOf } from '../http/routes/client.ts';
import { readPartCookie, setCookies, setPartCookie } from '../http/secure-cookies.ts';
import { localPath } from '../web/safe-address.ts';
import { securityTexts } from '../web/security-texts.ts';
import { passkeyOptionsPath, passkeySignInPath } from './account-addresses.ts';
import { networkOf } from './client-network.ts';
import { relyingPartyOf } from './passkey.ts';
import type { CeremonyPlace } from './passkey-ceremony.ts';
import { renderPasskeyRefusedPage } from './second-factor-page.tsx';
import type { SecurityParts } from './security-area-routes.ts';
import { type FormFields, readOpenForm } from './session-form-http.ts';

/** Ties a challenge to the browser that asked for it; says nothing of who is there. */
const browserCookie = { name: 'slipway_passkey', path: '/sign-in', sameSite: 'strict' } as const;
const browserMark = /^[\w-]{32}$/;

const triesFromNetwork = {
  most: 300,
  windowMs: 15 * 60_000,
  refusal: securityTexts.passkeys.tooMany,
};

/** Signing in with a passkey: alone, or as the second step after a password. */
export function passkeySignInRoutes(parts: SecurityParts): RouteModule {
  const { ceremonies, data } = parts;
  return (server) => {
    server.post(passkeyOptionsPath, async (request, reply) => {
      const form = readOpenForm(parts.originOf, request);
      const place = placeOf(parts, request, giveBrowserMark(parts, request, reply));
      const only = await onlyWhom(parts, request, form);
      const known = only && { ...only, known: await data.secondFactors.listPasskeys(only.userId) };
      return reply.header('Cache-Control', 'no-store').send(ceremonies.askForProof(place, known));
    });
    server.post(passkeySignInPath, async (request, reply) => {
      const form = readOpenForm(parts.originOf, request);
      const to = localPath(form.optional('to'));
      const way = form.flag('second-step') ? 'password and passkey' : 'passkey';
      try {
        await parts.attempts.count(['passkey', 'from', networkOf(request.ip)], triesFromNetwork);
        const userId = await provePasskey(parts, request, form);
        const done = await parts.secondStep.finish(clientOf(request, parts.originOf), { userId, to, way });
        return setCookies(reply, done.cookies ?? []).redirect(done.location, 303);
      } catch (error) {
        if (!(error instanceof AppError) || !['too_many', 'invalid'].includes(error.kind)) throw error;
        const step =
          way === 'passkey' ? null : await parts.secondStep.whoIs(clientOf(request, parts.originOf));
        const why = error.kind === 'invalid' ? 'wrong' : 'paused';
        parts.signIns.refused(clientOf(request, parts.originOf), {
          way,
          why,
          meant: step && { userId: step.id },
        });
        const frame = parts.frames.of(request, null);
        reply.code(error.kind === 'invalid' ? 401 : renderingOf(error.kind).status);
        return parts.frames.send(reply, renderPasskeyRefusedPage({ frame, to, why: error.message }));
      }
    });
  };
}

/** Throws `invalid` for an answer that is not good. */
async function provePasskey(
  parts: SecurityParts,
  request: FastifyRequest,
  form: FormFields,
): Promise<string> {
  const place = placeOf(parts, request, readPartCookie(parts.originOf, request, browserCookie) ?? '');
  const only = await onlyWhom(parts, request, form);
  const answer = { ticket: form.text('ticket'), credential: form.text('credential') };
  const find = parts.data.secondFactors.findPasskey;
  const { passkey, signatureCount } = await parts.ceremonies.readProof(place, only, answer, find);
  await parts.secondFactors.usePasskey(passkey, signatureCount);
  return passkey.userId;
}

/** After a password it has to be that person's passkey. */
async function onlyWhom(
  parts: SecurityParts,
  request: FastifyRequest,
  form: FormFields,
): Promise<{ userId: string } | null> {
  if (!form.flag('second-step')) return null;
  const user = await parts.secondStep.whoIs(clientOf(request, parts.originOf));
  if (!user) throw new AppError('invalid', securityTexts.passkeys.late);
  return { userId: user.id };
}

function placeOf(parts: SecurityParts, request: FastifyRequest, boundTo: string): CeremonyPlace {
  const origin = parts.originOf(request);
  const relyingParty = relyingPartyOf(origin);
  if (relyingParty === null) throw new NotFound();
  return { origin, relyingParty, boundTo };
}

/** The same for all tabs of a browser, so that none makes the challenge of another void. */
function giveBrowserMark(parts: SecurityParts, request: FastifyRequest, reply: FastifyReply): string {
  const known = readPartCookie(parts.originOf, request, browserCookie);
  if (known !== undefined && browserMark.test(known)) return known;
  const mark = randomBytes(24).toString('base64url');
  setPartCookie(parts.originOf, request, reply, { ...browserCookie, value: mark });
  return mark;
}
