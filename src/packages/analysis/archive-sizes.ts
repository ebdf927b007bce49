/** What the files of a package need: by category, by file, and for download and installation. */
import { hashEntry } from '../zip/hash-entry.ts';
import type { ZipArchive, ZipEntry } from '../zip/zip-archive.ts';
import type { AnalysisGap, SizeAnalysis, SizeCategory } from './analysis.ts';
import { abiPreference, estimateBundle } from './bundle-delivery.ts';
import { collectGap } from './gaps.ts';
import { compressedSizeOf, pathInApk, type SplitApks } from './split-apks.ts';

/** What decides which files a device gets. */
export type PackageKind =
  | { kind: 'apk' }
  | { kind: 'bundle' }
  | { kind: 'split-apks'; apks: SplitApks['apks'] }
  | { kind: 'ipa'; root: 'Payload/' }
  | { kind: 'simulator'; root: string };

/** Larger archives have their other files summed per folder. */
const maxListedFiles = 1500;
/** Folders of files that are not listed; those of the fewest bytes are summed per category, as the folder ''. */
const maxListedFolders = 2000;
/** Smaller files are listed only while there is room, because they answer no question alone. */
const minDuplicateBytes = 512;
/** Limits the time for comparing files with equal checksums. */
const maxComparedBytes = 256 * 1024 * 1024;
const maxDuplicateSets = 500;
const maxPathsPerSet = 50;
const maxLanguages = 300;
/** iOS installs files in blocks of this size. */
const blockBytes = 4096;

interface MeasuredFile {
  entry: ZipEntry;
  path: string;
  category: SizeCategory;
}

export async function measureArchive(
  archive: ZipArchive,
  kind: PackageKind,
  fileBytes: number,
  gaps: AnalysisGap[],
): Promise<Omit<SizeAnalysis, 'media'>> {
  const files = archive.entries
    .filter(({ name }) => !name.endsWith('/'))
    .map((entry) => ({ entry, path: entry.name, category: categoryOf(entry, kind) }))
    .sort((one, other) => other.entry.compressedBytes - one.entry.compressedBytes);
  return {
    fileBytes,
    ...(await totalsOf(archive, kind, files, { fileBytes, gaps })),
    categories: sumBy(files, ({ category }) => category).map(({ key: category, ...sum }) => ({
      category,
      ...sum,
    })),
    files: files.slice(0, maxListedFiles).map(({ entry, path, category }) => ({
      path,
      category,
      compressedBytes: entry.compressedBytes,
      bytes: entry.uncompressedBytes,
      crc32: entry.crc32,
    })),
    rest: sumPerFolder(files.slice(maxListedFiles)),
    duplicates: await findDuplicates(archive, files, gaps),
    languages: sumPerLanguage(files),
  };
}

/** Lists only the largest `maxFiles` files, and sums the others per folder. */
export function withFewerFiles(size: SizeAnalysis, maxFiles: number): SizeAnalysis {
  const rest = new Map(size.rest.map((one) => [`${one.category} ${one.folder}`, { ...one }]));
  for (const { path, category, compressedBytes, bytes } of size.files.slice(maxFiles)) {
    const folder = folderOf(path);
    const known = rest.get(`${category} ${folder}`);
    const sum = known ?? { folder, category, compressedBytes: 0, bytes: 0, files: 0 };
    sum.compressedBytes += compressedBytes;
    sum.bytes += bytes;
    sum.files += 1;
    rest.set(`${category} ${folder}`, sum);
  }
  return { ...size, files: size.files.slice(0, maxFiles), rest: [...rest.values()] };
}

/** The first two folders, so that few sums describe many files. */
const folderOf = (path: string) => path.split('/').slice(0, -1).slice(0, 2).join('/');

