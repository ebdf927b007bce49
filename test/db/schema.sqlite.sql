CREATE TRIGGER secrets_key_ended after update of revoked_at on api_keys when old.revoked_at is null
    and new.revoked_at is not null begin
  update apps set secret = lower(hex(randomblob(20))), secret_rotations = secret_rotations + 1
    where deleted_at is null and (owner_id = new.owner_id or owner_id in (
      select project_id from team_members where user_id = new.owner_id and team in ('owner', 'developer')));
end;

CREATE TRIGGER secrets_key_replaced after update of key_hash, previous_hash on api_keys
  when old.revoked_at is null
    and ((old.key_hash <> new.key_hash and new.previous_hash is distinct from old.key_hash)
      or (old.previous_hash is not null and new.previous_hash is distinct from old.previous_hash)) begin
  update apps set secret = lower(hex(randomblob(20))), secret_rotations = secret_rotations + 1
    where deleted_at is null and (owner_id = new.owner_id or owner_id in (
      select project_id from team_members where user_id = new.owner_id and team in ('owner', 'developer')));
end;

CREATE TABLE "api_keys" (
  "id" text primary key,
  "owner_id" text not null references "owners" ("id") on delete cascade,
  "name" text not null,
  "key_hash" text not null unique,
  "hint" text not null,
  "created_at" bigint not null,
  "expires_at" bigint,
  "last_used_at" bigint,
  "revoked_at" bigint,
  "scopes" text not null,
  "restricted_to" text,
  "created_by" text,
  "created_by_name" text,
  "last_used_network" text,
  "previous_hash" text,
  "previous_until" bigint,
  "rotated_at" bigint,
  "client" text
,
  trusted_publisher_id text references trusted_publishers (id) on delete cascade,
  source text
);

CREATE INDEX api_keys_creator on api_keys (created_by);

CREATE INDEX "api_keys_owner" on "api_keys" ("owner_id");

CREATE UNIQUE INDEX "api_keys_previous" on "api_keys" ("previous_hash");

CREATE INDEX "api_keys_replaced" on "api_keys" ("previous_until") where "previous_until" is not null;

CREATE INDEX api_keys_trusted on api_keys (trusted_publisher_id) where trusted_publisher_id is not null;

CREATE INDEX "api_keys_unnoticed" on "api_keys" ("expires_at") where "revoked_at" is null and "expires_at" is not null;

CREATE TRIGGER secrets_tester_removed after delete on app_testers begin
  update apps set secret = lower(hex(randomblob(20))), secret_rotations = secret_rotations + 1
    where deleted_at is null and id = old.app_id;
end;

CREATE TABLE "app_testers" (
  "app_id" text not null references "apps" ("id") on delete cascade,
  "user_id" text not null references "users" ("owner_id") on delete cascade,
  "created_at" bigint not null,
  added_by text,
  constraint "app_testers_pk" primary key ("app_id", "user_id")
);

CREATE INDEX "app_testers_user" on "app_testers" ("user_id");

CREATE TRIGGER apks_moved after update of owner_id, platform on apps begin
  insert into stored_totals (owner_id, platform, apps, builds, bytes)
  select old.owner_id, old.platform, 0, 0, - (select coalesce(sum(apk_bytes), 0) from builds where app_id = old.id) where true
  on conflict (owner_id, platform) do update set
    apps = stored_totals.apps + excluded.apps,
    builds = stored_totals.builds + excluded.builds,
    bytes = stored_totals.bytes + excluded.bytes;
  insert into stored_totals (owner_id, platform, apps, builds, bytes)
  select new.owner_id, new.platform, 0, 0, + (select coalesce(sum(apk_bytes), 0) from builds where app_id = new.id) where true
  on conflict (owner_id, platform) do update set
    apps = stored_totals.apps + excluded.apps,
    builds = stored_totals.builds + excluded.builds,
    bytes = stored_totals.bytes + excluded.bytes;
end;

CREATE TRIGGER apks_removed_with_app before delete on apps begin
  insert into stored_totals (owner_id, platform, apps, builds, bytes)
  select old.owner_id, old.platform, 0, 0, - (select coalesce(sum(apk_bytes), 0) from builds where app_id = old.id) where true
  on conflict (owner_id, platform) do update set
    apps = stored_totals.apps + excluded.apps,
    builds = stored_totals.builds + excluded.builds,
    bytes = stored_totals.bytes + excluded.bytes;
end;

CREATE TRIGGER apps_added after insert on apps begin
  insert into stored_totals (owner_id, platform, apps, builds, bytes)
  select new.owner_id, new.platform, case when new.deleted_at is null then 1 else 0 end, 0, 0 where true
  on conflict (owner_id, platform) do update set
    apps = stored_totals.apps + excluded.apps,
    builds = stored_totals.builds + excluded.builds,
    bytes = stored_totals.bytes + excluded.bytes;
end;

CREATE TRIGGER apps_hidden after update of deleted_at on apps begin
  insert into stored_totals (owner_id, platform, apps, builds, bytes)
  select new.owner_id, new.platform, case when new.deleted_at is null then 1 else 0 end - case when old.deleted_at is null then 1 else 0 end, 0, 0 where true
  on conflict (owner_id, platform) do update set
    apps = stored_totals.apps + excluded.apps,
    builds = stored_totals.builds + excluded.builds,
    bytes = stored_totals.bytes + excluded.bytes;
end;

CREATE TRIGGER apps_moved after update of owner_id, platform on apps begin
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
end;

CREATE TRIGGER apps_removed before delete on apps begin
  insert into stored_totals (owner_id, platform, apps, builds, bytes)
  select old.owner_id, old.platform, - case when old.deleted_at is null then 1 else 0 end, - (select count(*) from builds where app_id = old.id), - (select coalesce(sum(size_bytes + coalesce(simulator_bytes, 0)), 0) from builds where app_id = old.id) where true
  on conflict (owner_id, platform) do update set
    apps = stored_totals.apps + excluded.apps,
    builds = stored_totals.builds + excluded.builds,
    bytes = stored_totals.bytes + excluded.bytes;
end;

CREATE TRIGGER secrets_app_moved after update of owner_id on apps when old.owner_id is distinct from new.owner_id begin
  update apps set secret = lower(hex(randomblob(20))), secret_rotations = secret_rotations + 1
    where deleted_at is null and id = new.id;
