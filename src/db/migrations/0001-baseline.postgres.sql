create table owners (
  id text not null,
  kind text not null,
  name text not null,
  name_key text not null,
  created_at bigint not null,
  max_storage_bytes bigint,
  max_builds bigint,
  deleted_at bigint,
  retention text,
  max_projects bigint,
  accountable_id text,
  constraint owners_name_key_key unique (name_key),
  constraint owners_pkey primary key (id)
);

create index owners_accountable on owners (accountable_id);

create index owners_listed on owners (kind, name_key, id) where (deleted_at is null);

create index owners_retention on owners (id) where (retention is not null);

create table api_keys (
  id text not null,
  owner_id text not null,
  name text not null,
  key_hash text not null,
  hint text not null,
  created_at bigint not null,
  expires_at bigint,
  last_used_at bigint,
  revoked_at bigint,
  scopes text not null,
  restricted_to text,
  created_by text,
  created_by_name text,
  last_used_network text,
  previous_hash text,
  previous_until bigint,
  rotated_at bigint,
  client text,
  constraint api_keys_key_hash_key unique (key_hash),
  constraint api_keys_owner_id_fkey foreign key (owner_id) references owners(id) on delete cascade,
  constraint api_keys_pkey primary key (id)
);

create index api_keys_owner on api_keys (owner_id);

create unique index api_keys_previous on api_keys (previous_hash);

create index api_keys_replaced on api_keys (previous_until) where (previous_until is not null);

create index api_keys_unnoticed on api_keys (expires_at) where ((revoked_at is null) and (expires_at is not null));

create table apps (
  id text not null,
  owner_id text not null,
  platform text not null,
  package_name text not null,
  secret text not null,
  last_revision bigint not null,
  created_at bigint not null,
  last_upload_at bigint not null,
  deleted_at bigint,
  retention text,
  latest_name text,
  secret_rotations integer default 0 not null,
  constraint apps_identity unique (owner_id, package_name, platform),
  constraint apps_owner_id_fkey foreign key (owner_id) references owners(id) on delete cascade,
  constraint apps_pkey primary key (id)
);

create index apps_listed on apps (owner_id, last_upload_at, id) where (deleted_at is null);

create index apps_retention on apps (id) where (retention is not null);

create table users (
  owner_id text not null,
  email text,
  email_key text,
  password_hash text,
  administrator smallint not null,
  must_change_password smallint default 0 not null,
  totp_secret text,
  totp_last_step bigint,
  email_confirmed smallint default 0 not null,
  disabled_at bigint,
  last_seen_at bigint,
  language text,
  access_epoch integer default 0 not null,
  constraint users_email_key_key unique (email_key),
  constraint users_owner_id_fkey foreign key (owner_id) references owners(id) on delete cascade,
  constraint users_pkey primary key (owner_id)
);

create index users_addresses on users (email_key, owner_id);

create index users_administrators on users (owner_id) where (administrator = 1);

create index users_disabled on users (owner_id) where (disabled_at is not null);

create table app_testers (
  app_id text not null,
  user_id text not null,
  created_at bigint not null,
  constraint app_testers_app_id_fkey foreign key (app_id) references apps(id) on delete cascade,
  constraint app_testers_pk primary key (app_id, user_id),
  constraint app_testers_user_id_fkey foreign key (user_id) references users(owner_id) on delete cascade
);

create index app_testers_user on app_testers (user_id);

create table attempts (
  subject text not null,
  count integer not null,
  since bigint not null,
  constraint attempts_pkey primary key (subject)
);

create index attempts_age on attempts (since);

create table audit_rows (
  id text not null,
  at bigint not null,
  actor_kind text not null,
  actor_id text,
  actor_name text not null,
  action text not null,
  owner_id text,
  subject text not null,
  details text not null,
  constraint audit_rows_pkey primary key (id)
);

create index audit_rows_action on audit_rows (action, id);

create index audit_rows_actor on audit_rows (actor_name, id);

create index audit_rows_owner on audit_rows (owner_id, id);

create index audit_rows_owner_action on audit_rows (owner_id, action, id);

create index audit_rows_owner_actor on audit_rows (owner_id, actor_name, id);

create table workspaces (
  id text not null,
  name text not null,
  name_key text not null,
  display_name text not null,
  icon_url text not null,
  created_at bigint not null,
  deleted_at bigint,
  retention text,
  constraint workspaces_name_key_key unique (name_key),
  constraint workspaces_pkey primary key (id)
);

create index workspaces_retention on workspaces (id) where (retention is not null);

create table branding (
  id text not null,
  workspace_id text,
  name text,
  accent text,
  support text,
  logo text,
  logo_name text,
  constraint branding_pkey primary key (id),
  constraint branding_workspace_id_fkey foreign key (workspace_id) references workspaces(id) on delete cascade,
  constraint branding_workspace_id_key unique (workspace_id)
);

create index branding_logo_name on branding (logo_name);

