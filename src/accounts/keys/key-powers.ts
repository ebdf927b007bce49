/** A key that creates or rotates another key can't give it more permissions or a later end than its own. */
import { AppError, Forbidden, unauthenticated } from '../../core/errors.ts';
import { grantedScopes } from '../../core/key-scope.ts';
import type { Connection } from '../../db/data.ts';
import type { KeyRestriction } from '../../owners/actor.ts';
import { type ApiKey, isUsable } from './api-key.ts';
import { keyQueries } from './key-queries.ts';

export type KeyPowers = Pick<ApiKey, 'scopes' | 'restriction' | 'expiresAt'>;

/**
 * Returns when the secret with that hash ends; null for never. A secret replaced by a rotation ends before its key. Throws
 * `Forbidden` unless its key may grant these permissions, and `unauthenticated` if it has ended.
 */
export async function requireWithin(
  data: Connection,
  { keyHash }: { keyHash: string },
  wanted: KeyPowers,
  now: number,
): Promise<number | null> {
  const own = await keyQueries(data).findKey(keyHash, now);
  if (!own || !isUsable(own, now)) throw unauthenticated();
  const granted = grantedScopes(own.scopes);
  if (wanted.scopes.some((scope) => !granted.includes(scope)))
    throw new AppError('forbidden', 'a key cannot give more scopes than it has', {
      code: 'insufficient_scope',
    });
  if (own.expiresAt !== null && (wanted.expiresAt ?? Number.POSITIVE_INFINITY) > own.expiresAt)
    throw new Forbidden('a key cannot create or rotate a key that outlives it');
  const { restriction } = own.actor;
  if (restriction && !isWithin(wanted.restriction, restriction))
    throw new Forbidden('a restricted key cannot create or rotate a key that reaches further');
  return own.expiresAt;
}

function isWithin(inner: KeyRestriction | null, outer: KeyRestriction): boolean {
  if (!inner) return false;
  return (
    inner.owners.every((id) => outer.owners.includes(id)) &&
    inner.apps.every(
      (app) =>
        outer.owners.includes(app.ownerId) ||
        outer.apps.some(
          (one) =>
            one.ownerId === app.ownerId &&
            one.platform === app.platform &&
            one.packageName === app.packageName,
        ),
    )
  );
}
