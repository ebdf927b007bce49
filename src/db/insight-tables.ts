/** Tables about what builds contain. */
export interface InsightTables {
  build_analyses: {
    build_id: string;
    /** See `analyzerVersion`. */
    analyzer_version: number;
    analyzed_at: number;
    /** Base64 of the compressed JSON of a `PackageAnalysis`; null if the package could not be analyzed. */
    analysis: string | null;
    /** Why the package could not be analyzed. */
    failure: string | null;
    download_bytes: number | null;
    install_bytes: number | null;
  };
  /** The libraries of analyzed builds. `library`: `group:name`; `name_key`: the name in lowercase; `version`: empty if it is unknown. */
  build_libraries: { build_id: string; library: string; name_key: string; version: string };
}
