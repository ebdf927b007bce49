import type { FastifyReply, FastifyRequest } from 'fastify';
import { type AppError, NotFound } from '../errors.ts';
import { renderingOf } from '../http/error-reply.ts';
import type { RouteModule } from '../http/http-server.ts';
import { clientOf } from '../http/routes/client.ts';
import { projectPath } from '../owners/owner-addresses.ts';
import { localPath } from '../web/safe-address.ts';
import { linkIdentityPath, singleSignOnReturnPath } from './account-addresses.ts';
import type { AccountParts } from './account-routes.ts';
import { networkOf } from './client-network.ts';
import { hashInvitationToken, type Invitation } from './invitation.ts';
import { ProviderFault } from './oidc-provider.ts';
import type { ProviderIdentity } from './provider-identity.ts';
import { personOrSignIn } from './session-form-http.ts';
import type { BegunSignIn } from './single-sign-on-cookie-http.ts';
import { linkIdentityRoutes, offerLink } from './single-sign-on-link-routes.ts';
import { renderSingleSignOnFault, type SingleSignOnFault } from './single-sign-on-page.tsx';
import type { SingleSignOnParts } from './single-sign-on-parts-http.ts';

interface ToAddress {
  Querystring: { to?: unknown };
}

/** Each visit may cost a question to the provider. */
const visits = {
  most: 300,
  windowMs: 15 * 60_000,
  refusal: 'too many sign-ins from here: try again in a quarter of an hour',
};
/** What fits into a cookie with everything else. */
const maxTargetLength = 1500;

/** Signing in at the provider and back. Where none is set up there is nothing at these addresses. */
export function singleSignOnRoutes(parts: AccountParts): RouteModule {
  const required = (): SingleSignOnParts => {
    if (!parts.singleSignOn) throw new NotFound();
    return parts.singleSignOn;
  };
  return (server) => {
    server.get<ToAddress>('/sign-in/sso', async (request, reply) => {
      const signOn = required();
      const to = targetOf(request.query.to);
      const caller = await parts.frames.callerOrNobody(request);
      if (caller?.sessionToken) return reply.redirect(to ?? '/', 303);
      return begin(parts, signOn, request, reply, { to, linkFor: null });
    });
    server.get(linkIdentityPath, async (request, reply) => {
      const signOn = required();
      const person = await personOrSignIn(parts.frames, request, reply);
      if (!person) return reply;
      return begin(parts, signOn, request, reply, { to: null, linkFor: person.actor.user.id });
    });
    server.get(singleSignOnReturnPath, (request, reply) => comeBack(parts, required(), request, reply));
    linkIdentityRoutes(parts, required)(server);
  };
}

function targetOf(to: unknown): string | null {
  const path = localPath(typeof to === 'string' ? to : null);
  return path !== null && path.length <= maxTargetLength ? path : null;
}

async function begin(
  parts: AccountParts,
  signOn: SingleSignOnParts,
  request: FastifyRequest,
  reply: FastifyReply,
  way: Omit<BegunSignIn, 'checks'>,
) {
  await parts.attempts.count(['single sign-on', networkOf(request.ip)], visits);
  const returnAddress = `${parts.originOf(request)}${singleSignOnReturnPath}`;
  try {
    const { address, checks } = await signOn.provider.begin(returnAddress);
    signOn.cookies.begun.keep(request, reply, { ...way, checks });
    return reply.header('Cache-Control', 'no-store').redirect(address, 303);
  } catch (error) {
    return answerFault(parts, signOn, request, reply, { way, fault: faultOf(request, error) });
  }
}

