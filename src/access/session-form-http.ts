/** Forms of signed-in browsers: who posted one, whether it is theirs, and what its fields say. */
import { timingSafeEqual } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { forbidden, invalid, notFound } from '../errors.ts';
import type { OriginOf } from '../http/request-origin.ts';
import type { Person } from './identify-http.ts';
import type { PageFrames } from './page-frames-http.ts';
import { formTokenOf } from './session.ts';

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
  if (actor.kind !== 'user' || sessionToken === null) throw notFound('there is nothing at this address');
  return { actor, sessionToken };
}

/** The fields of a form that the person's own session was given. Throws `forbidden` for one of another site or session. */
export function readSessionForm(person: Person, body: unknown): FormFields {
  const fields = createFormFields(body);
  const expected = Buffer.from(formTokenOf(person.sessionToken));
  const given = Buffer.from(fields.optional('csrf') ?? '');
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
    throw forbidden('the form has expired: open the page again');
  }
  return fields;
}

/** The fields of a form that needs no session. Throws `forbidden` for one that another site has sent. */
export function readOpenForm(originOf: OriginOf, request: FastifyRequest): FormFields {
  refuseForeignForm(originOf, request);
  return createFormFields(request.body);
}

/** Browsers name the site that a form comes from; one of another site may not sign anybody in. */
export function refuseForeignForm(originOf: OriginOf, request: FastifyRequest): void {
  const { origin, 'sec-fetch-site': site } = request.headers;
  const named = origin !== undefined && origin !== 'null';
  // A sibling site counts as foreign too; plain http sends no Sec-Fetch-Site.
  const foreign = site !== undefined && site !== 'same-origin' && site !== 'none';
  if ((named && origin !== originOf(request)) || foreign) {
    throw forbidden('the form comes from another site');
  }
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
