import { type IconChoice, UnreadablePackage } from '../../package-info.ts';
import { newDictionary, type PropertyListDictionary } from '../../property-list/property-list-value.ts';
import type { ZipArchive } from '../../zip/zip-archive.ts';
import { type AppBundle, openAppBundle, readInfoPlist } from '../app-bundle.ts';
import { chooseIconFile, iconNameOf } from '../bundle-icon.ts';
import { openFileTree } from '../file-tree.ts';
import { type CatalogImage, maxAssetCatalogBytes, readAssetCatalogIcon } from './asset-catalog.ts';

/**
 * Reads the app icon from an app's asset catalog. The icon is the one named in the adjacent Info.plist, because a catalog can
 * contain several.
 * @param source entry name of the catalog, `Payload/Example.app/Assets.car`
 * @returns null if there is no such file, or none of its images has a supported encoding
 * @throws UnreadablePackage if the catalog is malformed or too large
 */
export async function readCatalogIcon(archive: ZipArchive, source: string): Promise<CatalogImage | null> {
  const entry = archive.find(source);
  if (!entry) return null;
  const { infoPlist } = await openAppOf(archive, source);
  return readAssetCatalogIcon(await archive.read(entry, maxAssetCatalogBytes), iconNameOf(infoPlist));
}

/** Returns the icon file next to the catalog; null if there is none. */
export async function chooseIconFileOf(archive: ZipArchive, source: string): Promise<IconChoice | null> {
  const { bundle, infoPlist } = await openAppOf(archive, source);
  return chooseIconFile(bundle, infoPlist);
}

/** Treats a missing or damaged Info.plist as empty. */
async function openAppOf(
  archive: ZipArchive,
  source: string,
): Promise<{ bundle: AppBundle; infoPlist: PropertyListDictionary }> {
  const tree = openFileTree(archive, 'device');
  const bundle = openAppBundle(archive, tree, source.slice(0, source.lastIndexOf('/') + 1));
  try {
    return { bundle, infoPlist: await readInfoPlist(bundle) };
  } catch (error) {
    if (error instanceof UnreadablePackage) return { bundle, infoPlist: newDictionary() };
    throw error;
  }
}
