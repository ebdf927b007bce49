CREATE TABLE api_keys (
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
  trusted_publisher_id text,
  source text,
  constraint api_keys_key_hash_key UNIQUE (key_hash),
  constraint api_keys_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES owners(id) ON DELETE CASCADE,
  constraint api_keys_pkey PRIMARY KEY (id),
  constraint api_keys_trusted_publisher_id_fkey FOREIGN KEY (trusted_publisher_id) REFERENCES trusted_publishers(id) ON DELETE CASCADE
);
CREATE INDEX api_keys_creator ON public.api_keys USING btree (created_by);
CREATE INDEX api_keys_owner ON public.api_keys USING btree (owner_id);
CREATE UNIQUE INDEX api_keys_previous ON public.api_keys USING btree (previous_hash);
CREATE INDEX api_keys_replaced ON public.api_keys USING btree (previous_until) WHERE (previous_until IS NOT NULL);
CREATE INDEX api_keys_trusted ON public.api_keys USING btree (trusted_publisher_id) WHERE (trusted_publisher_id IS NOT NULL);
CREATE INDEX api_keys_unnoticed ON public.api_keys USING btree (expires_at) WHERE ((revoked_at IS NULL) AND (expires_at IS NOT NULL));
CREATE TRIGGER secrets_key_ended AFTER UPDATE OF revoked_at ON public.api_keys FOR EACH ROW WHEN (((old.revoked_at IS NULL) AND (new.revoked_at IS NOT NULL))) EXECUTE FUNCTION slipway_secrets_key_ended();
CREATE TRIGGER secrets_key_replaced AFTER UPDATE OF key_hash, previous_hash ON public.api_keys FOR EACH ROW WHEN (((old.revoked_at IS NULL) AND (((old.key_hash <> new.key_hash) AND (new.previous_hash IS DISTINCT FROM old.key_hash)) OR ((old.previous_hash IS NOT NULL) AND (new.previous_hash IS DISTINCT FROM old.previous_hash))))) EXECUTE FUNCTION slipway_secrets_key_ended();

CREATE TABLE app_testers (
  app_id text not null,
  user_id text not null,
  created_at bigint not null,
  added_by text,
  constraint app_testers_app_id_fkey FOREIGN KEY (app_id) REFERENCES apps(id) ON DELETE CASCADE,
  constraint app_testers_pk PRIMARY KEY (app_id, user_id),
  constraint app_testers_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(owner_id) ON DELETE CASCADE
);
CREATE INDEX app_testers_user ON public.app_testers USING btree (user_id);
CREATE TRIGGER secrets_tester_removed AFTER DELETE ON public.app_testers REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION slipway_secrets_tester_removed();

CREATE TABLE apps (
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
  secret_rotations integer not null,
  stored_builds bigint not null,
  stored_bytes bigint not null,
  trusted_publishers_only smallint not null,
  checks text,
  constraint apps_identity UNIQUE (owner_id, package_name, platform),
  constraint apps_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES owners(id) ON DELETE CASCADE,
  constraint apps_pkey PRIMARY KEY (id)
);
CREATE INDEX apps_listed ON public.apps USING btree (owner_id, last_upload_at, id) WHERE (deleted_at IS NULL);
CREATE INDEX apps_retention ON public.apps USING btree (id) WHERE (retention IS NOT NULL);
CREATE TRIGGER apks_moved AFTER UPDATE OF owner_id, platform ON public.apps FOR EACH ROW EXECUTE FUNCTION slipway_apks_of_app_changed();
CREATE TRIGGER apks_removed_with_app BEFORE DELETE ON public.apps FOR EACH ROW EXECUTE FUNCTION slipway_apks_of_app_changed();
CREATE TRIGGER apps_added AFTER INSERT ON public.apps FOR EACH ROW EXECUTE FUNCTION slipway_apps_changed();
CREATE TRIGGER apps_hidden AFTER UPDATE OF deleted_at ON public.apps FOR EACH ROW EXECUTE FUNCTION slipway_apps_changed('hidden');
CREATE TRIGGER apps_moved AFTER UPDATE OF owner_id, platform ON public.apps FOR EACH ROW EXECUTE FUNCTION slipway_apps_changed('moved');
CREATE TRIGGER apps_removed BEFORE DELETE ON public.apps FOR EACH ROW EXECUTE FUNCTION slipway_apps_changed();
CREATE TRIGGER secrets_app_moved AFTER UPDATE OF owner_id ON public.apps FOR EACH ROW WHEN ((old.owner_id IS DISTINCT FROM new.owner_id)) EXECUTE FUNCTION slipway_secrets_app_moved();
CREATE TRIGGER symbols_moved AFTER UPDATE OF owner_id, platform ON public.apps FOR EACH ROW EXECUTE FUNCTION slipway_symbols_of_app_changed();
CREATE TRIGGER symbols_removed_with_app BEFORE DELETE ON public.apps FOR EACH ROW EXECUTE FUNCTION slipway_symbols_of_app_changed();

CREATE TABLE attempts (
  subject text not null,
  count integer not null,
  since bigint not null,
  constraint attempts_pkey PRIMARY KEY (subject)
);
CREATE INDEX attempts_age ON public.attempts USING btree (since);

CREATE TABLE attestations (
  id text not null,
  build_id text not null,
  bundle text not null,
  bundle_sha256 text not null,
  facts text not null,
  attached_at bigint not null,
  attached_by text not null,
  constraint attestations_build_id_fkey FOREIGN KEY (build_id) REFERENCES builds(id) ON DELETE CASCADE,
  constraint attestations_bundle UNIQUE (build_id, bundle_sha256),
  constraint attestations_pkey PRIMARY KEY (id)
);

CREATE TABLE audit_rows (
  id text not null,
  at bigint not null,
  actor_kind text not null,
  actor_id text,
  actor_name text not null,
  action text not null,
  owner_id text,
  subject text not null,
  details text not null,
  sealed smallint not null,
  constraint audit_rows_pkey PRIMARY KEY (id)
);
CREATE INDEX audit_rows_action ON public.audit_rows USING btree (action, id);
CREATE INDEX audit_rows_actor ON public.audit_rows USING btree (actor_name, id);
CREATE INDEX audit_rows_owner ON public.audit_rows USING btree (owner_id, id);
CREATE INDEX audit_rows_owner_action ON public.audit_rows USING btree (owner_id, action, id);
CREATE INDEX audit_rows_owner_actor ON public.audit_rows USING btree (owner_id, actor_name, id);
CREATE INDEX audit_rows_unsealed ON public.audit_rows USING btree (id) WHERE (sealed = 0);

CREATE TABLE audit_seals (
  seq bigint not null,
  entry_id text not null,
  salt text,
  entry_hash text not null,
  hash text not null,
  waiver text,
  constraint audit_seals_entry UNIQUE (entry_id),
  constraint audit_seals_pkey PRIMARY KEY (seq)
);

CREATE TABLE branding (
  id text not null,
  workspace_id text,
  name text,
  accent text,
  support text,
  logo text,
  logo_name text,
  constraint branding_pkey PRIMARY KEY (id),
  constraint branding_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE,
  constraint branding_workspace_id_key UNIQUE (workspace_id)
);
CREATE INDEX branding_logo_name ON public.branding USING btree (logo_name);

