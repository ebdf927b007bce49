import { UnreadablePackage } from '../package-info.ts';
import type { ZipArchive } from '../zip/zip-archive.ts';
import { openAppBundle, readInfoPlist } from './app-bundle.ts';
import { type CatalogImage, maxAssetCatalogBytes, readAssetCatalogIcon } from './asset-catalog.ts';
import { dictionaryUnder, type PropertyListDictionary, textUnder } from './property-list-value.ts';

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
  const iconName = await readIconName(archive, source.slice(0, source.lastIndexOf('/') + 1));
  return readAssetCatalogIcon(await archive.read(entry, maxAssetCatalogBytes), iconName);
}

async function readIconName(archive: ZipArchive, appFolder: string): Promise<string | null> {
  try {
    return iconNameOf(await readInfoPlist(openAppBundle(archive, appFolder)));
  } catch (error) {
    if (error instanceof UnreadablePackage) return null;
    throw error;
  }
}

/** CFBundleIconName of the primary icon, else of the app. */
function iconNameOf(infoPlist: PropertyListDictionary): string | null {
  for (const key of ['CFBundleIcons', 'CFBundleIcons~ipad']) {
    const primary = dictionaryUnder(dictionaryUnder(infoPlist, key) ?? {}, 'CFBundlePrimaryIcon');
    const name = primary && textUnder(primary, 'CFBundleIconName');
    if (name !== null) return name;
  }
  return textUnder(infoPlist, 'CFBundleIconName');
}
