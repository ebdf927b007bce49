/**
 * Extracts the app from a simulator zip. Does not use `ditto` or `unzip`, which read names that bypass these checks (a local
 * header that differs from the directory) and write through symbolic links in the archive.
 */
import { createWriteStream } from 'node:fs';
import { mkdir, symlink } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { openFileTree } from '../../packages/ipa/file-tree.ts';
import { UnreadablePackage } from '../../packages/package-info.ts';
import { readSimulatorArchive, type SimulatorZip } from '../../packages/read-simulator-zip.ts';
import { openRandomAccessFile } from '../../packages/zip/open-file.ts';
import { openZip } from '../../packages/zip/open-zip.ts';
import type { ZipArchive, ZipEntry } from '../../packages/zip/zip-archive.ts';
import { SimulateError } from './simulate-io.ts';

export interface UnpackedApp extends SimulatorZip {
  /** The path of the extracted `.app` folder. */
  path: string;
}

const maxUnpackedBytes = 16 * 1024 * 1024 * 1024;
const maxLinkBytes = 4096;
const typeMask = 0o170000;
const linkType = 0o120000;

/**
 * Checks that the file is a simulator build and writes its app into `folder`, which must be empty. Rejects with
 * `UnreadablePackage` or `SimulateError`, also if a name or a link leads out of the app.
 */
export async function unpackSimulatorZip(zipPath: string, folder: string): Promise<UnpackedApp> {
  const file = await openRandomAccessFile(zipPath);
  try {
    const archive = await openZip(file, { maxStreamedBytes: maxUnpackedBytes });
    const simulator = await readSimulatorArchive(archive);
    const path = join(folder, basename(simulator.appFolder));
    await writeApp(archive, simulator.appFolder, path).catch((error) => {
      if (error instanceof UnreadablePackage || error instanceof SimulateError) throw error;
      // On most Macs, file names are case-insensitive, so the second of two such names already exists.
      throw new SimulateError(`The app could not be unpacked: ${error.message}`, { cause: error });
    });
    return { ...simulator, path };
  } finally {
    await file.close();
  }
}

interface Item {
  entry: ZipEntry;
  /** The path within the app. */
  parts: string[];
  kind: 'folder' | 'file' | 'link';
}

/** Writes folders, then files, then links, so that nothing is written through a link in the archive. */
async function writeApp(archive: ZipArchive, appFolder: string, root: string): Promise<void> {
  const app = openFileTree(archive, 'mac').below(`${appFolder}/`);
  const items = app.entries.map(({ path, entry }) => itemOf(entry, path));
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

function itemOf(entry: ZipEntry, path: string): Item {
  const parts = path.split('/');
  const isFolder = parts.at(-1) === '';
  if (isFolder) parts.pop();
  if (parts.some((part) => part === '' || part === '.' || part === '..' || /[\\\0]/.test(part))) {
    throw new SimulateError('The zip file contains a name that leads out of the app.');
  }
  if (isFolder) return { entry, parts, kind: 'folder' };
  return { entry, parts, kind: (entry.unixMode & typeMask) === linkType ? 'link' : 'file' };
}

/**
 * Accepts a target of `..` steps, at most up to the app, followed by names. The folder of a link is a real folder, so `..` steps
 * are reliable. A name may be another link, which was checked in the same way.
 */
function checkTarget(target: string, parts: readonly string[]): void {
  const steps = target.split('/');
  const ups = steps.findIndex((step) => step !== '..');
  const depth = ups === -1 ? steps.length : ups;
  const names = steps.slice(depth);
  const strays = names.some((name) => name === '..' || name === '') || /[\\\0]/.test(target);
  if (target === '' || strays || depth > parts.length - 1) {
    throw new SimulateError('The zip file contains a link that leads out of the app.');
  }
}
