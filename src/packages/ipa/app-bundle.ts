/** The app folder within an archive: its files and property lists. */

import { say } from '../messages/package-messages.ts';
import { UnreadablePackage } from '../package-info.ts';
import { parsePropertyList } from '../property-list/property-list.ts';
import {
  isDictionary,
  type PropertyListDictionary,
  propertyListLimits,
} from '../property-list/property-list-value.ts';
import type { EntryReader, ZipArchive } from '../zip/zip-archive.ts';
import { type FileTree, openFileTree, shorten } from './file-tree.ts';

export interface AppBundle {
  /** Cannot find entries by name; see `file-tree.ts`. */
  archive: EntryReader;
  /** Path of the folder with a trailing slash: `Payload/Example.app/`. */
  root: string;
  /** The contents of the folder. */
  files: FileTree;
  /** The contents of the whole archive. */
  outside: FileTree;
}

/**
 * Opens the folder `Payload/<name>.app` of an IPA. Throws `UnreadablePackage` with a description of the archive unless there is
 * exactly one such folder, and if two of its entries are the same file.
 */
export function openAppInPayload(archive: ZipArchive): AppBundle {
  const tree = openFileTree(archive, 'device');
  const folders = appsInPayload(tree);
  if (folders.length > 1) throw new UnreadablePackage(say('ipa-several-apps', { count: folders.length }));
  const [folder] = folders;
  if (folder === undefined) throw new UnreadablePackage(describeMissingApp(tree));
  return openAppBundle(archive, tree, folder);
}

export const hasAppInPayload = (archive: ZipArchive) =>
  appsInPayload(openFileTree(archive, 'device')).length > 0;

const payload = 'Payload/';

function appsInPayload(tree: FileTree): string[] {
  return tree.folders((path) => {
    const end = path.startsWith(payload) ? path.indexOf('/', payload.length) : -1;
    return end >= 0 && isAppFolderName(path.slice(payload.length, end)) ? path.slice(0, end + 1) : null;
  });
}

/** Excludes metadata files, which macOS adds with names that start with a dot. */
export function isAppFolderName(name: string): boolean {
  return name.endsWith('.app') && name.length > '.app'.length && !name.startsWith('.');
}

function describeMissingApp(tree: FileTree): string {
  for (const { path } of tree.entries) {
    if (path.startsWith('__MACOSX/')) continue;
    const inside = path.indexOf(`/${payload}`);
    if (inside > 0) return say('ipa-payload-inside', { name: shorten(path.slice(0, inside)) });
    const [top = ''] = path.split('/', 1);
    if (path.length > top.length && isAppFolderName(top)) {
      return say('ipa-app-outside', { name: shorten(top) });
    }
  }
  const hasPayload = tree.entries.some(({ path }) => path.startsWith(payload));
  return hasPayload ? say('ipa-payload-without-app') : say('ipa-without-payload');
}

/**
 * Opens the folder `root` of `outside`. Throws `UnreadablePackage` when two of its entries are the same file, or could be: unpacked, an
 * absolute path or one with `..` may lead into the folder.
 */
export function openAppBundle(archive: EntryReader, outside: FileTree, root: string): AppBundle {
  const astray = outside.entries.find(({ path }) => /^\/|(?:^|\/)\.\.(?:\/|$)/.test(path));
  if (astray) throw new UnreadablePackage(say('ipa-path', { name: shorten(astray.entry.name) }));
  return { archive, root, files: outside.below(root), outside };
}

/** Returns the property list at `name` within the app; null if there is no such file. Rejects with `UnreadablePackage`. */
export async function readPropertyListFile(
  bundle: AppBundle,
  name: string,
): Promise<PropertyListDictionary | null> {
  const entry = bundle.files.find(name);
  if (!entry) return null;
  const list = parsePropertyList(
    await bundle.archive.read(entry, propertyListLimits.maxBytes),
    shorten(name),
  );
  if (!isDictionary(list))
    throw new UnreadablePackage(say('property-list-not-dictionary', { name: shorten(name) }));
  return list;
}

/** Returns the app's Info.plist. Rejects with `UnreadablePackage` if it is missing or malformed. */
export async function readInfoPlist(bundle: AppBundle): Promise<PropertyListDictionary> {
  const list = await readPropertyListFile(bundle, 'Info.plist');
  if (list === null)
    throw new UnreadablePackage(say('info-plist-missing', { name: shorten(bundle.root.slice(0, -1)) }));
  return list;
}
