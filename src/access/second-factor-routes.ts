import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError, invalid } from '../errors.ts';
import { renderingOf } from '../http/error-reply.ts';
import type { RouteModule } from '../http/http-server.ts';
import { clientOf } from '../http/routes/client.ts';
import { setCookies } from '../http/secure-cookies.ts';
import type { User } from '../owners/owner.ts';
import { localPath } from '../web/safe-address.ts';
import { securityTexts } from '../web/security-texts.ts';
import { siteAddresses } from '../web/site-addresses.ts';
import { secondStepPath, signInPath } from './account-addresses.ts';
import { relyingPartyOf } from './passkey.ts';
import { renderSecondFactorPage, type SecondFactorPageProps } from './second-factor-page.tsx';
import type { SecurityParts } from './security-area-routes.ts';
import { readOpenForm } from './session-form-http.ts';

const words = securityTexts.step;
const pauseSeconds = 15 * 60;

/** What comes after the password, for those who have a second factor. */
export function secondFactorRoutes(parts: SecurityParts): RouteModule {
  return (server) => {
    server.get<{ Querystring: { to?: unknown } }>(secondStepPath(null), async (request, reply) => {
      const to = targetOf(request.query.to);
      const caller = await parts.frames.callerOrNobody(request);
      if (caller?.sessionToken) return reply.redirect(to ?? '/', 303);
      const user = await parts.secondStep.whoIs(clientOf(request, parts.originOf));
      if (!user) return reply.redirect(to === null ? siteAddresses.signIn : signInPath(to), 303);
      return answer(parts, request, reply, { user, to, fault: null });
    });
    server.post(secondStepPath(null), async (request, reply) => {
      const form = readOpenForm(parts.originOf, request);
      const to = targetOf(form.optional('to'));
      const user = await parts.secondStep.whoIs(clientOf(request, parts.originOf));
      if (!user) return reply.redirect(to === null ? siteAddresses.signIn : signInPath(to), 303);
      const act = form.text('act');
      if (act !== 'code' && act !== 'recovery') throw invalid('the form asks for nothing that is known here');
      const way = act === 'code' ? 'password and code' : 'password and recovery code';
      const refused = (why: string) =>
        parts.signIns.refused(clientOf(request, parts.originOf), { way, why, meant: { userId: user.id } });
      try {
        if (await proves(parts, user, act, form.text('code'))) {
          const done = await parts.secondStep.finish(clientOf(request, parts.originOf), {
            userId: user.id,
            to,
            way,
          });
          return setCookies(reply, done.cookies ?? []).redirect(done.location, 303);
        }
        refused('wrong');
        reply.code(401);
        return await answer(parts, request, reply, { user, to, fault: { act, sentence: words.wrong } });
      } catch (error) {
        if (!(error instanceof AppError) || error.kind !== 'too_many') throw error;
        refused('paused');
        reply.code(renderingOf(error.kind).status).header('Retry-After', pauseSeconds);
        const sentence = `${error.message}.`;
        return answer(parts, request, reply, { user, to, fault: { act, sentence } });
      }
    });
  };
}

function targetOf(field: unknown): string | null {
  return localPath(typeof field === 'string' ? field : null);
}

function proves(
  { secondFactors }: SecurityParts,
  user: User,
  act: 'code' | 'recovery',
  typed: string,
): Promise<boolean> {
  return act === 'code' ? secondFactors.takeCode(user, typed) : secondFactors.takeRecoveryCode(user, typed);
}

async function answer(
  parts: SecurityParts,
  request: FastifyRequest,
  reply: FastifyReply,
  { user, to, fault }: { user: User } & Pick<SecondFactorPageProps, 'to' | 'fault'>,
) {
  const frame = parts.frames.of(request, null);
  const { app, passkeys } = await parts.secondFactors.of(user.id);
  const page = { frame, name: user.name, to, app, fault };
  const passkey = passkeys > 0 && relyingPartyOf(frame.origin) !== null;
  return parts.frames.send(reply, renderSecondFactorPage({ ...page, passkey }));
}