end;

CREATE TRIGGER symbols_moved after update of owner_id, platform on apps begin
    
    insert into stored_totals (owner_id, platform, apps, builds, bytes)
    select old.owner_id, old.platform, 0, 0, - (select coalesce(sum(size_bytes), 0) from symbol_files where app_id = old.id) where true
    on conflict (owner_id, platform) do update set bytes = stored_totals.bytes + excluded.bytes;
    
    insert into stored_totals (owner_id, platform, apps, builds, bytes)
    select new.owner_id, new.platform, 0, 0, (select coalesce(sum(size_bytes), 0) from symbol_files where app_id = new.id) where true
    on conflict (owner_id, platform) do update set bytes = stored_totals.bytes + excluded.bytes;
  end;

CREATE TRIGGER symbols_removed_with_app before delete on apps begin
    
    insert into stored_totals (owner_id, platform, apps, builds, bytes)
    select old.owner_id, old.platform, 0, 0, - (select coalesce(sum(size_bytes), 0) from symbol_files where app_id = old.id) where true
    on conflict (owner_id, platform) do update set bytes = stored_totals.bytes + excluded.bytes;
  end;

CREATE TABLE "apps" (
  "id" text primary key,
  "owner_id" text not null references "owners" ("id") on delete cascade,
  "platform" text not null,
  "package_name" text not null,
  "secret" text not null,
  "last_revision" bigint not null,
  "created_at" bigint not null,
  "last_upload_at" bigint not null,
  "deleted_at" bigint,
  "retention" text,
  "latest_name" text,
  "secret_rotations" integer default 0 not null,
  stored_builds bigint not null default 0,
  stored_bytes bigint not null default 0,
  trusted_publishers_only smallint not null default 0,
  checks text,
  constraint "apps_identity" unique ("owner_id", "package_name", "platform")
);

CREATE INDEX "apps_listed" on "apps" ("owner_id", "last_upload_at", "id") where "deleted_at" is null;

CREATE INDEX "apps_retention" on "apps" ("id") where "retention" is not null;

CREATE TABLE "attempts" (
  "subject" text primary key,
  "count" integer not null,
  "since" bigint not null
);

CREATE INDEX "attempts_age" on "attempts" ("since");

CREATE TABLE attestations (
  id text primary key,
  build_id text not null references builds (id) on delete cascade,
  bundle text not null,
  bundle_sha256 text not null,
  facts text not null,
  attached_at bigint not null,
  attached_by text not null,
  constraint attestations_bundle unique (build_id, bundle_sha256)
);

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
,
  sealed smallint not null default 0
);

CREATE INDEX "audit_rows_action" on "audit_rows" ("action", "id");

CREATE INDEX "audit_rows_actor" on "audit_rows" ("actor_name", "id");

CREATE INDEX "audit_rows_owner" on "audit_rows" ("owner_id", "id");

CREATE INDEX "audit_rows_owner_action" on "audit_rows" ("owner_id", "action", "id");

CREATE INDEX "audit_rows_owner_actor" on "audit_rows" ("owner_id", "actor_name", "id");

CREATE INDEX audit_rows_unsealed on audit_rows (id) where sealed = 0;

CREATE TABLE audit_seals (
  seq bigint primary key,
  entry_id text not null,
  salt text,
  entry_hash text not null,
  hash text not null,
  waiver text,
  constraint audit_seals_entry unique (entry_id)
);

CREATE TABLE "branding" (
  "id" text primary key,
  "workspace_id" text unique references "workspaces" ("id") on delete cascade,
  "name" text,
  "accent" text,
  "support" text,
  "logo" text,
  "logo_name" text
);

CREATE INDEX "branding_logo_name" on "branding" ("logo_name");

CREATE TABLE build_analyses (
  build_id text primary key references builds (id) on delete cascade,
  analyzer_version bigint not null,
  analyzed_at bigint not null,
  analysis text,
  failure text,
  download_bytes bigint,
  install_bytes bigint
);

CREATE INDEX build_analyses_version on build_analyses (analyzer_version, build_id);

CREATE TABLE build_checks (
  build_id text primary key references builds (id) on delete cascade,
  facts text not null,
  updated_at bigint not null
);

CREATE TABLE "build_counts" (
  "app_id" text not null references "apps" ("id") on delete cascade,
  "build_id" text not null references "builds" ("id") on delete cascade,
  "day" text not null,
  "kind" text not null,
  "platform" text not null,
  "system" text not null,
  "times" bigint not null,
  "people" bigint not null,
  constraint "build_counts_pk" primary key ("build_id", "day", "kind", "platform", "system")
);

CREATE INDEX "build_counts_app" on "build_counts" ("app_id", "day");

CREATE TABLE build_libraries (
  build_id text not null references builds (id) on delete cascade,
  library text not null,
  name_key text not null,
  version text not null,
  constraint build_libraries_pk primary key (build_id, library, version)
);

CREATE INDEX build_libraries_name on build_libraries (name_key, build_id);

CREATE TABLE "build_words" (
  "app_id" text not null,
  "revision" bigint not null,
  "words" text not null,
  constraint "build_words_pk" primary key ("app_id", "revision"),
  constraint "build_words_build" foreign key ("app_id", "revision") references "builds" ("app_id", "revision") on delete cascade
);

CREATE TRIGGER apks_added after insert on builds when new.apk_bytes is not null begin
  insert into stored_totals (owner_id, platform, apps, builds, bytes)
  select a.owner_id, a.platform, 0, 0, coalesce(new.apk_bytes, 0) from apps as a where a.id = new.app_id
  on conflict (owner_id, platform) do update set
    apps = stored_totals.apps + excluded.apps,
    builds = stored_totals.builds + excluded.builds,
    bytes = stored_totals.bytes + excluded.bytes;
end;

CREATE TRIGGER apks_changed after update of apk_bytes on builds begin
  insert into stored_totals (owner_id, platform, apps, builds, bytes)
  select a.owner_id, a.platform, 0, 0, coalesce(new.apk_bytes, 0) - coalesce(old.apk_bytes, 0) from apps as a where a.id = new.app_id
  on conflict (owner_id, platform) do update set
    apps = stored_totals.apps + excluded.apps,
    builds = stored_totals.builds + excluded.builds,
    bytes = stored_totals.bytes + excluded.bytes;
