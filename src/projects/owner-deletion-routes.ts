import type { FastifyReply, FastifyRequest } from 'fastify';
import type { PageFrames } from '../access/page-frames-http.ts';
import { readSessionForm } from '../access/session-form-http.ts';
import type { Data } from '../data.ts';
import { invalid } from '../errors.ts';
import type { RouteModule } from '../http/http-server.ts';
import { findKnownOwner, type KnownOwner } from './overseen-owner-http.ts';
import type { OwnerDeletion } from './owner-deletion.ts';
import { renderOwnerDeletion } from './owner-deletion-page.tsx';

export interface OwnerDeletionRouteParts {
  data: Data;
  frames: PageFrames;
  ownerDeletion: OwnerDeletion;
}

interface DeletionAddress {
  Params: { owner: string };
}

type DeletionRequest = FastifyRequest<DeletionAddress>;

/** Where a Project or an account is deleted, by those who look after it. */
export function ownerDeletionRoutes(parts: OwnerDeletionRouteParts): RouteModule {
  const oversees = ({ standing }: Pick<KnownOwner, 'standing'>) => standing.oversees;
  const show = async (request: DeletionRequest, reply: FastifyReply) => {
    const known = await findKnownOwner(parts, request, reply, oversees);
    return known ? answerPage(parts, request, reply, known, { status: 200, typed: '' }) : reply;
  };
  const remove = async (request: DeletionRequest, reply: FastifyReply) => {
    const known = await findKnownOwner(parts, request, reply, oversees);
    if (!known) return reply;
    const form = readSessionForm(known.person, request.body);
    if (form.text('act') !== 'delete') throw invalid('the form asks for nothing that is known here');
    const typed = form.text('confirmation');
    const outcome = await parts.ownerDeletion.deleteOwner(known.person.actor, known.owner, typed);
    if (outcome === 'unconfirmed') return answerPage(parts, request, reply, known, { status: 400, typed });
    if (outcome === 'hindered') return answerPage(parts, request, reply, known, { status: 409, typed });
    return reply.redirect(`/?done=${known.owner.kind}-deleted`, 303);
  };
  return (server) => {
    for (const address of ['/organizations/:owner/delete', '/users/:owner/delete']) {
      server.get<DeletionAddress>(address, show);
      server.post<DeletionAddress>(address, remove);
    }
  };
}

async function answerPage(
  { frames, ownerDeletion }: OwnerDeletionRouteParts,
  request: DeletionRequest,
  reply: FastifyReply,
  { person, owner }: KnownOwner,
  { status, typed }: { status: 200 | 400 | 409; typed: string },
) {
  const html = renderOwnerDeletion({
    frame: frames.of(request, person),
    owner,
    contents: await ownerDeletion.contentsOf(owner),
    hindrance: await ownerDeletion.hindranceOf(owner),
    typed,
    unconfirmed: status === 400,
  });
  return frames.send(reply.code(status), html);
}
