/** Every place in the database that names a person. The export and the erasure of a person derive from it; a test keeps it complete. */

/** What a column stores about the person. */
export type PersonalValue = 'id' | 'name' | 'email';

export interface PersonalTable {
  /**
   * The columns by which a row is about the person. Erasure replaces names. Rows with the id or the email address are deleted with
   * the account, except in the audit log and in `owners`.
   */
  by: Readonly<Record<string, PersonalValue>>;
  /** Not exported: secrets, and what belongs to others. */
  omit?: readonly string[];
  /** A column that is cleared when the name is erased. */
  clear?: string;
}

/** In the order of the export. */
export const personalTables: Readonly<Record<string, PersonalTable>> = {
  owners: { by: { id: 'id' }, omit: ['name_key'] },
  users: {
    by: { owner_id: 'id' },
    omit: ['email_key', 'password_hash', 'totp_secret', 'totp_last_step', 'access_epoch'],
  },
  sessions: { by: { user_id: 'id' }, omit: ['token_hash'] },
  passkeys: { by: { user_id: 'id' }, omit: ['credential_id', 'public_key', 'signature_count'] },
  identities: { by: { user_id: 'id' } },
  provider_accounts: { by: { user_id: 'id' } },
  scim_users: {
    by: { user_id: 'id' },
    omit: ['user_name_key', 'display_key', 'given_key', 'family_key', 'email_key'],
  },
  api_keys: {
    by: { owner_id: 'id', created_by: 'id', created_by_name: 'name' },
    omit: ['key_hash', 'previous_hash'],
  },
  trusted_publishers: { by: { owner_id: 'id', created_by: 'id' } },
  device_codes: { by: { user_id: 'id' }, omit: ['secret_hash', 'user_code_hash'] },
  devices: { by: { user_id: 'id', owner_id: 'id' }, omit: ['browser'] },
  team_members: { by: { user_id: 'id', added_by: 'name' } },
  workspace_owners: { by: { user_id: 'id', added_by: 'name' } },
  workspace_members: { by: { user_id: 'id', added_by: 'name' } },
  group_members: { by: { user_id: 'id', added_by: 'name' } },
  group_managers: { by: { user_id: 'id' } },
  claimed_groups: { by: { created_by: 'name' } },
  claimed_group_members: { by: { user_id: 'id' } },
  granted_memberships: { by: { user_id: 'id' } },
  app_testers: { by: { user_id: 'id', added_by: 'name' } },
  invitations: { by: { user_id: 'id', invited_by: 'id', email: 'email' }, omit: ['token_hash'] },
  invitation_exclusions: { by: { user_id: 'id' } },
  mail_choices: { by: { user_id: 'id' } },
  mails: { by: { user_id: 'id', address: 'email' } },
  member_activity: { by: { user_id: 'id' } },
  refused_visits: { by: { user_id: 'id' } },
  feedback: { by: { sender: 'name', email: 'email' }, clear: 'email' },
  feedback_replies: { by: { author: 'name' } },
  builds: {
    by: { uploaded_by: 'name', deleted_by: 'name' },
    omit: ['info', 'verification', 'damage', 'package_blob', 'simulator_blob', 'icon_blob', 'apk_blob'],
  },
  resumable_uploads: { by: { sender_id: 'id' }, omit: ['pieces', 'result', 'unfinished_blob'] },
  symbol_files: { by: { uploaded_by: 'name' }, omit: ['facts', 'blob'] },
  attestations: { by: { attached_by: 'name' }, omit: ['bundle'] },
  check_acceptances: { by: { accepted_by: 'name' } },
  scim_tokens: { by: { created_by: 'name' }, omit: ['token_hash'] },
  group_mappings: { by: { created_by: 'name' } },
  apps: { by: { owner_id: 'id' }, omit: ['secret', 'secret_rotations'] },
  groups: { by: { owner_id: 'id' } },
  hooks: { by: { owner_id: 'id', created_by: 'id' }, omit: ['sealed_address', 'sealed_secret'] },
  projects: { by: { owner_id: 'id' } },
  audit_rows: { by: { actor_id: 'id', actor_name: 'name', owner_id: 'id' }, omit: ['sealed'] },
};