end;

CREATE TRIGGER apks_removed after delete on builds when old.apk_bytes is not null begin
  insert into stored_totals (owner_id, platform, apps, builds, bytes)
  select a.owner_id, a.platform, 0, 0, - coalesce(old.apk_bytes, 0) from apps as a where a.id = old.app_id
  on conflict (owner_id, platform) do update set
    apps = stored_totals.apps + excluded.apps,
    builds = stored_totals.builds + excluded.builds,
    bytes = stored_totals.bytes + excluded.bytes;
end;

CREATE TRIGGER app_totals_added after insert on builds begin
    update apps set stored_builds = stored_builds + 1, stored_bytes = stored_bytes + new.size_bytes + coalesce(new.simulator_bytes, 0) + coalesce(new.apk_bytes, 0)
    where id = new.app_id;
  end;

CREATE TRIGGER app_totals_changed after update of size_bytes, simulator_bytes, apk_bytes on builds begin
    update apps set stored_bytes = stored_bytes + new.size_bytes + coalesce(new.simulator_bytes, 0) + coalesce(new.apk_bytes, 0) - (old.size_bytes + coalesce(old.simulator_bytes, 0) + coalesce(old.apk_bytes, 0)) where id = new.app_id;
  end;

CREATE TRIGGER app_totals_removed after delete on builds begin
    update apps set stored_builds = stored_builds - 1, stored_bytes = stored_bytes - (old.size_bytes + coalesce(old.simulator_bytes, 0) + coalesce(old.apk_bytes, 0))
    where id = old.app_id;
  end;

CREATE TRIGGER builds_added after insert on builds begin
  insert into stored_totals (owner_id, platform, apps, builds, bytes)
  select a.owner_id, a.platform, 0, 1, new.size_bytes + coalesce(new.simulator_bytes, 0) from apps as a where a.id = new.app_id
  on conflict (owner_id, platform) do update set
    apps = stored_totals.apps + excluded.apps,
    builds = stored_totals.builds + excluded.builds,
    bytes = stored_totals.bytes + excluded.bytes;
  update apps set latest_name = (select name from builds where app_id = new.app_id and deleted_at is null order by revision desc limit 1) where id = new.app_id
    and latest_name is distinct from (select name from builds where app_id = new.app_id and deleted_at is null order by revision desc limit 1);
end;

CREATE TRIGGER builds_hidden after update of deleted_at on builds when old.deleted_at is distinct from new.deleted_at begin
  update apps set latest_name = (select name from builds where app_id = new.app_id and deleted_at is null order by revision desc limit 1) where id = new.app_id
    and latest_name is distinct from (select name from builds where app_id = new.app_id and deleted_at is null order by revision desc limit 1);
end;

CREATE TRIGGER builds_removed after delete on builds begin
  insert into stored_totals (owner_id, platform, apps, builds, bytes)
  select a.owner_id, a.platform, 0, -1, - (old.size_bytes + coalesce(old.simulator_bytes, 0)) from apps as a where a.id = old.app_id
  on conflict (owner_id, platform) do update set
    apps = stored_totals.apps + excluded.apps,
    builds = stored_totals.builds + excluded.builds,
    bytes = stored_totals.bytes + excluded.bytes;
end;

CREATE TRIGGER builds_signed after insert on builds begin
  update builds set signer = json_extract(new.info, '$.signing.certificates[0].sha256') where id = new.id;
end;

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
  "protected" smallint default 0 not null,
  "deleted_at" bigint,
  "deleted_by" text,
  "spared_until" bigint,
  "simulator_sha256" text,
  "damage" text,
  "signer" text,
  "apk_state" text,
  "apk_blob" text,
  "apk_sha256" text,
  "apk_error" text,
  "apk_percent" bigint,
  "apk_bytes" bigint,
  source text,
  constraint "builds_revision" unique ("app_id", "revision")
);

CREATE UNIQUE INDEX "builds_apk_blob" on "builds" ("apk_blob");

CREATE INDEX "builds_branch" on "builds" ("app_id", "branch", "revision") where "deleted_at" is null;

CREATE INDEX "builds_commit" on "builds" ("app_id", "commit_id", "revision");

CREATE INDEX builds_damaged on builds (id) where damage is not null;

CREATE INDEX "builds_deleted" on "builds" ("app_id", "deleted_at", "revision") where "deleted_at" is not null;

CREATE INDEX "builds_label" on "builds" ("app_id", "label", "revision") where "deleted_at" is null;

CREATE INDEX "builds_listed" on "builds" ("app_id", "revision") where "deleted_at" is null;

CREATE INDEX "builds_protected" on "builds" ("app_id") where "protected" = 1 and "deleted_at" is null;

CREATE INDEX "builds_sha256" on "builds" ("app_id", "sha256", "revision");

CREATE INDEX "builds_signer" on "builds" ("app_id", "signer", "revision") where "deleted_at" is null;

CREATE INDEX "builds_storage" on "builds" ("app_id", "size_bytes", "simulator_bytes");

CREATE INDEX "builds_uploaded_by" on "builds" ("app_id", "uploaded_by", "revision") where "deleted_at" is null;

CREATE INDEX "builds_version" on "builds" ("app_id", "version_code", "revision");

CREATE TABLE check_acceptances (
  build_id text not null references builds (id) on delete cascade,
  check_id text not null,
  reason text not null,
  accepted_by text not null,
  created_at bigint not null,
  constraint check_acceptances_pk primary key (build_id, check_id)
);

CREATE TABLE claimed_group_members (
  group_id text not null references claimed_groups (id) on delete cascade,
  user_id text not null references users (owner_id) on delete cascade,
  created_at bigint not null,
  constraint claimed_group_members_pk primary key (group_id, user_id)
);

CREATE INDEX claimed_group_members_user on claimed_group_members (user_id);

CREATE TABLE claimed_groups (
  id text primary key,
  workspace_id text not null references workspaces (id) on delete cascade,
  source text not null,
  name text not null,
  name_key text not null,
  created_by text not null,
  created_at bigint not null,
  constraint claimed_groups_name unique (workspace_id, source, name_key)
);

CREATE INDEX claimed_groups_source on claimed_groups (source, name_key);

