/** The app folder within an archive: its files and property lists. */

import { say } from '../messages/package-messages.ts';
import { UnreadablePackage } from '../package-info.ts';
import { parsePropertyList } from '../property-list/property-list.ts';
import {
  isDictionary,
  type PropertyListDictionary,
  propertyListLimits,
} from '../property-list/property-list-value.ts';
import type { ZipArchive, ZipEntry } from '../zip/zip-archive.ts';

export interface AppBundle {
  archive: ZipArchive;
  /** Entry name of the folder with a trailing slash: `Payload/Example.app/`. */
  root: string;
  /** Files below the folder by relative name. */
  files: ReadonlyMap<string, ZipEntry>;
}

/**
 * Returns the folder `Payload/<name>.app` of an IPA. Throws `UnreadablePackage` with a description of the archive unless there
 * is exactly one.
 */
export function findAppInPayload(archive: ZipArchive): string {
  const folders = new Set<string>();
  for (const { name } of archive.entries) {
    if (!name.startsWith('Payload/')) continue;
    const end = name.indexOf('/', 'Payload/'.length);
    if (end < 0) continue;
    const folder = name.slice(0, end + 1);
    if (isAppFolderName(folder.slice('Payload/'.length, -1))) folders.add(folder);
  }
  if (folders.size > 1) throw new UnreadablePackage(say('ipa-several-apps', { count: folders.size }));
  const [folder] = folders;
  if (folder === undefined) throw new UnreadablePackage(describeMissingApp(archive));
  return folder;
}

/** macOS adds metadata files whose names start with a dot. */
export function isAppFolderName(name: string): boolean {
  return name.endsWith('.app') && name.length > '.app'.length && !name.startsWith('.');
}

function describeMissingApp(archive: ZipArchive): string {
  for (const { name } of archive.entries) {
    if (name.startsWith('__MACOSX/')) continue;
    const payload = name.indexOf('/Payload/');
    if (payload > 0) return say('ipa-payload-inside', { name: shorten(name.slice(0, payload)) });
    const [top = ''] = name.split('/', 1);
    if (name.length > top.length && isAppFolderName(top)) {
      return say('ipa-app-outside', { name: shorten(top) });
    }
  }
  const hasPayload = archive.entries.some(({ name }) => name.startsWith('Payload/'));
  return hasPayload ? say('ipa-payload-without-app') : say('ipa-without-payload');
}

function shorten(text: string): string {
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}

/** Throws `UnreadablePackage` for duplicate files, because readers disagree about which one they use. */
export function openAppBundle(archive: ZipArchive, root: string): AppBundle {
  const duplicate = archive.duplicateNames.find((name) => name.startsWith(root) && !name.endsWith('/'));
  if (duplicate !== undefined)
    throw new UnreadablePackage(say('ipa-file-twice', { name: shorten(duplicate) }));
  const files = new Map<string, ZipEntry>();
  for (const entry of archive.entries) {
    if (entry.name.startsWith(root) && !entry.name.endsWith('/'))
      files.set(entry.name.slice(root.length), entry);
  }
  return { archive, root, files };
}

/** Returns the property list at `name` within the app; null when there is no such file. Rejects with `UnreadablePackage`. */
export async function readPropertyListFile(
  bundle: AppBundle,
  name: string,
): Promise<PropertyListDictionary | null> {
  const entry = bundle.files.get(name);
  if (!entry) return null;
  const list = parsePropertyList(
    await bundle.archive.read(entry, propertyListLimits.maxBytes),
    shorten(name),
  );
  if (!isDictionary(list))
    throw new UnreadablePackage(say('property-list-not-dictionary', { name: shorten(name) }));
  return list;
}

/** Returns the app's Info.plist. Rejects with `UnreadablePackage` when it is missing or malformed. */
export async function readInfoPlist(bundle: AppBundle): Promise<PropertyListDictionary> {
  const list = await readPropertyListFile(bundle, 'Info.plist');
  if (list === null)
    throw new UnreadablePackage(say('info-plist-missing', { name: shorten(bundle.root.slice(0, -1)) }));
  return list;
}