create table builds (
  id text not null,
  app_id text not null,
  revision bigint not null,
  name text not null,
  version_name text,
  version_code text not null,
  info text not null,
  size_bytes bigint not null,
  md5 text not null,
  sha256 text not null,
  package_blob text not null,
  simulator_blob text,
  simulator_bytes bigint,
  icon_state text not null,
  icon_blob text,
  verification text,
  message text not null,
  branch text,
  commit_id text,
  build_url text,
  label text,
  upload_warnings text not null,
  uploaded_by text not null,
  created_at bigint not null,
  protected smallint default 0 not null,
  deleted_at bigint,
  deleted_by text,
  spared_until bigint,
  simulator_sha256 text,
  damage text,
  signer text,
  apk_state text,
  apk_blob text,
  apk_sha256 text,
  apk_error text,
  apk_percent bigint,
  apk_bytes bigint,
  constraint builds_app_id_fkey foreign key (app_id) references apps(id) on delete cascade,
  constraint builds_icon_blob_key unique (icon_blob),
  constraint builds_package_blob_key unique (package_blob),
  constraint builds_pkey primary key (id),
  constraint builds_revision unique (app_id, revision),
  constraint builds_simulator_blob_key unique (simulator_blob)
);

create unique index builds_apk_blob on builds (apk_blob);

create index builds_branch on builds (app_id, branch, revision) where (deleted_at is null);

create index builds_commit on builds (app_id, commit_id, revision);

create index builds_damaged on builds (id) where (damage is not null);

create index builds_deleted on builds (app_id, deleted_at, revision) where (deleted_at is not null);

create index builds_label on builds (app_id, label, revision) where (deleted_at is null);

create index builds_listed on builds (app_id, revision) where (deleted_at is null);

create index builds_protected on builds (app_id) where ((protected = 1) and (deleted_at is null));

create index builds_sha256 on builds (app_id, sha256, revision);

create index builds_signer on builds (app_id, signer, revision) where (deleted_at is null);

create index builds_storage on builds (app_id, size_bytes, simulator_bytes);

create index builds_uploaded_by on builds (app_id, uploaded_by, revision) where (deleted_at is null);

create index builds_version on builds (app_id, version_code, revision);

create table build_counts (
  app_id text not null,
  build_id text not null,
  day text not null,
  kind text not null,
  platform text not null,
  system text not null,
  times bigint not null,
  people bigint not null,
  constraint build_counts_app_id_fkey foreign key (app_id) references apps(id) on delete cascade,
  constraint build_counts_build_id_fkey foreign key (build_id) references builds(id) on delete cascade,
  constraint build_counts_pk primary key (build_id, day, kind, platform, system)
);

create index build_counts_app on build_counts (app_id, day);

create table build_words (
  app_id text not null,
  revision bigint not null,
  words text not null,
  constraint build_words_build foreign key (app_id, revision) references builds(app_id, revision) on delete cascade,
  constraint build_words_pk primary key (app_id, revision)
);

create table device_codes (
  id text not null,
  secret_hash text not null,
  user_code_hash text,
  client text not null,
  network text not null,
  scopes text not null,
  state text not null,
  user_id text,
  key_days integer,
  polled_at bigint,
  created_at bigint not null,
  expires_at bigint not null,
  viewed_at bigint,
  constraint device_codes_pkey primary key (id)
);

create index device_codes_expires_at on device_codes (expires_at);

create unique index device_codes_secret_hash on device_codes (secret_hash);

create unique index device_codes_user_code_hash on device_codes (user_code_hash);

create index device_codes_user_id on device_codes (user_id);

create table distribution_pages (
  id text not null,
  app_id text not null,
  access_key text not null,
  name text not null,
  active smallint not null,
  build_id text not null,
  release_note text not null,
  created_at bigint not null,
  updated_at bigint not null,
  access text default 'unlisted'::text not null,
  passcode_hash text,
  expires_at bigint,
  max_installs bigint,
  installs bigint default 0 not null,
  networks text default '[]'::text not null,
  feedback smallint default 0 not null,
  mandatory_from bigint,
  constraint distribution_pages_access_key_key unique (access_key),
  constraint distribution_pages_app_id_fkey foreign key (app_id) references apps(id) on delete cascade,
  constraint distribution_pages_build_id_fkey foreign key (build_id) references builds(id),
  constraint distribution_pages_name unique (app_id, name),
  constraint distribution_pages_pkey primary key (id)
);

create index distribution_pages_build on distribution_pages (build_id);

create index distribution_pages_newest on distribution_pages (app_id, updated_at, id);

create table devices (
  id text not null,
  owner_id text not null,
  udid text not null,
  name text not null,
  product text not null,
  os_version text not null,
  user_id text,
  page_id text,
  created_at bigint not null,
  updated_at bigint not null,
  browser text not null,
  constraint devices_owner_id_fkey foreign key (owner_id) references owners(id) on delete cascade,
  constraint devices_page_id_fkey foreign key (page_id) references distribution_pages(id) on delete set null,
  constraint devices_pkey primary key (id),
  constraint devices_user_id_fkey foreign key (user_id) references users(owner_id) on delete set null
);

create index devices_browser on devices (browser);

create unique index devices_of_browser on devices (owner_id, udid, browser) where (user_id is null);

create unique index devices_of_user on devices (owner_id, udid, user_id) where (user_id is not null);

create index devices_page on devices (page_id);

create index devices_udid on devices (owner_id, udid);

create index devices_user on devices (user_id);

