/** The large pictures, videos, sounds and fonts of a package, with their size in pixels where a header states it. */
import { readRasterHeader } from '../apk/raster-header.ts';
import { readSequentially } from '../ipa/asset-catalog/sequential-bytes.ts';
import { readPngSize } from '../ipa/png-chunks.ts';
import type { EntryReader, ZipEntry } from '../zip/zip-archive.ts';
import type { SizeAnalysis } from './analysis.ts';
import { addGap, collectGap, type Gap } from './gaps.ts';

type Media = SizeAnalysis['media'][number];

/** Smaller files are not listed. */
const minMediaBytes: Readonly<Record<Media['kind'], number>> = {
  image: 100 * 1024,
  video: 1024 * 1024,
  audio: 500 * 1024,
  font: 100 * 1024,
};
/** Only the largest are listed. */
const listedMedia = 200;
/** Thumbnails and color profiles precede the size of a JPEG. */
const mediaHeaderBytes = 256 * 1024;

const kindOfExtension: Readonly<Record<string, Media['kind']>> = {
  ...Object.fromEntries(
    ['png', 'jpg', 'jpeg', 'gif', 'webp', 'avif', 'heic', 'bmp'].map((name) => [name, 'image']),
  ),
  ...Object.fromEntries(['mp4', 'm4v', 'mov', 'webm', '3gp', 'mkv'].map((name) => [name, 'video'])),
  ...Object.fromEntries(
    ['mp3', 'm4a', 'aac', 'ogg', 'wav', 'caf', 'flac', 'aif', 'aiff'].map((name) => [name, 'audio']),
  ),
  ...Object.fromEntries(['ttf', 'otf', 'ttc', 'woff', 'woff2'].map((name) => [name, 'font'])),
};

export async function readMedia(
  archive: EntryReader & { readonly entries: readonly ZipEntry[] },
  gaps: Gap[],
  listed = listedMedia,
): Promise<Media[]> {
  const candidates = archive.entries
    .flatMap((entry) => {
      const kind = kindOfExtension[/\.(\w+)$/.exec(entry.name)?.[1]?.toLowerCase() ?? ''];
      return kind && entry.uncompressedBytes >= minMediaBytes[kind] ? [{ entry, kind }] : [];
    })
    .sort((a, b) => b.entry.uncompressedBytes - a.entry.uncompressedBytes);
  if (candidates.length > listed) addGap(gaps, 'media', null, 'too_many');
  const found: Media[] = [];
  for (const { entry, kind } of candidates.slice(0, listed)) {
    const hasPixels = kind === 'image' || kind === 'video';
    const size = hasPixels
      ? await collectGap(gaps, 'media', entry, () => readPixelSize(archive, entry))
      : null;
    const { width = null, height = null } = size ?? {};
    found.push({ path: entry.name, kind, bytes: entry.uncompressedBytes, width, height });
  }
  return found;
}

async function readPixelSize(
  archive: EntryReader,
  entry: ZipEntry,
): Promise<{ width: number; height: number } | null> {
  const bytes = readSequentially(archive.stream(entry));
  try {
    const head = await bytes.readUpTo(0, mediaHeaderBytes);
    return readPngSize(head) ?? readRasterHeader(head) ?? readTrackSize(head);
  } finally {
    bytes.close();
  }
}

/**
 * ISO/IEC 14496-12, 8.3.2: the header of a track ends with its width and height, each as a 16.16 fixed-point number; 0 for sound.
 * The boxes are at the end of files that are not made for streaming, and then unknown.
 */
function readTrackSize(head: Buffer): { width: number; height: number } | null {
  if (head.toString('latin1', 4, 8) !== 'ftyp') return null;
  for (let at = head.indexOf('tkhd'); at !== -1; at = head.indexOf('tkhd', at + 4)) {
    const end = at - 4 + (at >= 4 ? head.readUInt32BE(at - 4) : 0);
    if (end < at + 84 || end > head.length) continue;
    const size = { width: head.readUInt16BE(end - 8), height: head.readUInt16BE(end - 4) };
    if (size.width > 0 && size.height > 0) return size;
  }
  return null;
}
