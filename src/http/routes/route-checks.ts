/** Checks of declared routes: scopes of keys, form tokens, recent proofs of identity, and the amount of text. */
import { InsufficientScope } from '../../core/errors.ts';
import type { KeyScope } from '../../core/key-scope.ts';
import type { RouteCaller } from './client.ts';
import { type Fields, type RawFields, textOf } from './form.ts';
import { ReauthenticationRequired } from './guard-errors.ts';
import type { Guards, RouteFacts } from './route-facts.ts';

/** Browsers never send API keys automatically, so routes that only accept keys need no token. */
export const carriesFormToken = ({ method, csrfExempt, operationId, looseForm }: RouteFacts): boolean =>
  method !== 'GET' && csrfExempt === undefined && operationId === undefined && !looseForm;

/**
 * A session permits everything that its person may do, but a key only its scopes. If everyone may call, or everyone with the
 * link, a key without the scope counts as anonymous: access rules of such routes accept null.
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
  // Undeclared fields are not echoed in the page.
  const kept = Object.entries(fields).filter(([name]) => Object.hasOwn(form, name));
  throw new ReauthenticationRequired({
    caller,
    fields: kept.flatMap(([name, value]) => [value].flat().map((one) => [name, one] as const)),
    wrong: proof !== '',
  });
}

/** Counts the text that a known caller sends, in a body or an address. Throws `TooManyRequests`. */
export async function countText(
  guards: Guards,
  caller: RouteCaller,
  given: RawFields | string,
): Promise<void> {
  if (caller === null) return;
  const texts = typeof given === 'string' ? [given] : Object.values(given).flat();
  await guards.countText(
    caller,
    texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0),
  );
}
