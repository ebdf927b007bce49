/**
 * Reads packages in worker threads, started on demand: a hostile package costs a bounded time and a bounded memory of a
 * thread, and never the server. One package at a time in a worker; facts and drawing have workers of their own, so that
 * drawing an icon never delays the answer of an upload.
 */
import { Worker } from 'node:worker_threads';
import { endThread, maxEndMs } from './end-thread.ts';
import {
  type IconChoice,
  type PackageInfo,
  type SignatureVerification,
  UnreadablePackage,
} from './package-info.ts';
import type { PackageTask, PackageTaskResult } from './package-worker.ts';
import type { SimulatorZip } from './read-simulator-zip.ts';

export interface PackageReader {
  /** Rejects with UnreadablePackage when the file is no package, or needs more time or memory than one may. */
  read(path: string): Promise<PackageInfo>;
  readSimulatorZip(path: string): Promise<SimulatorZip>;
  /** PNG bytes; null when the chosen icon cannot be drawn. */
  drawIcon(path: string, choice: IconChoice): Promise<Uint8Array | null>;
  drawMonogram(name: string, seed: string): Promise<Uint8Array>;
  verifySignature(path: string): Promise<SignatureVerification>;
  /** What waits is rejected; what is under way has `maxEndMs` left. Resolves when no thread is left. */
  close(): Promise<void>;
}

export interface PackageReaderLimits {
  maxFactsMs: number;
  maxDrawingMs: number;
  /** Verification hashes the whole package: allow for the largest one on a slow disk. */
  maxVerificationMs: number;
  maxHeapMebibytes: number;
  factsWorkers: number;
  /** A worker without work is ended after so long, and its memory given back. */
  maxIdleMs: number;
  /** What a worker is at when the reader closes may take so long. */
  maxEndMs: number;
}

export const defaultPackageReaderLimits: PackageReaderLimits = {
  maxFactsMs: 10_000,
  maxDrawingMs: 20_000,
  maxVerificationMs: 10 * 60_000,
  maxHeapMebibytes: 192,
  factsWorkers: 2,
  maxIdleMs: 10_000,
  maxEndMs,
};

export function createPackageReader(limits: PackageReaderLimits = defaultPackageReaderLimits): PackageReader {
  const facts = createLane(limits.factsWorkers, limits);
  const drawing = createLane(1, limits);
  return {
    read: (path) => facts.run<PackageInfo>({ kind: 'read', path }, limits.maxFactsMs),
    readSimulatorZip: (path) =>
      facts.run<SimulatorZip>({ kind: 'read-simulator-zip', path }, limits.maxFactsMs),
    drawIcon: (path, choice) =>
      drawing.run<Uint8Array | null>({ kind: 'draw-icon', path, choice }, limits.maxDrawingMs),
    drawMonogram: (name, seed) =>
      drawing.run<Uint8Array>({ kind: 'draw-monogram', name, seed }, limits.maxDrawingMs),
    verifySignature: (path) =>
      drawing.run<SignatureVerification>({ kind: 'verify-signature', path }, limits.maxVerificationMs),
    close: async () => {
      await Promise.all([facts.close(), drawing.close()]);
    },
  };
}

const closedMessage = 'the package reader is closed';

interface Waiting {
  task: PackageTask;
  maxMs: number;
  resolve: (value: never) => void;
  reject: (error: Error) => void;
}

interface Lane {
  run<T>(task: PackageTask, maxMs: number): Promise<T>;
  close(): Promise<void>;
}

/** One thread and the task it is at; null between tasks. */
interface Station {
  worker: Worker;
  /** Resolves when the thread is gone, however that came. */
  gone: Promise<unknown>;
  idleTimer: NodeJS.Timeout | undefined;
  current: { waiting: Waiting; deadline: NodeJS.Timeout } | null;
}