CREATE TABLE build_analyses (
  build_id text not null,
  analyzer_version bigint not null,
  analyzed_at bigint not null,
  analysis text,
  failure text,
  download_bytes bigint,
  install_bytes bigint,
  constraint build_analyses_build_id_fkey FOREIGN KEY (build_id) REFERENCES builds(id) ON DELETE CASCADE,
  constraint build_analyses_pkey PRIMARY KEY (build_id)
);
CREATE INDEX build_analyses_version ON public.build_analyses USING btree (analyzer_version, build_id);

CREATE TABLE build_checks (
  build_id text not null,
  facts text not null,
  updated_at bigint not null,
  constraint build_checks_build_id_fkey FOREIGN KEY (build_id) REFERENCES builds(id) ON DELETE CASCADE,
  constraint build_checks_pkey PRIMARY KEY (build_id)
);

CREATE TABLE build_counts (
  app_id text not null,
  build_id text not null,
  day text not null,
  kind text not null,
  platform text not null,
  system text not null,
  times bigint not null,
  people bigint not null,
  constraint build_counts_app_id_fkey FOREIGN KEY (app_id) REFERENCES apps(id) ON DELETE CASCADE,
  constraint build_counts_build_id_fkey FOREIGN KEY (build_id) REFERENCES builds(id) ON DELETE CASCADE,
  constraint build_counts_pk PRIMARY KEY (build_id, day, kind, platform, system)
);
CREATE INDEX build_counts_app ON public.build_counts USING btree (app_id, day);

CREATE TABLE build_libraries (
  build_id text not null,
  library text not null,
  name_key text not null,
  version text not null,
  constraint build_libraries_build_id_fkey FOREIGN KEY (build_id) REFERENCES builds(id) ON DELETE CASCADE,
  constraint build_libraries_pk PRIMARY KEY (build_id, library, version)
);
CREATE INDEX build_libraries_name ON public.build_libraries USING btree (name_key, build_id);

CREATE TABLE build_words (
  app_id text not null,
  revision bigint not null,
  words text not null,
  constraint build_words_build FOREIGN KEY (app_id, revision) REFERENCES builds(app_id, revision) ON DELETE CASCADE,
  constraint build_words_pk PRIMARY KEY (app_id, revision)
);

CREATE TABLE builds (
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
  protected smallint not null,
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
  source text,
  constraint builds_app_id_fkey FOREIGN KEY (app_id) REFERENCES apps(id) ON DELETE CASCADE,
  constraint builds_icon_blob_key UNIQUE (icon_blob),
  constraint builds_package_blob_key UNIQUE (package_blob),
  constraint builds_pkey PRIMARY KEY (id),
  constraint builds_revision UNIQUE (app_id, revision),
  constraint builds_simulator_blob_key UNIQUE (simulator_blob)
);
CREATE UNIQUE INDEX builds_apk_blob ON public.builds USING btree (apk_blob);
CREATE INDEX builds_branch ON public.builds USING btree (app_id, branch, revision) WHERE (deleted_at IS NULL);
CREATE INDEX builds_commit ON public.builds USING btree (app_id, commit_id, revision);
CREATE INDEX builds_damaged ON public.builds USING btree (id) WHERE (damage IS NOT NULL);
CREATE INDEX builds_deleted ON public.builds USING btree (app_id, deleted_at, revision) WHERE (deleted_at IS NOT NULL);
CREATE INDEX builds_label ON public.builds USING btree (app_id, label, revision) WHERE (deleted_at IS NULL);
CREATE INDEX builds_listed ON public.builds USING btree (app_id, revision) WHERE (deleted_at IS NULL);
CREATE INDEX builds_protected ON public.builds USING btree (app_id) WHERE ((protected = 1) AND (deleted_at IS NULL));
CREATE INDEX builds_sha256 ON public.builds USING btree (app_id, sha256, revision);
CREATE INDEX builds_signer ON public.builds USING btree (app_id, signer, revision) WHERE (deleted_at IS NULL);
CREATE INDEX builds_storage ON public.builds USING btree (app_id, size_bytes, simulator_bytes);
CREATE INDEX builds_uploaded_by ON public.builds USING btree (app_id, uploaded_by, revision) WHERE (deleted_at IS NULL);
CREATE INDEX builds_version ON public.builds USING btree (app_id, version_code, revision);
CREATE TRIGGER apks_added AFTER INSERT ON public.builds FOR EACH ROW WHEN ((new.apk_bytes IS NOT NULL)) EXECUTE FUNCTION slipway_apks_changed();
CREATE TRIGGER apks_changed AFTER UPDATE OF apk_bytes ON public.builds FOR EACH ROW EXECUTE FUNCTION slipway_apks_changed();
CREATE TRIGGER apks_removed AFTER DELETE ON public.builds FOR EACH ROW WHEN ((old.apk_bytes IS NOT NULL)) EXECUTE FUNCTION slipway_apks_changed();
CREATE TRIGGER app_totals_added AFTER INSERT ON public.builds REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION slipway_app_totals('1');
CREATE TRIGGER app_totals_changed AFTER UPDATE OF size_bytes, simulator_bytes, apk_bytes ON public.builds FOR EACH ROW EXECUTE FUNCTION slipway_app_bytes();
CREATE TRIGGER app_totals_removed AFTER DELETE ON public.builds REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION slipway_app_totals('-1');
CREATE TRIGGER builds_added AFTER INSERT ON public.builds REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION slipway_builds_added();
CREATE TRIGGER builds_hidden AFTER UPDATE OF deleted_at ON public.builds FOR EACH ROW WHEN ((old.deleted_at IS DISTINCT FROM new.deleted_at)) EXECUTE FUNCTION slipway_builds_hidden();
CREATE TRIGGER builds_removed AFTER DELETE ON public.builds REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION slipway_builds_removed();
CREATE TRIGGER builds_signed BEFORE INSERT ON public.builds FOR EACH ROW EXECUTE FUNCTION builds_signed();

CREATE TABLE check_acceptances (
  build_id text not null,
  check_id text not null,
  reason text not null,
  accepted_by text not null,
  created_at bigint not null,
  constraint check_acceptances_build_id_fkey FOREIGN KEY (build_id) REFERENCES builds(id) ON DELETE CASCADE,
  constraint check_acceptances_pk PRIMARY KEY (build_id, check_id)
);

CREATE TABLE claimed_group_members (
  group_id text not null,
  user_id text not null,
  created_at bigint not null,
  constraint claimed_group_members_group_id_fkey FOREIGN KEY (group_id) REFERENCES claimed_groups(id) ON DELETE CASCADE,
  constraint claimed_group_members_pk PRIMARY KEY (group_id, user_id),
  constraint claimed_group_members_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(owner_id) ON DELETE CASCADE
);
CREATE INDEX claimed_group_members_user ON public.claimed_group_members USING btree (user_id);

CREATE TABLE claimed_groups (
  id text not null,
  workspace_id text not null,
  source text not null,
  name text not null,
  name_key text not null,
  created_by text not null,
  created_at bigint not null,
  constraint claimed_groups_name UNIQUE (workspace_id, source, name_key),
  constraint claimed_groups_pkey PRIMARY KEY (id),
  constraint claimed_groups_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE
);
CREATE INDEX claimed_groups_source ON public.claimed_groups USING btree (source, name_key);

