/** Confirming access: a person who is signed in proves once more who they are, before an action that requires it. */
import type { Data } from '../data.ts';
import type { User } from '../owners/owner.ts';
import type { Attempts } from './attempts.ts';
import { provesOwnPassword } from './own-password.ts';
import type { SecondFactors } from './second-factor.ts';
import { readTotpCode } from './totp.ts';

/** What an account can be asked for. */
export interface ProofWays {
  password: boolean;
  /** A code from the authenticator app. */
  code: boolean;
  passkey: boolean;
}

export interface Reauthentication {
  waysOf(userId: string): Promise<ProofWays>;
  /** By a password or a code, whichever was typed. Throws `TooManyRequests`. */
  proves(user: User, typed: string): Promise<boolean>;
}

/** `passwords`: whether people sign in with one here. Where they do not, there is nothing that a second factor could stand beside. */
export function createReauthentication(parts: {
  data: Data;
  attempts: Attempts;
  secondFactors: SecondFactors;
  passwords: boolean;
}): Reauthentication {
  const { data, secondFactors } = parts;
  const waysOf = async (userId: string): Promise<ProofWays> => {
    if (!parts.passwords) return { password: false, code: false, passkey: false };
    const account = await data.accounts.findAccount(userId);
    const { app, passkeys } = await secondFactors.of(userId);
    return { password: account?.passwordHash != null, code: app, passkey: passkeys > 0 };
  };
  return {
    waysOf,
    proves: async (user, typed) => {
      const { password, code } = await waysOf(user.id);
      // No password is as short as a code.
      if (code && readTotpCode(typed) !== null) return secondFactors.takeCode(user, typed, 'confirm access');
      return password && provesOwnPassword(parts, user, typed);
    },
  };
}
