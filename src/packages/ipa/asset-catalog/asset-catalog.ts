/**
 * The app icon in a compiled asset catalog (`Assets.car`): a BOM store with `KEYFORMAT`, the names of assets (`FACETKEYS`) and
 * their images (`RENDITIONS`), each with a key of 16-bit values in the order stated by the key format.
 */
import { deflateSync } from 'node:zlib';
import { UnreadablePackage } from '../../package-info.ts';
import { isPng, writePng } from '../png-chunks.ts';
import { openBomStore, readBomTree, readBomVariable } from './bom-store.ts';
import { decompressLzfse, isLzfse } from './lzfse.ts';
import { type Rendition, readAttributes, readRendition } from './rendition.ts';
import { decodePixels, type Pixels } from './rendition-pixels.ts';

/** Maximum size of a catalog, which is loaded completely. */
export const maxAssetCatalogBytes = 64 * 1024 * 1024;
/** How many images are tried, largest first, until one can be decoded. */
export const maxIconAttempts = 12;

export interface CatalogImage {
  /** A PNG, JPEG or WebP file. */
  bytes: Buffer;
  width: number;
  height: number;
  /** Whether this is the requested asset; false for a fallback, which may be a different icon of the app. */
  isAppIcon: boolean;
}

type DecodedImage = Omit<CatalogImage, 'isAppIcon'>;

/** The key attributes that are used. */
const attribute = { part: 2, appearance: 7, identifier: 17 };
const iconPart = 220;
export const maxKeyAttributes = 64;
/** Layouts of images, as opposed to sets of sizes, colors and the like. */
const imageLayouts = [10, 11, 12, 1000, 1003];

interface CatalogEntry {
  key: Map<number, number>;
  value: Buffer;
}

/**
 * Returns the largest decodable image of the app icon: of the asset `iconName` (CFBundleIconName), otherwise of `AppIcon`,
 * otherwise of any icon. Null if there is none in a supported encoding. Throws `UnreadablePackage` if the catalog is malformed.
 */
export function readAssetCatalogIcon(catalog: Buffer, iconName: string | null = null): CatalogImage | null {
  if (catalog.length > maxAssetCatalogBytes) {
    throw new UnreadablePackage(`the asset catalog is larger than ${maxAssetCatalogBytes} bytes`);
  }
  try {
    return findIcon(catalog, iconName);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UnreadablePackage(`the asset catalog is not readable: ${reason}`, { cause: error });
  }
}

/** Kinds of renditions by layout (Timac, 2018, "RenditionLayoutType"). */
const kindOfLayout: ReadonlyMap<number, string> = new Map([
  [9, 'vector'],
  ...[10, 11, 12, 1003].map((layout): [number, string] => [layout, 'image']),
  [1000, 'data'],
  [1004, 'packed image'],
  [1007, 'texture'],
  [1008, 'texture'],
  [1009, 'color'],
]);

export interface CatalogKind {
  /** `icon`, `image`, `vector`, `data` … */
  kind: string;
  bytes: number;
  assets: number;
}

/** Returns the stored bytes per kind of asset, the largest first. Throws `UnreadablePackage` if the catalog is malformed. */
export function measureAssetCatalog(catalog: Buffer): CatalogKind[] {
  try {
    const store = openBomStore(catalog);
    const keyFormat = readKeyFormat(readBomVariable(store, 'KEYFORMAT'));
    const kinds = new Map<string, CatalogKind>();
    for (const { key, value } of readBomTree(store, 'RENDITIONS')) {
      const layout = value.length >= 38 ? value.readUInt16LE(36) : 0;
      const isIcon =
        imageLayouts.includes(layout) && readKey(key, keyFormat).get(attribute.part) === iconPart;
      const kind = isIcon ? 'icon' : (kindOfLayout.get(layout) ?? 'other');
      const sum = kinds.get(kind) ?? { kind, bytes: 0, assets: 0 };
      kinds.set(kind, { kind, bytes: sum.bytes + value.length, assets: sum.assets + 1 });
    }
    return [...kinds.values()].sort((a, b) => b.bytes - a.bytes);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UnreadablePackage(`the asset catalog is not readable: ${reason}`, { cause: error });
  }
}

function findIcon(catalog: Buffer, iconName: string | null): CatalogImage | null {
  const store = openBomStore(catalog);
  const keyFormat = readKeyFormat(readBomVariable(store, 'KEYFORMAT'));
  const renditions = readBomTree(store, 'RENDITIONS');
  const entries = renditions.map(({ key, value }) => ({ key: readKey(key, keyFormat), value }));
  const facets = new Map(
    readBomTree(store, 'FACETKEYS').map(({ key, value }) => [
      key
        .toString('utf8')
        .replace(/(?<!\0)\0+$/, '')
        .normalize(),
      readAttributes(value.subarray(6)).get(attribute.identifier) ?? 0,
    ]),
  );
  const identifier =
    (iconName === null ? undefined : facets.get(iconName.normalize())) ?? facets.get('AppIcon');
  const ofIcon =
    identifier === undefined ? [] : entries.filter(({ key }) => key.get(attribute.identifier) === identifier);
  const anyIcon = entries.filter(({ key }) => key.get(attribute.part) === iconPart);
  const image = decodeLargest(ofIcon, entries);
  if (image) return { ...image, isAppIcon: true };
  const standIn = decodeLargest(anyIcon, entries);
  return standIn && { ...standIn, isAppIcon: false };
}