CREATE TABLE device_codes (
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
  sign_ons text,
  constraint device_codes_pkey PRIMARY KEY (id)
);
CREATE INDEX device_codes_expires_at ON public.device_codes USING btree (expires_at);
CREATE UNIQUE INDEX device_codes_secret_hash ON public.device_codes USING btree (secret_hash);
CREATE UNIQUE INDEX device_codes_user_code_hash ON public.device_codes USING btree (user_code_hash);
CREATE INDEX device_codes_user_id ON public.device_codes USING btree (user_id);

CREATE TABLE devices (
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
  constraint devices_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES owners(id) ON DELETE CASCADE,
  constraint devices_page_id_fkey FOREIGN KEY (page_id) REFERENCES distribution_pages(id) ON DELETE SET NULL,
  constraint devices_pkey PRIMARY KEY (id),
  constraint devices_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(owner_id) ON DELETE SET NULL
);
CREATE INDEX devices_browser ON public.devices USING btree (browser);
CREATE UNIQUE INDEX devices_of_browser ON public.devices USING btree (owner_id, udid, browser) WHERE (user_id IS NULL);
CREATE UNIQUE INDEX devices_of_user ON public.devices USING btree (owner_id, udid, user_id) WHERE (user_id IS NOT NULL);
CREATE INDEX devices_page ON public.devices USING btree (page_id);
CREATE INDEX devices_udid ON public.devices USING btree (owner_id, udid);
CREATE INDEX devices_user ON public.devices USING btree (user_id);

CREATE TABLE distribution_pages (
  id text not null,
  app_id text not null,
  access_key text not null,
  name text not null,
  active smallint not null,
  build_id text not null,
  release_note text not null,
  created_at bigint not null,
  updated_at bigint not null,
  access text not null,
  passcode_hash text,
  expires_at bigint,
  max_installs bigint,
  installs bigint not null,
  networks text not null,
  feedback smallint not null,
  mandatory_from bigint,
  constraint distribution_pages_access_key_key UNIQUE (access_key),
  constraint distribution_pages_app_id_fkey FOREIGN KEY (app_id) REFERENCES apps(id) ON DELETE CASCADE,
  constraint distribution_pages_build_id_fkey FOREIGN KEY (build_id) REFERENCES builds(id),
  constraint distribution_pages_name UNIQUE (app_id, name),
  constraint distribution_pages_pkey PRIMARY KEY (id)
);
CREATE INDEX distribution_pages_build ON public.distribution_pages USING btree (build_id);
CREATE INDEX distribution_pages_newest ON public.distribution_pages USING btree (app_id, updated_at, id);

CREATE TABLE distribution_updates (
  id text not null,
  page_id text not null,
  build_id text not null,
  release_note text not null,
  created_at bigint not null,
  withdrawn smallint not null,
  constraint distribution_updates_build_id_fkey FOREIGN KEY (build_id) REFERENCES builds(id) ON DELETE CASCADE,
  constraint distribution_updates_page_id_fkey FOREIGN KEY (page_id) REFERENCES distribution_pages(id) ON DELETE CASCADE,
  constraint distribution_updates_pkey PRIMARY KEY (id)
);
CREATE INDEX distribution_updates_build ON public.distribution_updates USING btree (build_id);
CREATE INDEX distribution_updates_page ON public.distribution_updates USING btree (page_id, id);
CREATE INDEX distribution_updates_served ON public.distribution_updates USING btree (page_id, build_id, id);

CREATE TABLE events (
  owner_id text not null,
  position bigint not null,
  id text not null,
  type text not null,
  app text,
  at bigint not null,
  data text not null,
  constraint events_id_key UNIQUE (id),
  constraint events_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES owners(id),
  constraint events_pk PRIMARY KEY (owner_id, "position")
);
CREATE INDEX events_app ON public.events USING btree (owner_id, app, "position");
CREATE INDEX events_at ON public.events USING btree (at);
CREATE INDEX events_type ON public.events USING btree (owner_id, type, "position");

CREATE TABLE feedback (
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
  constraint feedback_app_id_fkey FOREIGN KEY (app_id) REFERENCES apps(id) ON DELETE CASCADE,
  constraint feedback_build_id_fkey FOREIGN KEY (build_id) REFERENCES builds(id) ON DELETE CASCADE,
  constraint feedback_page_id_fkey FOREIGN KEY (page_id) REFERENCES distribution_pages(id) ON DELETE SET NULL,
  constraint feedback_pkey PRIMARY KEY (id)
);
CREATE INDEX feedback_app ON public.feedback USING btree (app_id, id);
CREATE INDEX feedback_build ON public.feedback USING btree (build_id, id);
CREATE INDEX feedback_page ON public.feedback USING btree (page_id);
CREATE INDEX feedback_state ON public.feedback USING btree (app_id, state, id);

CREATE TABLE feedback_replies (
  id text not null,
  feedback_id text not null,
  author text not null,
  body text not null,
  state text not null,
  created_at bigint not null,
  constraint feedback_replies_feedback_id_fkey FOREIGN KEY (feedback_id) REFERENCES feedback(id) ON DELETE CASCADE,
  constraint feedback_replies_pkey PRIMARY KEY (id)
);
CREATE INDEX feedback_replies_feedback ON public.feedback_replies USING btree (feedback_id, id);

CREATE TABLE feedback_screenshots (
  feedback_id text not null,
  number integer not null,
  blob text not null,
  size_bytes bigint not null,
  sha256 text not null,
  constraint feedback_screenshots_blob_key UNIQUE (blob),
  constraint feedback_screenshots_feedback_id_fkey FOREIGN KEY (feedback_id) REFERENCES feedback(id) ON DELETE CASCADE,
  constraint feedback_screenshots_key PRIMARY KEY (feedback_id, number)
);

CREATE TABLE granted_memberships (
  mapping_id text not null,
  user_id text not null,
  joined_team smallint not null,
  created_at bigint not null,
  constraint granted_memberships_mapping_id_fkey FOREIGN KEY (mapping_id) REFERENCES group_mappings(id) ON DELETE CASCADE,
  constraint granted_memberships_pk PRIMARY KEY (mapping_id, user_id),
  constraint granted_memberships_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(owner_id) ON DELETE CASCADE
);
CREATE INDEX granted_memberships_user ON public.granted_memberships USING btree (user_id);

CREATE TABLE group_managers (
  group_id text not null,
  user_id text not null,
  created_at bigint not null,
  constraint group_managers_group_id_fkey FOREIGN KEY (group_id) REFERENCES groups(id) ON DELETE CASCADE,
  constraint group_managers_pk PRIMARY KEY (group_id, user_id),
  constraint group_managers_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(owner_id) ON DELETE CASCADE
);
CREATE INDEX group_managers_user ON public.group_managers USING btree (user_id);

