/** The Project that an address names, for those who manage it; for everybody else it is not there. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Data } from '../data.ts';
import { NotFound } from '../errors.ts';
import type { Project } from '../owners/owner.ts';
import { canManage } from '../owners/permissions.ts';
import type { PageFrames } from './page-frames-http.ts';
import { type Person, personOrSignIn } from './session-form-http.ts';

/** Null when the reply leads to the sign-in page. Throws `not_found`. */
export async function managerOrSignIn(
  { data, frames }: { data: Data; frames: PageFrames },
  request: FastifyRequest<{ Params: { owner: string } }>,
  reply: FastifyReply,
): Promise<{ person: Person; project: Project } | null> {
  const person = await personOrSignIn(frames, request, reply);
  if (!person) return null;
  const project = await data.owners.findOwner(request.params.owner);
  const teams =
    project?.kind === 'project' ? await data.owners.teamsOf(project.id, person.actor.user.id) : [];
  if (project?.kind !== 'project' || !canManage(person.actor, project, teams)) throw new NotFound();
  return { person, project };
}
