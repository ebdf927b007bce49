/** The tables of groups of people. Distribution pages can be limited to groups. */
export interface GroupTables {
  groups: { id: string; owner_id: string; name: string; name_key: string; created_at: number };
  group_members: { group_id: string; user_id: string; created_at: number };
  page_groups: { page_id: string; group_id: string };
}
