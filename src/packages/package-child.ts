/**
 * Starts and controls one process that reads untrusted packages. Node's permission model lets the process read only its own code
 * and one package and write at most one APK, and prevents it from starting programs. Its environment is empty, and its memory and
 * time are limited. The server validates each message from the process, and kills the process if a message is invalid.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { link, rename, rm, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { Socket } from 'node:net';
import { constants, setPriority } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import process from 'node:process';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { parseProgress, parseResponse } from './package-response.ts';
import {
  maxResponseBytes,
  outputPathOf,
  type PackageResponse,
  type PackageTask,
  progressId,
  responseHeadBytes,
  startedId,
} from './package-task.ts';

export interface PackageChildOptions {
  /**
   * The only path besides its own code that the process may open. It links to each package during its task. The folder must
   * exist, but not the path itself.
   */
  packagePath: string;
  /** Maximum heap of JavaScript objects, in MiB. */
  maxHeapMebibytes: number;
  /** Maximum writable address space, in MiB: heap, buffers, pictures. Linux only. */
  maxDataMebibytes: number;
  /** Maximum size of the file that the process may write next to `packagePath`; 0 if it must not write. */
  maxOutputBytes: number;
  /** The kind of task to load code for when the process starts; null for none. */
  first: PackageTask['kind'] | null;
  /** Whether nobody waits for its tasks, so that they must not slow down the tasks of other processes. */
  background: boolean;
  /** A program to run in place of `package-child-main.ts`. */
  entry?: string;
}

export interface PackageChild {
  readonly started: Promise<void>;
  /** Runs one task at a time. Rejects with `ChildExited` if the process ends before it answers. */
  run(task: PackageTask, files: TaskFiles): Promise<PackageResponse>;
  kill(): void;
  /** Resolves when the process has ended for any reason. */
  readonly gone: Promise<void>;
  /** Whether the process keeps the server's process alive. */
  keepServerAlive(keeps: boolean): void;
}

export interface TaskFiles {
  /** Null if the task needs no package. */
  packagePath: string | null;
  /** Where the output is moved if the task succeeds. */
  outputPath?: string;
  /** Called with the completed share of the work, from 0 to 1. */
  onProgress?: (part: number) => void;
}

export class ChildExited extends Error {
  override name = 'ChildExited';

  /** False if it never ran, so the package is not the cause. */
  readonly started: boolean;
  readonly outOfMemory: boolean;

  constructor(message: string, facts: { started: boolean; outOfMemory: boolean }) {
    super(message);
    this.started = facts.started;
    this.outOfMemory = facts.outOfMemory;
  }
}

/** How much error output of the process is kept, such as a heap overflow. */
const keptErrorCharacters = 4096;
/** Limit on processor time, for a process that loops after its server has ended. A very busy process has its task repeated. */
const maxProcessorSeconds = 3600;
/** How long output of an ended process may still arrive. */
const outputDrainMs = 1000;

