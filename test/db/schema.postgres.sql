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
  constraint api_keys_key_hash_key UNIQUE (key_hash),
  constraint api_keys_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES owners(id) ON DELETE CASCADE,
  constraint api_keys_pkey PRIMARY KEY (id)
);
CREATE INDEX api_keys_owner ON public.api_keys USING btree (owner_id);

CREATE TABLE apps (
  id text not null,
  owner_id text not null,
  platform text not null,
  package_name text not null,
  secret text not null,
  last_revision bigint not null,
  created_at bigint not null,
  last_upload_at bigint not null,
  constraint apps_identity UNIQUE (owner_id, package_name, platform),
  constraint apps_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES owners(id) ON DELETE CASCADE,
  constraint apps_pkey PRIMARY KEY (id)
);
CREATE INDEX apps_last_upload ON public.apps USING btree (owner_id, last_upload_at, id);

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
  constraint audit_rows_pkey PRIMARY KEY (id)
);
CREATE INDEX audit_rows_owner ON public.audit_rows USING btree (owner_id, at);

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
  constraint builds_app_id_fkey FOREIGN KEY (app_id) REFERENCES apps(id) ON DELETE CASCADE,
  constraint builds_icon_blob_key UNIQUE (icon_blob),
  constraint builds_package_blob_key UNIQUE (package_blob),
  constraint builds_pkey PRIMARY KEY (id),
  constraint builds_revision UNIQUE (app_id, revision),
  constraint builds_simulator_blob_key UNIQUE (simulator_blob)
);

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
  constraint distribution_pages_access_key_key UNIQUE (access_key),
  constraint distribution_pages_app_id_fkey FOREIGN KEY (app_id) REFERENCES apps(id) ON DELETE CASCADE,
  constraint distribution_pages_build_id_fkey FOREIGN KEY (build_id) REFERENCES builds(id),
  constraint distribution_pages_name UNIQUE (app_id, name),
  constraint distribution_pages_pkey PRIMARY KEY (id)
);
CREATE INDEX distribution_pages_build ON public.distribution_pages USING btree (build_id);

CREATE TABLE distribution_updates (
  id text not null,
  page_id text not null,
  build_id text not null,
  release_note text not null,
  created_at bigint not null,
  constraint distribution_updates_build_id_fkey FOREIGN KEY (build_id) REFERENCES builds(id) ON DELETE CASCADE,
  constraint distribution_updates_page_id_fkey FOREIGN KEY (page_id) REFERENCES distribution_pages(id) ON DELETE CASCADE,
  constraint distribution_updates_pkey PRIMARY KEY (id)
);
CREATE INDEX distribution_updates_build ON public.distribution_updates USING btree (build_id);
CREATE INDEX distribution_updates_page ON public.distribution_updates USING btree (page_id, id);

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

CREATE TABLE outbox (
  id text not null,
  kind text not null,
  payload text not null,
  attempts integer not null,
  run_at bigint not null,
  leased_until bigint,
  last_error text,
  created_at bigint not null,
  constraint outbox_pkey PRIMARY KEY (id)
);
CREATE INDEX outbox_due ON public.outbox USING btree (run_at, id);

CREATE TABLE owners (
  id text not null,
  kind text not null,
  name text not null,
  name_key text not null,
  created_at bigint not null,
  constraint owners_name_key_key UNIQUE (name_key),
  constraint owners_pkey PRIMARY KEY (id)
);

CREATE TABLE projects (
  owner_id text not null,
  description text not null,
  workspace_id text,
  constraint projects_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES owners(id) ON DELETE CASCADE,
  constraint projects_pkey PRIMARY KEY (owner_id),
  constraint projects_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id)
);
CREATE INDEX projects_workspace ON public.projects USING btree (workspace_id);

CREATE TABLE schema_migrations (
  name text not null,
  applied_at bigint not null,
  constraint schema_migrations_pkey PRIMARY KEY (name)
);

CREATE TABLE sessions (
  id text not null,
  user_id text not null,
  token_hash text not null,
  created_at bigint not null,
  expires_at bigint not null,
  constraint sessions_pkey PRIMARY KEY (id),
  constraint sessions_token_hash_key UNIQUE (token_hash),
  constraint sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(owner_id) ON DELETE CASCADE
);
CREATE INDEX sessions_expiry ON public.sessions USING btree (expires_at);
CREATE INDEX sessions_user ON public.sessions USING btree (user_id);

CREATE TABLE team_members (
  project_id text not null,
  user_id text not null,
  team text not null,
  created_at bigint not null,
  constraint team_members_pk PRIMARY KEY (project_id, user_id, team),
  constraint team_members_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(owner_id) ON DELETE CASCADE,
  constraint team_members_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(owner_id) ON DELETE CASCADE
);
CREATE INDEX team_members_user ON public.team_members USING btree (user_id, project_id);

CREATE TABLE users (
  owner_id text not null,
  email text,
  email_key text,
  password_hash text,
  administrator smallint not null,
  constraint users_email_key_key UNIQUE (email_key),
  constraint users_owner_id_fkey FOREIGN KEY (owner_id) REFERENCES owners(id) ON DELETE CASCADE,
  constraint users_pkey PRIMARY KEY (owner_id)
);

CREATE TABLE workspace_owners (
  workspace_id text not null,
  user_id text not null,
  constraint workspace_owners_pk PRIMARY KEY (workspace_id, user_id),
  constraint workspace_owners_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(owner_id) ON DELETE CASCADE,
  constraint workspace_owners_workspace_id_fkey FOREIGN KEY (workspace_id) REFERENCES workspaces(id) ON DELETE CASCADE
);

CREATE TABLE workspaces (
  id text not null,
  name text not null,
  name_key text not null,
  display_name text not null,
  icon_url text not null,
  created_at bigint not null,
  constraint workspaces_name_key_key UNIQUE (name_key),
  constraint workspaces_pkey PRIMARY KEY (id)
);