CREATE TABLE "device_codes" (
  "id" text primary key,
  "secret_hash" text not null,
  "user_code_hash" text,
  "client" text not null,
  "network" text not null,
  "scopes" text not null,
  "state" text not null,
  "user_id" text,
  "key_days" integer,
  "polled_at" bigint,
  "created_at" bigint not null,
  "expires_at" bigint not null,
  "viewed_at" bigint
,
  sign_ons text
);

CREATE INDEX "device_codes_expires_at" on "device_codes" ("expires_at");

CREATE UNIQUE INDEX "device_codes_secret_hash" on "device_codes" ("secret_hash");

CREATE UNIQUE INDEX "device_codes_user_code_hash" on "device_codes" ("user_code_hash");

CREATE INDEX "device_codes_user_id" on "device_codes" ("user_id");

CREATE TABLE "devices" (
  "id" text primary key,
  "owner_id" text not null references "owners" ("id") on delete cascade,
  "udid" text not null,
  "name" text not null,
  "product" text not null,
  "os_version" text not null,
  "user_id" text references "users" ("owner_id") on delete set null,
  "page_id" text references "distribution_pages" ("id") on delete set null,
  "created_at" bigint not null,
  "updated_at" bigint not null,
  "browser" text not null
);

CREATE INDEX "devices_browser" on "devices" ("browser");

CREATE UNIQUE INDEX "devices_of_browser" on "devices" ("owner_id", "udid", "browser") where "user_id" is null;

CREATE UNIQUE INDEX "devices_of_user" on "devices" ("owner_id", "udid", "user_id") where "user_id" is not null;

CREATE INDEX "devices_page" on "devices" ("page_id");

CREATE INDEX "devices_udid" on "devices" ("owner_id", "udid");

CREATE INDEX "devices_user" on "devices" ("user_id");

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
  "access" text default 'unlisted' not null,
  "passcode_hash" text,
  "expires_at" bigint,
  "max_installs" bigint,
  "installs" bigint default 0 not null,
  "networks" text default '[]' not null,
  "feedback" smallint default 0 not null,
  "mandatory_from" bigint,
  constraint "distribution_pages_name" unique ("app_id", "name")
);

CREATE INDEX "distribution_pages_build" on "distribution_pages" ("build_id");

CREATE INDEX "distribution_pages_newest" on "distribution_pages" ("app_id", "updated_at", "id");

CREATE TABLE "distribution_updates" (
  "id" text primary key,
  "page_id" text not null references "distribution_pages" ("id") on delete cascade,
  "build_id" text not null references "builds" ("id") on delete cascade,
  "release_note" text not null,
  "created_at" bigint not null,
  "withdrawn" smallint default 0 not null
);

CREATE INDEX "distribution_updates_build" on "distribution_updates" ("build_id");

CREATE INDEX "distribution_updates_page" on "distribution_updates" ("page_id", "id");

CREATE INDEX "distribution_updates_served" on "distribution_updates" ("page_id", "build_id", "id");

CREATE TABLE "events" (
  "owner_id" text not null references "owners" ("id"),
  "position" bigint not null,
  "id" text not null unique,
  "type" text not null,
  "app" text,
  "at" bigint not null,
  "data" text not null,
  constraint "events_pk" primary key ("owner_id", "position")
);

CREATE INDEX "events_app" on "events" ("owner_id", "app", "position");

CREATE INDEX "events_at" on "events" ("at");

CREATE INDEX "events_type" on "events" ("owner_id", "type", "position");

CREATE TABLE "feedback" (
  "id" text primary key,
  "app_id" text not null references "apps" ("id") on delete cascade,
  "build_id" text not null references "builds" ("id") on delete cascade,
  "page_id" text references "distribution_pages" ("id") on delete set null,
  "page_name" text not null,
  "body" text not null,
  "email" text,
  "sender" text,
  "device" text not null,
  "state" text not null,
  "created_at" bigint not null,
  "updated_at" bigint not null
);

CREATE INDEX "feedback_app" on "feedback" ("app_id", "id");

CREATE INDEX "feedback_build" on "feedback" ("build_id", "id");

CREATE INDEX "feedback_page" on "feedback" ("page_id");

CREATE INDEX "feedback_state" on "feedback" ("app_id", "state", "id");

CREATE TABLE "feedback_replies" (
  "id" text primary key,
  "feedback_id" text not null references "feedback" ("id") on delete cascade,
  "author" text not null,
  "body" text not null,
  "state" text not null,
  "created_at" bigint not null
);

CREATE INDEX "feedback_replies_feedback" on "feedback_replies" ("feedback_id", "id");

CREATE TABLE "feedback_screenshots" (
  "feedback_id" text not null references "feedback" ("id") on delete cascade,
  "number" integer not null,
  "blob" text not null unique,
  "size_bytes" bigint not null,
  "sha256" text not null,
  constraint "feedback_screenshots_key" primary key ("feedback_id", "number")
);

CREATE TABLE granted_memberships (
  mapping_id text not null references group_mappings (id) on delete cascade,
  user_id text not null references users (owner_id) on delete cascade,
  joined_team smallint not null default 0,
  created_at bigint not null,
  constraint granted_memberships_pk primary key (mapping_id, user_id)
);

CREATE INDEX granted_memberships_user on granted_memberships (user_id);

CREATE TABLE group_managers (
  group_id text not null references groups (id) on delete cascade,
  user_id text not null references users (owner_id) on delete cascade,
  created_at bigint not null,
  constraint group_managers_pk primary key (group_id, user_id)
);

CREATE INDEX group_managers_user on group_managers (user_id);

CREATE TABLE group_mappings (
  id text primary key,
  workspace_id text not null references workspaces (id) on delete cascade,
  scim_group_id text references scim_groups (id) on delete cascade,
  project_id text references projects (owner_id) on delete cascade,
  team text,
  group_id text references groups (id) on delete cascade,
  created_by text not null,
  created_at bigint not null,
  claimed_group_id text references claimed_groups (id) on delete cascade
);

CREATE INDEX group_mappings_claimed_group on group_mappings (claimed_group_id);

CREATE INDEX group_mappings_group on group_mappings (scim_group_id);

CREATE INDEX group_mappings_project on group_mappings (project_id);

CREATE INDEX group_mappings_tester_group on group_mappings (group_id);

