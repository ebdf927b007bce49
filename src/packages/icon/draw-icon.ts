import { chooseIconFileOf, readCatalogIcon } from '../ipa/asset-catalog/catalog-icon.ts';
import { type IconChoice, UnreadablePackage } from '../package-info.ts';
import type { ZipArchive } from '../zip/zip-archive.ts';
import { cleanRaster, maxRasterBytes } from './clean-raster.ts';
import { createCanvas } from './drawing-cost.ts';
import { drawnSidePixels } from './icon-shape.ts';
import { renderSvg } from './render-svg.ts';
import type { Box } from './vector/drawable.ts';
import { openDrawableFiles } from './vector/drawable-files.ts';
import { createDrawableReader } from './vector/read-drawable.ts';

/** Larger pictures are scaled down to this side length, the largest that pages and Apple's installer show. */
export const maxIconSidePixels = drawnSidePixels;

/**
 * Draws the icon chosen by a package reader. A raster image keeps its size up to `maxIconSidePixels`; an icon drawn from shapes
 * is a square of `drawnSidePixels`. The PNG is re-encoded without metadata, so only the pixels come from the package. A compiled
 * drawable that cannot be drawn is replaced with a picture of the same name, if the package has one for older platforms. Of the
 * icon in an asset catalog and the icon file next to the catalog, the larger one is drawn, because some catalog encodings are not
 * supported.
 * @returns null if the file is missing, damaged or empty, or exceeds a limit
 * @throws only disk errors of the archive's file
 */
export async function drawIcon(archive: ZipArchive, choice: IconChoice): Promise<Buffer | null> {
  if (choice.kind === 'asset-catalog') return drawAppIcon(archive, choice.source);
  const drawn = await nullIfInvalid(() => draw(archive, choice));
  if (drawn || (choice.kind !== 'adaptive' && choice.kind !== 'vector')) return drawn;
  for (const source of siblingRasters(archive, choice.source)) {
    const raster = await nullIfInvalid(() => draw(archive, { ...choice, kind: 'png', source }));
    if (raster) return raster;
  }
  return null;
}

async function drawAppIcon(archive: ZipArchive, source: string): Promise<Buffer | null> {
  const inCatalog = await nullIfInvalid(() => readCatalogIcon(archive, source));
  const inFile = await nullIfInvalid(() => chooseIconFileOf(archive, source));
  const drawInCatalog = () => (inCatalog ? drawRaster(inCatalog.bytes) : Promise.resolve(null));
  const drawFile = () => (inFile ? nullIfInvalid(() => draw(archive, inFile)) : Promise.resolve(null));
  const catalogFirst = inCatalog?.isAppIcon === true && inCatalog.width >= (inFile?.width ?? 0);
  return catalogFirst ? ((await drawInCatalog()) ?? drawFile()) : ((await drawFile()) ?? drawInCatalog());
}

async function nullIfInvalid<T>(read: () => Promise<T | null>): Promise<T | null> {
  try {
    return await read();
  } catch (error) {
    // A RangeError is an out-of-bounds offset in the package, or a stack overflow.
    if (error instanceof UnreadablePackage || error instanceof RangeError) return null;
    throw error;
  }
}

async function draw(archive: ZipArchive, { kind, source }: IconChoice): Promise<Buffer | null> {
  if (kind === 'adaptive' || kind === 'vector') return drawCompiled(archive, source);
  const entry = archive.find(source);
  return entry && drawRaster(await archive.read(entry, maxRasterBytes));
}

async function drawRaster(bytes: Buffer): Promise<Buffer | null> {
  return (await cleanRaster(bytes, maxIconSidePixels))?.png ?? null;
}

/** The size of a launcher icon without a stated size, in dp. */
const defaultDp = 48;

/**
 * Draws a compiled XML drawable, including adaptive icons, like a phone with the highest screen density, without the app's theme.
 * @param path of the XML file in the archive
 * @returns a square PNG; null if there is nothing to draw
 * @throws UnreadablePackage if it exceeds a drawing limit
 */
export async function drawCompiled(archive: ZipArchive, path: string): Promise<Buffer | null> {
  const files = openDrawableFiles(archive);
  const root = await files.openXml(path);
  const drawable = root && (await createDrawableReader(files).readElement(root));
  if (!drawable) return null;
  const view: Box = { x: 0, y: 0, width: drawable.width ?? defaultDp, height: drawable.height ?? defaultDp };
  const nodes = drawable.draw(view, createCanvas(Math.max(view.width, view.height)));
  return nodes.length > 0 ? renderSvg(view, nodes) : null;
}

/** Highest density first; a folder without a density is last. */
const densities = ['xxxhdpi', 'xxhdpi', 'xhdpi', 'hdpi', 'tvdpi', 'mdpi', 'ldpi'];
/** An icon has at most a dozen folders. */
export const maxSiblings = 12;

/** Returns pictures for older platforms, with the name of a compiled drawable but in other resource folders. Highest density first. */
export function siblingRasters(archive: ZipArchive, source: string): string[] {
  const name = /^res\/[^/]+\/([^/]+)\.xml$/.exec(source)?.[1];
  if (name === undefined) return [];
  return archive.entries
    .map((entry) => entry.name)
    .filter((path) => {
      const [root, folder, file, ...deeper] = path.split('/');
      const isResource =
        root === 'res' && /^(?:mipmap|drawable)(?:-|$)/.test(folder ?? '') && deeper.length === 0;
      return isResource && [`${name}.png`, `${name}.webp`, `${name}.jpg`].includes(file ?? '');
    })
    .toSorted((a, b) => rankOf(a) - rankOf(b))
    .slice(0, maxSiblings);
}

function rankOf(path: string): number {
  const qualifiers = path.split('/')[1]?.split('-') ?? [];
  const rank = densities.findIndex((density) => qualifiers.includes(density));
  return rank < 0 ? densities.length : rank;
}