CREATE TABLE group_mappings (
  id text not null,
  workspace_id text not null,
  scim_group_id text,
  project_id text,
  team text,
  group_id text,
  created_by text not null,
  created_at bigint not null,
  claimed_group_id text,
  constraint group_mappings_claimed_group_id_fkey FOREIGN KEY (claimed_group_id) REFERENCES claimed_groups(id) ON DELETE CASCADE,
  constraint group_mappings_group_id_fkey FOREIGN KEY (group_id) REFERENCES groups(id) ON DELETE CASCADE,
  constraint group_mappings_pkey PRIMARY KEY (id),
  constraint group_mappings_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(owner_id) ON DELETE CASCADE,
  constraint group_mappings_scim_group_id_fkey FOREIGN KEY (scim_group_id) REFERENCES scim_groups(id) ON DELETE CASCADE,
  constraint group_mappings_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE
);
CREATE INDEX group_mappings_claimed_group ON public.group_mappings USING btree (claimed_group_id);
CREATE INDEX group_mappings_group ON public.group_mappings USING btree (scim_group_id);
CREATE INDEX group_mappings_project ON public.group_mappings USING btree (project_id);
CREATE INDEX group_mappings_tester_group ON public.group_mappings USING btree (group_id);
CREATE INDEX group_mappings_workspace ON public.group_mappings USING btree (workspace_id);

CREATE TABLE group_members (
  group_id text not null,
  user_id text not null,
  created_at bigint not null,
  added_by text,
  constraint group_members_group_id_fkey FOREIGN KEY (group_id) REFERENCES groups(id) ON DELETE CASCADE,
  constraint group_members_pk PRIMARY KEY (group_id, user_id),
  constraint group_members_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(owner_id) ON DELETE CASCADE
);
CREATE INDEX group_members_user ON public.group_members USING btree (user_id);

CREATE TABLE groups (
  id text not null,
  owner_id text not null,
  name text not null,
  name_key text not null,
  created_at bigint not null,
  constraint groups_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES owners(id) ON DELETE CASCADE,
  constraint groups_owner_name UNIQUE (owner_id, name_key),
  constraint groups_pkey PRIMARY KEY (id)
);

CREATE TABLE hook_deliveries (
  id text not null,
  hook_id text not null,
  event_id text not null,
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
  constraint hook_deliveries_hook_id_fkey FOREIGN KEY (hook_id) REFERENCES hooks(id) ON DELETE CASCADE,
  constraint hook_deliveries_once UNIQUE (hook_id, event_id),
  constraint hook_deliveries_pkey PRIMARY KEY (id)
);
CREATE INDEX hook_deliveries_listed ON public.hook_deliveries USING btree (hook_id, id);

CREATE TABLE hooks (
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
  created_by text,
  constraint hooks_app_id_fkey FOREIGN KEY (app_id) REFERENCES apps(id) ON DELETE CASCADE,
  constraint hooks_created_by_fkey FOREIGN KEY (created_by) REFERENCES users(owner_id) ON DELETE SET NULL,
  constraint hooks_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES owners(id),
  constraint hooks_pkey PRIMARY KEY (id)
);
CREATE INDEX hooks_app ON public.hooks USING btree (app_id);
CREATE INDEX hooks_creator ON public.hooks USING btree (created_by);
CREATE INDEX hooks_owner ON public.hooks USING btree (owner_id, app_id, id);

CREATE TABLE idempotency_keys (
  owner_id text not null,
  key text not null,
  sha256 text not null,
  build_id text not null,
  page_id text,
  created_at bigint not null,
  constraint idempotency_keys_build_id_fkey FOREIGN KEY (build_id) REFERENCES builds(id) ON DELETE CASCADE,
  constraint idempotency_keys_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES owners(id) ON DELETE CASCADE,
  constraint idempotency_keys_page_id_fkey FOREIGN KEY (page_id) REFERENCES distribution_pages(id) ON DELETE SET NULL,
  constraint idempotency_keys_pk PRIMARY KEY (owner_id, key)
);
CREATE INDEX idempotency_keys_age ON public.idempotency_keys USING btree (created_at);
CREATE INDEX idempotency_keys_build ON public.idempotency_keys USING btree (build_id);
CREATE INDEX idempotency_keys_page ON public.idempotency_keys USING btree (page_id);

CREATE TABLE idempotent_requests (
  owner_id text not null,
  key text not null,
  digest text not null,
  encrypted_answer text,
  created_at bigint not null,
  leased_until bigint,
  held_by text,
  claim_number bigint,
  constraint idempotent_requests_pk PRIMARY KEY (owner_id, key)
);
CREATE INDEX idempotent_requests_created_at ON public.idempotent_requests USING btree (created_at);
CREATE INDEX idempotent_requests_held_by ON public.idempotent_requests USING btree (held_by, claim_number);

