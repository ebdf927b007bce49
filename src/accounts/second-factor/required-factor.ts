/** Decides who must use a second factor. */
import type { StoredSession } from '../sessions/session.ts';

const requiredFactorChoices = ['off', 'administrators', 'everyone'] as const;
export type RequiredFactor = (typeof requiredFactorChoices)[number];

/** Reads the setting; absent means `off`. */
export function readRequiredFactor(text: string | null, addError: (text: string) => void): RequiredFactor {
  const word = text?.toLowerCase() ?? 'off';
  const choice = requiredFactorChoices.find((one) => one === word);
  if (choice) return choice;
  addError(
    `SLIPWAY_REQUIRE_SECOND_FACTOR must be one of ${requiredFactorChoices.join(', ')}. It is ${text}.`,
  );
  return 'off';
}

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
