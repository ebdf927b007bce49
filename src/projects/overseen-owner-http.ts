/** Transitional: for routes that are not declared yet. The Owner that an address names, for those who look after it; for everybody else it is not there. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { PageFrames } from '../access/page-frames-http.ts';
import { type Person, personOrSignIn } from '../access/session-form-http.ts';
import type { Data } from '../data.ts';
import { NotFound } from '../errors.ts';
import type { Owner, Team } from '../owners/owner.ts';
import { type Standing, standingOf } from '../owners/owner-standing.ts';

interface KnownOwner {
  person: Person;
  owner: Owner;
  teams: Team[];
  standing: Standing;
}

const missing = () => new NotFound();

/**
 * The Owner of the address, whose kind the address says, too, if `may` says that the person has business there. Null
 * when nobody is signed in: then the reply is sent.
 */
export async function findKnownOwner(
  { data, frames }: { data: Data; frames: PageFrames },
  request: FastifyRequest<{ Params: { owner: string } }>,
  reply: FastifyReply,
  may: (known: Omit<KnownOwner, 'person'>) => boolean,
): Promise<KnownOwner | null> {
  const person = await personOrSignIn(frames, request, reply);
  if (!person) return null;
  const owner = await data.owners.findOwner(request.params.owner);
  const kind = request.routeOptions.url?.startsWith('/organizations/') ? 'project' : 'user';
  if (owner?.kind !== kind) throw missing();
  const teams = kind === 'project' ? await data.owners.teamsOf(owner.id, person.actor.user.id) : [];
  const known = { owner, teams, standing: standingOf(person.actor, owner, teams) };
  if (!may(known)) throw missing();
  return { person, ...known };
}