CREATE INDEX group_mappings_workspace on group_mappings (workspace_id);

CREATE TABLE "group_members" (
  "group_id" text not null references "groups" ("id") on delete cascade,
  "user_id" text not null references "users" ("owner_id") on delete cascade,
  "created_at" bigint not null,
  added_by text,
  constraint "group_members_pk" primary key ("group_id", "user_id")
);

CREATE INDEX "group_members_user" on "group_members" ("user_id");

CREATE TABLE "groups" (
  "id" text primary key,
  "owner_id" text not null references "owners" ("id") on delete cascade,
  "name" text not null,
  "name_key" text not null,
  "created_at" bigint not null,
  constraint "groups_owner_name" unique ("owner_id", "name_key")
);

CREATE TABLE "hook_deliveries" (
  "id" text primary key,
  "hook_id" text not null references "hooks" ("id") on delete cascade,
  "event_id" text not null,
  "event" text not null,
  "facts" text not null,
  "state" text not null,
  "attempts" integer not null,
  "due_at" bigint not null,
  "status" integer,
  "fault" text,
  "duration_ms" bigint,
  "created_at" bigint not null,
  "updated_at" bigint not null,
  "attempt_log" text,
  constraint "hook_deliveries_once" unique ("hook_id", "event_id")
);

CREATE INDEX "hook_deliveries_listed" on "hook_deliveries" ("hook_id", "id");

CREATE TABLE "hooks" (
  "id" text primary key,
  "owner_id" text not null references "owners" ("id"),
  "app_id" text references "apps" ("id") on delete cascade,
  "name" text not null,
  "kind" text not null,
  "state" text not null,
  "shown_address" text not null,
  "sealed_address" text not null,
  "sealed_secret" text not null,
  "created_at" bigint not null,
  "events" text not null,
  "old_secret_until" bigint
,
  created_by text references users (owner_id) on delete set null
);

CREATE INDEX "hooks_app" on "hooks" ("app_id");

CREATE INDEX hooks_creator on hooks (created_by);

CREATE INDEX "hooks_owner" on "hooks" ("owner_id", "app_id", "id");

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

CREATE TABLE "idempotent_requests" (
  "owner_id" text not null,
  "key" text not null,
  "digest" text not null,
  "encrypted_answer" text,
  "created_at" bigint not null,
  "leased_until" bigint,
  "held_by" text,
  "claim_number" bigint,
  constraint "idempotent_requests_pk" primary key ("owner_id", "key")
);

CREATE INDEX "idempotent_requests_created_at" on "idempotent_requests" ("created_at");

CREATE INDEX "idempotent_requests_held_by" on "idempotent_requests" ("held_by", "claim_number");

CREATE TABLE "identities" (
  "issuer" text not null,
  "subject" text not null,
  "user_id" text not null references "users" ("owner_id") on delete cascade,
  "created_at" bigint not null,
  "label" text default '' not null,
  disabled_account smallint not null default 0,
  constraint "identities_pk" primary key ("issuer", "subject")
);

CREATE UNIQUE INDEX "identities_user" on "identities" ("user_id", "issuer");

CREATE TABLE "install_systems" (
  "page_id" text not null references "distribution_pages" ("id") on delete cascade,
  "build_id" text not null references "builds" ("id") on delete cascade,
  "day" text not null,
  "system" text not null,
  "installs" bigint not null,
  constraint "install_systems_pk" primary key ("page_id", "day", "build_id", "system")
);

CREATE INDEX "install_systems_build" on "install_systems" ("build_id");

CREATE TABLE "install_tickets" (
  "page_id" text not null references "distribution_pages" ("id") on delete cascade,
  "ticket" text not null,
  "used_at" bigint not null,
  constraint "install_tickets_pk" primary key ("page_id", "ticket")
);

CREATE INDEX "install_tickets_age" on "install_tickets" ("used_at");

CREATE TABLE "installation_facts" (
  "name" text primary key,
  "value" text not null
);

CREATE TABLE "invitation_exclusions" (
  "invitation_id" text not null references "invitations" ("id") on delete cascade,
  "user_id" text not null references "users" ("owner_id") on delete cascade,
  constraint "invitation_exclusions_pk" primary key ("invitation_id", "user_id")
);

CREATE INDEX "invitation_exclusions_user" on "invitation_exclusions" ("user_id");

CREATE TABLE "invitations" (
  "id" text primary key,
  "token_hash" text not null unique,
  "email" text,
  "project_id" text references "projects" ("owner_id") on delete cascade,
  "team" text,
  "invited_by" text not null,
  "created_at" bigint not null,
  "expires_at" bigint not null,
  "used_at" bigint,
  "user_id" text references "users" ("owner_id") on delete cascade,
  "workspace_id" text references "workspaces" ("id") on delete cascade,
  "app_id" text references "apps" ("id") on delete cascade,
  "label" text,
  "max_people" bigint,
  "people" bigint default 0 not null,
  "group_id" text references "groups" ("id") on delete set null
);

CREATE INDEX "invitations_app" on "invitations" ("app_id");

CREATE INDEX "invitations_email" on "invitations" (lower(email));

CREATE INDEX "invitations_group" on "invitations" ("group_id") where "group_id" is not null;

CREATE INDEX "invitations_links_app_id" on "invitations" ("app_id", "id") where "max_people" is not null;

CREATE INDEX "invitations_links_project_id" on "invitations" ("project_id", "id") where "max_people" is not null;

CREATE INDEX "invitations_project" on "invitations" ("project_id", "id");

CREATE INDEX "invitations_user" on "invitations" ("user_id");

CREATE INDEX "invitations_workspace" on "invitations" ("workspace_id");

CREATE TABLE key_registrations (
  app_id text not null references apps (id) on delete cascade,
  sha256 text not null,
  registered_at bigint not null,
  constraint key_registrations_pk primary key (app_id, sha256)
);

CREATE TABLE key_sign_ons (
  key_id text not null references api_keys (id) on delete cascade,
  issuer text not null,
  constraint key_sign_ons_pk primary key (key_id, issuer)
);

CREATE TABLE "mail_choices" (
  "user_id" text not null references "users" ("owner_id") on delete cascade,
  "app_id" text not null references "apps" ("id") on delete cascade,
  "wanted" smallint not null,
  "updated_at" bigint not null,
  constraint "mail_choices_pk" primary key ("user_id", "app_id")
);