/** Up to `size` workers over one queue. */
function createLane(size: number, limits: PackageReaderLimits): Lane {
  const queue: Waiting[] = [];
  const stations = new Set<Station>();
  /** Of threads that take no more work and are not gone yet. */
  const ending = new Set<Promise<unknown>>();
  let closed = false;

  const next = () => {
    if (queue.length === 0 || closed) return;
    const idle = [...stations].find((station) => station.current === null);
    const station = idle ?? (stations.size < size ? openStation() : null);
    const waiting = station ? queue.shift() : null;
    if (station && waiting) give(station, waiting);
  };
  const openStation = () => {
    const worker = startWorker(limits.maxHeapMebibytes);
    const gone = new Promise((resolve) => worker.once('exit', resolve));
    const station: Station = { worker, gone, idleTimer: undefined, current: null };
    stations.add(station);
    worker.on('message', (result: PackageTaskResult) => finish(station, result));
    worker.on('error', (error) => lose(station, faultOf(error)));
    worker.on('exit', () => lose(station, new Error('the thread that reads packages ended')));
    return station;
  };
  const give = (station: Station, waiting: Waiting) => {
    const deadline = setTimeout(
      () => fail(station, new UnreadablePackage('it takes too long to read')),
      waiting.maxMs,
    );
    station.current = { waiting, deadline };
    clearTimeout(station.idleTimer);
    station.worker.ref();
    station.worker.postMessage(waiting.task);
  };
  const take = (station: Station) => {
    const waiting = station.current?.waiting ?? null;
    clearTimeout(station.current?.deadline);
    station.current = null;
    return waiting;
  };
  const finish = (station: Station, result: PackageTaskResult) => {
    const waiting = take(station);
    // One that ends keeps the process alive until it is gone, for somebody may wait for that.
    if (stations.has(station)) {
      station.worker.unref();
      station.idleTimer = setTimeout(() => end(station), limits.maxIdleMs);
      station.idleTimer.unref();
    }
    if (result.ok) waiting?.resolve(result.value as never);
    else waiting?.reject(errorOf(result));
    next();
  };
  const leave = (station: Station) => {
    clearTimeout(station.idleTimer);
    if (!stations.delete(station)) return;
    ending.add(station.gone);
    void station.gone.then(() => ending.delete(station.gone));
  };
  const end = (station: Station) => {
    leave(station);
    void endThread(station.worker, limits.maxEndMs);
  };
  /** The thread died: of what it read, of a fault of ours, or because closing had to be quick. */
  const lose = (station: Station, fault: Error) => {
    leave(station);
    take(station)?.reject(closed ? new Error(closedMessage) : fault);
    next();
  };
  /** Who needs more time than a package may is ended wherever it is: nobody knows when it would look up. */
  const fail = (station: Station, fault: Error) => {
    void station.worker.terminate();
    lose(station, fault);
  };
  return {
    run: (task, maxMs) =>
      new Promise((resolve, reject) => {
        if (closed) return reject(new Error(closedMessage));
        queue.push({ task, maxMs, resolve, reject });
        next();
      }),
    close: async () => {
      closed = true;
      for (const waiting of queue.splice(0)) waiting.reject(new Error(closedMessage));
      for (const station of stations) end(station);
      await Promise.all(ending);
    },
  };
}

/** Out of memory is the package's doing; anything else that ends a thread is a fault of ours. */
function faultOf(error: Error): Error {
  const outOfMemory = 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
  return outOfMemory ? new UnreadablePackage('it needs too much memory to read', { cause: error }) : error;
}

/** The error of the thread, as it would have been here. */
function errorOf(result: Extract<PackageTaskResult, { ok: false }>): Error {
  const error = result.unreadable ? new UnreadablePackage(result.message) : new Error(result.message);
  if (result.stack) error.stack = result.stack;
  return error;
}

function startWorker(maxHeapMebibytes: number): Worker {
  const file = import.meta.url.endsWith('.ts') ? './package-worker.ts' : './package-worker.js';
  const worker = new Worker(new URL(file, import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: maxHeapMebibytes, maxYoungGenerationSizeMb: 4 },
  });
  worker.unref();
  return worker;
}
