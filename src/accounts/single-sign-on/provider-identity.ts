/** Who somebody is to the provider of single sign-on, out of the claims that it makes. Pure. */
import { isEmailAddress } from '../profile/email-address.ts';

export interface ProviderIdentity {
  /** Together with `subject` the only lasting name of a person (OpenID Connect Core 1.0, section 5.7). */
  issuer: string;
  subject: string;
  /** Null when the provider tells none that is an address. */
  email: string | null;
  /** The provider has seen that the address is the person's. */
  emailConfirmed: boolean;
  /** What the account there is called, to be recognised by its owner. */
  label: string;
  /** Where a user name may come from, the best first. */
  names: string[];
}

/** OpenID Connect Core 1.0, section 2: at most 255 ASCII characters. */
export const maxSubjectLength = 255;
const maxLabelLength = 254;

/** Null when `iss` or `sub` is not what it must be. The caller has judged the signature. */
export function identityOf(claims: Readonly<Record<string, unknown>>): ProviderIdentity | null {
  const issuer = textOf(claims.iss);
  const subject = textOf(claims.sub);
  if (issuer === null || subject === null || subject.length > maxSubjectLength) return null;
  const claimed = textOf(claims.email);
  const email = claimed !== null && isEmailAddress(claimed) ? claimed : null;
  const userName = textOf(claims.preferred_username);
  const names = [userName, email, textOf(claims.nickname), textOf(claims.name)];
  return {
    issuer,
    subject,
    email,
    // Some providers write booleans as text.
    emailConfirmed: email !== null && (claims.email_verified === true || claims.email_verified === 'true'),
    label: (email ?? userName ?? subject).slice(0, maxLabelLength),
    names: names.filter((name) => name !== null),
  };
}

/** A text of one line with something in it; databases and pages take no control characters. */
function textOf(claim: unknown): string | null {
  return typeof claim === 'string' && claim !== '' && !/\p{Cc}/u.test(claim) ? claim : null;
}

/** An account at a provider, linked to one here. */
export interface LinkedIdentity {
  issuer: string;
  subject: string;
  label: string;
  createdAt: number;
}