CREATE INDEX "mail_choices_app" on "mail_choices" ("app_id");

CREATE TABLE "mails" (
  "id" text primary key,
  "user_id" text not null references "users" ("owner_id") on delete cascade,
  "build_id" text references "builds" ("id") on delete set null,
  "page_id" text references "distribution_pages" ("id") on delete set null,
  "address" text not null,
  "state" text not null,
  "attempts" integer not null,
  "last_error" text,
  "created_at" bigint not null,
  "updated_at" bigint not null,
  "about" text not null,
  constraint "mails_once" unique ("build_id", "user_id")
);

CREATE INDEX "mails_page" on "mails" ("page_id");

CREATE INDEX "mails_state" on "mails" ("state", "id");

CREATE INDEX "mails_user" on "mails" ("user_id");

CREATE TABLE "member_activity" (
  "id" text primary key,
  "app_id" text not null references "apps" ("id") on delete cascade,
  "build_id" text not null references "builds" ("id") on delete cascade,
  "page_id" text references "distribution_pages" ("id") on delete cascade,
  "user_id" text not null references "users" ("owner_id") on delete cascade,
  "system" text not null,
  "model" text,
  "opens" bigint not null,
  "opened_at" bigint,
  "installs" bigint not null,
  "first_installed_at" bigint,
  "installed_at" bigint,
  "last_at" bigint not null,
  constraint "member_activity_once" unique ("build_id", "user_id", "page_id")
);

CREATE INDEX "member_activity_age" on "member_activity" ("last_at");

CREATE INDEX "member_activity_app" on "member_activity" ("app_id", "last_at", "id");

CREATE INDEX "member_activity_build" on "member_activity" ("build_id", "last_at", "id");

CREATE UNIQUE INDEX "member_activity_direct" on "member_activity" ("build_id", "user_id") where "page_id" is null;

CREATE INDEX "member_activity_installs" on "member_activity" ("app_id", "installed_at", "user_id", "build_id", "first_installed_at");

CREATE INDEX "member_activity_page" on "member_activity" ("page_id", "last_at", "id");

CREATE INDEX "member_activity_user" on "member_activity" ("user_id", "page_id");

CREATE TABLE "nodes" (
  "id" text primary key,
  "host" text not null,
  "clock_offset_ms" bigint not null,
  "seen_at" bigint not null
);

CREATE TABLE "outbox" (
  "id" text primary key,
  "kind" text not null,
  "payload" text not null,
  "attempts" integer not null,
  "run_at" bigint not null,
  "leased_until" bigint,
  "last_error" text,
  "created_at" bigint not null,
  "queued_for" text not null,
  "held_by" text,
  "claim_number" bigint,
  "queue" text
);

CREATE INDEX "outbox_held_by" on "outbox" ("held_by", "claim_number");

CREATE INDEX outbox_leases on outbox (leased_until) where leased_until is not null;

CREATE INDEX outbox_planned on outbox (run_at, id)
    where queue is null and leased_until is null;

CREATE INDEX outbox_turns on outbox (queue, queued_for, run_at, id)
    where queue is not null and leased_until is null;

CREATE TABLE "owners" (
  "id" text primary key,
  "kind" text not null,
  "name" text not null,
  "name_key" text not null unique,
  "created_at" bigint not null,
  "max_storage_bytes" bigint,
  "max_builds" bigint,
  "deleted_at" bigint,
  "retention" text,
  "max_projects" bigint,
  "accountable_id" text
,
  trusted_publishers_only smallint not null default 0
);

CREATE INDEX "owners_accountable" on "owners" ("accountable_id");

CREATE INDEX owners_deleted on owners (deleted_at) where deleted_at is not null;

CREATE INDEX "owners_listed" on "owners" ("kind", "name_key", "id") where "deleted_at" is null;

CREATE INDEX "owners_retention" on "owners" ("id") where "retention" is not null;

CREATE TABLE package_commits (
  build_id text primary key references builds (id) on delete cascade,
  commit_id text not null
);

CREATE TABLE "page_counts" (
  "page_id" text not null references "distribution_pages" ("id") on delete cascade,
  "build_id" text not null references "builds" ("id") on delete cascade,
  "day" text not null,
  "platform" text not null,
  "kind" text not null,
  "times" bigint not null,
  "people" bigint not null,
  "members" bigint default 0 not null,
  constraint "page_counts_pk" primary key ("page_id", "build_id", "day", "platform", "kind")
);

CREATE INDEX "page_counts_build" on "page_counts" ("build_id", "day");

CREATE INDEX "page_counts_day" on "page_counts" ("page_id", "day");

CREATE TABLE "page_groups" (
  "page_id" text not null references "distribution_pages" ("id") on delete cascade,
  "group_id" text not null references "groups" ("id") on delete cascade,
  constraint "page_groups_pk" primary key ("page_id", "group_id")
);

CREATE INDEX "page_groups_group" on "page_groups" ("group_id");

CREATE TABLE "page_visitors" (
  "page_id" text not null references "distribution_pages" ("id") on delete cascade,
  "build_id" text not null references "builds" ("id") on delete cascade,
  "day" text not null,
  "kind" text not null,
  "visitor" text not null,
  constraint "page_visitors_pk" primary key ("page_id", "build_id", "day", "kind", "visitor")
);

CREATE INDEX "page_visitors_build" on "page_visitors" ("build_id");

CREATE INDEX "page_visitors_day" on "page_visitors" ("day");

CREATE TABLE "passkeys" (
  "id" text primary key,
  "user_id" text not null references "users" ("owner_id") on delete cascade,
  "credential_id" text not null unique,
  "public_key" text not null,
  "signature_count" bigint not null,
  "transports" text not null,
  "name" text not null,
  "created_at" bigint not null,
  "last_used_at" bigint
);

CREATE INDEX "passkeys_user" on "passkeys" ("user_id");

CREATE TABLE "password_resets" (
  "token_hash" text primary key,
  "user_id" text not null references "users" ("owner_id") on delete cascade,
  "expires_at" bigint not null
);

CREATE INDEX "password_resets_user" on "password_resets" ("user_id");

