/** Forms of signed-in browsers: who posted one, whether it is theirs, and what its fields say. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { invalid, NotFound } from '../errors.ts';
import type { OriginOf } from '../http/request-origin.ts';
import type { Person } from './identify-http.ts';
import type { PageFrames } from './page-frames-http.ts';
import { checkFormOrigin } from './route-guards-http.ts';

export type { Person } from './identify-http.ts';

/**
 * The person who is signed in; nobody is led to the sign-in page (then null comes, and the reply is sent). A key has no
 * forms: for it there is nothing at the address.
 */
export async function personOrSignIn(
  frames: PageFrames,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<Person | null> {
  const caller = await frames.callerOrSignIn(request, reply);
  if (!caller) return null;
  const { actor, sessionToken } = caller;
  if (actor.kind !== 'user' || sessionToken === null) throw new NotFound();
  return { actor, sessionToken };
}

/** Transitional: the fields of a form whose route is not declared yet. Its token is not checked here. */
export function readSessionForm(_person: Person, body: unknown): FormFields {
  return createFormFields(body);
}

/** The fields of a form that needs no session. Throws `forbidden` for one that another site has sent. */
export function readOpenForm(originOf: OriginOf, request: FastifyRequest): FormFields {
  checkFormOrigin(originOf, request);
  return createFormFields(request.body);
}

export interface FormFields {
  /** Throws `invalid` when the field is missing: half a form must not be taken for one with empty fields. */
  text(name: string): string;
  /** Null when it is missing. */
  optional(name: string): string | null;
  /** A box that was ticked. */
  flag(name: string): boolean;
}

/** A field that comes twice is refused, as is one with a zero in it, which PostgreSQL would fail to store. */
function createFormFields(body: unknown): FormFields {
  const all: Record<string, unknown> = typeof body === 'object' && body !== null ? { ...body } : {};
  const optional = (name: string) => {
    const value = Object.hasOwn(all, name) ? all[name] : undefined;
    if (value === undefined) return null;
    if (typeof value !== 'string') throw invalid(`the form gives ${name} twice`);
    if (value.includes('\0')) throw invalid(`the form has a zero character in ${name}`);
    return value;
  };
  return {
    optional,
    text: (name) => {
      const value = optional(name);
      if (value === null) throw invalid(`the form is incomplete: ${name} is missing`);
      return value;
    },
    flag: (name) => optional(name) !== null,
  };
}
