/**
 * The facts of the analyzer about one package: what its bytes are, what it contains and which interfaces it uses. Stored as JSON and
 * validated where it enters the server, because a package may compromise the process that reads it. Sizes are in bytes; paths
 * are those in the archive.
 */
import * as v from 'valibot';

/** Rises when a reader's answer for the same file changes; older analyses are then computed again. */
export const analyzerVersion = 3;

const text = v.string();
const optionalText = v.nullable(text);
const texts = v.array(text);
const count = v.pipe(v.number(), v.integer(), v.minValue(0));
const optionalCount = v.nullable(count);
const flag = v.boolean();
const optionalFlag = v.nullable(flag);
const optionalPercent = v.nullable(v.pipe(v.number(), v.minValue(0), v.maxValue(100)));

const part = v.picklist([
  'archive',
  'dex',
  'native',
  'resources',
  'catalog',
  'properties',
  'metadata',
  'media',
  'secrets',
  'manifest',
  'signature',
]);

export const sizeCategories = [
  'code',
  'native',
  'frameworks',
  'resources',
  'assets',
  'images',
  'media',
  'fonts',
  'localization',
  'metadata',
  'signature',
  'other',
] as const;
const category = v.picklist(sizeCategories);

const byteCount = v.object({ bytes: count, exact: flag });

const sizes = v.object({
  fileBytes: count,
  /** Exact for an APK, which is downloaded as it is; estimated for an app bundle and an IPA, which the stores split or thin. */
  download: byteCount,
  install: byteCount,
  categories: v.array(v.object({ category, compressedBytes: count, bytes: count, files: count })),
  /** The largest, in descending order of compressed size; the others are summed per folder in `rest`. */
  files: v.array(v.object({ path: text, category, compressedBytes: count, bytes: count, crc32: count })),
  rest: v.array(v.object({ folder: text, category, compressedBytes: count, bytes: count, files: count })),
  /** Files with equal content. `bytes`: the size of one copy. */
  duplicates: v.array(v.object({ bytes: count, paths: texts })),
  /** Only what exceeds a threshold. */
  media: v.array(
    v.object({
      path: text,
      kind: v.picklist(['image', 'video', 'audio', 'font']),
      bytes: count,
      width: optionalCount,
      height: optionalCount,
    }),
  ),
  /** Files for one language, by its tag. */
  languages: v.array(v.object({ language: text, bytes: count })),
});

/** The backup rules of Android 12 and later. Rules are `domain path`; if there are includes, only these are part of it. */
const backupScope = v.object({ allowed: flag, includes: texts, excludes: texts, needsEncryption: flag });

const android = v.object({
  dex: v.array(
    v.object({
      path: text,
      methodReferences: count,
      fieldReferences: count,
      classes: count,
      strings: count,
      bytes: count,
      mapId: optionalText,
    }),
  ),
  /** Bytes of code by Java package, the largest 500, with real names if the bundle has a map. */
  codePackages: v.array(v.object({ name: text, codeBytes: count, classes: count })),
  renamed: v.nullable(v.picklist(['original_names', 'mapped', 'obfuscated'])),
  nativeLibraries: v.array(
    v.object({
      path: text,
      abi: text,
      bytes: count,
      sha256: optionalText,
      /** The smallest `p_align` of the loaded segments; null for 32-bit libraries, whose devices have pages of 4 KiB. */
      minAlignment: optionalCount,
      /** False in an app bundle, whose libraries get their final position in an APK. */
      stored: flag,
      /** Position of its first byte in the archive. */
      zipOffset: count,
      symbolBytes: count,
      debugBytes: count,
      needed: texts,
      buildId: optionalText,
    }),
  ),
  /** Percentage of the classes and members that R8 covered; null without a report. */
  r8: v.nullable(
    v.object({
      obfuscated: optionalPercent,
      optimized: optionalPercent,
      shrunk: optionalPercent,
      minified: optionalFlag,
    }),
  ),
  /** To which multiple of bytes the store aligns the libraries of an app bundle; null for others, and if it compresses them. */
  bundleAlignment: optionalCount,
  /** The mapping of R8 or ProGuard within an app bundle, deflated or stored. */
  mapping: v.nullable(v.object({ position: count, compressedBytes: count, bytes: count, isDeflated: flag })),
  versionControl: v.nullable(v.object({ system: text, revision: text, localRoot: optionalText })),
  manifest: v.object({
    debuggable: flag,
    testOnly: flag,
    allowBackup: optionalFlag,
    usesCleartextTraffic: optionalFlag,
    extractNativeLibs: optionalFlag,
    /** By `appCategory` or `isGame`. Google Play goes by the category that is chosen there. */
    isGame: flag,
    targetSdk: optionalCount,
    minSdk: optionalCount,
    permissions: texts,
    features: texts,
    exported: v.array(
      v.object({
        kind: v.picklist(['activity', 'service', 'receiver', 'provider']),
        name: text,
        permission: optionalText,
      }),
    ),
    deepLinks: texts,
  }),
  networkSecurity: v.nullable(
    v.object({ cleartextDomains: texts, cleartextByDefault: optionalFlag, userCertificates: flag }),
  ),
  /** `cloud`: backups; `transfer`: to a new device. Null if a file with rules could not be read. */
  backup: v.nullable(v.object({ cloud: backupScope, transfer: backupScope })),
});

