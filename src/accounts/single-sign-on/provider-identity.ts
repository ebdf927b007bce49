/** Reads the identity of a person from the provider's claims. */
import { isEmailAddress } from '../profile/email-address.ts';

export interface ProviderIdentity {
  /** Together with `subject`, the only stable identifier of a person (OpenID Connect Core 1.0, section 5.7). */
  issuer: string;
  subject: string;
  /** Null if the provider sends no valid address. */
  email: string | null;
  /** Whether the provider has verified the address. */
  emailConfirmed: boolean;
  /** A name that tells the account's owner which account it is. */
  label: string;
  /** Candidates for a user name, best first. */
  names: string[];
  /** The groups that the provider claims. Null if it does not say; absent if nobody asked. */
  groups?: readonly string[] | null;
}

/** Every identity from the directory (LDAP) has it. Its ids are unique, so the address of the directory may change. */
export const ldapIssuer = 'ldap:';

/** OpenID Connect Core 1.0, section 2: at most 255 ASCII characters. */
export const maxSubjectLength = 255;
export const maxLabelLength = 254;

type Claims = Readonly<Record<string, unknown>>;

/**
 * Null if `iss` or `sub` is invalid. The caller must have verified the signature of the token, and that `more`, from the UserInfo
 * endpoint, has the same subject. The address and its verification are taken from the same source: each source vouches only for
 * its own address.
 */
export function identityOf(
  token: Claims,
  more: Claims = {},
  groupsClaim: string | null = null,
): ProviderIdentity | null {
  const claims = { ...more, ...token };
  const addressed = token.email === undefined ? more : token;
  const issuer = textOf(claims.iss);
  const subject = textOf(claims.sub);
  if (issuer === null || subject === null || subject.length > maxSubjectLength) return null;
  const claimed = textOf(addressed.email);
  const email = claimed !== null && isEmailAddress(claimed) ? claimed : null;
  const userName = textOf(claims.preferred_username);
  const names = [userName, email, textOf(claims.nickname), textOf(claims.name)];
  return {
    issuer,
    subject,
    email,
    // Some providers write booleans as text.
    emailConfirmed:
      email !== null && (addressed.email_verified === true || addressed.email_verified === 'true'),
    label: (email ?? userName ?? subject).slice(0, maxLabelLength),
    names: names.filter((name) => name !== null),
    ...(groupsClaim === null ? {} : { groups: groupsOf(claims, groupsClaim) }),
  };
}

/**
 * Null if there are too many for the token, which then says where to ask for them (OpenID Connect Core 1.0, section 5.6.2, and
 * `hasgroups` of Entra ID). Providers omit the claim for people without groups.
 */
function groupsOf(claims: Claims, name: string): string[] | null {
  const elsewhere = claims._claim_names;
  const isElsewhere = typeof elsewhere === 'object' && elsewhere !== null && name in elsewhere;
  const value = claims[name];
  if (value === undefined) return isElsewhere || claims.hasgroups === true ? null : [];
  return [value]
    .flat()
    .map(textOf)
    .filter((group) => group !== null);
}

/** Returns a non-empty single line without control characters, which databases and pages do not accept. Null for anything else. */
export function textOf(claim: unknown): string | null {
  return typeof claim === 'string' && claim !== '' && !/\p{Cc}/u.test(claim) ? claim : null;
}

/** An account at a provider, linked to one here. */
export interface LinkedIdentity {
  issuer: string;
  subject: string;
  label: string;
  createdAt: number;
}
