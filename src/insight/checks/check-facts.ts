/** What the checks need of a build: stored with it, so that every judgment uses today's rules and settings. Pure. */

import type { AnalysisPart, ByteCount, PackageAnalysis } from '../../packages/analysis/analysis.ts';
import { requiredReasonCategory } from '../../packages/analysis/ios/required-reasons.ts';
import type { PackageInfo, Platform, ProfileType } from '../../packages/package-info.ts';
import { allowedReasons, listedSdks, probableSdk } from './platform-lists.ts';
import type { FormFactor } from './store-rules.ts';

/** An earlier build that sizes are compared with. Null sizes: it was not analyzed. */
export interface ReferenceBuild {
  revision: number;
  downloadBytes: number | null;
  installBytes: number | null;
}

export interface MisalignedLibrary {
  path: string;
  /** The smallest alignment of its segments, its offset in the archive, or the alignment that the bundle asks for all libraries. */
  problem: 'alignment' | 'zip_offset' | 'bundle';
  bytes: number;
  sdk: string | null;
}

/** Lists are limited; null always means that the part was not analyzed. */
export interface CheckFacts {
  platform: Platform;
  download: ByteCount | null;
  install: ByteCount | null;
  /** At most this much of the download belongs to the base module. */
  baseBytes: number | null;
  previous: ReferenceBuild | null;
  defaultBranch: ReferenceBuild | null;
  android: AndroidCheckFacts | null;
  ios: IosCheckFacts | null;
  /** `group:name:version`. */
  libraries: readonly string[] | null;
}

export interface AndroidCheckFacts {
  targetSdk: number | null;
  formFactor: FormFactor;
  debuggable: boolean;
  testOnly: boolean;
  /** Absent in facts of earlier versions. */
  isGame?: boolean;
  dexBytes: number | null;
  /** Percent. */
  r8: { obfuscated: number | null; optimized: number | null; shrunk: number | null } | null;
  /** Version of the Play Billing Library; `none` if the app does not contain it. */
  billing: string | null;
  misaligned: readonly MisalignedLibrary[] | null;
  /** Those that the previous build does not request. */
  newPermissions: readonly string[] | null;
  /** Components that every app may start. */
  exported: readonly string[] | null;
  newExported: readonly string[] | null;
}

export interface IosCheckFacts {
  /** The lowest SDK version among the executables. */
  sdkVersion: string | null;
  /** Frameworks of listed SDKs without a manifest; null if the executables were not analyzed. */
  sdksWithoutManifest: readonly string[] | null;
  hasManifest: boolean | null;
  /** `<executable>: <category>` without a valid reason in its manifest. */
  missingReasons: readonly string[] | null;
  profile: { type: ProfileType; expiresAt: string | null } | null;
}

export const maxListed = 200;
const pageBytes = 16_384;
const bundleConfigPath = 'BundleConfig.pb';
const abis64 = ['arm64-v8a', 'x86_64', 'riscv64'];

export interface AnalyzedBuild {
  info: PackageInfo;
  analysis: PackageAnalysis;
  /** `facts`: null unless it was analyzed. */
  previous: (ReferenceBuild & { info: PackageInfo; facts: CheckFacts | null }) | null;
  defaultBranch: ReferenceBuild | null;
}

export function checkFacts({ info, analysis, previous, defaultBranch }: AnalyzedBuild): CheckFacts {
  const hasGap = (...parts: AnalysisPart[]) => analysis.gaps.some(({ part }) => parts.includes(part));
  const { size, dependencies } = analysis;
  const isKnown = !hasGap('archive');
  return {
    platform: info.platform,
    download: isKnown ? size.download : null,
    install: isKnown ? size.install : null,
    baseBytes: isKnown ? baseBytes(analysis) : null,
    previous: previous && referenceOf(previous),
    defaultBranch: defaultBranch && referenceOf(defaultBranch),
    android: info.android && androidFacts({ info, analysis, previous }, hasGap),
    ios: info.ios && iosFacts(info, analysis, hasGap),
    libraries: hasGap('metadata')
      ? null
      : dependencies.libraries.map(({ group, name, version }) =>
          [...(group === null ? [] : [group]), name, version ?? ''].join(':'),
        ),
  };
}

const referenceOf = ({ revision, downloadBytes, installBytes }: ReferenceBuild): ReferenceBuild => ({
  revision,
  downloadBytes,
  installBytes,
});

/**
 * The facts with what was unknown of an earlier build, which may be analyzed later than the build itself.
 * @param of finds the facts of a build of the same app by its revision
 */
