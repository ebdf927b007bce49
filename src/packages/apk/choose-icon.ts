import { type IconChoice, UnreadablePackage } from '../package-info.ts';
import type { ZipArchive } from '../zip/zip-archive.ts';
import { parseBinaryXml } from './binary-xml.ts';
import { phone } from './choose-config.ts';
import { readRasterHeader } from './raster-header.ts';
import { resolveCandidates } from './resolve-resource.ts';
import type { ResourceTable } from './resource-table.ts';
import type { TypedValue } from './typed-value.ts';

/** The highest density of icons (xxxhdpi). */
const iconDensity = 640;
/** An icon has at most a dozen densities and platform versions. */
export const maxCandidates = 12;
/** How many icons of an application and its launcher activities are tried. */
const maxIcons = 16;
/** Several times the size of a picture of 1024 by 1024 pixels. */
export const maxIconBytes = 8 * 1024 * 1024;

/**
 * Chooses the file of the app's icon for a modern phone with the highest density, from the first of `icons` that has one: the
 * adaptive icon if the platform uses one, otherwise the raster image that it uses, or would use without vector support, and a
 * vector or another drawable only if there is no raster image. Skips missing and unreadable files.
 */
export async function chooseIcon(
  archive: ZipArchive,
  table: ResourceTable | null,
  icons: readonly TypedValue[],
): Promise<IconChoice | null> {
  for (const icon of icons.slice(0, maxIcons)) {
    const choice = await chooseFile(archive, table, icon);
    if (choice) return choice;
  }
  return null;
}

async function chooseFile(
  archive: ZipArchive,
  table: ResourceTable | null,
  icon: TypedValue,
): Promise<IconChoice | null> {
  const candidates = table
    ? resolveCandidates(table, icon, phone(iconDensity))
    : icon.kind === 'string'
      ? [icon.text]
      : [];
  let drawable: IconChoice | null = null;
  for (const path of candidates.slice(0, maxCandidates)) {
    const choice = await readCandidate(archive, path);
    if (choice && choice.kind !== 'vector') return drawable && choice.kind === 'adaptive' ? drawable : choice;
    drawable ??= choice;
  }
  return drawable;
}

async function readCandidate(archive: ZipArchive, path: string): Promise<IconChoice | null> {
  const entry = archive.find(path);
  if (!entry) return null;
  try {
    const bytes = await archive.read(entry, maxIconBytes);
    const raster = readRasterHeader(bytes);
    if (raster) return { kind: raster.kind, source: path, width: raster.width, height: raster.height };
    const root = parseBinaryXml(bytes);
    const kind = root.name === 'adaptive-icon' ? 'adaptive' : 'vector';
    return { kind, source: path, width: null, height: null };
  } catch (error) {
    if (error instanceof UnreadablePackage) return null;
    throw error;
  }
}