create table distribution_updates (
  id text not null,
  page_id text not null,
  build_id text not null,
  release_note text not null,
  created_at bigint not null,
  withdrawn smallint default 0 not null,
  constraint distribution_updates_build_id_fkey foreign key (build_id) references builds(id) on delete cascade,
  constraint distribution_updates_page_id_fkey foreign key (page_id) references distribution_pages(id) on delete cascade,
  constraint distribution_updates_pkey primary key (id)
);

create index distribution_updates_build on distribution_updates (build_id);

create index distribution_updates_page on distribution_updates (page_id, id);

create index distribution_updates_served on distribution_updates (page_id, build_id, id);

create table events (
  owner_id text not null,
  "position" bigint not null,
  id text not null,
  type text not null,
  app text,
  at bigint not null,
  data text not null,
  constraint events_id_key unique (id),
  constraint events_owner_id_fkey foreign key (owner_id) references owners(id),
  constraint events_pk primary key (owner_id, "position")
);

create index events_app on events (owner_id, app, "position");

create index events_at on events (at);

create index events_type on events (owner_id, type, "position");

create table feedback (
  id text not null,
  app_id text not null,
  build_id text not null,
  page_id text,
  page_name text not null,
  body text not null,
  email text,
  sender text,
  device text not null,
  state text not null,
  created_at bigint not null,
  updated_at bigint not null,
  constraint feedback_app_id_fkey foreign key (app_id) references apps(id) on delete cascade,
  constraint feedback_build_id_fkey foreign key (build_id) references builds(id) on delete cascade,
  constraint feedback_page_id_fkey foreign key (page_id) references distribution_pages(id) on delete set null,
  constraint feedback_pkey primary key (id)
);

create index feedback_app on feedback (app_id, id);

create index feedback_build on feedback (build_id, id);

create index feedback_page on feedback (page_id);

create index feedback_state on feedback (app_id, state, id);

create table feedback_replies (
  id text not null,
  feedback_id text not null,
  author text not null,
  body text not null,
  state text not null,
  created_at bigint not null,
  constraint feedback_replies_feedback_id_fkey foreign key (feedback_id) references feedback(id) on delete cascade,
  constraint feedback_replies_pkey primary key (id)
);

create index feedback_replies_feedback on feedback_replies (feedback_id, id);

create table feedback_screenshots (
  feedback_id text not null,
  number integer not null,
  blob text not null,
  size_bytes bigint not null,
  sha256 text not null,
  constraint feedback_screenshots_blob_key unique (blob),
  constraint feedback_screenshots_feedback_id_fkey foreign key (feedback_id) references feedback(id) on delete cascade,
  constraint feedback_screenshots_key primary key (feedback_id, number)
);

create table groups (
  id text not null,
  owner_id text not null,
  name text not null,
  name_key text not null,
  created_at bigint not null,
  constraint groups_owner_id_fkey foreign key (owner_id) references owners(id) on delete cascade,
  constraint groups_owner_name unique (owner_id, name_key),
  constraint groups_pkey primary key (id)
);

create table group_members (
  group_id text not null,
  user_id text not null,
  created_at bigint not null,
  constraint group_members_group_id_fkey foreign key (group_id) references groups(id) on delete cascade,
  constraint group_members_pk primary key (group_id, user_id),
  constraint group_members_user_id_fkey foreign key (user_id) references users(owner_id) on delete cascade
);

create index group_members_user on group_members (user_id);

create table hooks (
  id text not null,
  owner_id text not null,
  app_id text,
  name text not null,
  kind text not null,
  state text not null,
  shown_address text not null,
  sealed_address text not null,
  sealed_secret text not null,
  created_at bigint not null,
  events text not null,
  old_secret_until bigint,
  constraint hooks_app_id_fkey foreign key (app_id) references apps(id) on delete cascade,
  constraint hooks_owner_id_fkey foreign key (owner_id) references owners(id),
  constraint hooks_pkey primary key (id)
);

create index hooks_app on hooks (app_id);

create index hooks_owner on hooks (owner_id, app_id, id);

create table hook_deliveries (
  id text not null,
  hook_id text not null,
  news_id text not null,
  event text not null,
  facts text not null,
  state text not null,
  attempts integer not null,
  due_at bigint not null,
  status integer,
  fault text,
  duration_ms bigint,
  created_at bigint not null,
  updated_at bigint not null,
  attempt_log text,
  constraint hook_deliveries_hook_id_fkey foreign key (hook_id) references hooks(id) on delete cascade,
  constraint hook_deliveries_once unique (hook_id, news_id),
  constraint hook_deliveries_pkey primary key (id)
);

create index hook_deliveries_listed on hook_deliveries (hook_id, id);

create table idempotency_keys (
  owner_id text not null,
  key text not null,
  sha256 text not null,
  build_id text not null,
  page_id text,
  created_at bigint not null,
  constraint idempotency_keys_build_id_fkey foreign key (build_id) references builds(id) on delete cascade,
  constraint idempotency_keys_owner_id_fkey foreign key (owner_id) references owners(id) on delete cascade,
  constraint idempotency_keys_page_id_fkey foreign key (page_id) references distribution_pages(id) on delete set null,
  constraint idempotency_keys_pk primary key (owner_id, key)
);

create index idempotency_keys_age on idempotency_keys (created_at);

