/** Groups that an identity provider of the installation claims. Only those that an administrator assigned to a Workspace are stored. */
import type { User } from '../../owners/owner.ts';

/** Who claims a group. The names are stored. */
export const groupSources = ['oidc', 'saml', 'ldap'] as const;
export type GroupSource = (typeof groupSources)[number];

/** Enough for one person, and few enough for a cookie. */
export const maxClaimedGroups = 40;
export const maxGroupClaimLength = 512;

/** `source`: null for the provider of a Workspace, whose owners choose what it claims. Its groups are not read. */
export interface GroupClaims {
  /** Returns the ids of those that are assigned to a Workspace. Null for null, which means that the provider does not say. */
  assigned(source: GroupSource | null, names: readonly string[] | null): Promise<string[] | null>;
  /** Makes the person's groups of that source exactly these, and applies the rules. Changes nothing for null. */
  apply(user: User, source: GroupSource | null, groupIds: readonly string[] | null): Promise<void>;
}
