import { type IconChoice, UnreadablePackage } from '../../package-info.ts';
import { newDictionary, type PropertyListDictionary } from '../../property-list/property-list-value.ts';
import type { ZipArchive } from '../../zip/zip-archive.ts';
import { type AppBundle, openAppBundle, readInfoPlist } from '../app-bundle.ts';
import { chooseLooseIcon, iconNameOf } from '../bundle-icon.ts';
import { type CatalogImage, maxAssetCatalogBytes, readAssetCatalogIcon } from './asset-catalog.ts';

/**
 * The app icon out of an app's asset catalog: the one that the Info.plist beside it names, because a catalog may hold several.
 *
 * @param source entry name of the catalog, `Payload/Example.app/Assets.car`
 * @returns null when there is no such file, or none of its images is in an encoding that is read
 * @throws UnreadablePackage when the catalog is malformed or too large
 */
export async function readCatalogIcon(archive: ZipArchive, source: string): Promise<CatalogImage | null> {
  const entry = archive.find(source);
  if (!entry) return null;
  const { infoPlist } = await openAppOf(archive, source);
  return readAssetCatalogIcon(await archive.read(entry, maxAssetCatalogBytes), iconNameOf(infoPlist));
}

/** The icon that lies beside the catalog as a file by itself; null when there is none. */
export async function chooseIconBesideCatalog(
  archive: ZipArchive,
  source: string,
): Promise<IconChoice | null> {
  const { bundle, infoPlist } = await openAppOf(archive, source);
  return chooseLooseIcon(bundle, infoPlist);
}

/** An Info.plist that is absent or damaged counts as empty. */
async function openAppOf(
  archive: ZipArchive,
  source: string,
): Promise<{ bundle: AppBundle; infoPlist: PropertyListDictionary }> {
  const bundle = openAppBundle(archive, source.slice(0, source.lastIndexOf('/') + 1));
  try {
    return { bundle, infoPlist: await readInfoPlist(bundle) };
  } catch (error) {
    if (error instanceof UnreadablePackage) return { bundle, infoPlist: newDictionary() };
    throw error;
  }
}
