/**
 * Reads packages in separate processes, started on demand: a hostile package costs bounded time and memory of such a
 * process and never affects the server. A process has one package at a time. Facts and drawing have processes of their
 * own, so that verifying a large package never delays the answer of an upload.
 */
import { randomBytes } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { ChildLost, type PackageChild, startPackageChild } from './package-child.ts';
import {
  type IconChoice,
  type PackageInfo,
  PackageReaderUnavailable,
  type SignatureVerification,
  UnreadablePackage,
} from './package-info.ts';
import type { PackageAnswer, PackageAnswers, PackageTask } from './package-task.ts';
import type { SimulatorZip } from './read-simulator-zip.ts';

export interface PackageReader {
  /** Starts the process in which the next package is read, so that it is ready when that one has been received. */
  prepare(): void;
  /**
   * @throws UnreadablePackage when the file is no package, needs more time or memory than one may, or crashes the process
   * @throws PackageReaderUnavailable when no process starts
   */
  read(path: string): Promise<PackageInfo>;
  readSimulatorZip(path: string): Promise<SimulatorZip>;
  /** PNG bytes; null when the chosen icon cannot be drawn. */
  drawIcon(path: string, choice: IconChoice): Promise<Uint8Array | null>;
  drawMonogram(name: string, seed: string): Promise<Uint8Array>;
  verifySignature(path: string): Promise<SignatureVerification>;
  /** Ends every process; running and waiting tasks are rejected. */
  close(): Promise<void>;
}

export interface PackageReaderLimits {
  maxFactsMs: number;
  maxDrawingMs: number;
  /** Verification hashes the whole package: allow for the largest one on a slow disk. */
  maxVerificationMs: number;
  /** A process that has not started within this time is considered failed. */
  maxStartMs: number;
  maxHeapMebibytes: number;
  /** Heap, buffers and pictures, and 600 MiB of address space that V8 reserves and does not use. Linux only. */
  maxDataMebibytes: number;
  factsProcesses: number;
  /** How long a package waits for a busy process before another one is started. */
  maxWaitMs: number;
  /** How long a process without work is kept. */
  maxIdleMs: number;
}

export const defaultPackageReaderLimits: PackageReaderLimits = {
  maxFactsMs: 10_000,
  maxDrawingMs: 20_000,
  maxVerificationMs: 10 * 60_000,
  maxStartMs: 30_000,
  maxHeapMebibytes: 192,
  maxDataMebibytes: 1536,
  factsProcesses: 2,
  maxWaitMs: 250,
  maxIdleMs: 10_000,
};

export interface PackageReaderOptions {
  /** The folder in which each process finds its package, and nothing else. Belongs only to the reader; created on demand. */
  folder: string;
  limits?: Partial<PackageReaderLimits>;
  /** Called for each process that ended while reading a package. */
  onLost?(error: Error): void;
  /** A program to run instead of the one that reads packages. */
  entry?: string;
}

export function createPackageReader(options: PackageReaderOptions): PackageReader {
  const limits = { ...defaultPackageReaderLimits, ...options.limits };
  const folder = resolve(options.folder);
  let emptied: Promise<void> | null = null;
  const prepare = () => {
    emptied ??= emptyFolder(folder).catch((error) => {
      emptied = null;
      throw error;
    });
    return emptied;
  };
  const lane = { folder, prepare, limits, onLost: options.onLost, entry: options.entry };
  const facts = createLane({ ...lane, size: limits.factsProcesses, first: 'read' });
  const drawing = createLane({ ...lane, size: 1, first: null });
  return {
    prepare: facts.prepare,
    read: (path) => facts.run({ kind: 'read' }, path, limits.maxFactsMs),
    readSimulatorZip: (path) => facts.run({ kind: 'read-simulator-zip' }, path, limits.maxFactsMs),
    drawIcon: (path, choice) => drawing.run({ kind: 'draw-icon', choice }, path, limits.maxDrawingMs),
    drawMonogram: (name, seed) =>
      drawing.run({ kind: 'draw-monogram', name, seed }, null, limits.maxDrawingMs),
    verifySignature: (path) => drawing.run({ kind: 'verify-signature' }, path, limits.maxVerificationMs),
    close: async () => {
      await Promise.all([facts.close(), drawing.close()]);
    },
  };
}

const closedMessage = 'the package reader is closed';
/** A process may be killed for reasons other than the package, such as the machine running out of memory. */
const maxTries = 2;

interface Waiting {
  task: PackageTask;
  /** Null: the task needs no package. */
  path: string | null;
  maxMs: number;
  triesLeft: number;
  answered: PromiseWithResolvers<unknown>;
}

interface Lane {
  prepare(): void;
  run<Kind extends PackageTask['kind']>(
    task: PackageTask & { kind: Kind },
    path: string | null,
    maxMs: number,
  ): Promise<PackageAnswers[Kind]>;
  close(): Promise<void>;
}

interface LaneOptions {
  folder: string;
  /** Makes the folder at the first call. */
  prepare(): Promise<void>;
  limits: PackageReaderLimits;
  onLost: PackageReaderOptions['onLost'];
  entry: string | undefined;
  size: number;
  /** For which kind of task a process is ready when it has started; null: it loads its code with the first. */
  first: PackageTask['kind'] | null;
}

