import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../errors.ts';
import type { RouteModule } from '../http/http-server.ts';
import { securityTexts } from '../web/security-texts.ts';
import { securityAppPath, securityPath } from './account-addresses.ts';
import { proofKindOf, provesSelf } from './own-proof.ts';
import { renderSecurityAppPage, type SecurityAppPageProps } from './security-app-page.tsx';
import type { SecurityParts } from './security-area-routes.ts';
import { type SecurityVisit, securityVisit } from './security-person-http.ts';
import { answerSecurity } from './security-routes.ts';
import { hashSessionToken } from './session.ts';
import { readSessionForm } from './session-form-http.ts';

const words = securityTexts.app;

/** Setting up an app for codes: nothing is stored until a code of it was right. */
export function securityAppRoutes(parts: SecurityParts): RouteModule {
  return (server) => {
    server.get(securityAppPath(null), async (request, reply) => {
      const visit = await securityVisit(parts, request, reply);
      if (!visit) return reply;
      const { user } = visit.person.actor;
      if ((await parts.secondFactors.of(user.id)).app) return reply.redirect(securityPath(visit.to), 303);
      return answerApp(parts, request, reply, visit, null, {});
    });
    server.post(securityAppPath(null), async (request, reply) => {
      const visit = await securityVisit(parts, request, reply);
      return visit ? confirmApp(parts, request, reply, visit) : reply;
    });
  };
}

async function confirmApp(
  parts: SecurityParts,
  request: FastifyRequest,
  reply: FastifyReply,
  visit: SecurityVisit,
) {
  const { person } = visit;
  const form = readSessionForm(person, request.body);
  const { user } = person.actor;
  const pending = form.text('pending');
  const secret = parts.changes.pendingApp(user.id, hashSessionToken(person.sessionToken), pending);
  const refuse = (faults: SecurityAppPageProps['faults']) =>
    answerApp(parts, request, reply, visit, { secret, pending }, faults);
  const code = form.text('code');
  if (!(await provesSelf(parts, { user, sessionToken: person.sessionToken }, form.optional('proof') ?? ''))) {
    return refuse({ proof: [securityTexts.proof.wrong[await proofKindOf(parts, user.id)]] });
  }
  const keep = hashSessionToken(person.sessionToken);
  try {
    const done = await parts.changes.switchOnApp({ user, keep, secret, code });
    if (done === 'wrong') return refuse({ code: [words.wrong] });
    return answerSecurity(parts, request, reply, visit, { done: words.on, codes: done.codes });
  } catch (error) {
    if (!(error instanceof AppError) || error.kind !== 'conflict') throw error;
    return refuse({ code: [words.alreadyOn] });
  }
}

async function answerApp(
  parts: SecurityParts,
  request: FastifyRequest,
  reply: FastifyReply,
  visit: SecurityVisit,
  given: { secret: Uint8Array; pending: string } | null,
  faults: SecurityAppPageProps['faults'],
) {
  const { person, required, to } = visit;
  const { user } = person.actor;
  const { secret, pending } = given ?? parts.changes.newApp(user.id, hashSessionToken(person.sessionToken));
  const frame = parts.frames.of(request, person);
  const account = `${user.name} (${new URL(frame.origin).host})`;
  const proof = await proofKindOf(parts, user.id);
  const html = renderSecurityAppPage({ frame, secret, pending, account, proof, required, to, faults });
  return parts.frames.send(given ? reply.code(400) : reply, html);
}
