CREATE TABLE "api_keys" (
  "id" text primary key,
  "owner_id" text not null references "owners" ("id") on delete cascade,
  "name" text not null,
  "key_hash" text not null unique,
  "hint" text not null,
  "created_at" bigint not null,
  "expires_at" bigint,
  "last_used_at" bigint,
  "revoked_at" bigint
);

CREATE INDEX "api_keys_owner" on "api_keys" ("owner_id");

CREATE TABLE "apps" (
  "id" text primary key,
  "owner_id" text not null references "owners" ("id") on delete cascade,
  "platform" text not null,
  "package_name" text not null,
  "secret" text not null,
  "last_revision" bigint not null,
  "created_at" bigint not null,
  "last_upload_at" bigint not null,
  constraint "apps_identity" unique ("owner_id", "package_name", "platform")
);

CREATE INDEX "apps_last_upload" on "apps" ("owner_id", "last_upload_at", "id");

CREATE TABLE "audit_rows" (
  "id" text primary key,
  "at" bigint not null,
  "actor_kind" text not null,
  "actor_id" text,
  "actor_name" text not null,
  "action" text not null,
  "owner_id" text,
  "subject" text not null,
  "details" text not null
);

CREATE INDEX "audit_rows_owner" on "audit_rows" ("owner_id", "at");

CREATE TABLE "builds" (
  "id" text primary key,
  "app_id" text not null references "apps" ("id") on delete cascade,
  "revision" bigint not null,
  "name" text not null,
  "version_name" text,
  "version_code" text not null,
  "info" text not null,
  "size_bytes" bigint not null,
  "md5" text not null,
  "sha256" text not null,
  "package_blob" text not null unique,
  "simulator_blob" text unique,
  "simulator_bytes" bigint,
  "icon_state" text not null,
  "icon_blob" text unique,
  "verification" text,
  "message" text not null,
  "branch" text,
  "commit_id" text,
  "build_url" text,
  "label" text,
  "upload_warnings" text not null,
  "uploaded_by" text not null,
  "created_at" bigint not null,
  constraint "builds_revision" unique ("app_id", "revision")
);

CREATE TABLE "distribution_pages" (
  "id" text primary key,
  "app_id" text not null references "apps" ("id") on delete cascade,
  "access_key" text not null unique,
  "name" text not null,
  "active" smallint not null,
  "build_id" text not null references "builds" ("id"),
  "release_note" text not null,
  "created_at" bigint not null,
  "updated_at" bigint not null,
  constraint "distribution_pages_name" unique ("app_id", "name")
);

CREATE INDEX "distribution_pages_build" on "distribution_pages" ("build_id");

CREATE TABLE "distribution_updates" (
  "id" text primary key,
  "page_id" text not null references "distribution_pages" ("id") on delete cascade,
  "build_id" text not null references "builds" ("id") on delete cascade,
  "release_note" text not null,
  "created_at" bigint not null
);

CREATE INDEX "distribution_updates_build" on "distribution_updates" ("build_id");

CREATE INDEX "distribution_updates_page" on "distribution_updates" ("page_id", "id");

CREATE TABLE "idempotency_keys" (
  "owner_id" text not null references "owners" ("id") on delete cascade,
  "key" text not null,
  "sha256" text not null,
  "build_id" text not null references "builds" ("id") on delete cascade,
  "page_id" text references "distribution_pages" ("id") on delete set null,
  "created_at" bigint not null,
  constraint "idempotency_keys_pk" primary key ("owner_id", "key")
);

CREATE INDEX "idempotency_keys_age" on "idempotency_keys" ("created_at");

CREATE INDEX "idempotency_keys_build" on "idempotency_keys" ("build_id");

CREATE INDEX "idempotency_keys_page" on "idempotency_keys" ("page_id");

CREATE TABLE "outbox" (
  "id" text primary key,
  "kind" text not null,
  "payload" text not null,
  "attempts" integer not null,
  "run_at" bigint not null,
  "leased_until" bigint,
  "last_error" text,
  "created_at" bigint not null
);

CREATE INDEX "outbox_due" on "outbox" ("run_at", "id");

CREATE TABLE "owners" (
  "id" text primary key,
  "kind" text not null,
  "name" text not null,
  "name_key" text not null unique,
  "created_at" bigint not null
);

CREATE TABLE "projects" (
  "owner_id" text primary key references "owners" ("id") on delete cascade,
  "description" text not null,
  "workspace_id" text references "workspaces" ("id")
);

CREATE INDEX "projects_workspace" on "projects" ("workspace_id");

CREATE TABLE schema_migrations (
  name text primary key,
  applied_at bigint not null
);

CREATE TABLE "sessions" (
  "id" text primary key,
  "user_id" text not null references "users" ("owner_id") on delete cascade,
  "token_hash" text not null unique,
  "created_at" bigint not null,
  "expires_at" bigint not null
);

CREATE INDEX "sessions_expiry" on "sessions" ("expires_at");

CREATE INDEX "sessions_user" on "sessions" ("user_id");

CREATE TABLE "team_members" (
  "project_id" text not null references "projects" ("owner_id") on delete cascade,
  "user_id" text not null references "users" ("owner_id") on delete cascade,
  "team" text not null,
  "created_at" bigint not null,
  constraint "team_members_pk" primary key ("project_id", "user_id", "team")
);

CREATE INDEX "team_members_user" on "team_members" ("user_id", "project_id");

CREATE TABLE "users" (
  "owner_id" text primary key references "owners" ("id") on delete cascade,
  "email" text,
  "email_key" text unique,
  "password_hash" text,
  "administrator" smallint not null
);

CREATE TABLE "workspace_owners" (
  "workspace_id" text not null references "workspaces" ("id") on delete cascade,
  "user_id" text not null references "users" ("owner_id") on delete cascade,
  constraint "workspace_owners_pk" primary key ("workspace_id", "user_id")
);

CREATE TABLE "workspaces" (
  "id" text primary key,
  "name" text not null,
  "name_key" text not null unique,
  "display_name" text not null,
  "icon_url" text not null,
  "created_at" bigint not null
);
