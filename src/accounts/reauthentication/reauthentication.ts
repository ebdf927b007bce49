/** Confirms access: a signed-in person proves their identity again before a protected action. */
import { AppError } from '../../core/errors.ts';
import type { Data } from '../../db/data.ts';
import type { Attempts } from '../../limits/attempts.ts';
import type { User } from '../../owners/owner.ts';
import { accountTexts } from '../account-texts.ts';
import type { LdapDirectory } from '../ldap/ldap-directory.ts';
import { ownPasswordGuesses, verifyOwnPassword } from '../passwords/current-password.ts';
import { accountQueries } from '../profile/account-queries.ts';
import type { SecondFactors } from '../second-factor/second-factor.ts';
import { readTotpCode } from '../second-factor/totp.ts';
import { hashSessionToken } from '../sessions/session.ts';
import { identityQueries } from '../single-sign-on/identity-queries.ts';
import { ProviderError } from '../single-sign-on/oidc-provider.ts';
import { ldapIssuer } from '../single-sign-on/provider-identity.ts';

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
  /** Null without a directory. */
  ldap: LdapDirectory | null;
  passwords: boolean;
}): Reauthentication {
  const { data, attempts, secondFactors, ldap } = deps;
  const subjectOf = async (userId: string): Promise<string | null> => {
    const identities = ldap ? await identityQueries(data).listIdentities(userId) : [];
    return identities.find(({ issuer }) => issuer === ldapIssuer)?.subject ?? null;
  };
  /** Whether it is the person's password in the directory. */
  const isDirectoryPassword = async (
    { user, sessionToken }: { user: User; sessionToken: string },
    password: string,
  ): Promise<boolean> => {
    const subject = await subjectOf(user.id);
    if (!ldap || subject === null) return false;
    const counted = ['directory password', hashSessionToken(sessionToken)];
    await attempts.count(counted, ownPasswordGuesses);
    const found = await ldap.authenticate({ subject }, password).catch((error: unknown) => {
      if (error instanceof ProviderError)
        throw new AppError('unavailable', accountTexts.signIn.directoryDown({ provider: ldap.name }));
      throw error;
    });
    if (found.kind === 'wrong') return false;
    await attempts.reset(counted);
    if (found.kind === 'denied')
      throw new AppError('forbidden', accountTexts.signIn.denied[found.why]({ provider: ldap.name }));
    return true;
  };
  const methodsOf = async (userId: string): Promise<ProofMethods> => {
    if (!deps.passwords) return { password: false, code: false, passkey: false };
    const account = await accountQueries(data).findAccount(userId);
    const { app, passkeys } = await secondFactors.of(userId);
    const password = account?.passwordHash != null || (await subjectOf(userId)) !== null;
    return { password, code: app, passkey: passkeys > 0 };
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
      if (!password) return false;
      return (
        (await verifyOwnPassword(deps, person, submitted)) !== null ||
        (await isDirectoryPassword(person, submitted))
      );
    },
  };
}
