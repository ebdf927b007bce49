import type { ColumnType } from 'kysely';

/** May be omitted in an insert, because the database has a default. */
type ColumnWithDefault<T> = ColumnType<T, T | undefined, T>;

/** The tables of directories that provision the people of a Workspace (SCIM). */
export interface ProvisioningTables {
  scim_tokens: {
    id: string;
    workspace_id: string;
    name: string;
    token_hash: string;
    /** Name of the person, which outlives the account. */
    created_by: string;
    created_at: number;
    expires_at: number | null;
    last_used_at: ColumnWithDefault<number | null>;
  };
  /** `domain`: in lower case. */
  workspace_domains: { domain: string; workspace_id: string; created_at: number };
  scim_users: {
    workspace_id: string;
    user_id: string;
    user_name: string;
    user_name_key: string;
    external_id: string | null;
    display_name: string | null;
    display_key: string | null;
    formatted_name: string | null;
    given_name: string | null;
    given_key: string | null;
    family_name: string | null;
    family_key: string | null;
    email: string | null;
    email_key: string | null;
    email_type: string | null;
    active: number;
    /** `account` or `workspace`: what ends when the directory deactivates the person. */
    covers: string;
    /** Whether the directory disabled the account, which only then enables it again. */
    disabled_account: ColumnWithDefault<number>;
    version: number;
    created_at: number;
    updated_at: number;
    /** The directory deleted the person. A later one with the same address is the same account. */
    deleted_at: ColumnWithDefault<number | null>;
  };
  scim_groups: {
    id: string;
    workspace_id: string;
    display_name: string;
    display_key: string;
    external_id: string | null;
    version: number;
    created_at: number;
    updated_at: number;
  };
  scim_group_members: { group_id: string; workspace_id: string; user_id: string };
  /** Groups that providers of sign-in claim, assigned to a Workspace. */
  claimed_groups: {
    id: string;
    workspace_id: string;
    source: string;
    name: string;
    name_key: string;
    created_by: string;
    created_at: number;
  };
  /** As the provider said when the person last signed in, or at the last synchronization. */
  claimed_group_members: { group_id: string; user_id: string; created_at: number };
  /** People who may add testers to a group and remove them. They need not have access themselves. */
  group_managers: { group_id: string; user_id: string; created_at: number };
  /** Exactly one of both groups. A group of testers, a team of a Project or, without either, the owners of the Workspace. */
  group_mappings: {
    id: string;
    workspace_id: string;
    scim_group_id: string | null;
    claimed_group_id: ColumnWithDefault<string | null>;
    project_id: string | null;
    team: string | null;
    group_id: string | null;
    created_by: string;
    created_at: number;
  };
  /** Memberships that a mapping added, which it may remove again. */
  granted_memberships: {
    mapping_id: string;
    user_id: string;
    /** Whether the person also joined the tester team for it. */
    joined_team: ColumnWithDefault<number>;
    created_at: number;
  };
}