export function withReferences(
  facts: CheckFacts,
  of: (revision: number) => CheckFacts | undefined,
): CheckFacts {
  const complete = (reference: ReferenceBuild | null) => {
    const known = reference?.downloadBytes === null ? of(reference.revision) : undefined;
    return known && reference
      ? {
          ...reference,
          downloadBytes: known.download?.bytes ?? null,
          installBytes: known.install?.bytes ?? null,
        }
      : reference;
  };
  const { android, previous } = facts;
  const before = android?.newExported === null && previous ? of(previous.revision) : undefined;
  return {
    ...facts,
    previous: complete(previous),
    defaultBranch: complete(facts.defaultBranch),
    android: android && {
      ...android,
      newExported: android.newExported ?? newNames(android.exported, before?.android?.exported ?? null),
    },
  };
}

/** Revisions of earlier builds that `withReferences` could complete. */
export const unknownReferences = ({ previous, defaultBranch }: CheckFacts): number[] =>
  [previous, defaultBranch].flatMap((one) => (one?.downloadBytes === null ? [one.revision] : []));

type HasGap = (...parts: AnalysisPart[]) => boolean;

/** Modules of a bundle are top-level folders with a manifest. */
function baseBytes({ size }: PackageAnalysis): number {
  const module = (path: string) => /^([^/]+)\/manifest\/AndroidManifest\.xml$/.exec(path)?.[1];
  const modules = size.files.flatMap(({ path }) => module(path) ?? []);
  const inBase = [
    ...size.files.map(({ path, compressedBytes }) => ({ path, compressedBytes })),
    ...size.rest.map(({ folder, compressedBytes }) => ({ path: `${folder}/`, compressedBytes })),
  ].filter(({ path }) => path.startsWith('base/'));
  const sum = inBase.reduce((total, { compressedBytes }) => total + compressedBytes, 0);
  return modules.length > 1 ? Math.min(size.download.bytes, sum) : size.download.bytes;
}

function androidFacts(
  { info, analysis, previous }: Pick<AnalyzedBuild, 'info' | 'analysis' | 'previous'>,
  hasGap: HasGap,
): AndroidCheckFacts {
  const known = analysis.android;
  const facts = info.android;
  const isBundle = analysis.size.files.some(({ path }) => path.startsWith('base/'));
  const manifest = hasGap('manifest') ? null : (known?.manifest ?? null);
  const exported =
    manifest === null
      ? null
      : manifest.exported
          .filter(({ permission }) => permission === null)
          .map(({ kind, name }) => `${kind} ${name}`);
  const billing = analysis.dependencies.libraries.find(
    ({ group, name }) => group === 'com.android.billingclient' && /^billing(-ktx)?$/.test(name),
  );
  return {
    targetSdk: info.targetSdkVersion,
    formFactor: formFactorOf(facts?.features ?? []),
    debuggable: facts?.debuggable ?? false,
    testOnly: facts?.testOnly ?? false,
    isGame: manifest?.isGame ?? false,
    dexBytes:
      known === null || hasGap('dex') ? null : known.dex.reduce((total, { bytes }) => total + bytes, 0),
    r8: known?.r8 ?? null,
    billing: billing ? billing.version : analysis.dependencies.source === 'declared' ? 'none' : null,
    misaligned:
      known === null || hasGapIn64Bit(analysis) || hasConfigGap(analysis)
        ? null
        : misaligned(known, isBundle),
    newPermissions: newNames(
      facts?.permissions ?? [],
      previous && (previous.info.android?.permissions ?? []),
    ),
    exported,
    newExported: newNames(exported, previous?.facts?.android?.exported ?? null),
  };
}

/** Null unless both are known. */
const newNames = (names: readonly string[] | null, before: readonly string[] | null) =>
  names && before && names.filter((name) => !before.includes(name)).slice(0, maxListed);

/** Libraries for 32 bits have no part in the rule. */
const hasGapIn64Bit = ({ gaps }: PackageAnalysis) =>
  gaps.some(
    ({ part, path }) =>
      part === 'native' && (path === null || abis64.some((abi) => path.includes(`lib/${abi}/`))),
  );

const hasConfigGap = ({ gaps }: PackageAnalysis) => gaps.some(({ path }) => path === bundleConfigPath);