CREATE TABLE identities (
  issuer text not null,
  subject text not null,
  user_id text not null,
  created_at bigint not null,
  label text not null,
  disabled_account smallint not null,
  constraint identities_pk PRIMARY KEY (issuer, subject),
  constraint identities_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(owner_id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX identities_user ON public.identities USING btree (user_id, issuer);

CREATE TABLE install_systems (
  page_id text not null,
  build_id text not null,
  day text not null,
  system text not null,
  installs bigint not null,
  constraint install_systems_build_id_fkey FOREIGN KEY (build_id) REFERENCES builds(id) ON DELETE CASCADE,
  constraint install_systems_page_id_fkey FOREIGN KEY (page_id) REFERENCES distribution_pages(id) ON DELETE CASCADE,
  constraint install_systems_pk PRIMARY KEY (page_id, day, build_id, system)
);
CREATE INDEX install_systems_build ON public.install_systems USING btree (build_id);

CREATE TABLE install_tickets (
  page_id text not null,
  ticket text not null,
  used_at bigint not null,
  constraint install_tickets_page_id_fkey FOREIGN KEY (page_id) REFERENCES distribution_pages(id) ON DELETE CASCADE,
  constraint install_tickets_pk PRIMARY KEY (page_id, ticket)
);
CREATE INDEX install_tickets_age ON public.install_tickets USING btree (used_at);

CREATE TABLE installation_facts (
  name text not null,
  value text not null,
  constraint installation_facts_pkey PRIMARY KEY (name)
);

CREATE TABLE invitation_exclusions (
  invitation_id text not null,
  user_id text not null,
  constraint invitation_exclusions_invitation_id_fkey FOREIGN KEY (invitation_id) REFERENCES invitations(id) ON DELETE CASCADE,
  constraint invitation_exclusions_pk PRIMARY KEY (invitation_id, user_id),
  constraint invitation_exclusions_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(owner_id) ON DELETE CASCADE
);
CREATE INDEX invitation_exclusions_user ON public.invitation_exclusions USING btree (user_id);

CREATE TABLE invitations (
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
  people bigint not null,
  group_id text,
  constraint invitations_app_id_fkey FOREIGN KEY (app_id) REFERENCES apps(id) ON DELETE CASCADE,
  constraint invitations_group_id_fkey FOREIGN KEY (group_id) REFERENCES groups(id) ON DELETE SET NULL,
  constraint invitations_pkey PRIMARY KEY (id),
  constraint invitations_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(owner_id) ON DELETE CASCADE,
  constraint invitations_token_hash_key UNIQUE (token_hash),
  constraint invitations_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(owner_id) ON DELETE CASCADE,
  constraint invitations_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE
);
CREATE INDEX invitations_app ON public.invitations USING btree (app_id);
CREATE INDEX invitations_email ON public.invitations USING btree (lower((email COLLATE "C")));
CREATE INDEX invitations_group ON public.invitations USING btree (group_id) WHERE (group_id IS NOT NULL);
CREATE INDEX invitations_links_app_id ON public.invitations USING btree (app_id, id) WHERE (max_people IS NOT NULL);
CREATE INDEX invitations_links_project_id ON public.invitations USING btree (project_id, id) WHERE (max_people IS NOT NULL);
CREATE INDEX invitations_project ON public.invitations USING btree (project_id, id);
CREATE INDEX invitations_user ON public.invitations USING btree (user_id);
CREATE INDEX invitations_workspace ON public.invitations USING btree (workspace_id);

CREATE TABLE key_registrations (
  app_id text not null,
  sha256 text not null,
  registered_at bigint not null,
  constraint key_registrations_app_id_fkey FOREIGN KEY (app_id) REFERENCES apps(id) ON DELETE CASCADE,
  constraint key_registrations_pk PRIMARY KEY (app_id, sha256)
);

CREATE TABLE key_sign_ons (
  key_id text not null,
  issuer text not null,
  constraint key_sign_ons_key_id_fkey FOREIGN KEY (key_id) REFERENCES api_keys(id) ON DELETE CASCADE,
  constraint key_sign_ons_pk PRIMARY KEY (key_id, issuer)
);

CREATE TABLE mail_choices (
  user_id text not null,
  app_id text not null,
  wanted smallint not null,
  updated_at bigint not null,
  constraint mail_choices_app_id_fkey FOREIGN KEY (app_id) REFERENCES apps(id) ON DELETE CASCADE,
  constraint mail_choices_pk PRIMARY KEY (user_id, app_id),
  constraint mail_choices_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(owner_id) ON DELETE CASCADE
);
CREATE INDEX mail_choices_app ON public.mail_choices USING btree (app_id);

CREATE TABLE mails (
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
  constraint mails_build_id_fkey FOREIGN KEY (build_id) REFERENCES builds(id) ON DELETE SET NULL,
  constraint mails_once UNIQUE (build_id, user_id),
  constraint mails_page_id_fkey FOREIGN KEY (page_id) REFERENCES distribution_pages(id) ON DELETE SET NULL,
  constraint mails_pkey PRIMARY KEY (id),
  constraint mails_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(owner_id) ON DELETE CASCADE
);
CREATE INDEX mails_page ON public.mails USING btree (page_id);
CREATE INDEX mails_state ON public.mails USING btree (state, id);
CREATE INDEX mails_user ON public.mails USING btree (user_id);

CREATE TABLE member_activity (
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
  constraint member_activity_app_id_fkey FOREIGN KEY (app_id) REFERENCES apps(id) ON DELETE CASCADE,
  constraint member_activity_build_id_fkey FOREIGN KEY (build_id) REFERENCES builds(id) ON DELETE CASCADE,
  constraint member_activity_once UNIQUE (build_id, user_id, page_id),
  constraint member_activity_page_id_fkey FOREIGN KEY (page_id) REFERENCES distribution_pages(id) ON DELETE CASCADE,
  constraint member_activity_pkey PRIMARY KEY (id),
  constraint member_activity_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(owner_id) ON DELETE CASCADE
);
CREATE INDEX member_activity_age ON public.member_activity USING btree (last_at);
CREATE INDEX member_activity_app ON public.member_activity USING btree (app_id, last_at, id);
CREATE INDEX member_activity_build ON public.member_activity USING btree (build_id, last_at, id);
CREATE UNIQUE INDEX member_activity_direct ON public.member_activity USING btree (build_id, user_id) WHERE (page_id IS NULL);
CREATE INDEX member_activity_installs ON public.member_activity USING btree (app_id, installed_at, user_id, build_id, first_installed_at);
CREATE INDEX member_activity_page ON public.member_activity USING btree (page_id, last_at, id);
CREATE INDEX member_activity_user ON public.member_activity USING btree (user_id, page_id);

CREATE TABLE nodes (
  id text not null,
  host text not null,
  clock_offset_ms bigint not null,
  seen_at bigint not null,
  constraint nodes_pkey PRIMARY KEY (id)
);

CREATE TABLE outbox (
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
  constraint outbox_pkey PRIMARY KEY (id)
);
CREATE INDEX outbox_held_by ON public.outbox USING btree (held_by, claim_number);
CREATE INDEX outbox_leases ON public.outbox USING btree (leased_until) WHERE (leased_until IS NOT NULL);
CREATE INDEX outbox_planned ON public.outbox USING btree (run_at, id) WHERE ((queue IS NULL) AND (leased_until IS NULL));
CREATE INDEX outbox_turns ON public.outbox USING btree (queue, queued_for, run_at, id) WHERE ((queue IS NOT NULL) AND (leased_until IS NULL));

CREATE TABLE owners (
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
  trusted_publishers_only smallint not null,
  constraint owners_name_key_key UNIQUE (name_key),
  constraint owners_pkey PRIMARY KEY (id)
);
CREATE INDEX owners_accountable ON public.owners USING btree (accountable_id);
CREATE INDEX owners_deleted ON public.owners USING btree (deleted_at) WHERE (deleted_at IS NOT NULL);
CREATE INDEX owners_listed ON public.owners USING btree (kind, name_key, id) WHERE (deleted_at IS NULL);
CREATE INDEX owners_retention ON public.owners USING btree (id) WHERE (retention IS NOT NULL);

CREATE TABLE package_commits (
  build_id text not null,
  commit_id text not null,
  constraint package_commits_build_id_fkey FOREIGN KEY (build_id) REFERENCES builds(id) ON DELETE CASCADE,
  constraint package_commits_pkey PRIMARY KEY (build_id)
);

CREATE TABLE page_counts (
  page_id text not null,
  build_id text not null,
  day text not null,
  platform text not null,
  kind text not null,
  times bigint not null,
  people bigint not null,
  members bigint not null,
  constraint page_counts_build_id_fkey FOREIGN KEY (build_id) REFERENCES builds(id) ON DELETE CASCADE,
  constraint page_counts_page_id_fkey FOREIGN KEY (page_id) REFERENCES distribution_pages(id) ON DELETE CASCADE,
  constraint page_counts_pk PRIMARY KEY (page_id, build_id, day, platform, kind)
);
CREATE INDEX page_counts_build ON public.page_counts USING btree (build_id, day);
CREATE INDEX page_counts_day ON public.page_counts USING btree (page_id, day);

CREATE TABLE page_groups (
  page_id text not null,
  group_id text not null,
  constraint page_groups_group_id_fkey FOREIGN KEY (group_id) REFERENCES groups(id) ON DELETE CASCADE,
  constraint page_groups_page_id_fkey FOREIGN KEY (page_id) REFERENCES distribution_pages(id) ON DELETE CASCADE,
  constraint page_groups_pk PRIMARY KEY (page_id, group_id)
);
CREATE INDEX page_groups_group ON public.page_groups USING btree (group_id);

CREATE TABLE page_visitors (
  page_id text not null,
  build_id text not null,
  day text not null,
  kind text not null,
  visitor text not null,
  constraint page_visitors_build_id_fkey FOREIGN KEY (build_id) REFERENCES builds(id) ON DELETE CASCADE,
  constraint page_visitors_page_id_fkey FOREIGN KEY (page_id) REFERENCES distribution_pages(id) ON DELETE CASCADE,
  constraint page_visitors_pk PRIMARY KEY (page_id, build_id, day, kind, visitor)
);
CREATE INDEX page_visitors_build ON public.page_visitors USING btree (build_id);
CREATE INDEX page_visitors_day ON public.page_visitors USING btree (day);

CREATE TABLE passkeys (
  id text not null,
  user_id text not null,
  credential_id text not null,
  public_key text not null,
  signature_count bigint not null,
  transports text not null,
  name text not null,
  created_at bigint not null,
  last_used_at bigint,
  constraint passkeys_credential_id_key UNIQUE (credential_id),
  constraint passkeys_pkey PRIMARY KEY (id),
  constraint passkeys_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(owner_id) ON DELETE CASCADE
);
CREATE INDEX passkeys_user ON public.passkeys USING btree (user_id);

CREATE TABLE password_resets (
  token_hash text not null,
  user_id text not null,
  expires_at bigint not null,
  constraint password_resets_pkey PRIMARY KEY (token_hash),
  constraint password_resets_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(owner_id) ON DELETE CASCADE
);
CREATE INDEX password_resets_user ON public.password_resets USING btree (user_id);

CREATE TABLE projects (
  owner_id text not null,
  description text not null,
  workspace_id text,
  constraint projects_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES owners(id) ON DELETE CASCADE,
  constraint projects_pkey PRIMARY KEY (owner_id),
  constraint projects_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id)
);
CREATE INDEX projects_workspace ON public.projects USING btree (workspace_id);
CREATE TRIGGER secrets_project_moved AFTER UPDATE OF workspace_id ON public.projects FOR EACH ROW WHEN ((old.workspace_id IS DISTINCT FROM new.workspace_id)) EXECUTE FUNCTION slipway_secrets_project_moved();

CREATE TABLE provider_accounts (
  user_id text not null,
  workspace_id text not null,
  created_at bigint not null,
  constraint provider_accounts_pkey PRIMARY KEY (user_id),
  constraint provider_accounts_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(owner_id) ON DELETE CASCADE,
  constraint provider_accounts_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE
);
CREATE INDEX provider_accounts_workspace ON public.provider_accounts USING btree (workspace_id);

CREATE TABLE recovery_codes (
  user_id text not null,
  code_hash text not null,
  constraint recovery_codes_pk PRIMARY KEY (user_id, code_hash),
  constraint recovery_codes_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(owner_id) ON DELETE CASCADE
);

CREATE TABLE refused_visits (
  id text not null,
  page_id text not null,
  user_id text,
  device_id text,
  reason text not null,
  system text not null,
  at bigint not null,
  constraint refused_visits_device UNIQUE (page_id, device_id),
  constraint refused_visits_device_id_fkey FOREIGN KEY (device_id) REFERENCES devices(id) ON DELETE CASCADE,
  constraint refused_visits_page_id_fkey FOREIGN KEY (page_id) REFERENCES distribution_pages(id) ON DELETE CASCADE,
  constraint refused_visits_pkey PRIMARY KEY (id),
  constraint refused_visits_user UNIQUE (page_id, user_id),
  constraint refused_visits_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(owner_id) ON DELETE CASCADE
);
CREATE INDEX refused_visits_age ON public.refused_visits USING btree (at);
CREATE INDEX refused_visits_of_device ON public.refused_visits USING btree (device_id);
CREATE INDEX refused_visits_of_user ON public.refused_visits USING btree (user_id);
CREATE INDEX refused_visits_page ON public.refused_visits USING btree (page_id, at);

CREATE TABLE resumable_uploads (
  id text not null,
  owner_id text not null,
  sender_id text not null,
  key_id text not null,
  idempotency_key text,
  fields text not null,
  size_bytes bigint not null,
  received_bytes bigint not null,
  pieces text not null,
  sessions bigint not null,
  unfinished_blob text,
  state text not null,
  result text,
  created_at bigint not null,
  expires_at bigint not null,
  leased_until bigint,
  held_by text,
  claim_number bigint,
  constraint resumable_uploads_pkey PRIMARY KEY (id)
);
CREATE INDEX resumable_uploads_expiry ON public.resumable_uploads USING btree (expires_at);
CREATE INDEX resumable_uploads_held_by ON public.resumable_uploads USING btree (held_by, claim_number);
CREATE INDEX resumable_uploads_key ON public.resumable_uploads USING btree (key_id);
CREATE INDEX resumable_uploads_owner ON public.resumable_uploads USING btree (owner_id, state);

CREATE TABLE saml_metadata (
  place text not null,
  xml text,
  read_at bigint,
  tried_at bigint not null,
  problem text,
  constraint saml_metadata_pkey PRIMARY KEY (place)
);

CREATE TABLE saml_sessions (
  session_id text not null,
  issuer text not null,
  name_id text not null,
  name_id_format text,
  session_index text,
  signed_in_at bigint not null,
  joined smallint not null,
  constraint saml_sessions_session PRIMARY KEY (session_id, issuer),
  constraint saml_sessions_session_id_fkey FOREIGN KEY (session_id) REFERENCES sessions(id) ON DELETE CASCADE
);
CREATE INDEX saml_sessions_person ON public.saml_sessions USING btree (issuer, name_id);

CREATE TABLE schema_migrations (
  name text not null,
  applied_at bigint not null,
  constraint schema_migrations_pkey PRIMARY KEY (name)
);

CREATE TABLE scim_group_members (
  group_id text not null,
  workspace_id text not null,
  user_id text not null,
  constraint scim_group_members_group_id_fkey FOREIGN KEY (group_id) REFERENCES scim_groups(id) ON DELETE CASCADE,
  constraint scim_group_members_pk PRIMARY KEY (group_id, user_id),
  constraint scim_group_members_user FOREIGN KEY (workspace_id, user_id) REFERENCES scim_users(workspace_id, user_id) ON DELETE CASCADE
);
CREATE INDEX scim_group_members_of ON public.scim_group_members USING btree (workspace_id, user_id);

CREATE TABLE scim_groups (
  id text not null,
  workspace_id text not null,
  display_name text not null,
  display_key text not null,
  external_id text,
  version integer not null,
  created_at bigint not null,
  updated_at bigint not null,
  constraint scim_groups_name UNIQUE (workspace_id, display_key),
  constraint scim_groups_pkey PRIMARY KEY (id),
  constraint scim_groups_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE
);

CREATE TABLE scim_tokens (
  id text not null,
  workspace_id text not null,
  name text not null,
  token_hash text not null,
  created_by text not null,
  created_at bigint not null,
  expires_at bigint,
  last_used_at bigint,
  constraint scim_tokens_hash UNIQUE (token_hash),
  constraint scim_tokens_name UNIQUE (workspace_id, name),
  constraint scim_tokens_pkey PRIMARY KEY (id),
  constraint scim_tokens_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE
);

CREATE TABLE scim_users (
  workspace_id text not null,
  user_id text not null,
  user_name text not null,
  user_name_key text not null,
  external_id text,
  display_name text,
  display_key text,
  formatted_name text,
  given_name text,
  given_key text,
  family_name text,
  family_key text,
  email text,
  email_key text,
  email_type text,
  active smallint not null,
  covers text not null,
  disabled_account smallint not null,
  version integer not null,
  created_at bigint not null,
  updated_at bigint not null,
  deleted_at bigint,
  constraint scim_users_pk PRIMARY KEY (workspace_id, user_id),
  constraint scim_users_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(owner_id) ON DELETE CASCADE,
  constraint scim_users_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX scim_users_account ON public.scim_users USING btree (user_id) WHERE ((covers = 'account'::text) AND (deleted_at IS NULL));
CREATE INDEX scim_users_external ON public.scim_users USING btree (workspace_id, external_id);
CREATE UNIQUE INDEX scim_users_name ON public.scim_users USING btree (workspace_id, user_name_key) WHERE (deleted_at IS NULL);
CREATE INDEX scim_users_user ON public.scim_users USING btree (user_id);

CREATE TABLE sessions (
  id text not null,
  user_id text not null,
  token_hash text not null,
  created_at bigint not null,
  expires_at bigint not null,
  user_agent text not null,
  address text not null,
  last_seen_at bigint not null,
  proven_at bigint,
  constraint sessions_pkey PRIMARY KEY (id),
  constraint sessions_token_hash_key UNIQUE (token_hash),
  constraint sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(owner_id) ON DELETE CASCADE
);
CREATE INDEX sessions_expiry ON public.sessions USING btree (expires_at);
CREATE INDEX sessions_user ON public.sessions USING btree (user_id);

CREATE TABLE signing_keys (
  id text not null,
  owner_id text not null,
  number integer not null,
  continues smallint not null,
  origin text not null,
  certificate text not null,
  encrypted_key text not null,
  created_at bigint not null,
  constraint signing_keys_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES owners(id) ON DELETE CASCADE,
  constraint signing_keys_pkey PRIMARY KEY (id)
);
CREATE UNIQUE INDEX signing_keys_owner ON public.signing_keys USING btree (owner_id, number);

CREATE TABLE store_rule_reminders (
  app_id text not null,
  rule_id text not null,
  days bigint not null,
  created_at bigint not null,
  constraint store_rule_reminders_app_id_fkey FOREIGN KEY (app_id) REFERENCES apps(id) ON DELETE CASCADE,
  constraint store_rule_reminders_pk PRIMARY KEY (app_id, rule_id, days)
);

CREATE TABLE store_rules (
  id text not null,
  kind text,
  threshold bigint,
  source text,
  from_day text,
  muted smallint not null,
  updated_at bigint not null,
  constraint store_rules_pkey PRIMARY KEY (id)
);

CREATE TABLE stored_totals (
  owner_id text not null,
  platform text not null,
  apps bigint not null,
  builds bigint not null,
  bytes bigint not null,
  constraint stored_totals_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES owners(id) ON DELETE CASCADE,
  constraint stored_totals_pk PRIMARY KEY (owner_id, platform)
);

CREATE TABLE symbol_files (
  id text not null,
  build_id text not null,
  app_id text not null,
  file_name text not null,
  facts text not null,
  blob text not null,
  size_bytes bigint not null,
  sha256 text not null,
  uploaded_by text not null,
  created_at bigint not null,
  constraint symbol_files_blob UNIQUE (blob),
  constraint symbol_files_build_id_fkey FOREIGN KEY (build_id) REFERENCES builds(id) ON DELETE CASCADE,
  constraint symbol_files_content UNIQUE (build_id, sha256),
  constraint symbol_files_pkey PRIMARY KEY (id)
);
CREATE INDEX symbol_files_app_id ON public.symbol_files USING btree (app_id);
CREATE TRIGGER symbols_added AFTER INSERT ON public.symbol_files FOR EACH ROW EXECUTE FUNCTION slipway_symbols_changed();
CREATE TRIGGER symbols_removed AFTER DELETE ON public.symbol_files FOR EACH ROW EXECUTE FUNCTION slipway_symbols_changed();

CREATE TABLE team_members (
  project_id text not null,
  user_id text not null,
  team text not null,
  created_at bigint not null,
  added_by text,
  constraint team_members_pk PRIMARY KEY (project_id, user_id, team),
  constraint team_members_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(owner_id) ON DELETE CASCADE,
  constraint team_members_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(owner_id) ON DELETE CASCADE
);
CREATE INDEX team_members_user ON public.team_members USING btree (user_id, project_id);
CREATE TRIGGER secrets_member_removed AFTER DELETE ON public.team_members REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION slipway_secrets_member_removed();

CREATE TABLE trusted_publishers (
  id text not null,
  owner_id text not null,
  name text not null,
  platform text,
  package_name text,
  page_name_pattern text,
  provider text not null,
  issuer text not null,
  rules text not null,
  pinned text not null,
  allow_self_hosted smallint not null,
  created_by text,
  created_at bigint not null,
  last_used_at bigint,
  last_refused_at bigint,
  last_refusal text,
  constraint trusted_publishers_name UNIQUE (owner_id, name),
  constraint trusted_publishers_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES owners(id) ON DELETE CASCADE,
  constraint trusted_publishers_pkey PRIMARY KEY (id)
);
CREATE INDEX trusted_publishers_creator ON public.trusted_publishers USING btree (created_by);
CREATE INDEX trusted_publishers_issuer ON public.trusted_publishers USING btree (issuer, owner_id);

CREATE TABLE used_id_tokens (
  issuer text not null,
  token_id text not null,
  expires_at bigint not null,
  constraint used_id_tokens_pk PRIMARY KEY (issuer, token_id)
);
CREATE INDEX used_id_tokens_expiry ON public.used_id_tokens USING btree (expires_at);

CREATE TABLE used_saml_ids (
  id_hash text not null,
  expires_at bigint not null,
  constraint used_saml_ids_pkey PRIMARY KEY (id_hash)
);
CREATE INDEX used_saml_ids_expiry ON public.used_saml_ids USING btree (expires_at);

CREATE TABLE users (
  owner_id text not null,
  email text,
  email_key text,
  password_hash text,
  administrator smallint not null,
  must_change_password smallint not null,
  totp_secret text,
  totp_last_step bigint,
  email_confirmed smallint not null,
  disabled_at bigint,
  last_seen_at bigint,
  language text,
  access_epoch integer not null,
  constraint users_email_key_key UNIQUE (email_key),
  constraint users_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES owners(id) ON DELETE CASCADE,
  constraint users_pkey PRIMARY KEY (owner_id)
);
CREATE INDEX users_addresses ON public.users USING btree (email_key, owner_id);
CREATE INDEX users_administrators ON public.users USING btree (owner_id) WHERE (administrator = 1);
CREATE INDEX users_disabled ON public.users USING btree (owner_id) WHERE (disabled_at IS NOT NULL);
CREATE TRIGGER secrets_account_disabled AFTER UPDATE OF disabled_at ON public.users FOR EACH ROW WHEN (((old.disabled_at IS NULL) AND (new.disabled_at IS NOT NULL))) EXECUTE FUNCTION slipway_secrets_account_disabled();

CREATE TABLE visitor_salts (
  day text not null,
  salt text not null,
  constraint visitor_salts_pkey PRIMARY KEY (day)
);

CREATE TABLE workspace_domains (
  domain text not null,
  workspace_id text not null,
  created_at bigint not null,
  constraint workspace_domains_pkey PRIMARY KEY (domain),
  constraint workspace_domains_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE
);
CREATE INDEX workspace_domains_workspace ON public.workspace_domains USING btree (workspace_id);

CREATE TABLE workspace_members (
  workspace_id text not null,
  user_id text not null,
  created_at bigint,
  added_by text,
  constraint workspace_members_pk PRIMARY KEY (workspace_id, user_id),
  constraint workspace_members_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(owner_id) ON DELETE CASCADE,
  constraint workspace_members_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE
);
CREATE INDEX workspace_members_user ON public.workspace_members USING btree (user_id);

CREATE TABLE workspace_owners (
  workspace_id text not null,
  user_id text not null,
  added_by text,
  created_at bigint,
  constraint workspace_owners_pk PRIMARY KEY (workspace_id, user_id),
  constraint workspace_owners_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(owner_id) ON DELETE CASCADE,
  constraint workspace_owners_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE
);
CREATE INDEX workspace_owners_user ON public.workspace_owners USING btree (user_id);

CREATE TABLE workspace_providers (
  workspace_id text not null,
  name text not null,
  metadata_url text,
  entity_id text not null,
  attributes text,
  required_at bigint,
  created_at bigint not null,
  constraint workspace_providers_pkey PRIMARY KEY (workspace_id),
  constraint workspace_providers_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE
);

CREATE TABLE workspaces (
  id text not null,
  name text not null,
  name_key text not null,
  display_name text not null,
  icon_url text not null,
  created_at bigint not null,
  deleted_at bigint,
  retention text,
  policies text,
  constraint workspaces_name_key_key UNIQUE (name_key),
  constraint workspaces_pkey PRIMARY KEY (id)
);
CREATE INDEX workspaces_retention ON public.workspaces USING btree (id) WHERE (retention IS NOT NULL);

CREATE OR REPLACE FUNCTION public.builds_signed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  new.signer = (new.info::jsonb #>> '{signing,certificates,0,sha256}');
  return new;
end $function$;

CREATE OR REPLACE FUNCTION public.slipway_apks_changed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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

CREATE OR REPLACE FUNCTION public.slipway_apks_of_app_changed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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

CREATE OR REPLACE FUNCTION public.slipway_app_bytes()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  begin
    update apps set stored_bytes = stored_bytes + new.size_bytes + coalesce(new.simulator_bytes, 0) + coalesce(new.apk_bytes, 0) - (old.size_bytes + coalesce(old.simulator_bytes, 0) + coalesce(old.apk_bytes, 0)) where id = new.app_id;
    return null;
  end $function$;

CREATE OR REPLACE FUNCTION public.slipway_app_totals()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  begin
    update apps set stored_builds = stored_builds + c.builds, stored_bytes = stored_bytes + c.bytes from (
      select app_id, sum(builds) as builds, sum(bytes) as bytes from (
        select app_id, tg_argv[0]::int as builds, tg_argv[0]::int * (size_bytes + coalesce(simulator_bytes, 0) + coalesce(apk_bytes, 0)) as bytes from changed
      ) as b group by app_id
    ) as c where id = c.app_id;
    return null;
  end $function$;

CREATE OR REPLACE FUNCTION public.slipway_apps_changed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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

CREATE OR REPLACE FUNCTION public.slipway_builds_added()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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

CREATE OR REPLACE FUNCTION public.slipway_builds_hidden()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update apps set latest_name = (select name from builds where app_id = new.app_id and deleted_at is null order by revision desc limit 1) where id = new.app_id
    and latest_name is distinct from (select name from builds where app_id = new.app_id and deleted_at is null order by revision desc limit 1);
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION public.slipway_builds_removed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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

CREATE OR REPLACE FUNCTION public.slipway_secrets_account_disabled()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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

CREATE OR REPLACE FUNCTION public.slipway_secrets_app_moved()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update apps set secret_rotations = secret_rotations + 1, secret = substr(encode(sha256(convert_to(
      gen_random_uuid()::text || gen_random_uuid()::text, 'UTF8')), 'hex'), 1, 40)
    where id in (select id from apps where deleted_at is null and id = new.id order by id for no key update);
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION public.slipway_secrets_key_ended()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update apps set secret_rotations = secret_rotations + 1, secret = substr(encode(sha256(convert_to(
      gen_random_uuid()::text || gen_random_uuid()::text, 'UTF8')), 'hex'), 1, 40)
    where id in (select id from apps where deleted_at is null and (owner_id = new.owner_id or owner_id in (
      select project_id from team_members where user_id = new.owner_id and team in ('owner', 'developer'))) order by id for no key update);
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION public.slipway_secrets_member_removed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update apps set secret_rotations = secret_rotations + 1, secret = substr(encode(sha256(convert_to(
      gen_random_uuid()::text || gen_random_uuid()::text, 'UTF8')), 'hex'), 1, 40)
    where id in (select id from apps where deleted_at is null and owner_id in (select project_id from removed) order by id for no key update);
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION public.slipway_secrets_project_moved()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update apps set secret_rotations = secret_rotations + 1, secret = substr(encode(sha256(convert_to(
      gen_random_uuid()::text || gen_random_uuid()::text, 'UTF8')), 'hex'), 1, 40)
    where id in (select id from apps where deleted_at is null and owner_id = new.owner_id order by id for no key update);
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION public.slipway_secrets_tester_removed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  update apps set secret_rotations = secret_rotations + 1, secret = substr(encode(sha256(convert_to(
      gen_random_uuid()::text || gen_random_uuid()::text, 'UTF8')), 'hex'), 1, 40)
    where id in (select id from apps where deleted_at is null and id in (select app_id from removed) order by id for no key update);
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION public.slipway_symbols_changed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  begin
    if tg_op = 'INSERT' then
      
    
    insert into stored_totals (owner_id, platform, apps, builds, bytes)
    select a.owner_id, a.platform, 0, 0, new.size_bytes from apps as a where a.id = new.app_id
    on conflict (owner_id, platform) do update set bytes = stored_totals.bytes + excluded.bytes;
    update apps set stored_bytes = stored_bytes + new.size_bytes where id = new.app_id;
    else
      
    
    insert into stored_totals (owner_id, platform, apps, builds, bytes)
    select a.owner_id, a.platform, 0, 0, - old.size_bytes from apps as a where a.id = old.app_id
    on conflict (owner_id, platform) do update set bytes = stored_totals.bytes + excluded.bytes;
    update apps set stored_bytes = stored_bytes + - old.size_bytes where id = old.app_id;
    end if;
    return null;
  end $function$;

CREATE OR REPLACE FUNCTION public.slipway_symbols_of_app_changed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  begin
    
    insert into stored_totals (owner_id, platform, apps, builds, bytes)
    select old.owner_id, old.platform, 0, 0, - (select coalesce(sum(size_bytes), 0) from symbol_files where app_id = old.id) where true
    on conflict (owner_id, platform) do update set bytes = stored_totals.bytes + excluded.bytes;
    if tg_op = 'DELETE' then
      return old;
    end if;
    
    insert into stored_totals (owner_id, platform, apps, builds, bytes)
    select new.owner_id, new.platform, 0, 0, (select coalesce(sum(size_bytes), 0) from symbol_files where app_id = new.id) where true
    on conflict (owner_id, platform) do update set bytes = stored_totals.bytes + excluded.bytes;
    return null;
  end $function$;