function sumPerFolder(files: readonly MeasuredFile[]): SizeAnalysis['rest'] {
  const keyOf = ({ path, category }: MeasuredFile) => `${category} ${folderOf(path)}`;
  const sums = sumBy(files, keyOf).map(({ key, ...sum }) => {
    const end = key.indexOf(' ');
    return { folder: key.slice(end + 1), category: key.slice(0, end) as SizeCategory, ...sum };
  });
  const others = new Map<SizeCategory, SizeAnalysis['rest'][number]>();
  for (const { category, compressedBytes, bytes, files: count } of sums.slice(maxListedFolders)) {
    const sum = others.get(category) ?? { folder: '', category, compressedBytes: 0, bytes: 0, files: 0 };
    sum.compressedBytes += compressedBytes;
    sum.bytes += bytes;
    sum.files += count;
    others.set(category, sum);
  }
  return [...sums.slice(0, maxListedFolders), ...others.values()];
}

function sumBy<Key extends string>(files: readonly MeasuredFile[], keyOf: (file: MeasuredFile) => Key) {
  const sums = new Map<Key, { key: Key; compressedBytes: number; bytes: number; files: number }>();
  for (const file of files) {
    const key = keyOf(file);
    const sum = sums.get(key) ?? { key, compressedBytes: 0, bytes: 0, files: 0 };
    sum.compressedBytes += file.entry.compressedBytes;
    sum.bytes += file.entry.uncompressedBytes;
    sum.files += 1;
    sums.set(key, sum);
  }
  return [...sums.values()].sort((one, other) => other.compressedBytes - one.compressedBytes);
}

/** Equal checksums and sizes are only a hint, so the content is compared. */
async function findDuplicates(
  archive: ZipArchive,
  files: readonly MeasuredFile[],
  gaps: AnalysisGap[],
): Promise<SizeAnalysis['duplicates']> {
  const similar = new Map<string, MeasuredFile[]>();
  for (const file of files) {
    const { crc32, uncompressedBytes } = file.entry;
    if (uncompressedBytes < minDuplicateBytes) continue;
    const key = `${crc32} ${uncompressedBytes}`;
    const known = similar.get(key);
    if (known) known.push(file);
    else similar.set(key, [file]);
  }
  const candidates = [...similar.values()]
    .filter(({ length }) => length > 1)
    .sort((one, other) => wastedBytes(other) - wastedBytes(one));
  const found: SizeAnalysis['duplicates'] = [];
  let leftBytes = maxComparedBytes;
  for (const candidate of candidates) {
    const bytes = candidate[0]?.entry.uncompressedBytes ?? 0;
    leftBytes -= bytes * candidate.length;
    if (leftBytes < 0 || found.length === maxDuplicateSets) {
      gaps.push({ part: 'archive', path: null, reason: 'too_many' });
      break;
    }
    const byDigest = new Map<string, string[]>();
    for (const { entry, path } of candidate) {
      const digest = await hashEntry(archive, entry, ['sha256']).catch(() => null);
      const key = digest?.[0]?.toString('hex');
      if (key === undefined) continue;
      const known = byDigest.get(key);
      if (known) known.push(path);
      else byDigest.set(key, [path]);
    }
    for (const paths of byDigest.values())
      if (paths.length > 1) found.push({ bytes, paths: paths.slice(0, maxPathsPerSet) });
  }
  return found;
}

const wastedBytes = (files: readonly MeasuredFile[]) =>
  (files.length - 1) * (files[0]?.entry.uncompressedBytes ?? 0);

const lproj = /(?:^|\/)([^/]+)\.lproj\//;
/** Qualifiers of resource folders: language with region, or a BCP 47 tag (`values-b+sr+Latn`). */
const resourceLanguage =
  /(?:^|\/)res\/[a-z]+-(?:mcc\d+-)?(?:mnc\d+-)?(b\+[\w+]+|[a-z]{2,3}(?:-r[A-Z]{2})?)(?=[-/])/;
/** Qualifiers of two or three letters that are not languages. */
const otherQualifiers = new Set(['car', 'tv']);

