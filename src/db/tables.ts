import type { ColumnType } from 'kysely';
import type { AccountTables } from './account-tables.ts';
import type { ActivityTables, AuditTables } from './activity-tables.ts';
import type { CheckTables } from './check-tables.ts';
import type { GroupTables } from './group-tables.ts';
import type { InsightTables } from './insight-tables.ts';
import type { ProvenanceTables } from './provenance-tables.ts';
import type { ProvisioningTables } from './provisioning-tables.ts';

/** May be omitted in an insert, because the database has a default. */
type ColumnWithDefault<T> = ColumnType<T, T | undefined, T>;

/**
 * The schema as types. Both dialects have the same columns: text ids, epoch milliseconds as 64-bit integers, flags as 0 or 1,
 * JSON as text. `migrations/` creates them; the golden schemas in `test/db` show the result.
 */
export interface Tables
  extends AccountTables,
    ActivityTables,
    AuditTables,
    CheckTables,
    GroupTables,
    InsightTables,
    ProvenanceTables,
    ProvisioningTables {
  owners: {
    id: string;
    kind: 'user' | 'project';
    name: string;
    name_key: string;
    created_at: number;
    max_storage_bytes: number | null;
    max_builds: number | null;
    /** Only for a User. */
    max_projects: ColumnWithDefault<number | null>;
    /** Only for a Project: the User whose limits include it. */
    accountable_id: ColumnWithDefault<string | null>;
    deleted_at: number | null;
    /** JSON; null without a retention rule. */
    retention: string | null;
    /** Whether only keys of trusted publishers may upload. */
    trusted_publishers_only: ColumnWithDefault<number>;
  };
  users: {
    owner_id: string;
    email: string | null;
    email_key: string | null;
    password_hash: string | null;
    administrator: number;
    must_change_password: ColumnWithDefault<number>;
    totp_secret: string | null;
    totp_last_step: number | null;
    disabled_at: number | null;
    last_seen_at: number | null;
    language: ColumnWithDefault<string | null>;
    email_confirmed: ColumnWithDefault<number>;
    /** Grows whenever a second factor changes, and whenever all access of the account is ended. */
    access_epoch: ColumnWithDefault<number>;
  };
  projects: { owner_id: string; description: string; workspace_id: string | null };
  workspaces: {
    id: string;
    name: string;
    name_key: string;
    display_name: string;
    icon_url: string;
    created_at: number;
    deleted_at: number | null;
    retention: string | null;
    policies: string | null;
  };
  /** `id`: the id of the Workspace, or `installation`. */
  branding: {
    id: string;
    workspace_id: string | null;
    name: string | null;
    /** `#rrggbb` */
    accent: string | null;
    support: string | null;
    /** A PNG of at most 64 KiB, as Base64. */
    logo: string | null;
    /** The name of the logo in its address: `<start of its SHA-256>-<width>x<height>.png`. */
    logo_name: string | null;
  };
  apps: {
    id: string;
    owner_id: string;
    platform: string;
    package_name: string;
    secret: string;
    /** Number of rotations, including those by triggers. */
    secret_rotations: ColumnWithDefault<number>;
    last_revision: number;
    created_at: number;
    last_upload_at: number;
    deleted_at: ColumnWithDefault<number | null>;
    retention: ColumnWithDefault<string | null>;
    /** Name of the newest build that is not deleted; maintained by triggers. */
    latest_name: ColumnWithDefault<string | null>;
    /** Number of its builds, and bytes of their files; maintained by triggers. */
    stored_builds: ColumnWithDefault<number>;
    stored_bytes: ColumnWithDefault<number>;
    trusted_publishers_only: ColumnWithDefault<number>;
    /** JSON: the settings of its checks; null for the defaults. */
    checks: ColumnWithDefault<string | null>;
  };
  /** Storage totals per owner; maintained by triggers. Deleted builds count until they are removed; deleted apps do not count. */
  stored_totals: { owner_id: string; platform: string; apps: number; builds: number; bytes: number };
  builds: {
    id: string;
    app_id: string;
    revision: number;
    name: string;
    version_name: string | null;
    version_code: string;
    info: string;
    size_bytes: number;
    md5: string;
    sha256: string;
    package_blob: string;
    simulator_blob: string | null;
    simulator_bytes: number | null;
    simulator_sha256: string | null;
    icon_state: string;
    icon_blob: string | null;
    verification: string | null;
    message: string;
    branch: string | null;
    commit_id: string | null;
    build_url: string | null;
    label: string | null;
    upload_warnings: string;
    uploaded_by: string;
    created_at: number;
    protected: number;
    deleted_at: number | null;
    deleted_by: string | null;
    spared_until: number | null;
    /** JSON: the damage of each damaged blob. Null if no damage is known. */
    damage: string | null;
    /** `converting`, `ready` or `failed`. Null unless the build is an app bundle. */
    apk_state: string | null;
    apk_percent: number | null;
    apk_blob: string | null;
    apk_bytes: number | null;
    apk_sha256: string | null;
    apk_error: string | null;
    /** SHA-256 of the first certificate; a trigger fills it on insert. */
    signer: ColumnWithDefault<string | null>;
    /** JSON: what the ID token of the trusted publisher said; null if no trusted publisher uploaded it. */
    source: ColumnWithDefault<string | null>;
  };
  /** The lowercase text used by searches. */
  build_words: { app_id: string; revision: number; words: string };
  distribution_pages: {
    id: string;
    app_id: string;
    access_key: string;
    name: string;
    active: number;
    build_id: string;
    release_note: string;
    created_at: number;
    updated_at: number;
    access: ColumnWithDefault<string>;
    passcode_hash: string | null;
    expires_at: number | null;
    max_installs: number | null;
    installs: ColumnWithDefault<number>;
    networks: ColumnWithDefault<string>;
    feedback: ColumnWithDefault<number>;
    mandatory_from: number | null;
  };
  distribution_updates: {
    id: string;
    page_id: string;
    build_id: string;
    release_note: string;
    created_at: number;
    withdrawn: ColumnWithDefault<number>;
  };
  devices: {
    id: string;
    owner_id: string;
    udid: string;
    name: string;
    product: string;
    os_version: string;
    user_id: string | null;
    page_id: string | null;
    created_at: number;
    updated_at: number;
    /** Id of the browser that last registered the device, from its cookie. */
    browser: string;
  };
  mail_choices: { user_id: string; app_id: string; wanted: number; updated_at: number };
  mails: {
    id: string;
    user_id: string;
    /** Null once the build is deleted. */
    build_id: string | null;
    page_id: string | null;
    address: string;
    state: string;
    attempts: number;
    last_error: string | null;
    created_at: number;
    updated_at: number;
    /** JSON: app, version and platform of the build. */
    about: string;
  };
  hooks: {
    id: string;
    owner_id: string;
    app_id: string | null;
    name: string;
    kind: string;
    state: string;
    shown_address: string;
    sealed_address: string;
    sealed_secret: string;
    created_at: number;
    /** JSON. */
    events: string;
    old_secret_until: number | null;
    created_by: ColumnWithDefault<string | null>;
  };
  /** Events of an Owner, in the order in which they are listed. */
  events: {
    owner_id: string;
    position: number;
    id: string;
    type: string;
    /** `<platform>/<package name>`; null for an event of the Owner itself. */
    app: string | null;
    at: number;
    data: string;
  };
  hook_deliveries: {
    id: string;
    hook_id: string;
    event_id: string;
    event: string;
    facts: string;
    state: string;
    attempts: number;
    due_at: number;
    status: number | null;
    fault: string | null;
    duration_ms: number | null;
    /** JSON: requests and responses of the last attempts. Null before the first attempt. */
    attempt_log: string | null;
    created_at: number;
    updated_at: number;
  };
  /** Feedback belongs to a build and is deleted with it; `page_name` stays when the page is deleted. */
  feedback: {
    id: string;
    app_id: string;
    build_id: string;
    page_id: string | null;
    page_name: string;
    body: string;
    email: string | null;
    /** Name of the account that sent it. */
    sender: string | null;
    device: string;
    state: string;
    created_at: number;
    updated_at: number;
  };
  feedback_screenshots: {
    feedback_id: string;
    number: number;
    blob: string;
    size_bytes: number;
    sha256: string;
  };
  feedback_replies: {
    id: string;
    feedback_id: string;
    author: string;
    body: string;
    state: string;
    created_at: number;
  };
  attempts: { subject: string; count: number; since: number };
  idempotency_keys: {
    owner_id: string;
    key: string;
    sha256: string;
    build_id: string;
    page_id: string | null;
    created_at: number;
  };
  /** Uploads in progress, and for a day their results. `uploads/resumable/` says what the columns mean. */
  resumable_uploads: {
    id: string;
    owner_id: string;
    sender_id: string;
    key_id: string;
    idempotency_key: string | null;
    /** JSON. */
    fields: string;
    size_bytes: number;
    received_bytes: number;
    /** JSON. */
    pieces: string;
    sessions: number;
    unfinished_blob: string | null;
    state: string;
    /** JSON. */
    result: string | null;
    created_at: number;
    expires_at: number;
    leased_until: ColumnWithDefault<number | null>;
    held_by: ColumnWithDefault<string | null>;
    claim_number: ColumnWithDefault<number | null>;
  };
  outbox: {
    id: string;
    kind: string;
    payload: string;
    attempts: number;
    run_at: number;
    leased_until: number | null;
    last_error: string | null;
    created_at: number;
    queued_for: string;
    queue: string | null;
    held_by: string | null;
    claim_number: number | null;
  };
  nodes: { id: string; host: string; clock_offset_ms: number; seen_at: number };
  installation_facts: { name: string; value: string };
}
