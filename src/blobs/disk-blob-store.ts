/**
 * Blobs as files: `ROOT/KIND/HH/NAME`, where HH is the first byte of the SHA-256 of NAME in hexadecimal. Without HH, ids that
 * begin with the time would all be in one folder. `ROOT/.incoming` contains files that are being written.
 */
import { createHash, randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { chmod, copyFile, link, open, opendir, readdir, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { createDurableFolders, syncFolder } from '../core/durable-folders.ts';
import { errorCode, isDiskFull, isUnlinkable } from '../core/file-errors.ts';
import { type BlobKey, isBlobKey, parseBlobKey } from './blob-key.ts';
import {
  BlobExists,
  type BlobStore,
  BlobStoreFull,
  type ByteRange,
  clampRange,
  type LocalFile,
  type OpenBlob,
  type StoredBlob,
} from './blob-store.ts';

/** Read size. Half of it makes a download a third slower; a larger one does not fit into the CPU’s cache. */
const diskReadBytes = 256 * 1024;

/** All shards are created at the first put of a kind, so that later puts fsync one folder instead of two. */
const shardNames = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

const incomingName = '.incoming';
const incomingPattern = /^[0-9a-f]{32}$/;

/** A store in the folder `root`, which is created when first needed. Its file system must support hard links. */
export function createDiskBlobStore(options: { root: string }): Required<Omit<BlobStore, 'link' | 'parts'>> {
  const root = resolve(options.root);
  const incoming = join(root, incomingName);
  const folders = createDurableFolders(root);
  const inFlight = new Set<string>();

  const ownerPath = (key: BlobKey): string => {
    const [kind = '', name = ''] = parseBlobKey(key).split('/');
    return join(root, kind, createHash('sha256').update(name).digest('hex').slice(0, 2), name);
  };

  /** Calls `write` with a new path in the incoming folder, and removes any file at that path afterwards. */
  async function withIncoming<T>(write: (path: string) => Promise<T>): Promise<T> {
    await folders.ensure(incoming);
    const name = randomBytes(16).toString('hex');
    const path = join(incoming, name);
    inFlight.add(name);
    try {
      return await write(path);
    } finally {
      await rm(path, { force: true });
      inFlight.delete(name);
    }
  }

  /** Makes a finished, fsynced file visible under the key; `place` must refuse to overwrite. */
  async function publish(key: BlobKey, place: (target: string) => Promise<void>): Promise<void> {
    const target = ownerPath(key);
    try {
      await folders.ensure(dirname(dirname(target)), shardNames);
      await place(target).catch((error: unknown) => {
        throw errorCode(error) === 'EEXIST' ? new BlobExists(key) : error;
      });
    } catch (error) {
      throw isDiskFull(error) ? new BlobStoreFull(error) : error;
    }
    try {
      await syncFolder(dirname(target));
    } catch (error) {
      await rm(target, { force: true });
      throw error;
    }
  }

  return {
    async put(key, file) {
      parseBlobKey(key);
      await checkSize(file);
      if (file.synced !== true) await syncFile(file.path);
      await publish(key, async (target) => {
        try {
          await link(file.path, target);
        } catch (error) {
          if (!isUnlinkable(error)) throw error;
          await withIncoming((copy) => copyThenLink(file.path, copy, target));
        }
      });
    },

    async putBytes(key, bytes) {
      parseBlobKey(key);
      await publish(key, (target) =>
        withIncoming(async (path) => {
          await writeNewFile(path, bytes);
          await link(path, target);
        }),
      );
    },

    open: (key, range) => openFile(ownerPath(key), range),

    size: async (key) => (await statOrNull(ownerPath(key)))?.size ?? null,

    root,

    localPath: ownerPath,

    async remove(key) {
      await rm(ownerPath(key), { force: true });
    },

    list: (prefix) => listFiles(root, prefix),

    async removeLeftovers(before) {
      let removed = 0;
      for (const name of await namesIn(incoming)) {
        if (!incomingPattern.test(name) || inFlight.has(name)) continue;
        const path = join(incoming, name);
        const modifiedAt = (await statOrNull(path))?.mtimeMs ?? Number.POSITIVE_INFINITY;
        if (modifiedAt >= before) continue;
        await rm(path, { force: true });
        removed += 1;
      }
      return removed;
    },

    async ping() {
      // A missing folder is fine: the first put creates it.
      if ((await statOrNull(root))?.isDirectory() === false) throw new Error(`${root} is not a folder`);
    },

    async check() {
      await withIncoming(async (path) => {
        await writeNewFile(path, Buffer.from('readiness'));
        await withIncoming((second) => link(path, second));
      });
    },
  };
}

async function checkSize(file: LocalFile): Promise<void> {
  const { size } = await stat(file.path);
  if (size !== file.sizeBytes) throw new Error(`the file has ${size} bytes instead of ${file.sizeBytes}`);
}

async function writeNewFile(path: string, bytes: Uint8Array): Promise<void> {
  const handle = await open(path, 'wx', 0o600);
  try {
    await handle.writeFile(bytes);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function syncFile(path: string): Promise<void> {
  // On Windows, only writable handles can be flushed.
  const handle = await open(path, 'r+');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function copyThenLink(source: string, copy: string, target: string): Promise<void> {
  await copyFile(source, copy, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
  await chmod(copy, 0o600);
  await syncFile(copy);
  await link(copy, target);
}

async function openFile(path: string, range?: ByteRange): Promise<OpenBlob | null> {
  const handle = await open(path, 'r').catch(absentIsNull);
  if (handle === null) return null;
  try {
    const { size } = await handle.stat();
    const part = range === undefined ? null : clampRange(range, size);
    const stream = handle.createReadStream({
      start: part?.first ?? 0,
      end: part?.last,
      highWaterMark: diskReadBytes,
    });
    return { sizeBytes: size, stream };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

async function* listFiles(root: string, prefix: string): AsyncGenerator<StoredBlob> {
  for (const kind of await namesIn(root)) {
    const folder = `${kind}/`;
    if (kind === incomingName || !(folder.startsWith(prefix) || prefix.startsWith(folder))) continue;
    for (const fan of await namesIn(join(root, kind))) {
      yield* listShard(join(root, kind, fan), folder, prefix);
    }
  }
}

async function* listShard(path: string, folder: string, prefix: string): AsyncGenerator<StoredBlob> {
  const entries = await opendir(path, { bufferSize: 256 }).catch(absentIsNull);
  if (entries === null) return;
  for await (const entry of entries) {
    const key = folder + entry.name;
    if (!entry.isFile() || !isBlobKey(key) || !key.startsWith(prefix)) continue;
    const facts = await statOrNull(join(path, entry.name));
    if (facts !== null) yield { key, sizeBytes: facts.size, modifiedAt: Math.trunc(facts.mtimeMs) };
  }
}

const namesIn = async (folder: string): Promise<string[]> =>
  (await readdir(folder).catch(absentIsNull)) ?? [];

const statOrNull = (path: string) => stat(path).catch(absentIsNull);

function absentIsNull(error: unknown): null {
  const code = errorCode(error);
  if (code === 'ENOENT' || code === 'ENOTDIR') return null;
  throw error;
}
