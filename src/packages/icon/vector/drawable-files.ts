/** The resources of drawables: values in the resource table, compiled XML and pictures, each with a limit. */
import { parseBinaryXml, type XmlElement } from '../../apk/binary-xml.ts';
import { orderForDevice, phone } from '../../apk/choose-config.ts';
import { maxReferenceDepth } from '../../apk/resolve-resource.ts';
import { anyDensity } from '../../apk/resource-config.ts';
import { parseResourceTable, type ResourceTable } from '../../apk/resource-table.ts';
import type { TypedValue } from '../../apk/typed-value.ts';
import { UnreadablePackage } from '../../package-info.ts';
import type { ZipArchive } from '../../zip/zip-archive.ts';
import { cleanRaster, maxRasterBytes } from '../clean-raster.ts';

/** The highest density of pictures (xxxhdpi). */
export const deviceDensity = 640;

/** Limits of one icon. Real ones have a dozen files and about a hundred elements. */
export const maxDrawableFiles = 64;
export const maxDrawableXmlBytes = 2 * 1024 * 1024;
export const maxTableBytes = 128 * 1024 * 1024;
export const maxPictures = 16;
export const maxPictureSide = 1024;
export const maxPictureBytes = 6 * 1024 * 1024;
export const maxElements = 4_000;
export const maxPathCharacters = 512 * 1024;
export const maxPathSegments = 40_000;

export interface Picture {
  /** A `data:` address of a PNG. */
  address: string;
  /** In dp. */
  width: number;
  height: number;
  pixels: number;
}

export interface ResolvedValue {
  value: TypedValue;
  /** Dots per inch of the value's configuration; 0 for any. */
  density: number;
}

export interface DrawableFiles {
  /** Never returns a reference. Null if missing, or for a theme attribute, because icons are drawn without a theme. */
  resolve(value: TypedValue | null): Promise<ResolvedValue | null>;
  /** Returns the root of a compiled XML file; null if it is missing or not such a file. */
  openXml(path: string): Promise<XmlElement | null>;
  openPicture(path: string, density: number): Promise<Picture | null>;
  /** @throws UnreadablePackage if the icon exceeds the limit */
  spend(what: 'elements' | 'pathCharacters' | 'pathSegments', amount: number): void;
}

export function openDrawableFiles(archive: ZipArchive): DrawableFiles {
  const left = {
    files: maxDrawableFiles,
    pictures: maxPictures,
    pictureBytes: maxPictureBytes,
    elements: maxElements,
    pathCharacters: maxPathCharacters,
    pathSegments: maxPathSegments,
  };
  const spend = (what: keyof typeof left, amount: number) => {
    left[what] -= amount;
    if (left[what] < 0) throw new UnreadablePackage('the icon is too complex to draw');
  };
  const pictures = new Map<string, Picture | null>();
  let table: Promise<ResourceTable | null> | null = null;

  return {
    spend,
    async resolve(value) {
      table ??= value?.kind === 'reference' ? readTable(archive) : null;
      return value && followReference(await table, value);
    },
    async openXml(path) {
      spend('files', 1);
      const bytes = await readFile(archive, path, maxDrawableXmlBytes);
      if (!bytes) return null;
      const root = parseOrNull(bytes);
      if (root) spend('elements', countElements(root));
      return root;
    },
    async openPicture(path, density) {
      const known = pictures.get(path);
      if (known !== undefined) return known;
      spend('files', 1);
      const bytes = await readFile(archive, path, maxRasterBytes);
      const raster = bytes && (await cleanRaster(bytes, maxPictureSide));
      if (raster) {
        spend('pictures', 1);
        spend('pictureBytes', Math.ceil(raster.png.length / 3) * 4);
      }
      const picture = raster && {
        address: `data:image/png;base64,${raster.png.toString('base64')}`,
        width: toDp(raster.width, density),
        height: toDp(raster.height, density),
        pixels: raster.width * raster.height,
      };
      pictures.set(path, picture);
      return picture;
    },
  };
}

async function readTable(archive: ZipArchive): Promise<ResourceTable | null> {
  const entry = archive.find('resources.arsc');
  if (!entry) return null;
  const isKnown = entry.method === 0 || entry.method === 8;
  const bytes = await (isKnown
    ? archive.read(entry, maxTableBytes)
    : archive.readAsStored(entry, maxTableBytes));
  return parseResourceTable(bytes);
}

/** Ids of package 1 belong to the platform, of which only the colors are supported. */
function followReference(table: ResourceTable | null, value: TypedValue): ResolvedValue | null {
  let current: ResolvedValue = { value, density: 0 };
  for (let depth = 0; depth <= maxReferenceDepth; depth++) {
    if (current.value.kind === 'attribute') return null;
    if (current.value.kind !== 'reference') return current;
    const { id } = current.value;
    const color = frameworkColor(id);
    if (color !== null) return { value: { kind: 'color', argb: color }, density: 0 };
    if (!table) return null;
    // Package 0 is the table's own package.
    const ownId = id >>> 24 === 0 ? (((table.packages[0]?.id ?? 0) << 24) | id) >>> 0 : id;
    const best = orderForDevice(table.resolveAll(ownId), phone(deviceDensity))[0];
    if (!best?.value) return null;
    current = { value: best.value, density: best.config.density };
  }
  return null;
}

async function readFile(archive: ZipArchive, path: string, maxBytes: number): Promise<Buffer | null> {
  const entry = archive.find(path);
  if (!entry) return null;
  return nullIfUnreadable(() => archive.read(entry, maxBytes));
}

async function nullIfUnreadable<T>(read: () => Promise<T>): Promise<T | null> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof UnreadablePackage) return null;
    throw error;
  }
}

function parseOrNull(bytes: Buffer): XmlElement | null {
  try {
    return parseBinaryXml(bytes);
  } catch (error) {
    if (error instanceof UnreadablePackage || error instanceof RangeError) return null;
    throw error;
  }
}

function countElements(root: XmlElement): number {
  return root.children.reduce((sum, child) => sum + countElements(child), 1);
}

/** A picture for any density, or for none, is not scaled to the device. */
function toDp(pixels: number, density: number): number {
  const dotsPerInch = density >= anyDensity ? deviceDensity : density || 160;
  return (pixels * 160) / dotsPerInch;
}

/** The platform colors that apps refer to: `android.R.color`, with ids from its public resources and values from its colors.xml. */
const frameworkColors: ReadonlyMap<number, number> = new Map([
  [0x01060000, 0xffaaaaaa], // darker_gray
  [0x0106000b, 0xffffffff], // white
  [0x0106000c, 0xff000000], // black
  [0x0106000d, 0x00000000], // transparent
  [0x0106000e, 0xff000000], // background_dark
  [0x0106000f, 0xffffffff], // background_light
  [0x01060012, 0xff33b5e5], // holo_blue_light
  [0x01060013, 0xff0099cc], // holo_blue_dark
  [0x01060014, 0xff99cc00], // holo_green_light
  [0x01060015, 0xff669900], // holo_green_dark
  [0x01060016, 0xffff4444], // holo_red_light
  [0x01060017, 0xffcc0000], // holo_red_dark
  [0x01060018, 0xffffbb33], // holo_orange_light
  [0x01060019, 0xffff8800], // holo_orange_dark
  [0x0106001a, 0xffaa66cc], // holo_purple
  [0x0106001b, 0xff00ddff], // holo_blue_bright
  [0x0106001c, 0xff607d8b], // system_notification_accent_color
]);

/** Returns 0xAARRGGBB; null for any other id. */
export function frameworkColor(id: number): number | null {
  return frameworkColors.get(id) ?? null;
}
