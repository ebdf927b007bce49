/**
 * Chooses an app's icon: from the asset catalog if Info.plist names one there, otherwise a declared file, a default name, the
 * artwork next to Payload, or any icon in the catalog.
 */
import { type IconChoice, UnreadablePackage } from '../package-info.ts';
import {
  dictionaryUnder,
  type PropertyListDictionary,
  textsUnder,
  textUnder,
} from '../property-list/property-list-value.ts';
import type { EntryReader, ZipEntry } from '../zip/zip-archive.ts';
import type { AppBundle } from './app-bundle.ts';
import { readSequentially } from './asset-catalog/sequential-bytes.ts';
import { comparablePath } from './file-tree.ts';
import { pngHeaderBytes, readPngSize } from './png-chunks.ts';

/** How many files are read to find the largest. */
export const maxIconCandidates = 64;

/** Up to this size, inflating a whole file is faster than streaming its first bytes. */
const inlineReadThresholdBytes = 128 * 1024;

const scaleAndDevice = /(?:@[1-9]x)?(?:~[a-z]+)?(?:\.png)?$/i;

/** Returns null if the app has no icon. Does not open the catalog, which may be large; drawing detects damaged and unsupported icons. */
export async function chooseIcon(
  bundle: AppBundle,
  infoPlist: PropertyListDictionary,
): Promise<IconChoice | null> {
  const catalog = assetCatalog(bundle);
  // iOS 11 and later prefer the catalog; the files added by Xcode are smaller and for older versions.
  if (catalog && iconNameOf(infoPlist) !== null) return catalog;
  return (await chooseIconFile(bundle, infoPlist)) ?? catalog;
}

/** Returns an icon that is a separate file; null if there is none. */
export async function chooseIconFile(
  bundle: AppBundle,
  infoPlist: PropertyListDictionary,
): Promise<IconChoice | null> {
  const images = topLevelImages(bundle);
  const declared = declaredNames(infoPlist);
  const matching = images.filter((name) => declared.has(baseName(name)) || declared.has(name));
  const loose = images.filter((name) => /^(?:app)?icon/i.test(name));
  return (
    (await largestImage(bundle, matching)) ??
    (await largestImage(bundle, loose)) ??
    (await findITunesArtwork(bundle))
  );
}

/** Returns CFBundleIconName, the name in the asset catalog, of the primary icon, otherwise of the app. */
export function iconNameOf(infoPlist: PropertyListDictionary): string | null {
  for (const key of ['CFBundleIcons', 'CFBundleIcons~iphone', 'CFBundleIcons~ipad']) {
    const primary = dictionaryUnder(dictionaryUnder(infoPlist, key) ?? {}, 'CFBundlePrimaryIcon');
    const name = primary && textUnder(primary, 'CFBundleIconName');
    if (name !== null) return name;
  }
  return textUnder(infoPlist, 'CFBundleIconName');
}

function topLevelImages(bundle: AppBundle): string[] {
  return bundle.files.entries
    .map(({ path }) => path)
    .filter((path) => !path.includes('/') && /\.png$/i.test(path));
}

function baseName(name: string): string {
  return name.replace(scaleAndDevice, '');
}

/** Returns names in CFBundleIcons of each device, then in the legacy keys, without scale, device and extension. */
function declaredNames(infoPlist: PropertyListDictionary): Set<string> {
  const lists = ['CFBundleIcons', 'CFBundleIcons~ipad', 'CFBundleIcons~iphone'].flatMap((key) => {
    const primary = dictionaryUnder(dictionaryUnder(infoPlist, key) ?? {}, 'CFBundlePrimaryIcon');
    return primary ? [primary] : [];
  });
  const keys = ['CFBundleIconFiles', 'CFBundleIconFiles~ipad', 'CFBundleIconFile', 'CFBundleIconFile~ipad'];
  const names = [infoPlist, ...lists].flatMap((dictionary) =>
    keys.flatMap((key) => textsUnder(dictionary, key)),
  );
  return new Set(names.map((name) => comparablePath(baseName(name))).filter((name) => name !== ''));
}

/** Returns the widest image; the first if there are several. */
async function largestImage(bundle: AppBundle, names: string[]): Promise<IconChoice | null> {
  let best: IconChoice | null = null;
  for (const name of names.slice(0, maxIconCandidates)) {
    const entry = bundle.files.find(name);
    const size = entry && (await sizeOfPng(bundle.archive, entry));
    if (entry && size && size.width > (best?.width ?? 0)) best = { kind: 'png', source: entry.name, ...size };
  }
  return best;
}

async function sizeOfPng(
  archive: EntryReader,
  entry: ZipEntry,
): Promise<{ width: number; height: number } | null> {
  return readPngSize(await readStart(archive, entry, pngHeaderBytes));
}

/** Returns up to `length` bytes; empty if the entry cannot be read. */
async function readStart(archive: EntryReader, entry: ZipEntry, length: number): Promise<Buffer> {
  try {
    if (entry.uncompressedBytes <= inlineReadThresholdBytes) {
      return (await archive.read(entry, inlineReadThresholdBytes)).subarray(0, length);
    }
    const bytes = readSequentially(archive.stream(entry));
    return await bytes.readUpTo(0, length).finally(() => bytes.close());
  } catch (error) {
    if (error instanceof UnreadablePackage) return Buffer.alloc(0);
    throw error;
  }
}

/** Ad hoc IPAs contain the iTunes icon, 512 or 1024 pixels wide, as PNG or JPEG without an extension. */
async function findITunesArtwork({ archive, outside }: AppBundle): Promise<IconChoice | null> {
  for (const name of ['iTunesArtwork@2x', 'iTunesArtwork']) {
    const entry = outside.find(name);
    if (!entry) continue;
    const source = entry.name;
    const start = await readStart(archive, entry, pngHeaderBytes);
    const size = readPngSize(start);
    if (size) return { kind: 'png', source, ...size };
    if (start[0] === 0xff && start[1] === 0xd8) return { kind: 'jpeg', source, width: null, height: null };
  }
  return null;
}

function assetCatalog(bundle: AppBundle): IconChoice | null {
  const entry = bundle.files.find('Assets.car');
  return entry ? { kind: 'asset-catalog', source: entry.name, width: null, height: null } : null;
}