create index idempotency_keys_build on idempotency_keys (build_id);

create index idempotency_keys_page on idempotency_keys (page_id);

create table idempotent_requests (
  owner_id text not null,
  key text not null,
  digest text not null,
  encrypted_answer text,
  created_at bigint not null,
  leased_until bigint,
  held_by text,
  claim_number bigint,
  constraint idempotent_requests_pk primary key (owner_id, key)
);

create index idempotent_requests_created_at on idempotent_requests (created_at);

create index idempotent_requests_held_by on idempotent_requests (held_by, claim_number);

create table identities (
  issuer text not null,
  subject text not null,
  user_id text not null,
  created_at bigint not null,
  label text default ''::text not null,
  constraint identities_pk primary key (issuer, subject),
  constraint identities_user_id_fkey foreign key (user_id) references users(owner_id) on delete cascade
);

create unique index identities_user on identities (user_id, issuer);

create table install_systems (
  page_id text not null,
  build_id text not null,
  day text not null,
  system text not null,
  installs bigint not null,
  constraint install_systems_build_id_fkey foreign key (build_id) references builds(id) on delete cascade,
  constraint install_systems_page_id_fkey foreign key (page_id) references distribution_pages(id) on delete cascade,
  constraint install_systems_pk primary key (page_id, day, build_id, system)
);

create index install_systems_build on install_systems (build_id);

create table install_tickets (
  page_id text not null,
  ticket text not null,
  used_at bigint not null,
  constraint install_tickets_page_id_fkey foreign key (page_id) references distribution_pages(id) on delete cascade,
  constraint install_tickets_pk primary key (page_id, ticket)
);

create index install_tickets_age on install_tickets (used_at);

create table installation_facts (
  name text not null,
  value text not null,
  constraint installation_facts_pkey primary key (name)
);

create table projects (
  owner_id text not null,
  description text not null,
  workspace_id text,
  constraint projects_owner_id_fkey foreign key (owner_id) references owners(id) on delete cascade,
  constraint projects_pkey primary key (owner_id),
  constraint projects_workspace_id_fkey foreign key (workspace_id) references workspaces(id)
);

create index projects_workspace on projects (workspace_id);

create table invitations (
  id text not null,
  token_hash text not null,
  email text,
  project_id text,
  team text,
  invited_by text not null,
  created_at bigint not null,
  expires_at bigint not null,
  used_at bigint,
  user_id text,
  workspace_id text,
  app_id text,
  label text,
  max_people bigint,
  people bigint default 0 not null,
  group_id text,
  constraint invitations_app_id_fkey foreign key (app_id) references apps(id) on delete cascade,
  constraint invitations_group_id_fkey foreign key (group_id) references groups(id) on delete set null,
  constraint invitations_pkey primary key (id),
  constraint invitations_project_id_fkey foreign key (project_id) references projects(owner_id) on delete cascade,
  constraint invitations_token_hash_key unique (token_hash),
  constraint invitations_user_id_fkey foreign key (user_id) references users(owner_id) on delete cascade,
  constraint invitations_workspace_id_fkey foreign key (workspace_id) references workspaces(id) on delete cascade
);

create index invitations_app on invitations (app_id);

create index invitations_email on invitations (lower((email collate "C")));

create index invitations_group on invitations (group_id) where (group_id is not null);

create index invitations_links_app_id on invitations (app_id, id) where (max_people is not null);

create index invitations_links_project_id on invitations (project_id, id) where (max_people is not null);

create index invitations_project on invitations (project_id, id);

create index invitations_user on invitations (user_id);

create index invitations_workspace on invitations (workspace_id);

create table invitation_exclusions (
  invitation_id text not null,
  user_id text not null,
  constraint invitation_exclusions_invitation_id_fkey foreign key (invitation_id) references invitations(id) on delete cascade,
  constraint invitation_exclusions_pk primary key (invitation_id, user_id),
  constraint invitation_exclusions_user_id_fkey foreign key (user_id) references users(owner_id) on delete cascade
);

create index invitation_exclusions_user on invitation_exclusions (user_id);

create table mail_choices (
  user_id text not null,
  app_id text not null,
  wanted smallint not null,
  updated_at bigint not null,
  constraint mail_choices_app_id_fkey foreign key (app_id) references apps(id) on delete cascade,
  constraint mail_choices_pk primary key (user_id, app_id),
  constraint mail_choices_user_id_fkey foreign key (user_id) references users(owner_id) on delete cascade
);

create index mail_choices_app on mail_choices (app_id);

create table mails (
  id text not null,
  user_id text not null,
  build_id text,
  page_id text,
  address text not null,
  state text not null,
  attempts integer not null,
  last_error text,
  created_at bigint not null,
  updated_at bigint not null,
  about text not null,
  constraint mails_build_id_fkey foreign key (build_id) references builds(id) on delete set null,
  constraint mails_once unique (build_id, user_id),
  constraint mails_page_id_fkey foreign key (page_id) references distribution_pages(id) on delete set null,
  constraint mails_pkey primary key (id),
  constraint mails_user_id_fkey foreign key (user_id) references users(owner_id) on delete cascade
);

create index mails_page on mails (page_id);

create index mails_state on mails (state, id);

create index mails_user on mails (user_id);

