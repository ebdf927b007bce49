/** Pages that are there for administrators alone; for everybody else there is nothing at the address. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { PageFrames } from '../access/page-frames-http.ts';
import { type Person, personOrSignIn } from '../access/session-form-http.ts';
import { NotFound } from '../errors.ts';

export const missing = () => new NotFound();

/** Null when nobody is signed in: then the reply is sent. Throws `not_found` for who does not administer, and for keys. */
export async function administratorOrSignIn(
  frames: PageFrames,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Person | null> {
  const person = await personOrSignIn(frames, request, reply);
  if (person && !person.actor.user.administrator) throw missing();
  return person;
}
