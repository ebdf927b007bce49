/** Reads BundleConfig.pb: bundletool's `config.proto`. */
import { createGlobs } from './path-glob.ts';
import { damagedBundle, messageType, type ProtobufMessage, readProtobuf } from './protobuf.ts';

export interface BundleConfig {
  /** The version of bundletool; 0.0.0 if unknown. */
  version: readonly [major: number, minor: number, patch: number];
  /** False for bundles of modules for other purposes, which contain no app. */
  isApp: boolean;
  /** Dimensions with directories of assets for only some devices, by the key of their suffix. */
  assetDimensions: AssetDimension[];
  /** Whether stores deliver only what a device needs of these, in splits. */
  splitsBy: { abi: boolean; density: boolean; language: boolean };
  /** To which multiple of bytes libraries are aligned in the APKs of the store; null if they are compressed. */
  libraryAlignment: number | null;
  /** Whether a file with this path in the APK stays uncompressed. */
  isUncompressed: (path: string) => boolean;
  compressesInstallTimeAssets: boolean;
  collapsesResourceNames: boolean;
  /** Paths, in the APK, of APKs to be signed with its key. */
  embeddedApks: string[];
  /** Whether the APK should contain a list of its languages. */
  injectsLocaleConfig: boolean;
  /** Settings that are not applied to the APK, such as `Optimizations.9` from a newer bundletool. */
  ignoredSettings: string[];
}

export interface AssetDimension {
  /** `tcf` in `textures#tcf_astc`. */
  key: string;
  /** The value used in a universal APK. Empty for the directory without a suffix. */
  defaultValue: string;
  stripsSuffix: boolean;
}

/** How many settings are listed in a warning. */
const maxListedSettings = 5;
/** Values of `SplitDimension.value`. */
const dimensionKeys: Readonly<Record<number, string>> = { 4: 'tcf', 6: 'tier', 7: 'countries', 9: 'group' };
const tierDimension = 6;
/** None, CPUs, screen densities and languages. A universal APK includes all of them. */
const dimensionsWithoutAssets = [0, 1, 2, 3];
const [abiDimension, densityDimension, languageDimension] = [1, 2, 3] as const;
const pageBytes = 4096;
/** By value of `PageAlignment`; the first is unspecified. */
const alignments = [pageBytes, pageBytes, 4 * pageBytes, 16 * pageBytes];
/** Means one APK per feature module in addition to the base. A universal APK is a single file. */
const separateFeatureModules = 1;

const configType = messageType('BundleConfig', [1, 2, 3, 4, 5, 7, 8, 9], [6]);
const bundletoolType = messageType('Bundletool', [1, 2]);
const optimizationsType = messageType('Optimizations', [1, 2, 3, 4, 5, 6]);
const splitsType = messageType('SplitsConfig', [], [1]);
const dimensionType = messageType('SplitDimension', [1, 2, 3]);
const librariesType = messageType('UncompressNativeLibraries', [1, 2]);
const standaloneType = messageType('StandaloneConfig', [1, 2, 3, 4]);
const strippingType = messageType('SuffixStripping', [1, 2]);
const resourcesType = messageType('ResourceOptimizations', [1, 2]);
const namesType = messageType('CollapsedResourceNames', [1, 3], [2, 4]);
const compressionType = messageType('Compression', [2, 3], [1]);
const embeddedApkType = messageType('UnsignedEmbeddedApkConfig', [1]);
const localesType = messageType('Locales', [1]);

/** @throws UnreadablePackage if the message is damaged */
export function readBundleConfig(message: Buffer): BundleConfig {
  const ignored = new Set<string>();
  const config = readProtobuf(message, configType, (type, field) => ignored.add(`${type}.${field}`));
  const optimizations = config.message(2, optimizationsType);
  const compression = config.message(3, compressionType);
  const [, major, minor, patch] =
    /^(\d{1,5})\.(\d{1,5})\.(\d{1,5})/.exec(config.message(1, bundletoolType)?.text(2) ?? '') ?? [];
  const splits = optimizations?.message(1, splitsType);
  const dimensions = [...(splits?.messages(1, dimensionType) ?? [])];
  const assetDimensions = dimensions.flatMap((one) => readDimension(one, ignored));
  const isSplit = (dimension: number) =>
    !dimensions.some((one) => one.number(1) === dimension && one.number(2) === 1);
  if (new Set(assetDimensions.map(({ key }) => key)).size < assetDimensions.length) throw damagedBundle();
  if (optimizations?.message(4, standaloneType)?.number(4) === separateFeatureModules)
    ignored.add('StandaloneConfig.feature_modules_mode');
  const names = optimizations?.message(5, resourcesType)?.message(2, namesType);
  return {
    version: [Number(major ?? 0), Number(minor ?? 0), Number(patch ?? 0)],
    isApp: config.number(8) === 0,
    assetDimensions,
    splitsBy: {
      abi: isSplit(abiDimension),
      density: isSplit(densityDimension),
      language: isSplit(languageDimension),
    },
    libraryAlignment: alignmentOf(optimizations?.message(2, librariesType) ?? null),
    isUncompressed: createGlobs(compression?.texts(1) ?? []),
    compressesInstallTimeAssets: compression?.number(2) === 2,
    collapsesResourceNames: names?.number(1) === 1,
    embeddedApks: Array.from(config.messages(6, embeddedApkType), (one) => one.text(1)),
    injectsLocaleConfig: config.message(9, localesType)?.number(1) === 1,
    ignoredSettings: [...ignored].slice(0, maxListedSettings),
  };
}

/** Libraries are uncompressed without the setting, since bundletool 0.6. An unknown alignment counts as the smallest, as in bundletool. */
function alignmentOf(libraries: ProtobufMessage | null): number | null {
  if (libraries && libraries.number(1) !== 1) return null;
  return alignments[libraries?.number(2) ?? 0] ?? pageBytes;
}

function readDimension(message: ProtobufMessage, ignored: Set<string>): AssetDimension[] {
  const dimension = message.number(1);
  const key = dimensionKeys[dimension];
  if (key === undefined) {
    if (!dimensionsWithoutAssets.includes(dimension)) ignored.add(`SplitDimension ${dimension}`);
    return [];
  }
  const stripping = message.message(3, strippingType);
  const value = stripping?.text(2) ?? '';
  return [
    {
      key,
      defaultValue: value === '' && dimension === tierDimension ? '0' : value,
      stripsSuffix: stripping?.number(1) === 1,
    },
  ];
}

export const isAtLeast = ({ version }: BundleConfig, ...other: BundleConfig['version']) => {
  const at = version.findIndex((part, index) => part !== other[index]);
  return at === -1 || (version[at] ?? 0) > (other[at] ?? 0);
};