async function comeBack(
  parts: AccountParts,
  signOn: SingleSignOnParts,
  request: FastifyRequest,
  reply: FastifyReply,
) {
  reply.header('Cache-Control', 'no-store');
  const way = signOn.cookies.begun.read(request);
  const answer = new URL(request.url.replace(/^[^?]*/, singleSignOnReturnPath), parts.originOf(request));
  signOn.cookies.clear(request, reply);
  if (!way || answer.searchParams.get('state') !== way.checks.state) {
    return answerFault(parts, signOn, request, reply, { way, fault: 'stale' });
  }
  await parts.attempts.count(['single sign-on', networkOf(request.ip)], visits);
  let identity: ProviderIdentity;
  try {
    identity = await signOn.provider.finish(answer, way.checks);
  } catch (error) {
    return answerFault(parts, signOn, request, reply, { way, fault: faultOf(request, error) });
  }
  if (way.linkFor === null) return enter(parts, signOn, request, reply, { way, identity });
  const fault = await offerLink(parts, signOn, request, reply, { identity, linkFor: way.linkFor });
  return fault === null ? reply : answerFault(parts, signOn, request, reply, { way, fault });
}

/** What came of it; anything but the provider's doing is a defect, and thrown. Told in the log, once. */
function faultOf(request: FastifyRequest, error: unknown): SingleSignOnFault {
  if (!(error instanceof ProviderFault)) throw error;
  const { kind, message } = error;
  if (kind !== 'cancelled')
    request.log.warn({ kind, reason: message }, 'the provider of single sign-on failed');
  return kind;
}

async function enter(
  parts: AccountParts,
  signOn: SingleSignOnParts,
  request: FastifyRequest,
  reply: FastifyReply,
  { way, identity }: { way: BegunSignIn; identity: ProviderIdentity },
) {
  const invitation = await invitationAt(parts, way.to);
  const admission = await signOn.people.admit(identity, invitation);
  if (admission.kind === 'refused') {
    return answerFault(parts, signOn, request, reply, { way, fault: admission.why });
  }
  const joined = admission.kind === 'made' ? admission.joined : null;
  // Who came by an invitation and is new is where it leads; who is known says on its page whether to join.
  const to = joined ? (joined.into ? projectPath(joined.into.projectName) : '/') : way.to;
  return parts.startSession(request, reply, { userId: admission.user.id, to, way: 'single sign-on' });
}

/** The invitation on whose page the way began; null when it began elsewhere, or the invitation is not good. */
async function invitationAt(parts: AccountParts, to: string | null): Promise<Invitation | null> {
  const token = /^\/invitation\/([\w-]{1,128})$/.exec(to ?? '')?.[1];
  if (token === undefined) return null;
  return parts.data.invitations.findInvitation(hashInvitationToken(token), parts.now());
}

const statuses: Readonly<Record<SingleSignOnFault, AppError['kind']>> = {
  unreachable: 'unavailable',
  stale: 'invalid',
  refused: 'invalid',
  cancelled: 'forbidden',
  uninvited: 'forbidden',
  domain: 'forbidden',
  unconfirmed: 'forbidden',
  'other-identity': 'forbidden',
  taken: 'conflict',
};

/** Somebody came back from the provider and does not get in; the rest says nothing of who somebody is. */
const refusals: ReadonlySet<SingleSignOnFault> = new Set([
  'refused',
  'uninvited',
  'domain',
  'unconfirmed',
  'other-identity',
]);

async function answerFault(
  parts: AccountParts,
  signOn: SingleSignOnParts,
  request: FastifyRequest,
  reply: FastifyReply,
  { way, fault }: { way: Omit<BegunSignIn, 'checks'> | null; fault: SingleSignOnFault },
) {
  if (way?.linkFor === null && refusals.has(fault))
    parts.signIns.refused(clientOf(request, parts.originOf), {
      way: 'single sign-on',
      why: fault,
      meant: null,
    });
  const caller = await parts.frames.callerOrNobody(request);
  const html = renderSingleSignOnFault({
    frame: parts.frames.of(request, caller),
    provider: signOn.name,
    passwords: parts.passwords,
    fault,
    linking: way?.linkFor != null,
    to: way?.to ?? null,
  });
  return parts.frames.send(reply.code(renderingOf(statuses[fault]).status), html);
}
