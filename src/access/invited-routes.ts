import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError, Forbidden, NotFound } from '../errors.ts';
import type { RouteModule } from '../http/http-server.ts';
import { projectPath } from '../owners/owner-addresses.ts';
import { accountTexts } from '../web/account-texts.ts';
import { singleSignOnTexts } from '../web/single-sign-on-texts.ts';
import type { AccountParts } from './account-routes.ts';
import type { Caller } from './identify-http.ts';
import { hashInvitationToken, type Invitation, joinByInvitation } from './invitation.ts';
import { renderInvitationPage } from './invitation-page.tsx';
import { type Person, readOpenForm, readSessionForm } from './session-form-http.ts';
import type { NewAccountFormProps } from './sign-up-page.tsx';
import { makeFromForm } from './sign-up-routes.ts';

interface InvitedAddress {
  Params: { token: string };
}

/** Where the link of an invitation leads whoever has it. */
export function invitedRoutes(parts: AccountParts): RouteModule {
  const find = (request: FastifyRequest<InvitedAddress>) =>
    parts.data.invitations.findInvitation(hashInvitationToken(request.params.token), parts.now());
  return (server) => {
    server.get<InvitedAddress>('/invitation/:token', async (request, reply) => {
      const caller = await parts.frames.callerOrNobody(request);
      const invitation = await find(request);
      return answer(parts, request, reply, { caller, invitation }, null);
    });
    server.post<InvitedAddress>('/invitation/:token', async (request, reply) => {
      const caller = await parts.frames.callerOrNobody(request);
      const invitation = await find(request);
      if (!invitation) return answer(parts, request, reply, { caller, invitation }, null);
      try {
        return await take(parts, request, reply, { caller, invitation });
      } catch (error) {
        // Somebody else was faster.
        if (!(error instanceof AppError) || error.kind !== 'not_found') throw error;
        return answer(parts, request, reply, { caller, invitation: null }, null);
      }
    });
  };
}

function answer(
  parts: AccountParts,
  request: FastifyRequest<InvitedAddress>,
  reply: FastifyReply,
  { caller, invitation }: { caller: Caller | null; invitation: Invitation | null },
  refused: Pick<NewAccountFormProps, 'typed' | 'faults'> | null,
) {
  const invitedAt = invitation?.email ?? null;
  const html = renderInvitationPage({
    frame: parts.frames.of(request, caller),
    token: request.params.token,
    invitation,
    provider: parts.singleSignOn?.name ?? null,
    form: parts.passwords
      ? {
          email: invitedAt !== null ? 'invited' : parts.canSendMail ? 'letter' : 'none',
          typed: { name: '', email: invitedAt ?? '' },
          faults: {},
          ...refused,
        }
      : null,
  });
  return parts.frames.send(reply.code(invitation ? (refused ? 400 : 200) : 404), html);
}

async function take(
  parts: AccountParts,
  request: FastifyRequest<InvitedAddress>,
  reply: FastifyReply,
  { caller, invitation }: { caller: Caller | null; invitation: Invitation },
) {
  const person = personOf(caller);
  const target = invitation.into ? projectPath(invitation.into.projectName) : '/';
  if (person) {
    readSessionForm(person, request.body);
    if (invitation.into === null) return reply.redirect('/', 303);
    const { user } = person.actor;
    const joined = await parts.data.transaction((inside) =>
      joinByInvitation(inside, invitation, user, parts.now()),
    );
    if (!joined) throw new NotFound(accountTexts.invitation.goneTitle);
    return reply.redirect(target, 303);
  }
  if (!parts.passwords) throw new Forbidden(singleSignOnTexts.passwordsOff);
  const made = await makeFromForm(parts, request, readOpenForm(parts.originOf, request), invitation);
  if (!('userId' in made)) return answer(parts, request, reply, { caller, invitation }, made);
  return parts.startSession(request, reply, { ...made, to: target, way: 'new account' });
}

/** A key is no person, and makes no account either. */
function personOf(caller: Caller | null): Person | null {
  if (!caller) return null;
  const { actor, sessionToken } = caller;
  if (actor.kind !== 'user' || sessionToken === null) throw new NotFound();
  return { actor, sessionToken };
}