export function languageOf(path: string): string | null {
  const [, project] = lproj.exec(path) ?? [];
  if (project !== undefined) return project === 'Base' ? null : project.replace('_', '-');
  const [, qualifier = null] = resourceLanguage.exec(path) ?? [];
  if (qualifier === null || otherQualifiers.has(qualifier)) return null;
  return qualifier.startsWith('b+') ? qualifier.slice(2).replaceAll('+', '-') : qualifier.replace('-r', '-');
}

function sumPerLanguage(files: readonly MeasuredFile[]): SizeAnalysis['languages'] {
  const sums = new Map<string, number>();
  for (const { path, entry } of files) {
    const language = languageOf(path);
    if (language !== null) sums.set(language, (sums.get(language) ?? 0) + entry.compressedBytes);
  }
  return [...sums]
    .map(([language, bytes]) => ({ language, bytes }))
    .sort((one, other) => other.bytes - one.bytes)
    .slice(0, maxLanguages);
}

type Totals = Pick<SizeAnalysis, 'download' | 'install'>;

async function totalsOf(
  archive: ZipArchive,
  kind: PackageKind,
  files: readonly MeasuredFile[],
  { fileBytes, gaps }: { fileBytes: number; gaps: AnalysisGap[] },
): Promise<Totals> {
  switch (kind.kind) {
    case 'apk':
      return apkTotals(files, { bytes: fileBytes, exact: true }, fileBytes);
    case 'split-apks':
      return apkTotals(
        files,
        { bytes: await compressedSizeOf(kind.apks), exact: false },
        kind.apks.reduce((sum, { file }) => sum + file.sizeBytes, 0),
      );
    case 'bundle':
      return bundleTotals(archive, files, gaps);
    case 'ipa':
      return appTotals(files, kind.root);
    case 'simulator':
      return { ...appTotals(files, kind.root), download: { bytes: fileBytes, exact: true } };
  }
}

/** An APK is stored as it is; libraries that it has compressed are extracted next to it. Compiled code comes on top. */
function apkTotals(files: readonly MeasuredFile[], download: Totals['download'], apkBytes: number): Totals {
  const extracted = files.filter(({ entry, category }) => category === 'native' && entry.method !== 0);
  return {
    download,
    install: { bytes: apkBytes + sumOf(extracted.filter(isForDevice(files)), bytesOf), exact: false },
  };
}

/** If the splits cannot be estimated, everything but the metadata of the bundle and libraries for other ABIs is counted. */
async function bundleTotals(
  archive: ZipArchive,
  files: readonly MeasuredFile[],
  gaps: AnalysisGap[],
): Promise<Totals> {
  const delivery = await collectGap(gaps, 'resources', null, () => estimateBundle(archive));
  if (delivery) {
    const { downloadBytes, installBytes } = delivery;
    return {
      download: { bytes: downloadBytes, exact: false },
      install: { bytes: installBytes, exact: false },
    };
  }
  const delivered = files
    .filter(({ path }) => !/^(?:BUNDLE-METADATA\/|META-INF\/|BundleConfig\.pb$)/.test(path))
    .filter(isForDevice(files));
  return {
    download: { bytes: sumOf(delivered, compressedBytesOf), exact: false },
    install: { bytes: sumOf(delivered, bytesOf), exact: false },
  };
}

/** Symbols and the Swift libraries for old systems stay with Apple. Files are installed uncompressed, in whole blocks. */
function appTotals(files: readonly MeasuredFile[], root: string): Totals {
  const delivered = files.filter(({ path }) => path.startsWith(root));
  return {
    download: { bytes: sumOf(delivered, compressedBytesOf), exact: false },
    install: {
      bytes: sumOf(delivered, (file) => Math.ceil(bytesOf(file) / blockBytes) * blockBytes),
      exact: false,
    },
  };
}

const bytesOf = ({ entry }: MeasuredFile) => entry.uncompressedBytes;
const compressedBytesOf = ({ entry }: MeasuredFile) => entry.compressedBytes;
const sumOf = (files: readonly MeasuredFile[], size: (file: MeasuredFile) => number) =>
  files.reduce((sum, file) => sum + size(file), 0);

