import { chooseIconBesideCatalog, readCatalogIcon } from '../ipa/asset-catalog/catalog-icon.ts';
import { type IconChoice, UnreadablePackage } from '../package-info.ts';
import type { ZipArchive } from '../zip/zip-archive.ts';
import { cleanRaster, maxRasterBytes } from './clean-raster.ts';
import { drawCompiled } from './draw-compiled.ts';
import { siblingRasters } from './sibling-rasters.ts';

/** Larger pictures are scaled down to this side length. */
export const maxIconSidePixels = 1024;

/**
 * Draws the icon that a package reader chose.
 *
 * A raster image keeps its size up to `maxIconSidePixels`; what is drawn from shapes is a square of `drawnSidePixels`. The PNG is
 * re-encoded without metadata: only the pixels come from the package. A compiled drawable that cannot be drawn is replaced by a
 * picture of the same name, if the package has one for older platforms. Of the icon in an asset catalog and the icon file next to
 * the catalog, the larger is drawn, because some catalog encodings are not supported.
 *
 * @returns null when the file is missing, damaged or empty, or exceeds a limit
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
  const beside = await nullIfInvalid(() => chooseIconBesideCatalog(archive, source));
  const drawInCatalog = () => (inCatalog ? drawRaster(inCatalog.bytes) : Promise.resolve(null));
  const drawBeside = () => (beside ? nullIfInvalid(() => draw(archive, beside)) : Promise.resolve(null));
  const catalogFirst = inCatalog?.isAppIcon === true && inCatalog.width >= (beside?.width ?? 0);
  return catalogFirst ? ((await drawInCatalog()) ?? drawBeside()) : ((await drawBeside()) ?? drawInCatalog());
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
