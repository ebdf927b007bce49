import type { ColumnType } from 'kysely';

/** May be omitted in an insert, because the database has a default. */
type ColumnWithDefault<T> = ColumnType<T, T | undefined, T>;

/** The tables of people in Workspaces, Projects, apps and groups. Distribution pages can be limited to groups. */
export interface GroupTables {
  /** `added_by`, here and below: name of who gave the access, which outlives the account. */
  workspace_owners: {
    workspace_id: string;
    user_id: string;
    created_at: ColumnWithDefault<number | null>;
    added_by: ColumnWithDefault<string | null>;
  };
  workspace_members: GroupTables['workspace_owners'];
  team_members: {
    project_id: string;
    user_id: string;
    team: string;
    created_at: number;
    added_by: ColumnWithDefault<string | null>;
  };
  app_testers: {
    app_id: string;
    user_id: string;
    created_at: number;
    added_by: ColumnWithDefault<string | null>;
  };
  groups: { id: string; owner_id: string; name: string; name_key: string; created_at: number };
  group_members: {
    group_id: string;
    user_id: string;
    created_at: number;
    added_by: ColumnWithDefault<string | null>;
  };
  page_groups: { page_id: string; group_id: string };
}
