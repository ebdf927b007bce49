/**
 * The facts of the analyzer about one package: what its bytes are, what it contains and which interfaces it uses. Stored as JSON, so
 * that every value survives serialization. Sizes are in bytes; paths are those in the archive.
 */
/** Rises when a reader's answer for the same file changes; older analyses are then computed again. */
export const analyzerVersion = 1;

export interface PackageAnalysis {
  version: number;
  /** Parts that exceeded a limit or could not be read. What is listed here is absent below, never guessed. */
  gaps: {
    part: AnalysisPart;
    path: string | null;
    reason: 'too_large' | 'too_many' | 'too_slow' | 'unreadable' | 'encrypted';
  }[];
  size: SizeAnalysis;
  android: AndroidAnalysis | null;
  ios: IosAnalysis | null;
  dependencies: DependencyAnalysis;
  /** Redacted; shown to owners only. */
  secrets: { kind: string; path: string; redacted: string }[];
}

export type AnalysisPart =
  | 'archive'
  | 'dex'
  | 'native'
  | 'resources'
  | 'catalog'
  | 'properties'
  | 'metadata'
  | 'media'
  | 'secrets'
  | 'manifest'
  | 'signature';

export interface ByteCount {
  bytes: number;
  exact: boolean;
}

export interface SizeAnalysis {
  fileBytes: number;
  /** Exact for an APK, which is downloaded as it is; estimated for an app bundle and an IPA, which the stores split or thin. */
  download: ByteCount;
  install: ByteCount;
  categories: { category: SizeCategory; compressedBytes: number; bytes: number; files: number }[];
  /** The largest, in descending order; the others are summed per folder in `rest`. Paths as in the archive. */
  files: { path: string; category: SizeCategory; compressedBytes: number; bytes: number; crc32: number }[];
  rest: { folder: string; category: SizeCategory; compressedBytes: number; bytes: number; files: number }[];
  /** `bytes`: the size of one copy. */
  duplicates: { bytes: number; paths: string[] }[];
  /** Only what exceeds a threshold. */
  media: {
    path: string;
    kind: 'image' | 'video' | 'audio' | 'font';
    bytes: number;
    width: number | null;
    height: number | null;
  }[];
  languages: { language: string; bytes: number }[];
}

export type SizeCategory =
  | 'code'
  | 'native'
  | 'resources'
  | 'assets'
  | 'images'
  | 'media'
  | 'fonts'
  | 'localization'
  | 'frameworks'
  | 'metadata'
  | 'signature'
  | 'other';

export interface AndroidAnalysis {
  dex: {
    path: string;
    methodReferences: number;
    fieldReferences: number;
    classes: number;
    strings: number;
    bytes: number;
  }[];
  /** Code bytes by package (real names where the bundle has a map), the largest 500. */
  codePackages: { name: string; codeBytes: number; classes: number }[];
  renamed: 'original_names' | 'mapped' | 'obfuscated' | null;
  nativeLibraries: {
    path: string;
    abi: string;
    bytes: number;
    sha256: string | null;
    minAlignment: number | null;
    stored: boolean;
    zipOffset: number;
    symbolBytes: number;
    debugBytes: number;
    needed: string[];
  }[];
  /** Percentage of the classes and members that R8 covered; null without a report. */
  r8: {
    obfuscated: number | null;
    optimized: number | null;
    shrunk: number | null;
    minified: boolean | null;
  } | null;
  versionControl: { system: string; revision: string; localRoot: string | null } | null;
  manifest: {
    debuggable: boolean;
    testOnly: boolean;
    allowBackup: boolean | null;
    usesCleartextTraffic: boolean | null;
    extractNativeLibs: boolean | null;
    targetSdk: number | null;
    minSdk: number | null;
    permissions: string[];
    features: string[];
    exported: {
      kind: 'activity' | 'service' | 'receiver' | 'provider';
      name: string;
      permission: string | null;
    }[];
    deepLinks: string[];
  };
  networkSecurity: {
    cleartextDomains: string[];
    cleartextByDefault: boolean | null;
    userCertificates: boolean;
  } | null;
}

export interface IosAnalysis {
  /** From the DT keys of Info.plist. */
  sdk: { name: string | null; version: string | null; xcode: string | null };
  executables: {
    path: string;
    bytes: number;
    sdkVersion: string | null;
    minOs: string | null;
    platform: number | null;
    linked: string[];
    symbolBytes: number;
    debugBytes: number;
    requiredReasonApis: string[];
  }[];
  privacyManifests: {
    path: string;
    tracking: boolean;
    trackingDomains: string[];
    collected: string[];
    accessed: { category: string; reasons: string[] }[];
  }[];
  frameworks: { path: string; name: string; version: string | null; bytes: number }[];
  appTransportSecurity: { arbitraryLoads: boolean; exceptions: { domain: string; insecure: boolean }[] };
  entitlements: Record<string, unknown>;
  getTaskAllow: boolean | null;
  assetCatalogs: { path: string; kind: string; bytes: number; assets: number }[];
  urlSchemes: string[];
  associatedDomains: string[];
  usageDescriptions: string[];
  backgroundModes: string[];
}

export interface DependencyAnalysis {
  /** `declared`: from dependencies.pb; `evidence`: from files inside the package. */
  source: 'declared' | 'evidence' | 'none';
  libraries: {
    ecosystem: 'maven' | 'ios' | 'native' | 'other';
    group: string | null;
    name: string;
    version: string | null;
    sha256: string | null;
    evidence: string | null;
    direct: boolean | null;
  }[];
  /** From a library to one that it needs, as indexes into `libraries`. */
  edges: [number, number][];
}
