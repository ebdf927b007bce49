/** Reads BundleConfig.pb: bundletool's `config.proto`. */
import { type ProtobufMessage, readProtobuf } from './protobuf.ts';

export interface BundleConfig {
  /** Of bundletool; 0.0.0 when unknown. */
  version: readonly [major: number, minor: number, patch: number];
  /** Bundles of modules for other purposes have no app. */
  isApp: boolean;
  /** Directories of assets for a part of all devices, by the key of their suffix. */
  assetDimensions: AssetDimension[];
  /** Of paths in the APK. */
  uncompressedGlobs: string[];
  compressesInstallTimeAssets: boolean;
  collapsesResourceNames: boolean;
}

export interface AssetDimension {
  /** `tcf` in `textures#tcf_astc`. */
  key: string;
  /** The value that a universal APK has; an empty one stands for the directory without a suffix. */
  defaultValue: string;
  stripsSuffix: boolean;
}

/** Of `SplitDimension.value`. */
const dimensionKeys: Readonly<Record<number, string>> = { 4: 'tcf', 6: 'tier', 7: 'countries', 9: 'group' };
const tierDimension = 6;

/** @throws UnreadablePackage when the message is damaged */
export function readBundleConfig(message: Buffer): BundleConfig {
  const config = readProtobuf(message);
  const optimizations = config.message(2);
  const compression = config.message(3);
  const [, major, minor, patch] =
    /^(\d{1,5})\.(\d{1,5})\.(\d{1,5})/.exec(config.message(1)?.text(2) ?? '') ?? [];
  return {
    version: [Number(major ?? 0), Number(minor ?? 0), Number(patch ?? 0)],
    isApp: config.number(8) === 0,
    assetDimensions: (optimizations?.message(1)?.messages(1) ?? []).flatMap(readDimension),
    uncompressedGlobs: compression?.texts(1) ?? [],
    compressesInstallTimeAssets: compression?.number(2) === 2,
    collapsesResourceNames: optimizations?.message(5)?.message(2)?.number(1) === 1,
  };
}

function readDimension(message: ProtobufMessage): AssetDimension[] {
  const dimension = message.number(1);
  const key = dimensionKeys[dimension];
  if (key === undefined) return [];
  const stripping = message.message(3);
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
