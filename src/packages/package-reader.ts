/**
 * Reads packages in separate processes, started on demand: a hostile package uses limited time and memory of such a process and
 * never affects the server. A process handles one package at a time. Facts and icons use separate processes, so that verifying a
 * large package never delays the answer of an upload.
 */
import { randomBytes } from 'node:crypto';
import { mkdir, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { PackageAnalysis } from './analysis/analysis.ts';
import type { KeystoreOptions } from './apk/signing/keystore.ts';
import { createFairQueue } from './fair-queue.ts';
import { say } from './messages/package-messages.ts';
import {
  ChildExited,
  type PackageChild,
  type PackageChildOptions,
  startPackageChild,
  type TaskFiles,
} from './package-child.ts';
import {
  type ConvertedBundle,
  type EncodedSigningKey,
  type IconChoice,
  PackageReaderUnavailable,
  type ReadPackage,
  type SignatureVerification,
  UnreadablePackage,
} from './package-info.ts';
import {
  defaultPackageReaderLimits,
  type PackageReaderLimits,
  type TimeBySize,
} from './package-reader-limits.ts';
import { errorOf } from './package-response.ts';
import type { PackageResponses, PackageTask } from './package-task.ts';
import type { SimulatorZip } from './read-simulator-zip.ts';
import type { SymbolFileFacts } from './symbols/symbol-file.ts';
import { maxApkBytes } from './zip/write-zip.ts';

export interface PackageReader {
  /** Starts a process for the next package, so that it is ready when the package has been received. */
  prepare(): void;
  /**
   * @param owner of the file, here and below: tasks of different owners take turns
   * @throws UnreadablePackage if the file is not a package, exceeds the time or memory limit, or crashes the process
   * @throws PackageReaderUnavailable if no process starts
   */
  read(path: string, owner: string): Promise<ReadPackage>;
  readSimulatorZip(path: string, owner: string): Promise<SimulatorZip>;
  /** PNG bytes; null if the chosen icon cannot be drawn. */
  drawIcon(path: string, owner: string, choice: IconChoice): Promise<Uint8Array | null>;
  drawMonogram(name: string, seed: string, owner: string): Promise<Uint8Array>;
  /** WebP bytes without metadata; null if the file is not accepted as a screenshot. */
  drawScreenshot(path: string, owner: string): Promise<Uint8Array | null>;
  /**
   * PNG bytes without metadata, at most `maxLogoBytes`.
   * @throws UnreadablePackage with a `LogoRefusal`, or if the file exceeds the limits on time or memory
   */
  drawLogo(path: string, owner: string): Promise<Uint8Array>;
  verifySignature(path: string, owner: string): Promise<SignatureVerification>;
  /** What exceeds a limit of the analyzer is a gap in the result. */
  analyze(path: string, owner: string): Promise<PackageAnalysis>;
  /** Null if it is no symbol file. */
  readSymbolFile(path: string, owner: string): Promise<SymbolFileFacts | null>;
  /** @throws UnreadablePackage with the message of an `UnusableKeystore` */
  readKeystore(path: string, owner: string, options: KeystoreOptions): Promise<EncodedSigningKey>;
  /**
   * Generates the universal APK of a bundle, one at a time.
   * @throws UnreadablePackage like `read`; there is no file then
   */
  convertBundle(path: string, owner: string, request: ConversionRequest): Promise<ConvertedFile>;
  /** Ends all processes. Running and waiting tasks are rejected. */
  close(): Promise<void>;
}

export interface ConversionRequest {
  /** The current key last. */
  keys: readonly EncodedSigningKey[];
  /** Size of the contents of the APK (see `ConversionNeeds`), on which the time limit depends. */
  contentBytes: number;
  /** A larger APK is refused and never written completely. */
  maxApkBytes: number;
  /** Called with the completed share of the work, from 0 to 1. */
  onProgress: (part: number) => void;
}

export interface ConvertedFile extends ConvertedBundle {
  path: string;
  synced: true;
  /** Removes the file. */
  dispose(): Promise<void>;
}

export interface PackageReaderOptions {
  /** The folder with a link to the package of each process. Only used by the reader; created on demand. */
  folder: string;
  limits?: Partial<PackageReaderLimits>;
  /** Called when a process has ended while reading a package. */
  onLost?(error: Error): void;
  /** A program to run in place of the package reader. */
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
  const pool = { folder, prepare, limits, onLost: options.onLost, entry: options.entry };
  const inTurn = { ...pool, size: 1, first: null, background: false, maxOutputBytes: 0 };
  const facts = createWorkerPool({ ...inTurn, size: limits.factsProcesses, first: 'read' });
  const drawing = createWorkerPool({ ...inTurn, background: true });
  const analyses = createWorkerPool({ ...inTurn, background: true });
  // People wait for these tasks, so they never wait for the verification of a large package.
  const forms = createWorkerPool(inTurn);
  const conversions = createWorkerPool({ ...inTurn, maxOutputBytes: maxApkBytes });
  return {
    prepare: facts.prepare,
    read: (path, owner) => facts.run({ kind: 'read' }, owner, path, limits.maxFactsMs),
    readSimulatorZip: (path, owner) =>
      facts.run({ kind: 'read-simulator-zip' }, owner, path, limits.maxFactsMs),
    drawIcon: (path, owner, choice) =>
      drawing.run({ kind: 'draw-icon', choice }, owner, path, limits.maxDrawingMs),
    drawMonogram: (name, seed, owner) =>
      forms.run({ kind: 'draw-monogram', name, seed }, owner, { packagePath: null }, limits.maxDrawingMs),
    drawScreenshot: (path, owner) => forms.run({ kind: 'draw-screenshot' }, owner, path, limits.maxDrawingMs),
    drawLogo: (path, owner) => forms.run({ kind: 'draw-logo' }, owner, path, limits.maxDrawingMs),
    verifySignature: async (path, owner) => {
      const { size } = await stat(path);
      const maxMs = Math.min(timeFor(limits.verificationMs, size), limits.maxVerificationMs);
      return drawing.run({ kind: 'verify-signature' }, owner, path, maxMs);
    },
    analyze: async (path, owner) => {
      const { size } = await stat(path);
      const maxMs = Math.min(timeFor(limits.analysisMs, size), limits.maxAnalysisMs);
      return analyses.run({ kind: 'analyze' }, owner, path, maxMs);
    },
    readSymbolFile: (path, owner) => forms.run({ kind: 'read-symbols' }, owner, path, limits.maxSymbolsMs),
    readKeystore: (path, owner, options) =>
      forms.run({ kind: 'read-keystore', ...options }, owner, path, limits.maxKeystoreMs),
    convertBundle: async (path, owner, { keys, contentBytes, maxApkBytes: maxBytes, onProgress }) => {
      const outputPath = join(folder, `${randomBytes(16).toString('hex')}.apk`);
      const made = await conversions.run(
        { kind: 'convert-bundle', keys, maxApkBytes: maxBytes },
        owner,
        { packagePath: path, outputPath, onProgress },
        Math.min(timeFor(limits.conversionMs, contentBytes), limits.maxConversionMs),
      );
      return { ...made, path: outputPath, synced: true, dispose: () => rm(outputPath, { force: true }) };
    },
    close: async () => {
      await Promise.all([facts, drawing, analyses, forms, conversions].map((pool) => pool.close()));
    },
  };
}

const mebibyte = 1024 * 1024;
const timeFor = ({ base, perMebibyte }: TimeBySize, bytes: number) => base + (bytes / mebibyte) * perMebibyte;
const closedMessage = 'the package reader is closed';
/** More than one, because the system may kill a process for other reasons than its package, such as a lack of memory. */
const maxTries = 2;

interface Waiting {
  task: PackageTask;
  owner: string;
  files: TaskFiles;
  maxMs: number;
  triesLeft: number;
  workMs: number;
  answered: PromiseWithResolvers<unknown>;
}

interface WorkerPool {
  prepare(): void;
  run<Kind extends PackageTask['kind']>(
    task: PackageTask & { kind: Kind },
    owner: string,
    files: string | TaskFiles,
    maxMs: number,
  ): Promise<PackageResponses[Kind]>;
  close(): Promise<void>;
}

interface WorkerPoolOptions
  extends Pick<PackageChildOptions, 'maxOutputBytes' | 'first' | 'background' | 'entry'> {
  folder: string;
  /** Creates the folder when first called. */
  prepare(): Promise<void>;
  limits: PackageReaderLimits;
  onLost: PackageReaderOptions['onLost'];
  size: number;
}

/** A process. `busy` while it has a task. */
interface Worker {
  child: PackageChild;
  idleTimer: NodeJS.Timeout | undefined;
  busy: boolean;
}

/** Runs up to `size` processes on one queue, in which owners take turns. */
function createWorkerPool(options: WorkerPoolOptions): WorkerPool {
  const { folder, prepare, limits, onLost, size, ...ofChild } = options;
  const queue = createFairQueue<Waiting>();
  const workers = new Set<Worker>();
  /** Processes that are still shutting down. */
  const ending = new Set<Promise<void>>();
  let closed = false;
  let waitTimer: NodeJS.Timeout | undefined;

  const next = (patient = true) => {
    clearTimeout(waitTimer);
    while (queue.size > 0 && !closed) {
      const idle = [...workers].find(({ busy }) => !busy);
      const mayStart = workers.size === 0 || (!patient && workers.size < size);
      const worker = idle ?? (mayStart ? openStation() : null);
      if (worker === null) break;
      const waiting = queue.take();
      if (waiting) void serve(worker, waiting);
    }
    if (queue.size > 0 && workers.size < size) waitTimer = setTimeout(next, limits.maxWaitMs, false);
  };
  const openStation = () => {
    const packagePath = join(folder, randomBytes(16).toString('hex'));
    const { maxHeapMebibytes, maxDataMebibytes } = limits;
    const child = startPackageChild({ ...ofChild, packagePath, maxHeapMebibytes, maxDataMebibytes });
    const worker: Worker = { child, idleTimer: undefined, busy: false };
    workers.add(worker);
    void child.gone.then(() => leave(worker));
    return worker;
  };
  const leave = (worker: Worker) => {
    clearTimeout(worker.idleTimer);
    if (!workers.delete(worker)) return;
    const gone = worker.child.gone.finally(() => ending.delete(gone));
    ending.add(gone);
    // A caller may be waiting for this process to end.
    worker.child.keepServerAlive(true);
    worker.child.kill();
  };
  const rest = (worker: Worker) => {
    worker.child.keepServerAlive(false);
    worker.idleTimer = setTimeout(leave, limits.maxIdleMs, worker);
    worker.idleTimer.unref();
  };
  const serve = async (worker: Worker, waiting: Waiting) => {
    worker.busy = true;
    clearTimeout(worker.idleTimer);
    worker.child.keepServerAlive(true);
    try {
      const answer = await ask(worker, waiting);
      if (answer.ok) waiting.answered.resolve(answer.value);
      else waiting.answered.reject(errorOf(answer));
    } catch (error) {
      leave(worker);
      fail(waiting, error);
    }
    worker.busy = false;
    if (workers.has(worker)) rest(worker);
    next();
  };
  const ask = async ({ child }: Worker, waiting: Waiting) => {
    const [{ task, files, maxMs }, begun] = [waiting, performance.now()];
    const late = Promise.withResolvers<never>();
    late.promise.catch(() => {});
    const notStarted = new PackageReaderUnavailable('the package reader process does not start');
    let limit = setTimeout(late.reject, limits.maxStartMs, notStarted);
    let ended = false;
    void child.started.then(() => {
      clearTimeout(limit);
      if (!ended) limit = setTimeout(late.reject, maxMs, new UnreadablePackage(say('too-slow-to-read')));
    });
    try {
      if (files.packagePath !== null) await prepare();
      return await Promise.race([child.run(task, files), late.promise]);
    } finally {
      ended = true;
      clearTimeout(limit);
      waiting.workMs += performance.now() - begun;
    }
  };
  /** The process has ended, was too slow, or could not be given the package. */
  const fail = (waiting: Waiting, error: unknown) => {
    const { answered } = waiting;
    if (closed) return answered.reject(new Error(closedMessage));
    if (!(error instanceof ChildExited)) return answered.reject(error);
    onLost?.(error);
    if (error.started && error.outOfMemory) {
      return answered.reject(new UnreadablePackage(say('too-much-memory'), { cause: error }));
    }
    waiting.triesLeft -= 1;
    if (waiting.triesLeft > 0) return queue.putBack(waiting.owner, waiting);
    answered.reject(
      error.started
        ? new UnreadablePackage(say('reader-crashed'), { cause: error })
        : new PackageReaderUnavailable(error.message, { cause: error }),
    );
  };
  return {
    prepare: () => {
      if (!closed && workers.size === 0) rest(openStation());
    },
    run: (task, owner, given, maxMs) => {
      if (closed) return Promise.reject(new Error(closedMessage));
      const answered = Promise.withResolvers<unknown>();
      const files = typeof given === 'string' ? { packagePath: given } : given;
      const waiting = { task, owner, files, maxMs, triesLeft: maxTries, workMs: 0, answered };
      queue.add(owner, waiting);
      next();
      const answer = answered.promise as Promise<PackageResponses[typeof task.kind]>;
      return answer.catch((error) => {
        throw error instanceof UnreadablePackage ? error.after(waiting.workMs) : error;
      });
    },
    close: async () => {
      closed = true;
      clearTimeout(waitTimer);
      for (const { answered } of queue.clear()) answered.reject(new Error(closedMessage));
      for (const worker of workers) leave(worker);
      await Promise.all(ending);
    },
  };
}

/** Removes leftovers of a killed server. */
async function emptyFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true, mode: 0o700 });
}