CREATE TRIGGER secrets_project_moved after update of workspace_id on projects when old.workspace_id is distinct from new.workspace_id begin
  update apps set secret = lower(hex(randomblob(20))), secret_rotations = secret_rotations + 1
    where deleted_at is null and owner_id = new.owner_id;
end;

CREATE TABLE "projects" (
  "owner_id" text primary key references "owners" ("id") on delete cascade,
  "description" text not null,
  "workspace_id" text references "workspaces" ("id")
);

CREATE INDEX "projects_workspace" on "projects" ("workspace_id");

CREATE TABLE provider_accounts (
  user_id text primary key references users (owner_id) on delete cascade,
  workspace_id text not null references workspaces (id) on delete cascade,
  created_at bigint not null
);

CREATE INDEX provider_accounts_workspace on provider_accounts (workspace_id);

CREATE TABLE "recovery_codes" (
  "user_id" text not null references "users" ("owner_id") on delete cascade,
  "code_hash" text not null,
  constraint "recovery_codes_pk" primary key ("user_id", "code_hash")
);

CREATE TABLE "refused_visits" (
  "id" text primary key,
  "page_id" text not null references "distribution_pages" ("id") on delete cascade,
  "user_id" text references "users" ("owner_id") on delete cascade,
  "device_id" text references "devices" ("id") on delete cascade,
  "reason" text not null,
  "system" text not null,
  "at" bigint not null,
  constraint "refused_visits_user" unique ("page_id", "user_id"),
  constraint "refused_visits_device" unique ("page_id", "device_id")
);

CREATE INDEX "refused_visits_age" on "refused_visits" ("at");

CREATE INDEX "refused_visits_of_device" on "refused_visits" ("device_id");

CREATE INDEX "refused_visits_of_user" on "refused_visits" ("user_id");

CREATE INDEX "refused_visits_page" on "refused_visits" ("page_id", "at");

CREATE TABLE resumable_uploads (
  id text primary key,
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
  claim_number bigint
);

CREATE INDEX resumable_uploads_expiry on resumable_uploads (expires_at);

CREATE INDEX resumable_uploads_held_by on resumable_uploads (held_by, claim_number);

CREATE INDEX resumable_uploads_key on resumable_uploads (key_id);

CREATE INDEX resumable_uploads_owner on resumable_uploads (owner_id, state);

CREATE TABLE saml_metadata (
  place text primary key,
  xml text,
  read_at bigint,
  tried_at bigint not null,
  problem text
);

CREATE TABLE saml_sessions (
  session_id text not null references sessions (id) on delete cascade,
  issuer text not null,
  name_id text not null,
  name_id_format text,
  session_index text,
  signed_in_at bigint not null,
  joined smallint not null default 0,
  constraint saml_sessions_session primary key (session_id, issuer)
);

CREATE INDEX saml_sessions_person on saml_sessions (issuer, name_id);

CREATE TABLE schema_migrations (
  name text primary key,
  applied_at bigint not null
);

CREATE TABLE scim_group_members (
  group_id text not null references scim_groups (id) on delete cascade,
  workspace_id text not null,
  user_id text not null,
  constraint scim_group_members_pk primary key (group_id, user_id),
  constraint scim_group_members_user foreign key (workspace_id, user_id)
  references scim_users (workspace_id, user_id) on delete cascade
);

CREATE INDEX scim_group_members_of on scim_group_members (workspace_id, user_id);

CREATE TABLE scim_groups (
  id text primary key,
  workspace_id text not null references workspaces (id) on delete cascade,
  display_name text not null,
  display_key text not null,
  external_id text,
  version integer not null,
  created_at bigint not null,
  updated_at bigint not null,
  constraint scim_groups_name unique (workspace_id, display_key)
);

CREATE TABLE scim_tokens (
  id text primary key,
  workspace_id text not null references workspaces (id) on delete cascade,
  name text not null,
  token_hash text not null,
  created_by text not null,
  created_at bigint not null,
  expires_at bigint,
  last_used_at bigint,
  constraint scim_tokens_hash unique (token_hash),
  constraint scim_tokens_name unique (workspace_id, name)
);

CREATE TABLE scim_users (
  workspace_id text not null references workspaces (id) on delete cascade,
  user_id text not null references users (owner_id) on delete cascade,
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
  disabled_account smallint not null default 0,
  version integer not null,
  created_at bigint not null,
  updated_at bigint not null,
  deleted_at bigint,
  constraint scim_users_pk primary key (workspace_id, user_id)
);

CREATE UNIQUE INDEX scim_users_account on scim_users (user_id) where covers = 'account' and deleted_at is null;

CREATE INDEX scim_users_external on scim_users (workspace_id, external_id);

CREATE UNIQUE INDEX scim_users_name on scim_users (workspace_id, user_name_key) where deleted_at is null;

CREATE INDEX scim_users_user on scim_users (user_id);

CREATE TABLE "sessions" (
  "id" text primary key,
  "user_id" text not null references "users" ("owner_id") on delete cascade,
  "token_hash" text not null unique,
  "created_at" bigint not null,
  "expires_at" bigint not null,
  "user_agent" text default '' not null,
  "address" text default '' not null,
  "last_seen_at" bigint default 0 not null,
  "proven_at" bigint
);

CREATE INDEX "sessions_expiry" on "sessions" ("expires_at");

CREATE INDEX "sessions_user" on "sessions" ("user_id");

CREATE TABLE "signing_keys" (
  "id" text primary key,
  "owner_id" text not null references "owners" ("id") on delete cascade,
  "number" integer not null,
  "continues" smallint not null,
  "origin" text not null,
  "certificate" text not null,
  "encrypted_key" text not null,
  "created_at" bigint not null
);

CREATE UNIQUE INDEX "signing_keys_owner" on "signing_keys" ("owner_id", "number");

CREATE TABLE store_rule_reminders (
  app_id text not null references apps (id) on delete cascade,
  rule_id text not null,
  days bigint not null,
  created_at bigint not null,
  constraint store_rule_reminders_pk primary key (app_id, rule_id, days)
);

CREATE TABLE store_rules (
  id text primary key,
  kind text,
  threshold bigint,
  source text,
  from_day text,
  muted smallint not null default 0,
  updated_at bigint not null
);

CREATE TABLE "stored_totals" (
  "owner_id" text not null references "owners" ("id") on delete cascade,
  "platform" text not null,
  "apps" bigint not null,
  "builds" bigint not null,
  "bytes" bigint not null,
  constraint "stored_totals_pk" primary key ("owner_id", "platform")
);