/** "tmfk", version, count, then that many attributes. */
function readKeyFormat(block: Buffer | null): number[] {
  if (!block) throw new Error('it has no key format');
  const count = block.readUInt32LE(8);
  if (count > maxKeyAttributes) throw new Error(`its keys have more than ${maxKeyAttributes} attributes`);
  return Array.from({ length: count }, (_, index) => block.readUInt32LE(12 + index * 4));
}

function readKey(bytes: Buffer, keyFormat: number[]): Map<number, number> {
  return new Map(
    keyFormat.flatMap((name, index): [number, number][] =>
      index * 2 + 2 <= bytes.length ? [[name, bytes.readUInt16LE(index * 2)]] : [],
    ),
  );
}

/** Prefers the regular appearance to dark and tinted ones, and then the widest image. */
function decodeLargest(candidates: CatalogEntry[], all: CatalogEntry[]): DecodedImage | null {
  const images = candidates
    .map(({ key, value }) => ({
      appearance: key.get(attribute.appearance) ?? 0,
      width: widthOf(value),
      value,
    }))
    .filter(({ width }) => width > 0)
    .sort((a, b) => a.appearance - b.appearance || b.width - a.width);
  for (const { value } of images.slice(0, maxIconAttempts)) {
    const image = decodeImage(value, all);
    if (image) return image;
  }
  return null;
}

/** Returns 0 unless the value is an image. */
function widthOf(value: Buffer): number {
  return value.length >= 40 && imageLayouts.includes(value.readUInt16LE(36)) ? value.readUInt32LE(12) : 0;
}

/** Returns null if it is malformed or unsupported, so that another size is tried. */
function decodeImage(value: Buffer, all: CatalogEntry[]): DecodedImage | null {
  try {
    const rendition = readRendition(value);
    const encoded = encodedFile(rendition);
    if (encoded) return { bytes: encoded, width: rendition.width, height: rendition.height };
    const pixels = rendition.link ? cutFromPacked(rendition, all) : decodePixels(rendition);
    return { bytes: toPng(pixels), width: pixels.width, height: pixels.height };
  } catch {
    return null;
  }
}

/** "DWAR", flags, bytes, then a whole file, optionally LZFSE. Null unless it is a picture that browsers support. */
function encodedFile({ payload }: Rendition): Buffer | null {
  if (payload.toString('latin1', 0, 4) !== 'DWAR') return null;
  const stored = payload.subarray(12, 12 + payload.readUInt32LE(8));
  const file = isLzfse(stored) ? decompressLzfse(stored, maxAssetCatalogBytes) : stored;
  const isJpeg = file[0] === 0xff && file[1] === 0xd8;
  const isWebp = file.toString('latin1', 0, 4) === 'RIFF' && file.toString('latin1', 8, 12) === 'WEBP';
  if (!isJpeg && !isWebp && !isPng(file)) throw new Error('a file of this kind is not read');
  return file;
}

/** Crops the image from a packed image, which contains several small ones. */
function cutFromPacked(rendition: Rendition, all: CatalogEntry[]): Pixels {
  const { link } = rendition;
  const packed = link && all.find(({ key }) => isKeyOf(key, link.key));
  if (!packed) throw new Error('a packed image is missing');
  const { width, height, left } = link;
  const whole = decodePixels(readRendition(packed.value));
  const top = whole.height - link.bottom - height;
  if (left + width > whole.width || top < 0) throw new Error('a packed image reaches past its sheet');
  const data = Buffer.alloc(width * height * 4);
  for (let y = 0; y < height; y++) {
    const start = ((top + y) * whole.width + left) * 4;
    whole.data.copy(data, y * width * 4, start, start + width * 4);
  }
  return { width, height, data };
}

/** Attributes missing from the link are zero. */
function isKeyOf(key: Map<number, number>, wanted: Map<number, number>): boolean {
  return [...key].every(([name, value]) => value === (wanted.get(name) ?? 0));
}

function toPng({ width, height, data }: Pixels): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 6], 8);
  const lines = Buffer.alloc(height * (1 + width * 4));
  for (let y = 0; y < height; y++)
    data.copy(lines, y * (1 + width * 4) + 1, y * width * 4, (y + 1) * width * 4);
  return writePng([
    { type: 'IHDR', data: header },
    { type: 'IDAT', data: deflateSync(lines, { level: 1 }) },
  ]);
}
