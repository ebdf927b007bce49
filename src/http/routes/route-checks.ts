/** Checks that the route layer makes for declared routes: scopes of keys, form tokens, recent proofs of identity, the amount of text. */
import type { FastifyRequest } from 'fastify';
import { InsufficientScope } from '../../core/errors.ts';
import type { KeyScope } from '../../core/key-scope.ts';
import type { RouteCaller } from './client.ts';
import { type Fields, type RawFields, textOf } from './form.ts';
import { ReauthenticationRequired } from './guard-errors.ts';
import type { Guards, RateLimit, RouteFacts } from './route-facts.ts';

/** Browsers never send API keys automatically, so that routes for keys alone need no token. */
export const carriesFormToken = ({ method, csrfExempt, operationId, looseForm }: RouteFacts): boolean =>
  method !== 'GET' && csrfExempt === undefined && operationId === undefined && !looseForm;

/**
 * A session permits everything that its person may do; a key only what its scopes say. Where everyone may call, or everyone
 * who has the link, a key without the scope counts as nobody: access rules of such routes accept null.
 */
export function callerInScope<Caller extends RouteCaller>(route: RouteFacts, caller: Caller): Caller {
  if (!caller?.keyScopes || isInScope(route, caller.keyScopes)) return caller;
  if (route.access.roles.every((role) => role === 'public' || role === 'link holder')) return null as Caller;
  requireScope(route, caller.keyScopes);
  return caller;
}

export const scopesOf = ({ keyScope }: RouteFacts): KeyScope[] =>
  keyScope === undefined ? [] : [keyScope].flat();

const isInScope = (route: RouteFacts, scopes: readonly KeyScope[]) =>
  route.keyScope === undefined || scopesOf(route).some((scope) => scopes.includes(scope));

export function requireScope(route: RouteFacts, scopes: readonly KeyScope[]): void {
  if (!isInScope(route, scopes)) throw new InsufficientScope(scopesOf(route));
}

export async function requireRecentProof(
  guards: Guards,
  caller: RouteCaller,
  { fields, form }: { fields: RawFields; form: Fields },
): Promise<void> {
  const proof = textOf(fields, 'proof');
  if (await guards.hasRecentAuthentication(caller, proof)) return;
  // Undeclared fields are not echoed into the page.
  const kept = Object.entries(fields).filter(([name]) => Object.hasOwn(form, name));
  throw new ReauthenticationRequired({
    caller,
    fields: kept.flatMap(([name, value]) => [value].flat().map((one) => [name, one] as const)),
    wrong: proof !== '',
  });
}

/** Texts of builds and pages stay for long, and count toward no storage limit. */
export const textLimit: RateLimit = {
  name: 'text',
  limit: 64 * 1024 * 1024,
  windowMs: 24 * 60 * 60_000,
  per: 'caller',
  refusal: 'text',
};
/** Shorter bodies are not counted, which would cost a statement each. */
const minCountedBytes = 4096;

/** Counts the body of a known caller, whatever it changes. Throws `TooManyRequests`. */
export async function countText(guards: Guards, request: FastifyRequest, caller: RouteCaller): Promise<void> {
  const bytes = Number(request.headers['content-length'] ?? 0);
  if (caller !== null && bytes >= minCountedBytes) await guards.count(textLimit, request, caller, bytes);
}
