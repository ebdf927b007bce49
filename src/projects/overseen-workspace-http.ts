/** The Workspace that an address names, for its owners and for administrators; for everybody else it is not there. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { PageFrames } from '../access/page-frames-http.ts';
import { type Person, personOrSignIn } from '../access/session-form-http.ts';
import type { Data } from '../data.ts';
import type { Actor } from '../owners/actor.ts';
import type { Workspace } from '../owners/owner.ts';
import { missing } from './overseen-owner-http.ts';

export interface OverseenWorkspace {
  person: Person;
  workspace: Workspace;
}

/** Null when nobody is signed in: then the reply is sent. */
export async function findOverseenWorkspace(
  { data, frames }: { data: Data; frames: PageFrames },
  request: FastifyRequest<{ Params: { workspace: string } }>,
  reply: FastifyReply,
): Promise<OverseenWorkspace | null> {
  const person = await personOrSignIn(frames, request, reply);
  if (!person) return null;
  const workspace = await data.owners.findWorkspace(request.params.workspace);
  if (!workspace || !(await overseesWorkspace(data, person.actor, workspace))) throw missing();
  return { person, workspace };
}

export async function overseesWorkspace(data: Data, actor: Actor, workspace: Workspace): Promise<boolean> {
  if (actor.kind !== 'user') return false;
  return actor.user.administrator || data.owners.isWorkspaceOwner(workspace.id, actor.user.id);
}