CREATE TRIGGER symbols_added after insert on symbol_files begin
    
    
    insert into stored_totals (owner_id, platform, apps, builds, bytes)
    select a.owner_id, a.platform, 0, 0, new.size_bytes from apps as a where a.id = new.app_id
    on conflict (owner_id, platform) do update set bytes = stored_totals.bytes + excluded.bytes;
    update apps set stored_bytes = stored_bytes + new.size_bytes where id = new.app_id;
  end;

CREATE TRIGGER symbols_removed after delete on symbol_files begin
    
    
    insert into stored_totals (owner_id, platform, apps, builds, bytes)
    select a.owner_id, a.platform, 0, 0, - old.size_bytes from apps as a where a.id = old.app_id
    on conflict (owner_id, platform) do update set bytes = stored_totals.bytes + excluded.bytes;
    update apps set stored_bytes = stored_bytes + - old.size_bytes where id = old.app_id;
  end;

CREATE TABLE symbol_files (
  id text primary key,
  build_id text not null references builds (id) on delete cascade,
  app_id text not null,
  file_name text not null,
  facts text not null,
  blob text not null,
  size_bytes bigint not null,
  sha256 text not null,
  uploaded_by text not null,
  created_at bigint not null,
  constraint symbol_files_content unique (build_id, sha256),
  constraint symbol_files_blob unique (blob)
);

CREATE INDEX symbol_files_app_id on symbol_files (app_id);

CREATE TRIGGER secrets_member_removed after delete on team_members begin
  update apps set secret = lower(hex(randomblob(20))), secret_rotations = secret_rotations + 1
    where deleted_at is null and owner_id = old.project_id;
end;

CREATE TABLE "team_members" (
  "project_id" text not null references "projects" ("owner_id") on delete cascade,
  "user_id" text not null references "users" ("owner_id") on delete cascade,
  "team" text not null,
  "created_at" bigint not null,
  added_by text,
  constraint "team_members_pk" primary key ("project_id", "user_id", "team")
);

CREATE INDEX "team_members_user" on "team_members" ("user_id", "project_id");

CREATE TABLE trusted_publishers (
  id text primary key,
  owner_id text not null references owners (id) on delete cascade,
  name text not null,
  platform text,
  package_name text,
  page_name_pattern text,
  provider text not null,
  issuer text not null,
  rules text not null,
  pinned text not null default '{}',
  allow_self_hosted smallint not null default 0,
  created_by text,
  created_at bigint not null,
  last_used_at bigint,
  last_refused_at bigint,
  last_refusal text,
  constraint trusted_publishers_name unique (owner_id, name)
);

CREATE INDEX trusted_publishers_creator on trusted_publishers (created_by);

CREATE INDEX trusted_publishers_issuer on trusted_publishers (issuer, owner_id);

CREATE TABLE used_id_tokens (
  issuer text not null,
  token_id text not null,
  expires_at bigint not null,
  constraint used_id_tokens_pk primary key (issuer, token_id)
);

CREATE INDEX used_id_tokens_expiry on used_id_tokens (expires_at);

CREATE TABLE used_saml_ids (
  id_hash text primary key,
  expires_at bigint not null
);

CREATE INDEX used_saml_ids_expiry on used_saml_ids (expires_at);

CREATE TRIGGER secrets_account_disabled after update of disabled_at on users when old.disabled_at is null and new.disabled_at is not null begin
  update apps set secret = lower(hex(randomblob(20))), secret_rotations = secret_rotations + 1
    where deleted_at is null and id in (
      select id from apps where owner_id = new.owner_id
      union all select id from apps where owner_id in (select project_id from team_members where user_id = new.owner_id)
      union all select app_id from app_testers where user_id = new.owner_id);
end;

CREATE TABLE "users" (
  "owner_id" text primary key references "owners" ("id") on delete cascade,
  "email" text,
  "email_key" text unique,
  "password_hash" text,
  "administrator" smallint not null,
  "must_change_password" smallint default 0 not null,
  "totp_secret" text,
  "totp_last_step" bigint,
  "email_confirmed" smallint default 0 not null,
  "disabled_at" bigint,
  "last_seen_at" bigint,
  "language" text,
  "access_epoch" integer default 0 not null
);

CREATE INDEX "users_addresses" on "users" ("email_key", "owner_id");

CREATE INDEX "users_administrators" on "users" ("owner_id") where "administrator" = 1;

CREATE INDEX "users_disabled" on "users" ("owner_id") where "disabled_at" is not null;

CREATE TABLE "visitor_salts" (
  "day" text primary key,
  "salt" text not null
);

CREATE TABLE workspace_domains (
  domain text primary key,
  workspace_id text not null references workspaces (id) on delete cascade,
  created_at bigint not null
);

CREATE INDEX workspace_domains_workspace on workspace_domains (workspace_id);

CREATE TABLE workspace_members (
  workspace_id text not null references workspaces (id) on delete cascade,
  user_id text not null references users (owner_id) on delete cascade,
  created_at bigint,
  added_by text,
  constraint workspace_members_pk primary key (workspace_id, user_id)
);

CREATE INDEX workspace_members_user on workspace_members (user_id);

CREATE TABLE "workspace_owners" (
  "workspace_id" text not null references "workspaces" ("id") on delete cascade,
  "user_id" text not null references "users" ("owner_id") on delete cascade,
  added_by text,
  created_at bigint,
  constraint "workspace_owners_pk" primary key ("workspace_id", "user_id")
);

CREATE INDEX "workspace_owners_user" on "workspace_owners" ("user_id");

CREATE TABLE workspace_providers (
  workspace_id text primary key references workspaces (id) on delete cascade,
  name text not null,
  metadata_url text,
  entity_id text not null,
  attributes text,
  required_at bigint,
  created_at bigint not null
);

CREATE TABLE "workspaces" (
  "id" text primary key,
  "name" text not null,
  "name_key" text not null unique,
  "display_name" text not null,
  "icon_url" text not null,
  "created_at" bigint not null,
  "deleted_at" bigint,
  "retention" text
,
  policies text
);

CREATE INDEX "workspaces_retention" on "workspaces" ("id") where "retention" is not null;