create table member_activity (
  id text not null,
  app_id text not null,
  build_id text not null,
  page_id text,
  user_id text not null,
  system text not null,
  model text,
  opens bigint not null,
  opened_at bigint,
  installs bigint not null,
  first_installed_at bigint,
  installed_at bigint,
  last_at bigint not null,
  constraint member_activity_app_id_fkey foreign key (app_id) references apps(id) on delete cascade,
  constraint member_activity_build_id_fkey foreign key (build_id) references builds(id) on delete cascade,
  constraint member_activity_once unique (build_id, user_id, page_id),
  constraint member_activity_page_id_fkey foreign key (page_id) references distribution_pages(id) on delete cascade,
  constraint member_activity_pkey primary key (id),
  constraint member_activity_user_id_fkey foreign key (user_id) references users(owner_id) on delete cascade
);

create index member_activity_age on member_activity (last_at);

create index member_activity_app on member_activity (app_id, last_at, id);

create index member_activity_build on member_activity (build_id, last_at, id);

create unique index member_activity_direct on member_activity (build_id, user_id) where (page_id is null);

create index member_activity_installs on member_activity (app_id, installed_at, user_id, build_id, first_installed_at);

create index member_activity_page on member_activity (page_id, last_at, id);

create index member_activity_user on member_activity (user_id, page_id);

create table nodes (
  id text not null,
  host text not null,
  clock_offset_ms bigint not null,
  seen_at bigint not null,
  constraint nodes_pkey primary key (id)
);

create table outbox (
  id text not null,
  kind text not null,
  payload text not null,
  attempts integer not null,
  run_at bigint not null,
  leased_until bigint,
  last_error text,
  created_at bigint not null,
  queued_for text not null,
  held_by text,
  claim_number bigint,
  queue text,
  constraint outbox_pkey primary key (id)
);

create index outbox_held_by on outbox (held_by, claim_number);

create index outbox_leases on outbox (leased_until) where (leased_until is not null);

create index outbox_planned on outbox (run_at, id) where ((queue is null) and (leased_until is null));

create index outbox_turns on outbox (queue, queued_for, run_at, id) where ((queue is not null) and (leased_until is null));

create table page_counts (
  page_id text not null,
  build_id text not null,
  day text not null,
  platform text not null,
  kind text not null,
  times bigint not null,
  people bigint not null,
  members bigint default 0 not null,
  constraint page_counts_build_id_fkey foreign key (build_id) references builds(id) on delete cascade,
  constraint page_counts_page_id_fkey foreign key (page_id) references distribution_pages(id) on delete cascade,
  constraint page_counts_pk primary key (page_id, build_id, day, platform, kind)
);

create index page_counts_build on page_counts (build_id, day);

create index page_counts_day on page_counts (page_id, day);

create table page_groups (
  page_id text not null,
  group_id text not null,
  constraint page_groups_group_id_fkey foreign key (group_id) references groups(id) on delete cascade,
  constraint page_groups_page_id_fkey foreign key (page_id) references distribution_pages(id) on delete cascade,
  constraint page_groups_pk primary key (page_id, group_id)
);

create index page_groups_group on page_groups (group_id);

create table page_visitors (
  page_id text not null,
  build_id text not null,
  day text not null,
  kind text not null,
  visitor text not null,
  constraint page_visitors_build_id_fkey foreign key (build_id) references builds(id) on delete cascade,
  constraint page_visitors_page_id_fkey foreign key (page_id) references distribution_pages(id) on delete cascade,
  constraint page_visitors_pk primary key (page_id, build_id, day, kind, visitor)
);

create index page_visitors_build on page_visitors (build_id);

create index page_visitors_day on page_visitors (day);

create table passkeys (
  id text not null,
  user_id text not null,
  credential_id text not null,
  public_key text not null,
  signature_count bigint not null,
  transports text not null,
  name text not null,
  created_at bigint not null,
  last_used_at bigint,
  constraint passkeys_credential_id_key unique (credential_id),
  constraint passkeys_pkey primary key (id),
  constraint passkeys_user_id_fkey foreign key (user_id) references users(owner_id) on delete cascade
);

create index passkeys_user on passkeys (user_id);

create table password_resets (
  token_hash text not null,
  user_id text not null,
  expires_at bigint not null,
  constraint password_resets_pkey primary key (token_hash),
  constraint password_resets_user_id_fkey foreign key (user_id) references users(owner_id) on delete cascade
);

create index password_resets_user on password_resets (user_id);

create table recovery_codes (
  user_id text not null,
  code_hash text not null,
  constraint recovery_codes_pk primary key (user_id, code_hash),
  constraint recovery_codes_user_id_fkey foreign key (user_id) references users(owner_id) on delete cascade
);

create table refused_visits (
  id text not null,
  page_id text not null,
  user_id text,
  device_id text,
  reason text not null,
  system text not null,
  at bigint not null,
  constraint refused_visits_device unique (page_id, device_id),
  constraint refused_visits_device_id_fkey foreign key (device_id) references devices(id) on delete cascade,
  constraint refused_visits_page_id_fkey foreign key (page_id) references distribution_pages(id) on delete cascade,
  constraint refused_visits_pkey primary key (id),
  constraint refused_visits_user unique (page_id, user_id),
  constraint refused_visits_user_id_fkey foreign key (user_id) references users(owner_id) on delete cascade
);

