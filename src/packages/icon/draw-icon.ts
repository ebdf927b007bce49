import { chooseIconBesideCatalog, readCatalogIcon } from '../ipa/asset-catalog/catalog-icon.ts';
import { type IconChoice, UnreadablePackage } from '../package-info.ts';
import type { ZipArchive } from '../zip/zip-archive.ts';
import { cleanRaster, maxRasterBytes } from './clean-raster.ts';
import { drawCompiled } from './draw-compiled.ts';
import { siblingRasters } from './sibling-rasters.ts';

/** A larger picture is made this wide or high. */
export const maxIconSidePixels = 1024;

/**
 * Draws the icon that a reader of packages chose.
 *
 * A raster image keeps its size up to `maxIconSidePixels`; what is drawn from shapes is a square of `drawnSidePixels`. The PNG has no
 * metadata and is one of our own making: nothing of the package's bytes is in it but the pixels. For a compiled drawable that cannot be
 * drawn, a picture of the same name stands in, when the package carries one for older platforms. Of the icon in an asset catalog and
 * the one that lies beside the catalog, the larger is drawn: some encodings of catalogs are not read.
 *
 * @returns null when there is no such file, it is damaged or empty, or it goes over a cap
 * @throws only what reading the archive's file throws when the disk fails
 */
export async function drawIcon(archive: ZipArchive, choice: IconChoice): Promise<Buffer | null> {
  if (choice.kind === 'asset-catalog') return drawOfApp(archive, choice.source);
  const drawn = await nullWhenBad(() => draw(archive, choice));
  if (drawn || (choice.kind !== 'adaptive' && choice.kind !== 'vector')) return drawn;
  for (const source of siblingRasters(archive, choice.source)) {
    const raster = await nullWhenBad(() => draw(archive, { ...choice, kind: 'png', source }));
    if (raster) return raster;
  }
  return null;
}

async function drawOfApp(archive: ZipArchive, source: string): Promise<Buffer | null> {
  const inCatalog = await nullWhenBad(() => readCatalogIcon(archive, source));
  const beside = await nullWhenBad(() => chooseIconBesideCatalog(archive, source));
  const drawInCatalog = () => (inCatalog ? drawRaster(inCatalog.bytes) : Promise.resolve(null));
  const drawBeside = () => (beside ? nullWhenBad(() => draw(archive, beside)) : Promise.resolve(null));
  const catalogFirst = inCatalog?.isAppIcon === true && inCatalog.width >= (beside?.width ?? 0);
  return catalogFirst ? ((await drawInCatalog()) ?? drawBeside()) : ((await drawBeside()) ?? drawInCatalog());
}

async function nullWhenBad<T>(read: () => Promise<T | null>): Promise<T | null> {
  try {
    return await read();
  } catch (error) {
    // A RangeError is a number of the package that leads outside of its bytes, or the end of the stack.
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