const ios = v.object({
  /** From the DT keys of Info.plist. */
  sdk: v.object({ name: optionalText, version: optionalText, xcode: optionalText }),
  executables: v.array(
    v.object({
      path: text,
      bytes: count,
      sdkVersion: optionalText,
      minOs: optionalText,
      platform: optionalCount,
      linked: texts,
      symbolBytes: count,
      debugBytes: count,
      requiredReasonApis: texts,
      uuid: optionalText,
    }),
  ),
  privacyManifests: v.array(
    v.object({
      path: text,
      tracking: flag,
      trackingDomains: texts,
      collected: texts,
      accessed: v.array(v.object({ category: text, reasons: texts })),
    }),
  ),
  frameworks: v.array(v.object({ path: text, name: text, version: optionalText, bytes: count })),
  appTransportSecurity: v.object({
    arbitraryLoads: flag,
    exceptions: v.array(v.object({ domain: text, insecure: flag })),
  }),
  entitlements: v.record(text, v.unknown()),
  getTaskAllow: optionalFlag,
  assetCatalogs: v.array(v.object({ path: text, kind: text, bytes: count, assets: count })),
  urlSchemes: texts,
  associatedDomains: texts,
  usageDescriptions: texts,
  backgroundModes: texts,
});

const dependencies = v.object({
  /** `declared`: from dependencies.pb; `evidence`: from files inside the package. */
  source: v.picklist(['declared', 'evidence', 'none']),
  libraries: v.array(
    v.object({
      ecosystem: v.picklist(['maven', 'ios', 'native', 'other']),
      group: optionalText,
      name: text,
      version: optionalText,
      sha256: optionalText,
      evidence: optionalText,
      direct: optionalFlag,
    }),
  ),
  /** From a library to one that it needs, as indexes into `libraries`. */
  edges: v.array(v.tuple([count, count])),
});

export const packageAnalysis = v.object({
  version: count,
  /** Parts that exceeded a limit or could not be read. What is listed here is absent below, never guessed. */
  gaps: v.array(
    v.object({
      part,
      path: optionalText,
      reason: v.picklist(['too_large', 'too_many', 'too_slow', 'unreadable', 'encrypted']),
    }),
  ),
  size: sizes,
  android: v.nullable(android),
  ios: v.nullable(ios),
  dependencies,
  /** Redacted; shown only to people who manage the app. */
  secrets: v.array(v.object({ kind: text, path: text, redacted: text })),
});

export type PackageAnalysis = v.InferOutput<typeof packageAnalysis>;
export type AnalysisGap = PackageAnalysis['gaps'][number];
export type AnalysisPart = AnalysisGap['part'];
export type SizeAnalysis = PackageAnalysis['size'];
export type SizeCategory = v.InferOutput<typeof category>;
export type ByteCount = v.InferOutput<typeof byteCount>;
export type AndroidAnalysis = v.InferOutput<typeof android>;
export type IosAnalysis = v.InferOutput<typeof ios>;
export type DependencyAnalysis = v.InferOutput<typeof dependencies>;