create index refused_visits_age on refused_visits (at);

create index refused_visits_of_device on refused_visits (device_id);

create index refused_visits_of_user on refused_visits (user_id);

create index refused_visits_page on refused_visits (page_id, at);

create table sessions (
  id text not null,
  user_id text not null,
  token_hash text not null,
  created_at bigint not null,
  expires_at bigint not null,
  user_agent text default ''::text not null,
  address text default ''::text not null,
  last_seen_at bigint default 0 not null,
  proven_at bigint,
  constraint sessions_pkey primary key (id),
  constraint sessions_token_hash_key unique (token_hash),
  constraint sessions_user_id_fkey foreign key (user_id) references users(owner_id) on delete cascade
);

create index sessions_expiry on sessions (expires_at);

create index sessions_user on sessions (user_id);

create table signing_keys (
  id text not null,
  owner_id text not null,
  number integer not null,
  continues smallint not null,
  origin text not null,
  certificate text not null,
  encrypted_key text not null,
  created_at bigint not null,
  constraint signing_keys_owner_id_fkey foreign key (owner_id) references owners(id) on delete cascade,
  constraint signing_keys_pkey primary key (id)
);

create unique index signing_keys_owner on signing_keys (owner_id, number);

create table stored_totals (
  owner_id text not null,
  platform text not null,
  apps bigint not null,
  builds bigint not null,
  bytes bigint not null,
  constraint stored_totals_owner_id_fkey foreign key (owner_id) references owners(id) on delete cascade,
  constraint stored_totals_pk primary key (owner_id, platform)
);

create table team_members (
  project_id text not null,
  user_id text not null,
  team text not null,
  created_at bigint not null,
  constraint team_members_pk primary key (project_id, user_id, team),
  constraint team_members_project_id_fkey foreign key (project_id) references projects(owner_id) on delete cascade,
  constraint team_members_user_id_fkey foreign key (user_id) references users(owner_id) on delete cascade
);

create index team_members_user on team_members (user_id, project_id);

create table visitor_salts (
  day text not null,
  salt text not null,
  constraint visitor_salts_pkey primary key (day)
);

create table workspace_owners (
  workspace_id text not null,
  user_id text not null,
  constraint workspace_owners_pk primary key (workspace_id, user_id),
  constraint workspace_owners_user_id_fkey foreign key (user_id) references users(owner_id) on delete cascade,
  constraint workspace_owners_workspace_id_fkey foreign key (workspace_id) references workspaces(id) on delete cascade
);

create index workspace_owners_user on workspace_owners (user_id);

create function builds_signed()
 returns trigger
 language plpgsql
