/** Reads a build for the iOS simulator: a zip archive with one app folder, at its top or within other folders. */
import { type AppBundle, isAppFolderName, openAppBundle, readInfoPlist } from './ipa/app-bundle.ts';
import { type FileTree, openFileTree } from './ipa/file-tree.ts';
import {
  bundleIdentifierOf,
  bundleNameOf,
  isSimulatorPlatform,
  platformsOf,
  versionUnder,
} from './ipa/info-plist-facts.ts';
import { say } from './messages/package-messages.ts';
import { UnreadablePackage } from './package-info.ts';
import { openRandomAccessFile } from './zip/open-file.ts';
import { openZip } from './zip/open-zip.ts';
import type { ZipArchive } from './zip/zip-archive.ts';

export interface SimulatorZip {
  bundleIdentifier: string;
  /** Path of the folder without a trailing slash, for example `Example.app`. */
  appFolder: string;
  /** The display name, otherwise the bundle identifier. */
  name: string;
  minimumOsVersion: string | null;
}

/**
 * Reads the zip file at `path`. Does not count nested apps (watch apps, app clips). Rejects with `UnreadablePackage` unless there
 * is exactly one app, and if that app states a platform other than a simulator.
 */
export async function readSimulatorZip(path: string): Promise<SimulatorZip> {
  const file = await openRandomAccessFile(path);
  try {
    return await readSimulatorArchive(await openZip(file));
  } finally {
    await file.close();
  }
}

/** Like `readSimulatorZip`, for an open archive. */
export async function readSimulatorArchive(archive: ZipArchive): Promise<SimulatorZip> {
  const bundle = openSimulatorApp(archive);
  const infoPlist = await readInfoPlist(bundle);
  const platforms = platformsOf(infoPlist);
  if (platforms.length > 0 && !platforms.some(isSimulatorPlatform)) {
    throw new UnreadablePackage(say('simulator-zip-for-devices', { name: folderOf(bundle) }));
  }
  const bundleIdentifier = bundleIdentifierOf(infoPlist);
  return {
    bundleIdentifier,
    appFolder: folderOf(bundle),
    name: bundleNameOf(infoPlist) ?? bundleIdentifier,
    minimumOsVersion: versionUnder(infoPlist, 'MinimumOSVersion'),
  };
}

/** Throws `UnreadablePackage` unless there is exactly one app. */
export function openSimulatorApp(archive: ZipArchive): AppBundle {
  const tree = openFileTree(archive, 'mac');
  return openAppBundle(archive, tree, findTopmostApp(tree));
}

export const hasSimulatorApp = (archive: ZipArchive): boolean =>
  openFileTree(archive, 'mac').entries.some(
    ({ path }) => !path.startsWith('__MACOSX/') && topmostAppFolder(path),
  );

function folderOf(bundle: AppBundle): string {
  return bundle.root.slice(0, -1);
}

function findTopmostApp(tree: FileTree): string {
  const folders = tree.folders((path) => (path.startsWith('__MACOSX/') ? null : topmostAppFolder(path)));
  if (folders.length > 1)
    throw new UnreadablePackage(say('simulator-zip-several-apps', { count: folders.length }));
  const [folder] = folders;
  if (folder === undefined) throw new UnreadablePackage(say('simulator-zip-without-app'));
  return folder;
}

/** Returns a path up to the first folder that ends in `.app`; null if there is none. */
function topmostAppFolder(path: string): string | null {
  const parts = path.split('/').slice(0, -1);
  const index = parts.findIndex(isAppFolderName);
  return index < 0 ? null : `${parts.slice(0, index + 1).join('/')}/`;
}
