/** Tables of groups of people, to which distribution pages can be limited. */
export interface GroupTables {
  groups: { id: string; owner_id: string; name: string; name_key: string; created_at: number };
  group_members: { group_id: string; user_id: string; created_at: number };
  page_groups: { page_id: string; group_id: string };
}