as $function$
begin
  new.signer = (new.info::jsonb #>> '{signing,certificates,0,sha256}');
  return new;
end $function$;

create function slipway_apks_changed()
 returns trigger
 language plpgsql
as $function$
begin
  if tg_op = 'DELETE' then
  insert into stored_totals (owner_id, platform, apps, builds, bytes)
  select a.owner_id, a.platform, 0, 0, - coalesce(old.apk_bytes, 0) from apps as a where a.id = old.app_id
  on conflict (owner_id, platform) do update set
    apps = stored_totals.apps + excluded.apps,
    builds = stored_totals.builds + excluded.builds,
    bytes = stored_totals.bytes + excluded.bytes;
  elsif tg_op = 'INSERT' then
  insert into stored_totals (owner_id, platform, apps, builds, bytes)
  select a.owner_id, a.platform, 0, 0, coalesce(new.apk_bytes, 0) from apps as a where a.id = new.app_id
  on conflict (owner_id, platform) do update set
    apps = stored_totals.apps + excluded.apps,
    builds = stored_totals.builds + excluded.builds,
    bytes = stored_totals.bytes + excluded.bytes;
  else
  insert into stored_totals (owner_id, platform, apps, builds, bytes)
  select a.owner_id, a.platform, 0, 0, coalesce(new.apk_bytes, 0) - coalesce(old.apk_bytes, 0) from apps as a where a.id = new.app_id
  on conflict (owner_id, platform) do update set
    apps = stored_totals.apps + excluded.apps,
    builds = stored_totals.builds + excluded.builds,
    bytes = stored_totals.bytes + excluded.bytes;
  end if;
  return null;
end
$function$;

create function slipway_apks_of_app_changed()
 returns trigger
 language plpgsql
as $function$
begin
  insert into stored_totals (owner_id, platform, apps, builds, bytes)
  select old.owner_id, old.platform, 0, 0, - (select coalesce(sum(apk_bytes), 0) from builds where app_id = old.id) where true
  on conflict (owner_id, platform) do update set
    apps = stored_totals.apps + excluded.apps,
    builds = stored_totals.builds + excluded.builds,
    bytes = stored_totals.bytes + excluded.bytes;
  if tg_op = 'DELETE' then
    return old;
  end if;
  insert into stored_totals (owner_id, platform, apps, builds, bytes)
  select new.owner_id, new.platform, 0, 0, + (select coalesce(sum(apk_bytes), 0) from builds where app_id = new.id) where true
  on conflict (owner_id, platform) do update set
    apps = stored_totals.apps + excluded.apps,
    builds = stored_totals.builds + excluded.builds,
    bytes = stored_totals.bytes + excluded.bytes;
  return null;
end
$function$;

create function slipway_apps_changed()
 returns trigger
 language plpgsql
as $function$
begin
  if tg_op = 'INSERT' then
  insert into stored_totals (owner_id, platform, apps, builds, bytes)
  select new.owner_id, new.platform, case when new.deleted_at is null then 1 else 0 end, 0, 0 where true
  on conflict (owner_id, platform) do update set
    apps = stored_totals.apps + excluded.apps,
    builds = stored_totals.builds + excluded.builds,
    bytes = stored_totals.bytes + excluded.bytes;
  elsif tg_op = 'DELETE' then
  insert into stored_totals (owner_id, platform, apps, builds, bytes)
  select old.owner_id, old.platform, - case when old.deleted_at is null then 1 else 0 end, - (select count(*) from builds where app_id = old.id), - (select coalesce(sum(size_bytes + coalesce(simulator_bytes, 0)), 0) from builds where app_id = old.id) where true
  on conflict (owner_id, platform) do update set
    apps = stored_totals.apps + excluded.apps,
    builds = stored_totals.builds + excluded.builds,
    bytes = stored_totals.bytes + excluded.bytes;
    return old;
  elsif tg_argv[0] = 'moved' then
  insert into stored_totals (owner_id, platform, apps, builds, bytes)
  select old.owner_id, old.platform, - case when old.deleted_at is null then 1 else 0 end, - (select count(*) from builds where app_id = old.id), - (select coalesce(sum(size_bytes + coalesce(simulator_bytes, 0)), 0) from builds where app_id = old.id) where true
  on conflict (owner_id, platform) do update set
    apps = stored_totals.apps + excluded.apps,
    builds = stored_totals.builds + excluded.builds,
    bytes = stored_totals.bytes + excluded.bytes;
  insert into stored_totals (owner_id, platform, apps, builds, bytes)
  select new.owner_id, new.platform, + case when new.deleted_at is null then 1 else 0 end, + (select count(*) from builds where app_id = new.id), + (select coalesce(sum(size_bytes + coalesce(simulator_bytes, 0)), 0) from builds where app_id = new.id) where true
  on conflict (owner_id, platform) do update set
    apps = stored_totals.apps + excluded.apps,
    builds = stored_totals.builds + excluded.builds,
    bytes = stored_totals.bytes + excluded.bytes;
  else
  insert into stored_totals (owner_id, platform, apps, builds, bytes)
  select new.owner_id, new.platform, case when new.deleted_at is null then 1 else 0 end - case when old.deleted_at is null then 1 else 0 end, 0, 0 where true
  on conflict (owner_id, platform) do update set
    apps = stored_totals.apps + excluded.apps,
    builds = stored_totals.builds + excluded.builds,
    bytes = stored_totals.bytes + excluded.bytes;
  end if;
  return null;
end
$function$;

create function slipway_builds_added()
 returns trigger
 language plpgsql
as $function$
declare one record;
begin
  for one in select app_id, count(*) as builds, sum(size_bytes + coalesce(simulator_bytes, 0)) as bytes from added group by app_id loop
  insert into stored_totals (owner_id, platform, apps, builds, bytes)
  select a.owner_id, a.platform, 0, one.builds, one.bytes from apps as a where a.id = one.app_id
  on conflict (owner_id, platform) do update set
    apps = stored_totals.apps + excluded.apps,
    builds = stored_totals.builds + excluded.builds,
    bytes = stored_totals.bytes + excluded.bytes;
  update apps set latest_name = (select name from builds where app_id = one.app_id and deleted_at is null order by revision desc limit 1) where id = one.app_id
    and latest_name is distinct from (select name from builds where app_id = one.app_id and deleted_at is null order by revision desc limit 1);
  end loop;
  return null;
end
$function$;

create function slipway_builds_hidden()
 returns trigger
 language plpgsql
as $function$
begin
  update apps set latest_name = (select name from builds where app_id = new.app_id and deleted_at is null order by revision desc limit 1) where id = new.app_id
    and latest_name is distinct from (select name from builds where app_id = new.app_id and deleted_at is null order by revision desc limit 1);
  return null;
end
$function$;

create function slipway_builds_removed()
 returns trigger
 language plpgsql
as $function$
declare one record;
begin
  for one in select app_id, count(*) as builds, sum(size_bytes + coalesce(simulator_bytes, 0)) as bytes from removed group by app_id loop
  insert into stored_totals (owner_id, platform, apps, builds, bytes)
  select a.owner_id, a.platform, 0, - one.builds, - one.bytes from apps as a where a.id = one.app_id
  on conflict (owner_id, platform) do update set
    apps = stored_totals.apps + excluded.apps,
    builds = stored_totals.builds + excluded.builds,
    bytes = stored_totals.bytes + excluded.bytes;
  end loop;
  return null;
end
$function$;

create function slipway_secrets_account_disabled()
 returns trigger
 language plpgsql
as $function$
begin
  update apps set secret_rotations = secret_rotations + 1, secret = substr(encode(sha256(convert_to(
      gen_random_uuid()::text || gen_random_uuid()::text, 'UTF8')), 'hex'), 1, 40)
    where id in (select id from apps where deleted_at is null and id in (
      select id from apps where owner_id = new.owner_id
      union all select id from apps where owner_id in (select project_id from team_members where user_id = new.owner_id)
      union all select app_id from app_testers where user_id = new.owner_id) order by id for no key update);
  return null;
end
$function$;

create function slipway_secrets_app_moved()
 returns trigger
 language plpgsql
as $function$
begin
  update apps set secret_rotations = secret_rotations + 1, secret = substr(encode(sha256(convert_to(
      gen_random_uuid()::text || gen_random_uuid()::text, 'UTF8')), 'hex'), 1, 40)
    where id in (select id from apps where deleted_at is null and id = new.id order by id for no key update);
  return null;
end
$function$;

create function slipway_secrets_key_ended()
 returns trigger
 language plpgsql
as $function$
begin
  update apps set secret_rotations = secret_rotations + 1, secret = substr(encode(sha256(convert_to(
      gen_random_uuid()::text || gen_random_uuid()::text, 'UTF8')), 'hex'), 1, 40)
    where id in (select id from apps where deleted_at is null and (owner_id = new.owner_id or owner_id in (
      select project_id from team_members where user_id = new.owner_id and team in ('owner', 'developer'))) order by id for no key update);
  return null;
end
$function$;

create function slipway_secrets_member_removed()
 returns trigger
 language plpgsql
as $function$
begin
  update apps set secret_rotations = secret_rotations + 1, secret = substr(encode(sha256(convert_to(
      gen_random_uuid()::text || gen_random_uuid()::text, 'UTF8')), 'hex'), 1, 40)
    where id in (select id from apps where deleted_at is null and owner_id in (select project_id from removed) order by id for no key update);
  return null;
end
$function$;

create function slipway_secrets_project_moved()
 returns trigger
 language plpgsql
as $function$
begin
  update apps set secret_rotations = secret_rotations + 1, secret = substr(encode(sha256(convert_to(
      gen_random_uuid()::text || gen_random_uuid()::text, 'UTF8')), 'hex'), 1, 40)
    where id in (select id from apps where deleted_at is null and owner_id = new.owner_id order by id for no key update);
  return null;
end
$function$;

create function slipway_secrets_tester_removed()
 returns trigger
 language plpgsql
as $function$
begin
  update apps set secret_rotations = secret_rotations + 1, secret = substr(encode(sha256(convert_to(
      gen_random_uuid()::text || gen_random_uuid()::text, 'UTF8')), 'hex'), 1, 40)
    where id in (select id from apps where deleted_at is null and id in (select app_id from removed) order by id for no key update);
  return null;
end
$function$;

create trigger secrets_key_ended after update of revoked_at on api_keys for each row when (((old.revoked_at is null) and (new.revoked_at is not null))) execute function slipway_secrets_key_ended();

create trigger secrets_key_replaced after update of key_hash, previous_hash on api_keys for each row when (((old.revoked_at is null) and (((old.key_hash <> new.key_hash) and (new.previous_hash is distinct from old.key_hash)) or ((old.previous_hash is not null) and (new.previous_hash is distinct from old.previous_hash))))) execute function slipway_secrets_key_ended();

create trigger secrets_tester_removed after delete on app_testers referencing old table as removed for each statement execute function slipway_secrets_tester_removed();

create trigger apks_moved after update of owner_id, platform on apps for each row execute function slipway_apks_of_app_changed();

create trigger apks_removed_with_app before delete on apps for each row execute function slipway_apks_of_app_changed();

create trigger apps_added after insert on apps for each row execute function slipway_apps_changed();

create trigger apps_hidden after update of deleted_at on apps for each row execute function slipway_apps_changed('hidden');

create trigger apps_moved after update of owner_id, platform on apps for each row execute function slipway_apps_changed('moved');

create trigger apps_removed before delete on apps for each row execute function slipway_apps_changed();

create trigger secrets_app_moved after update of owner_id on apps for each row when ((old.owner_id is distinct from new.owner_id)) execute function slipway_secrets_app_moved();

create trigger apks_added after insert on builds for each row when ((new.apk_bytes is not null)) execute function slipway_apks_changed();

create trigger apks_changed after update of apk_bytes on builds for each row execute function slipway_apks_changed();

create trigger apks_removed after delete on builds for each row when ((old.apk_bytes is not null)) execute function slipway_apks_changed();

create trigger builds_added after insert on builds referencing new table as added for each statement execute function slipway_builds_added();

create trigger builds_hidden after update of deleted_at on builds for each row when ((old.deleted_at is distinct from new.deleted_at)) execute function slipway_builds_hidden();

create trigger builds_removed after delete on builds referencing old table as removed for each statement execute function slipway_builds_removed();

create trigger builds_signed before insert on builds for each row execute function builds_signed();

create trigger secrets_project_moved after update of workspace_id on projects for each row when ((old.workspace_id is distinct from new.workspace_id)) execute function slipway_secrets_project_moved();

create trigger secrets_member_removed after delete on team_members referencing old table as removed for each statement execute function slipway_secrets_member_removed();

create trigger secrets_account_disabled after update of disabled_at on users for each row when (((old.disabled_at is null) and (new.disabled_at is not null))) execute function slipway_secrets_account_disabled();
