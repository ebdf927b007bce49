import type { ColumnType } from 'kysely';

/** May be omitted in an insert, because the database has a default. */
type ColumnWithDefault<T> = ColumnType<T, T | undefined, T>;

/** The tables of accounts: keys, sessions, second factors, identities and invitations. */
export interface AccountTables {
  api_keys: {
    id: string;
    owner_id: string;
    name: string;
    key_hash: string;
    hint: string;
    created_at: number;
    expires_at: number | null;
    last_used_at: number | null;
    revoked_at: number | null;
    scopes: string;
    restricted_to: string | null;
    created_by: string | null;
    created_by_name: string | null;
    last_used_network: string | null;
    previous_hash: string | null;
    previous_until: number | null;
    rotated_at: number | null;
    /** The program that signed in with a device code; null for keys created in other ways. */
    client: ColumnWithDefault<string | null>;
    /** The trusted publisher that received the key; it ends with it. */
    trusted_publisher_id: ColumnWithDefault<string | null>;
    /** JSON: what the ID token said, for the builds uploaded with the key. */
    source: ColumnWithDefault<string | null>;
  };
  trusted_publishers: {
    id: string;
    owner_id: string;
    name: string;
    /** Null, like `package_name`, for every app of the owner. The app need not exist. */
    platform: string | null;
    package_name: string | null;
    /** `*` stands for any text. */
    page_name_pattern: string | null;
    provider: string;
    issuer: string;
    /** JSON */
    rules: string;
    /** JSON: the ids of the repository in the first token. */
    pinned: ColumnWithDefault<string>;
    allow_self_hosted: ColumnWithDefault<number>;
    created_by: string | null;
    created_at: number;
    last_used_at: ColumnWithDefault<number | null>;
    last_refused_at: ColumnWithDefault<number | null>;
    last_refusal: ColumnWithDefault<string | null>;
  };
  /** Id tokens that were exchanged, until they expire. `token_id`: `jti`, or the SHA-256 of a token without one. */
  used_id_tokens: { issuer: string; token_id: string; expires_at: number };
  device_codes: {
    id: string;
    secret_hash: string;
    user_code_hash: string | null;
    client: string;
    network: string;
    scopes: string;
    state: string;
    user_id: string | null;
    key_days: number | null;
    polled_at: number | null;
    /** When a person first looked at the code. */
    viewed_at: ColumnWithDefault<number | null>;
    created_at: number;
    expires_at: number;
    /** The providers of Workspaces that the approving session is signed in at, as a JSON array. */
    sign_ons: ColumnWithDefault<string | null>;
  };
  sessions: {
    id: string;
    user_id: string;
    token_hash: string;
    created_at: number;
    expires_at: number;
    user_agent: ColumnWithDefault<string>;
    address: ColumnWithDefault<string>;
    last_seen_at: ColumnWithDefault<number>;
    proven_at: number | null;
  };
  recovery_codes: { user_id: string; code_hash: string };
  passkeys: {
    id: string;
    user_id: string;
    credential_id: string;
    public_key: string;
    signature_count: number;
    transports: string;
    name: string;
    created_at: number;
    last_used_at: number | null;
  };
  identities: {
    issuer: string;
    subject: string;
    user_id: string;
    created_at: number;
    label: ColumnWithDefault<string>;
    /** Whether the directory (LDAP) disabled the account, which only then enables it again. */
    disabled_account: ColumnWithDefault<number>;
  };
  /** SHA-256 of provider and ID. */
  used_saml_ids: { id_hash: string; expires_at: number };
  saml_sessions: {
    session_id: string;
    issuer: string;
    name_id: string;
    name_id_format: string | null;
    session_index: string | null;
    signed_in_at: number;
    /** Whether the session had begun in another way. */
    joined: ColumnWithDefault<number>;
  };
  /** `place`: an address of the installation's metadata, or `workspace` and its ID. `xml`: null until it was read once. */
  saml_metadata: {
    place: string;
    xml: string | null;
    read_at: number | null;
    tried_at: number;
    problem: string | null;
  };
  workspace_providers: {
    workspace_id: string;
    name: string;
    metadata_url: string | null;
    entity_id: string;
    /** Such as `email=mail`; null for the usual ones. */
    attributes: string | null;
    /** Since when members must sign in there; null if they need not. */
    required_at: number | null;
    created_at: number;
  };
  /** The accounts that the provider of a Workspace created. */
  provider_accounts: { user_id: string; workspace_id: string; created_at: number };
  /** The providers of Workspaces that the person was signed in at when they created the key. */
  key_sign_ons: { key_id: string; issuer: string };
  /** Removed people. Links created earlier do not admit them again. */
  invitation_exclusions: { invitation_id: string; user_id: string };
  invitations: {
    id: string;
    token_hash: string;
    email: string | null;
    project_id: string | null;
    team: string | null;
    invited_by: string;
    created_at: number;
    expires_at: number;
    used_at: number | null;
    /** The only person who may use it; null for anyone with the link. */
    user_id: ColumnWithDefault<string | null>;
    workspace_id: ColumnWithDefault<string | null>;
    app_id: ColumnWithDefault<string | null>;
    label: ColumnWithDefault<string | null>;
    /** How many people may use the link; null for a single use. */
    max_people: ColumnWithDefault<number | null>;
    /** How many people have used it. */
    people: ColumnWithDefault<number>;
    /** People who use the link join this group. */
    group_id: ColumnWithDefault<string | null>;
  };
  password_resets: { token_hash: string; user_id: string; expires_at: number };
  idempotent_requests: {
    owner_id: string;
    key: string;
    digest: string;
    encrypted_answer: string | null;
    created_at: number;
    leased_until: number | null;
    held_by: string | null;
    claim_number: number | null;
  };
}