const abiPattern = /(?:^|\/)lib\/([^/]+)\/[^/]+$/;
export const abiOf = (path: string): string | null => abiPattern.exec(path)?.[1] ?? null;

/** Whether the reference device uses a file, judged by its ABI. */
function isForDevice(files: readonly MeasuredFile[]): (file: MeasuredFile) => boolean {
  const present = new Set(files.map(({ path }) => abiOf(path)));
  const abi = abiPreference.find((one) => present.has(one)) ?? null;
  return ({ path }) => {
    const own = abiOf(path);
    return own === null || abi === null || own === abi;
  };
}

const extensions: readonly (readonly [SizeCategory, RegExp])[] = [
  ['images', /\.(?:png|jpe?g|webp|gif|heic|heif|avif|svg|pdf|car|astc|ktx2?|pvr|dds|bmp|tiff?)$/i],
  ['media', /\.(?:mp4|m4v|mov|webm|mkv|avi|mp3|m4a|aac|ogg|oga|opus|wav|flac|aiff?|caf|mid|amr)$/i],
  ['fonts', /\.(?:ttf|otf|ttc|woff2?)$/i],
];

function categoryOf({ name, unixMode }: ZipEntry, kind: PackageKind): SizeCategory {
  if ('root' in kind) return iosCategory(name, unixMode, kind.root);
  return androidCategory(kind.kind === 'split-apks' ? pathInApk(name) : name);
}

function byExtension(name: string): SizeCategory | null {
  return extensions.find(([, pattern]) => pattern.test(name))?.[0] ?? null;
}

function androidCategory(name: string): SizeCategory {
  if (/\.dex$/.test(name)) return 'code';
  if (abiOf(name) !== null) return 'native';
  if (/^META-INF\/[^/]+\.(?:RSA|DSA|EC|SF|MF)$/i.test(name)) return 'signature';
  if (/^(?:META-INF|BUNDLE-METADATA|kotlin|[^/]+\/root\/(?:META-INF|kotlin))\//.test(name)) return 'metadata';
  if (/^(?:AndroidManifest\.xml|BundleConfig\.pb|[^/]+\/manifest\/.*)$/.test(name)) return 'metadata';
  if (/^(?:[^/]+\/)?resources\.(?:arsc|pb)$/.test(name)) return 'resources';
  const special = byExtension(name);
  if (special !== null) return special;
  if (/^(?:[^/]+\/)?res\//.test(name)) return 'resources';
  if (/^(?:[^/]+\/)?assets(?:#[^/]*)?\//.test(name)) return 'assets';
  return 'other';
}

const executableBits = 0o111;

function iosCategory(name: string, unixMode: number, root: string): SizeCategory {
  if (/^(?:META-INF\/|__MACOSX\/|Symbols\/|SwiftSupport\/|BCSymbolMaps\/|iTunes)/.test(name))
    return 'metadata';
  if (/\/(?:_CodeSignature|SC_Info)\/|\.mobileprovision$/.test(name)) return 'signature';
  if (/\/Frameworks\//.test(name)) return 'frameworks';
  if (/\.lproj\//.test(name)) return 'localization';
  const special = byExtension(name);
  if (special !== null) return special;
  if (/\.(?:dylib|so|a|bc)$/.test(name)) return 'code';
  const isExecutable = (unixMode & executableBits) !== 0 && !/\/[^/]+\.[a-z]+$/i.test(name);
  if (isExecutable || isNamedLikeItsBundle(name)) return 'code';
  if (/\.(?:nib|storyboardc|strings|stringsdict|momd?|omo|loctable)(?:\/|$)/.test(name)) return 'resources';
  if (/(?:^|\/)(?:[^/]+\.plist|PkgInfo|PrivacyInfo\.xcprivacy)$/.test(name)) return 'metadata';
  return name.startsWith(root) ? 'assets' : 'other';
}

/** `Payload/Tide.app/Tide`, the usual name of the executable. */
const isNamedLikeItsBundle = (name: string) => /(?:^|\/)([^/]+)\.(?:app|appex)\/\1$/.test(name);