export function startPackageChild(options: PackageChildOptions): PackageChild {
  const child = start(options);
  const started = Promise.withResolvers<void>();
  const gone = Promise.withResolvers<void>();
  let hasStarted = false;
  let lost: ChildExited | null = null;
  let errors = '';
  let nextId = startedId + 1;
  let current: {
    id: number;
    task: PackageTask;
    onProgress: TaskFiles['onProgress'];
    answered: PromiseWithResolvers<PackageResponse>;
  } | null = null;

  const lose = (how: string) => {
    if (lost) return;
    const outOfMemory = /out of memory|bad_alloc/i.test(errors);
    const message = `the package reader process ended (${how}): ${errors.trim()}`;
    lost = new ChildExited(message, { started: hasStarted, outOfMemory });
    current?.answered.reject(lost);
    current = null;
    gone.resolve();
  };
  const take = (id: number, json: Buffer, bytes: Buffer) => {
    if (id === startedId && !hasStarted) {
      hasStarted = true;
      return started.resolve();
    }
    if (id === progressId && current) return current.onProgress?.(parseProgress(json));
    if (id !== current?.id) throw new Error('an answer without a request');
    const answer = parseResponse(current.task.kind, json, bytes);
    current.answered.resolve(answer);
    current = null;
  };
  // If there is no free file descriptor, these do not exist, and an error follows.
  const { stdin, stdout, stderr } = {
    stdin: child.stdin ?? new PassThrough(),
    stdout: child.stdout ?? new PassThrough(),
    stderr: child.stderr ?? new PassThrough(),
  };
  const parse = createResponseParser(take);
  stdout.on('data', (chunk: Buffer) => {
    try {
      parse(chunk);
    } catch (error) {
      errors = `sent an invalid answer: ${error}`;
      stdout.destroy();
      child.kill('SIGKILL');
    }
  });
  stderr.setEncoding('utf8').on('data', (text: string) => {
    errors = (errors + text).slice(-keptErrorCharacters);
  });
  // When these break, the exit of the process reports the reason.
  for (const stream of [stdin, stdout, stderr]) stream.on('error', () => {});
  child.on('error', (error) => lose(String(error)));
  child.on('exit', (code, signal) => {
    const how = signal ?? `exit code ${code}`;
    const limit = setTimeout(() => lose(how), outputDrainMs);
    child.once('close', () => {
      clearTimeout(limit);
      lose(how);
    });
  });
  return {
    started: started.promise,
    gone: gone.promise,
    run: async (task, { packagePath, outputPath, onProgress }) => {
      if (packagePath !== null) await linkPackage(packagePath, options.packagePath);
      try {
        if (lost) throw lost;
        const answered = Promise.withResolvers<PackageResponse>();
        current = { id: nextId++, task, onProgress, answered };
        stdin.write(`${JSON.stringify({ id: current.id, ...task })}\n`);
        const answer = await answered.promise;
        if (outputPath !== undefined && answer.ok)
          await rename(outputPathOf(options.packagePath), outputPath);
        return answer;
      } finally {
        if (packagePath !== null) await rm(options.packagePath, { force: true });
        if (outputPath !== undefined) await rm(outputPathOf(options.packagePath), { force: true });
      }
    },
    kill: () => child.kill('SIGKILL'),
    keepServerAlive: (keeps) => {
      const act = keeps ? 'ref' : 'unref';
      child[act]();
      for (const stream of [stdin, stdout, stderr]) if (stream instanceof Socket) stream[act]();
    },
  };
}

function linkPackage(path: string, packagePath: string): Promise<void> {
  // On Windows only administrators can create symbolic links.
  return process.platform === 'win32' ? link(path, packagePath) : symlink(resolve(path), packagePath);
}

/** Passes every complete answer to `take`. Throws, as `take` may, as soon as one is longer than `maxResponseBytes`. */
function createResponseParser(
  take: (id: number, json: Buffer, bytes: Buffer) => void,
): (chunk: Buffer) => void {
  let chunks: Buffer[] = [];
  let length = 0;
  let needed = responseHeadBytes;
  return (chunk) => {
    chunks.push(chunk);
    length += chunk.length;
    while (length >= needed) {
      const all = chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks);
      chunks = [all];
      const jsonBytes = all.readUInt32LE(4);
      const end = responseHeadBytes + jsonBytes + all.readUInt32LE(8);
      if (end > responseHeadBytes + maxResponseBytes) throw new Error('the answer is too long');
      needed = end;
      if (length < end) return;
      const jsonEnd = responseHeadBytes + jsonBytes;
      take(all.readUInt32LE(0), all.subarray(responseHeadBytes, jsonEnd), all.subarray(jsonEnd, end));
      chunks = [all.subarray(end)];
      length -= end;
      needed = responseHeadBytes;
    }
  };
}

function start(options: PackageChildOptions): ChildProcess {
  const child = spawnChild(options);
  if (options.background && child.pid !== undefined) lowerPriority(child.pid);
  return child;
}

function lowerPriority(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // It has ended already, as the caller learns from its exit.
  }
}

function spawnChild(options: PackageChildOptions): ChildProcess {
  const args = [...nodeArguments(options), options.packagePath, options.first ?? ''];
  if (process.platform !== 'linux') return spawn(process.execPath, args, spawnOptions);
  return spawn('/bin/sh', ['-c', limits(options), process.execPath, ...args], spawnOptions);
}

