/** Confirms access: a signed-in person proves their identity again before a protected action. */
import type { Data } from '../../db/data.ts';
import type { Attempts } from '../../limits/attempts.ts';
import type { User } from '../../owners/owner.ts';
import { provesOwnPassword } from '../passwords/current-password.ts';
import { accountQueries } from '../profile/account-queries.ts';
import type { SecondFactors } from '../second-factor/second-factor.ts';
import { readTotpCode } from '../second-factor/totp.ts';
import { hashSessionToken } from '../sessions/session.ts';

/** The proofs that an account can give. */
export interface ProofWays {
  password: boolean;
  /** A code from the authenticator app. */
  code: boolean;
  passkey: boolean;
}

export interface Reauthentication {
  waysOf(userId: string): Promise<ProofWays>;
  /** By a password or a code, whichever was typed. Counted for the session. Throws `TooManyRequests`. */
  proves(person: { user: User; sessionToken: string }, typed: string): Promise<boolean>;
}

/** `passwords`: whether people sign in with passwords. When they don't, second factors don't apply. */
export function createReauthentication(parts: {
  data: Data;
  attempts: Attempts;
  secondFactors: SecondFactors;
  passwords: boolean;
}): Reauthentication {
  const { data, secondFactors } = parts;
  const waysOf = async (userId: string): Promise<ProofWays> => {
    if (!parts.passwords) return { password: false, code: false, passkey: false };
    const account = await accountQueries(data).findAccount(userId);
    const { app, passkeys } = await secondFactors.of(userId);
    return { password: account?.passwordHash != null, code: app, passkey: passkeys > 0 };
  };
  return {
    waysOf,
    proves: async (person, typed) => {
      const { user, sessionToken } = person;
      const { password, code } = await waysOf(user.id);
      // No password is as short as a code.
      if (code && readTotpCode(typed) !== null) {
        const known = `session ${hashSessionToken(sessionToken)}`;
        return secondFactors.takeCode(user, typed, { network: '', known });
      }
      return password && provesOwnPassword(parts, person, typed);
    },
  };
}
