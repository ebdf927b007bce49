/** Groups that an identity provider claims. Only those that are assigned to a Workspace are stored. */
import type { User } from '../../owners/owner.ts';

/** Providers of the installation, and that of the Workspace which the group is assigned to. The names are stored. */
export const groupSources = ['oidc', 'saml', 'ldap', 'workspace'] as const;
export type GroupSource = (typeof groupSources)[number];
/** Who claims a group. The provider of a Workspace is heard only there, because the owners of the Workspace choose what it claims. */
export type GroupClaimant =
  | { source: Exclude<GroupSource, 'workspace'> }
  | { source: 'workspace'; workspaceId: string };

/** Enough for one person, and few enough for a cookie. */
export const maxClaimedGroups = 40;
export const maxGroupClaimLength = 512;

export interface GroupClaims {
  /** Returns the ids of those that are assigned to a Workspace. Null for null, which means that the provider does not say. */
  assigned(by: GroupClaimant, names: readonly string[] | null): Promise<string[] | null>;
  /** Makes the person's groups of that claimant exactly these, and applies the rules. Changes nothing for null. */
  apply(user: User, by: GroupClaimant, groupIds: readonly string[] | null): Promise<void>;
}
