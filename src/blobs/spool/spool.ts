/** Receives bodies: writes a stream to a durable temporary file, and computes its size and digests. */
import { randomBytes } from 'node:crypto';
import { open, readdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { errorCode, isDiskFull } from '../../core/file-errors.ts';
import { consumeStream } from './consume-stream.ts';
import { createDiskSpace } from './disk-space.ts';
import { type GrowingFile, openGrowingFile } from './growing-file.ts';
import { createSpoolEngine, type SpoolEngine } from './spool-engine.ts';
import { SpoolFull, SpoolLimitExceeded } from './spool-errors.ts';
import { createSpoolFile, type SpooledFile, type SpoolFileFacts, type SpoolFileParts } from './spool-file.ts';

/** Bodies up to this size are hashed on the main thread during their fsync, because starting the thread costs more. */
export const inlineHashBytes = 4 * 1024 * 1024;

/** The hash thread and the memory are released after this long without a body. */
export const spoolIdleMs = 30_000;

const spoolNamePattern = /^[0-9a-f]{32}\.part$/;

export interface SpoolOptions {
  /** Created when first needed. Must not contain other files. */
  folder: string;
  /** A body is refused or aborted if less than this would stay free. */
  minimumFreeBytes: number;
  inlineHashBytes?: number;
  idleMs?: number;
}

export interface ReceiveOptions {
  maxBytes: number;
  /** A hint, such as Content-Length. A body announced as larger than `maxBytes` is refused unread; otherwise its space is reserved. */
  expectedBytes?: number;
  /** Aborts the reception and is its reason. If the sender disconnects, the caller must abort the signal or destroy the stream. */
  signal?: AbortSignal;
}

export type { SpooledFile };

export type Body = AsyncIterable<Uint8Array> | Readable;

export interface Spool {
  /**
   * Writes the stream to a new file (mode 0600), and computes its size and digests (lowercase hexadecimal). The file’s bytes are
   * durable on return, and the caller owns the file until `dispose`. Memory is limited for any size. Rejects with
   * SpoolLimitExceeded, SpoolFull, the stream’s own error, or the reason of the signal; then no file remains, and a Readable is
   * left paused and undestroyed for its owner to drain or destroy.
   */
  receive(body: Body, options: ReceiveOptions): Promise<SpooledFile>;
  /**
   * Opens a new file that receives several bodies, one after another. `path`: where it is kept when it is closed, in a folder that
   * exists; by default it is temporary.
   */
  grow(path?: string): Promise<GrowingFile>;
  /** The folder, which may not exist yet. */
  folder: string;
  /**
   * Removes files of earlier processes and returns their number; keeps the files of this spool. No other process may be receiving
   * into the same folder: a server and a move lock it.
   */
  sweepLeftovers(): Promise<number>;
  /** Bytes that this process may still write to the spool's file system. */
  freeBytes(): Promise<number>;
  /** Aborts receptions in progress, waits until they have ended, and ends the hash thread. Keeps returned files. */
  close(): Promise<void>;
}

export function createSpool(options: SpoolOptions): Spool {
  const folder = resolve(options.folder);
  const engine = createSpoolEngine(options.idleMs ?? spoolIdleMs);
  const space = createDiskSpace(folder, options.minimumFreeBytes);
  const owned = new Set<string>();
  const inFlight = new Map<AbortController, Promise<SpooledFile>>();
  const growing = new Set<GrowingFile>();
  let closed = false;

  const newFile = () => {
    const name = `${randomBytes(16).toString('hex')}.part`;
    const path = join(folder, name);
    owned.add(name);
    const dispose = async () => {
      await rm(path, { force: true });
      owned.delete(name);
    };
    return { path, dispose };
  };

  async function receive(body: Body, wanted: ReceiveOptions, stop: AbortController): Promise<SpooledFile> {
    // A stream that fails before it is read must not crash the process; its reader gets the error later.
    if (body instanceof Readable) body.on('error', () => {});
    stop.signal.throwIfAborted();
    const expectedBytes = wanted.expectedBytes ?? null;
    if (expectedBytes !== null && expectedBytes > wanted.maxBytes) {
      throw new SpoolLimitExceeded(wanted.maxBytes);
    }
    const promise = await space.promise(expectedBytes ?? 0);
    const { path, dispose } = newFile();
    try {
      const facts = await fillFile(path, body, {
        engine,
        stop,
        expectedBytes,
        maxBytes: wanted.maxBytes,
        inlineHashBytes: options.inlineHashBytes ?? inlineHashBytes,
        onBytes: promise.use,
        onCheckpoint: space.require,
      });
      return { path, ...facts, synced: true, dispose };
    } catch (error) {
      await dispose();
      throw isDiskFull(error) ? new SpoolFull(error) : error;
    } finally {
      promise.end();
    }
  }

  return {
    async receive(body, wanted) {
      if (closed) throw spoolClosed();
      const stop = new AbortController();
      const onAbort = () => stop.abort(wanted.signal?.reason);
      if (wanted.signal?.aborted) onAbort();
      wanted.signal?.addEventListener('abort', onAbort);
      const received = receive(body, wanted, stop);
      inFlight.set(stop, received);
      try {
        return await received;
      } finally {
        inFlight.delete(stop);
        wanted.signal?.removeEventListener('abort', onAbort);
      }
    },
    async grow(path) {
      if (closed) throw spoolClosed();
      await space.require();
      const place = path === undefined ? newFile() : { path, dispose: async () => {} };
      const file = await openGrowingFile({
        ...place,
        engine,
        space,
        inlineHashBytes: options.inlineHashBytes ?? inlineHashBytes,
        onClosed: () => growing.delete(file),
      });
      growing.add(file);
      return file;
    },
    folder,
    sweepLeftovers: () => sweepFolder(folder, owned),
    freeBytes: space.freeBytes,
    async close() {
      closed = true;
      const last = [...inFlight.values()];
      for (const stop of inFlight.keys()) stop.abort(spoolClosed());
      await Promise.allSettled(last);
      await Promise.allSettled([...growing].map((file) => file.close()));
      await engine.end();
    },
  };
}

const spoolClosed = () => new Error('the spool is closed');

interface FillOptions extends Pick<SpoolFileParts, 'expectedBytes' | 'inlineHashBytes' | 'onCheckpoint'> {
  engine: SpoolEngine;
  maxBytes: number;
  stop: AbortController;
  onBytes(count: number): void;
}

/** Creates and fills the file at `path`. After a rejection the file may remain, but nothing uses it. */
async function fillFile(path: string, body: Body, options: FillOptions): Promise<SpoolFileFacts> {
  const { engine, stop, maxBytes, onBytes } = options;
  const stream = body instanceof Readable ? body : Readable.from(body, { highWaterMark: 1 });
  const handle = await open(path, 'wx+', 0o600);
  engine.enter();
  const file = createSpoolFile({ ...options, handle, onFailure: (error) => stop.abort(error) });
  let sizeBytes = 0;
  const take = (chunk: Uint8Array) => {
    sizeBytes += chunk.length;
    if (sizeBytes > maxBytes) throw new SpoolLimitExceeded(maxBytes);
    onBytes(chunk.length);
    return file.write(chunk);
  };
  try {
    await consumeStream(stream, take, stop.signal);
    const facts = await file.finish();
    stop.signal.throwIfAborted();
    return facts;
  } catch (error) {
    await file.abandon();
    if (stream !== body) stream.destroy();
    throw error;
  } finally {
    await handle.close();
    engine.leave();
  }
}

async function sweepFolder(folder: string, except: Set<string>): Promise<number> {
  let removed = 0;
  for (const name of (await readdir(folder).catch(absentIsNull)) ?? []) {
    if (!spoolNamePattern.test(name) || except.has(name)) continue;
    await rm(join(folder, name), { force: true });
    removed += 1;
  }
  return removed;
}

function absentIsNull(error: unknown): null {
  if (errorCode(error) === 'ENOENT') return null;
  throw error;
}