/** One process; `busy` while it has a task. */
interface Station {
  child: PackageChild;
  idleTimer: NodeJS.Timeout | undefined;
  busy: boolean;
}

/** Up to `size` processes over one queue. */
function createLane({ folder, prepare, limits, onLost, entry, size, first }: LaneOptions): Lane {
  const queue: Waiting[] = [];
  const stations = new Set<Station>();
  /** Processes that were told to end and are still running. */
  const ending = new Set<Promise<void>>();
  let closed = false;
  let waitTimer: NodeJS.Timeout | undefined;

  const next = (patient = true) => {
    clearTimeout(waitTimer);
    while (queue.length > 0 && !closed) {
      const idle = [...stations].find(({ busy }) => !busy);
      const mayStart = stations.size === 0 || (!patient && stations.size < size);
      const station = idle ?? (mayStart ? openStation() : null);
      if (station === null) break;
      const waiting = queue.shift();
      if (waiting) void serve(station, waiting);
    }
    if (queue.length > 0 && stations.size < size) waitTimer = setTimeout(next, limits.maxWaitMs, false);
  };
  const openStation = () => {
    const packagePath = join(folder, randomBytes(16).toString('hex'));
    const { maxHeapMebibytes, maxDataMebibytes } = limits;
    const child = startPackageChild({ packagePath, maxHeapMebibytes, maxDataMebibytes, first, entry });
    const station: Station = { child, idleTimer: undefined, busy: false };
    stations.add(station);
    void child.gone.then(() => leave(station));
    return station;
  };
  const leave = (station: Station) => {
    clearTimeout(station.idleTimer);
    if (!stations.delete(station)) return;
    const gone = station.child.gone.finally(() => ending.delete(gone));
    ending.add(gone);
    // A caller may be waiting for its end.
    station.child.hold(true);
    station.child.kill();
  };
  const rest = (station: Station) => {
    station.child.hold(false);
    station.idleTimer = setTimeout(leave, limits.maxIdleMs, station);
    station.idleTimer.unref();
  };
  const serve = async (station: Station, waiting: Waiting) => {
    station.busy = true;
    clearTimeout(station.idleTimer);
    station.child.hold(true);
    try {
      const answer = await ask(station, waiting);
      if (answer.ok) waiting.answered.resolve(answer.value);
      else waiting.answered.reject(errorOf(answer));
    } catch (error) {
      leave(station);
      fail(waiting, error);
    }
    station.busy = false;
    if (stations.has(station)) rest(station);
    next();
  };
  const ask = async ({ child }: Station, { task, path, maxMs }: Waiting) => {
    const late = Promise.withResolvers<never>();
    late.promise.catch(() => {});
    const notStarted = new PackageReaderUnavailable('the process that reads packages does not start');
    let limit = setTimeout(late.reject, limits.maxStartMs, notStarted);
    let ended = false;
    void child.started.then(() => {
      clearTimeout(limit);
      if (!ended) limit = setTimeout(late.reject, maxMs, new UnreadablePackage('it takes too long to read'));
    });
    try {
      if (path !== null) await prepare();
      return await Promise.race([child.run(task, path), late.promise]);
    } finally {
      ended = true;
      clearTimeout(limit);
    }
  };
  /** The process is lost, was too slow, or the package could not be given to it. */
  const fail = (waiting: Waiting, error: unknown) => {
    const { answered } = waiting;
    if (closed) return answered.reject(new Error(closedMessage));
    if (!(error instanceof ChildLost)) return answered.reject(error);
    onLost?.(error);
    if (error.started && error.outOfMemory) {
      return answered.reject(new UnreadablePackage('it needs too much memory to read', { cause: error }));
    }
    waiting.triesLeft -= 1;
    if (waiting.triesLeft > 0) return queue.unshift(waiting);
    answered.reject(
      error.started
        ? new UnreadablePackage('it crashes the process that reads packages', { cause: error })
        : new PackageReaderUnavailable(error.message, { cause: error }),
    );
  };
  return {
    prepare: () => {
      if (!closed && stations.size === 0) rest(openStation());
    },
    run: (task, path, maxMs) => {
      if (closed) return Promise.reject(new Error(closedMessage));
      const answered = Promise.withResolvers<unknown>();
      queue.push({ task, path, maxMs, triesLeft: maxTries, answered });
      next();
      return answered.promise as Promise<PackageAnswers[typeof task.kind]>;
    },
    close: async () => {
      closed = true;
      clearTimeout(waitTimer);
      for (const { answered } of queue.splice(0)) answered.reject(new Error(closedMessage));
      for (const station of stations) leave(station);
      await Promise.all(ending);
    },
  };
}

/** Removes the leftovers of a killed server. */
async function emptyFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true, mode: 0o700 });
}

/** The error of the process, as if it had been thrown here. */
function errorOf({ unreadable, message, stack }: Extract<PackageAnswer, { ok: false }>): Error {
  const error = unreadable ? new UnreadablePackage(message) : new Error(message);
  if (stack !== '') error.stack = stack;
  return error;
}
