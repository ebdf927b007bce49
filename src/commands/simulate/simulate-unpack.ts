/**
 * Takes the app out of a simulator zip. Not by `ditto` or `unzip`: those read names that the checks here would not have
 * seen (a local header that differs from the directory) and write through symbolic links of the archive.
 */
import { createWriteStream } from 'node:fs';
import { mkdir, symlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { UnreadablePackage } from '../../packages/package-info.ts';
import { readSimulatorArchive, type SimulatorZip } from '../../packages/read-simulator-zip.ts';
import { openRandomAccessFile } from '../../packages/zip/open-file.ts';
import { openZip } from '../../packages/zip/open-zip.ts';
import type { ZipArchive, ZipEntry } from '../../packages/zip/zip-archive.ts';
import { SimulateFault } from './simulate-io.ts';

export interface UnpackedApp extends SimulatorZip {
  /** The `.app` folder on this disk. */
  path: string;
}

const maxUnpackedBytes = 16 * 1024 * 1024 * 1024;
const maxLinkBytes = 4096;
const typeMask = 0o170000;
const linkType = 0o120000;

/**
 * Checks that the file is a simulator build and writes its app into `folder`, which must be empty. Rejects with
 * UnreadablePackage or SimulateFault, also when a name or a link would lead out of the app.
 */
export async function unpackSimulatorZip(zipPath: string, folder: string): Promise<UnpackedApp> {
  const file = await openRandomAccessFile(zipPath);
  try {
    const archive = await openZip(file, { maxStreamedBytes: maxUnpackedBytes });
    const simulator = await readSimulatorArchive(archive);
    const path = join(folder, basename(simulator.appFolder));
    await writeApp(archive, simulator.appFolder, path).catch((error) => {
      if (error instanceof UnreadablePackage || error instanceof SimulateFault) throw error;
      // On most Macs two names that differ in case alone are one, so that the second is there already.
      throw new SimulateFault(`The app could not be unpacked: ${error.message}`, { cause: error });
    });
    return { ...simulator, path };
  } finally {
    await file.close();
  }
}

interface Item {
  entry: ZipEntry;
  /** Below the app. Empty for the app itself. */
  parts: string[];
  kind: 'folder' | 'file' | 'link';
}

/** Folders, then files, then links: nothing is ever written through a link of the archive. */
async function writeApp(archive: ZipArchive, appFolder: string, root: string): Promise<void> {
  const items = archive.entries.flatMap((entry) => itemOf(entry, `${appFolder}/`));
  await mkdir(root, { mode: 0o755 });
  const folders = new Set<string>();
  for (const { parts, kind } of items) {
    const folder = join(root, ...(kind === 'folder' ? parts : parts.slice(0, -1)));
    if (!folders.has(folder)) await mkdir(folder, { recursive: true, mode: 0o755 });
    folders.add(folder);
  }
  for (const { entry, parts, kind } of items) {
    if (kind !== 'file') continue;
    const mode = (entry.unixMode & 0o111) !== 0 ? 0o755 : 0o644;
    await pipeline(archive.stream(entry), createWriteStream(join(root, ...parts), { flags: 'wx', mode }));
  }
  for (const { entry, parts, kind } of items) {
    if (kind !== 'link') continue;
    const target = (await archive.read(entry, maxLinkBytes)).toString();
    checkTarget(target, parts);
    await symlink(target, join(root, ...parts));
  }
}

function itemOf(entry: ZipEntry, prefix: string): Item[] {
  if (!entry.name.startsWith(prefix)) return [];
  const parts = entry.name.slice(prefix.length).split('/');
  const isFolder = parts.at(-1) === '';
  if (isFolder) parts.pop();
  if (parts.some((part) => part === '' || part === '.' || part === '..' || /[\\\0]/.test(part))) {
    throw new SimulateFault('The zip file holds a name that leads out of the app.');
  }
  if (isFolder) return [{ entry, parts, kind: 'folder' }];
  return [{ entry, parts, kind: (entry.unixMode & typeMask) === linkType ? 'link' : 'file' }];
}

/**
 * A target is up steps, at most to the app, then names. The folder of a link is a real one, so that up steps count; a name
 * may be another link, which was checked the same way.
 */
function checkTarget(target: string, parts: readonly string[]): void {
  const steps = target.split('/');
  const ups = steps.findIndex((step) => step !== '..');
  const depth = ups === -1 ? steps.length : ups;
  const names = steps.slice(depth);
  const strays = names.some((name) => name === '..' || name === '') || /[\\\0]/.test(target);
  if (target === '' || strays || depth > parts.length - 1) {
    throw new SimulateFault('The zip file holds a link that leads out of the app.');
  }
}
