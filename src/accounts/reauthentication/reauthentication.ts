/** Confirms access: a signed-in person proves their identity again before a protected action. */
import type { Data } from '../../db/data.ts';
import type { Attempts } from '../../limits/attempts.ts';
import type { User } from '../../owners/owner.ts';
import { verifyOwnPassword } from '../passwords/current-password.ts';
import { accountQueries } from '../profile/account-queries.ts';
import type { SecondFactors } from '../second-factor/second-factor.ts';
import { readTotpCode } from '../second-factor/totp.ts';
import { hashSessionToken } from '../sessions/session.ts';

/** The kinds of proof that an account can give. */
export interface ProofMethods {
  password: boolean;
  /** A code from the authenticator app. */
  code: boolean;
  passkey: boolean;
}

export interface Reauthentication {
  methodsOf(userId: string): Promise<ProofMethods>;
  /** Checks a password or a code, whichever was entered. Attempts count per session. Throws `TooManyRequests`. */
  proves(person: { user: User; sessionToken: string }, submitted: string): Promise<boolean>;
}

/** `passwords`: whether people sign in with passwords. When they don't, second factors don't apply. */
export function createReauthentication(deps: {
  data: Data;
  attempts: Attempts;
  secondFactors: SecondFactors;
  passwords: boolean;
}): Reauthentication {
  const { data, secondFactors } = deps;
  const methodsOf = async (userId: string): Promise<ProofMethods> => {
    if (!deps.passwords) return { password: false, code: false, passkey: false };
    const account = await accountQueries(data).findAccount(userId);
    const { app, passkeys } = await secondFactors.of(userId);
    return { password: account?.passwordHash != null, code: app, passkey: passkeys > 0 };
  };
  return {
    methodsOf,
    proves: async (person, submitted) => {
      const { user, sessionToken } = person;
      const { password, code } = await methodsOf(user.id);
      // Passwords are always longer than codes, so this can't be one.
      if (code && readTotpCode(submitted) !== null) {
        const known = `session ${hashSessionToken(sessionToken)}`;
        return secondFactors.takeCode(user, submitted, { network: '', known });
      }
      return password && (await verifyOwnPassword(deps, person, submitted)) !== null;
    },
  };
}