const spawnOptions = {
  // Fewer arenas of malloc and fewer threads, because there is only one task at a time. The third variable is needed for starting
  // a process on Windows.
  env: { MALLOC_ARENA_MAX: '1', UV_THREADPOOL_SIZE: '2', SystemRoot: process.env.SystemRoot },
  stdio: ['pipe', 'pipe', 'pipe'] as ['pipe', 'pipe', 'pipe'],
  windowsHide: true,
};

/**
 * An empty network namespace (`unshare(1)`), which unprivileged accounts may create within a user namespace. Without a mapping,
 * the process has no capabilities in it. Root does not need a user namespace, in which it could not read files owned by others.
 */
const withoutNetwork = () => `unshare ${process.getuid?.() === 0 ? '-n' : '-Un'}`;

/** Whether the system lets package processes start without a network. Containers often do not, and neither do systems without `unshare`. */
export function canCloseNetwork(): Promise<boolean> {
  if (process.platform !== 'linux') return Promise.resolve(false);
  return new Promise((resolve) => {
    execFile('/bin/sh', ['-c', `${withoutNetwork()} true`], { env: {} }, (error) => resolve(error === null));
  });
}

/**
 * No core dump, and limits on writes to files, memory and processor time. If memory runs out, the kernel kills this process
 * before others. No network, if the system allows that.
 */
function limits({
  maxDataMebibytes,
  maxOutputBytes,
}: Pick<PackageChildOptions, 'maxDataMebibytes' | 'maxOutputBytes'>): string {
  return [
    'echo 900 2>/dev/null >/proc/self/oom_score_adj',
    'ulimit -c 0',
    `ulimit -t ${maxProcessorSeconds}`,
    `ulimit -d ${maxDataMebibytes * 1024}`,
    `ulimit -f ${Math.ceil(maxOutputBytes / 512)}`,
    `${withoutNetwork()} true 2>/dev/null && exec ${withoutNetwork()} "$0" "$@"`,
    'exec "$0" "$@"',
  ].join('; ');
}

/** Returns Node's arguments: the permission model, the heap, the program. */
function nodeArguments({
  packagePath,
  maxHeapMebibytes,
  maxOutputBytes,
  entry = mainFile,
}: PackageChildOptions): string[] {
  ownCode ??= findOwnCode();
  const outputs = maxOutputBytes > 0 ? [outputPathOf(packagePath)] : [];
  const readable = [...ownCode, dirname(entry), packagePath, ...outputs];
  return [
    '--permission',
    // For sharp.
    '--allow-addons',
    ...readable.map((path) => `--allow-fs-read=${path}`),
    ...outputs.map((path) => `--allow-fs-write=${path}`),
    '--disallow-code-generation-from-strings',
    '--no-warnings',
    `--max-old-space-size=${maxHeapMebibytes}`,
    '--max-semi-space-size=2',
    '--expose-gc',
    entry,
  ];
}

const mainFile = fileURLToPath(
  new URL(`../packages/package-child-main.${import.meta.url.endsWith('.ts') ? 'ts' : 'js'}`, import.meta.url),
);

let ownCode: string[] | null = null;

/** The modules in this folder, the `package.json` with their module type, node-forge, and the packages that make up sharp. */
function findOwnCode(): string[] {
  const require = createRequire(import.meta.url);
  const sharp = findPackage(require, 'sharp') ?? '';
  const manifest: Record<string, Record<string, string> | undefined> = require(join(sharp, 'package.json'));
  const names = Object.keys({ ...manifest.dependencies, ...manifest.optionalDependencies });
  const fromSharp = createRequire(join(sharp, 'package.json'));
  const libraries = names.flatMap((name) => findPackage(fromSharp, name) ?? []);
  const folder = dirname(mainFile);
  const forge = findPackage(require, 'node-forge') ?? '';
  // sharp uses the last one to detect the C library.
  return [folder, join(folder, '..', '..', 'package.json'), sharp, ...libraries, forge, '/proc/self/exe'];
}

function findPackage(require: NodeJS.Require, name: string): string | null {
  const folders = (require.resolve.paths(name) ?? []).map((folder) => join(folder, name));
  const found = folders.find((folder) => existsSync(folder));
  return found === undefined ? null : realpathSync(found);
}
