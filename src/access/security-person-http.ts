/** Who may see the pages about second factors: everybody who is signed in, and also who has to set one up first. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { localPath } from '../web/safe-address.ts';
import type { SecurityParts } from './security-area-routes.ts';
import { type Person, personOrSignIn } from './session-form-http.ts';

export interface SecurityVisit {
  person: Person;
  /** Nothing else opens for the person as yet. */
  required: boolean;
  /** Where the person goes on to afterwards; a path here. */
  to: string | null;
}

/** Null when nobody is signed in: then the reply is sent. */
export async function securityVisit(
  { identify, frames }: SecurityParts,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<SecurityVisit | null> {
  const { to } = request.query as { to?: unknown };
  const target = localPath(typeof to === 'string' ? to : null);
  const unprotected = await identify.unprotected(request);
  if (unprotected) return { person: unprotected, required: true, to: target };
  const person = await personOrSignIn(frames, request, reply);
  return person && { person, required: false, to: target };
}