function misaligned(
  { nativeLibraries, manifest, bundleAlignment }: NonNullable<PackageAnalysis['android']>,
  isBundle: boolean,
): MisalignedLibrary[] | null {
  const libraries = nativeLibraries.filter(({ abi }) => abis64.includes(abi));
  if (libraries.some(({ minAlignment }) => minAlignment === null)) return null;
  const isUnaligned =
    libraries.length > 0 &&
    manifest.extractNativeLibs !== true &&
    bundleAlignment !== null &&
    bundleAlignment < pageBytes;
  const setting: MisalignedLibrary[] = isUnaligned
    ? [{ path: bundleConfigPath, problem: 'bundle', bytes: bundleAlignment, sdk: null }]
    : [];
  const unaligned = libraries.flatMap(({ path, minAlignment, stored, zipOffset }): MisalignedLibrary[] => {
    const sdk = probableSdk(path);
    if (minAlignment !== null && minAlignment < pageBytes)
      return [{ path, problem: 'alignment', bytes: minAlignment, sdk }];
    // Extracted libraries are aligned by the file system, and those of a bundle by the store.
    const isMapped = stored && !isBundle && manifest.extractNativeLibs !== true;
    return isMapped && zipOffset % pageBytes !== 0
      ? [{ path, problem: 'zip_offset', bytes: zipOffset, sdk }]
      : [];
  });
  return [...setting, ...unaligned].slice(0, maxListed);
}

function formFactorOf(features: readonly { name: string; required: boolean }[]): FormFactor {
  const requires = (name: string) => features.some((one) => one.name === name && one.required);
  if (requires('android.hardware.type.watch')) return 'wear';
  if (requires('android.hardware.type.automotive')) return 'automotive';
  if (requires('android.software.leanback') || requires('android.hardware.type.television')) return 'tv';
  return features.some(({ name, required }) => required && name.startsWith('android.software.xr.'))
    ? 'xr'
    : 'phone';
}

function iosFacts(info: PackageInfo, analysis: PackageAnalysis, hasGap: HasGap): IosCheckFacts {
  const { ios } = analysis;
  const profile = info.ios?.profile ?? null;
  const known = ios !== null && !hasGap('native');
  const knowsManifests = ios !== null && !hasGap('properties');
  return {
    sdkVersion: ios && lowestSdk(ios),
    sdksWithoutManifest: knowsManifests && ios ? sdksWithoutManifest(ios) : null,
    hasManifest: knowsManifests && ios ? ios.privacyManifests.length > 0 : null,
    missingReasons: known && knowsManifests && ios ? missingReasons(ios) : null,
    profile: profile && { type: profile.type, expiresAt: profile.expiresAt },
  };
}

type Ios = NonNullable<PackageAnalysis['ios']>;

/** `LC_BUILD_VERSION` is harder to change than the property list, which is used without it. */
function lowestSdk({ executables, sdk }: Ios): string | null {
  const [main] = [...executables].sort(
    (one, other) => one.path.split('/').length - other.path.split('/').length,
  );
  return main?.sdkVersion ?? sdk.version;
}

const folderOf = (path: string) => path.slice(0, path.lastIndexOf('/') + 1);
/** The folder of the innermost bundle that contains the file: the app, an extension or a framework. */
const bundleOf = (path: string) => /^(.*\.(?:app|appex|framework)\/)/.exec(path)?.[1] ?? folderOf(path);

function sdksWithoutManifest({ frameworks, privacyManifests }: Ios): string[] {
  return frameworks
    .filter(({ name }) => listedSdks.has(name.replace(/\.framework$/, '')))
    .filter(({ path }) => {
      const folder = path.endsWith('/') ? path : `${path}/`;
      return !privacyManifests.some((one) => one.path.startsWith(folder));
    })
    .map(({ name }) => name)
    .slice(0, maxListed);
}

/** Resource bundles of statically linked SDKs are below the bundle of the executable, and count for it. */
function missingReasons({ executables, privacyManifests }: Ios): string[] {
  return executables
    .flatMap(({ path, requiredReasonApis }) => {
      const bundle = bundleOf(path);
      const declared = privacyManifests
        .filter((one) => bundleOf(one.path) === bundle)
        .flatMap(({ accessed }) => accessed)
        .filter(({ category, reasons }) => {
          const allowed = allowedReasons[category];
          return reasons.length > 0 && (!allowed || reasons.some((reason) => allowed.includes(reason)));
        })
        .map(({ category }) => category);
      const used = new Set(requiredReasonApis.flatMap((api) => requiredReasonCategory(api) ?? []));
      const name = path.slice(path.lastIndexOf('/') + 1);
      return [...used]
        .filter((category) => !declared.includes(category))
        .map((category) => `${name}: ${category.replace('NSPrivacyAccessedAPICategory', '')}`);
    })
    .slice(0, maxListed);
}
