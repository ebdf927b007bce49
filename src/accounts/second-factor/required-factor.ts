/** Decides who must use a second factor. */
import type { StoredSession } from '../sessions/session.ts';

export const requiredFactorChoices = ['off', 'administrators', 'everyone'] as const;
export type RequiredFactor = (typeof requiredFactorChoices)[number];

/**
 * Whether the person must set up a factor first. Users without a password sign in elsewhere, where second factors are
 * enforced.
 */
export function mustSetUpFactor(
  required: RequiredFactor,
  { passwordAlone, user }: Pick<StoredSession, 'passwordAlone' | 'user'>,
): boolean {
  return passwordAlone && (required === 'everyone' || (required === 'administrators' && user.administrator));
}
