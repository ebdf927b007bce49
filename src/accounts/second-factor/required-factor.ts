/** Whom the settings ask for a second factor. Pure. */
import type { KnownSession } from '../sessions/session.ts';

const requiredFactorChoices = ['off', 'administrators', 'everyone'] as const;
export type RequiredFactor = (typeof requiredFactorChoices)[number];

/** What a setting says; `off` when it is absent. */
export function readRequiredFactor(text: string | null, fault: (text: string) => void): RequiredFactor {
  const word = text?.toLowerCase() ?? 'off';
  const choice = requiredFactorChoices.find((one) => one === word);
  if (choice) return choice;
  fault(`SLIPWAY_REQUIRE_SECOND_FACTOR is ${requiredFactorChoices.join(', ')}, not ${text}`);
  return 'off';
}

/** Whether somebody has to set one up first. Who has no password here signs in elsewhere, and is asked for more there. */
export function mustSetUpFactor(
  required: RequiredFactor,
  { passwordAlone, user }: Pick<KnownSession, 'passwordAlone' | 'user'>,
): boolean {
  return passwordAlone && (required === 'everyone' || (required === 'administrators' && user.administrator));
}
