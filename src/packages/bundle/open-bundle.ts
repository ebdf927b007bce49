/** Shows the base module of an Android App Bundle as the APK that is made of it (bundletool, `ApkSerializerHelper.toApkEntryPath`). */
import { say } from '../messages/package-messages.ts';
import { UnreadablePackage } from '../package-info.ts';
import type { ZipArchive, ZipEntry } from '../zip/zip-archive.ts';
import { writeBinaryXml } from './binary-xml-writer.ts';
import { writeResourceTable } from './resource-table-writer.ts';

const manifestName = 'base/manifest/AndroidManifest.xml';
const tableName = 'base/resources.pb';
export const maxManifestMessageBytes = 8 * 1024 * 1024;
/** The messages are about as large as the table, whose largest real ones have about 20 megabytes. */
export const maxTableMessageBytes = 64 * 1024 * 1024;

export const isBundle = (archive: ZipArchive) => archive.find(manifestName) !== null;

/** Where a file of the base module is in the APK; null if it is not. */
function pathInApk(name: string): string | null {
  if (name === manifestName) return 'AndroidManifest.xml';
  if (name === tableName) return 'resources.arsc';
  const [, folder, rest] = /^base\/(dex|root|res|assets|lib)\/(.+)$/.exec(name) ?? [];
  if (folder === undefined || rest === undefined) return null;
  return folder === 'dex' || folder === 'root' ? rest : `${folder}/${rest}`;
}

/**
 * The manifest, the table and XML resources are converted, byte for byte like aapt2 does.
 *
 * @throws UnreadablePackage when the bundle is damaged, or two of its files have one path in the APK
 */
export async function openBundle(bundle: ZipArchive): Promise<ZipArchive> {
  const converted = new Map<string, Buffer>();
  const manifest = bundle.find(manifestName);
  if (!manifest) throw new UnreadablePackage(say('bundle-damaged'));
  const message = await bundle.read(manifest, maxManifestMessageBytes);
  converted.set('AndroidManifest.xml', writeBinaryXml(message, 'utf-16'));
  const table = bundle.find(tableName);
  const { bytes, xmlPaths } = table
    ? writeResourceTable(await bundle.read(table, maxTableMessageBytes))
    : { bytes: null, xmlPaths: new Set<string>() };
  if (bytes) converted.set('resources.arsc', bytes);

  const originals = new Map<ZipEntry, ZipEntry>();
  const byName = new Map<string, ZipEntry>();
  for (const entry of bundle.entries) {
    const name = pathInApk(entry.name);
    if (name === null) continue;
    if (byName.has(name)) throw new UnreadablePackage(say('archive-file-twice', { name }));
    const uncompressedBytes = converted.get(name)?.length ?? entry.uncompressedBytes;
    const shown = { ...entry, name, uncompressedBytes };
    originals.set(shown, entry);
    byName.set(name, shown);
  }
  const originalOf = (entry: ZipEntry) => originals.get(entry) ?? entry;
  const read = async (entry: ZipEntry, maxBytes: number): Promise<Buffer> => {
    const known = converted.get(entry.name);
    if (known) return known;
    const content = await bundle.read(originalOf(entry), maxBytes);
    return xmlPaths.has(entry.name) ? writeBinaryXml(content, 'utf-8') : content;
  };
  return {
    ...bundle,
    entries: [...byName.values()],
    duplicateNames: [],
    find: (name) => byName.get(name) ?? null,
    read,
    readAsStored: read,
    dataPosition: (entry) => bundle.dataPosition(originalOf(entry)),
    stream: (entry) => bundle.stream(originalOf(entry)),
  };
}
