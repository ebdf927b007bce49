/** Tables about who signed builds, and where builds come from. */
export interface ProvenanceTables {
  /** The keys that sign the APKs of an owner's app bundles; the one with the highest number is the current one. */
  signing_keys: {
    id: string;
    owner_id: string;
    number: number;
    /** Whether a proof of rotation states that it replaces the key before it. */
    continues: number;
    /** `created` or `imported`. */
    origin: string;
    /** X.509 in DER, base64. */
    certificate: string;
    /** PKCS #8, encrypted with the server's secret. */
    encrypted_key: string;
    created_at: number;
  };
  /** The signing keys that are registered for an app in the Android Developer Console, by the SHA-256 of their certificates. */
  key_registrations: { app_id: string; sha256: string; registered_at: number };
  /** Verified attestations of builds. */
  attestations: {
    id: string;
    build_id: string;
    /** The Sigstore bundle, JSON. */
    bundle: string;
    bundle_sha256: string;
    /** JSON: what the verification has shown. */
    facts: string;
    attached_at: number;
    attached_by: string;
  };
  /** The commits that files of builds name themselves. */
  package_commits: { build_id: string; commit_id: string };
  /** Debug information beside builds. */
  symbol_files: {
    id: string;
    build_id: string;
    app_id: string;
    file_name: string;
    /** JSON: its kind, and the binaries that it describes. */
    facts: string;
    blob: string;
    size_bytes: number;
    sha256: string;
    uploaded_by: string;
    created_at: number;
  };
}
