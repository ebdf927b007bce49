/**
 * The program as users start it, with a separate environment and folder: commands and servers in the process of the test,
 * or as processes of `dist/main.js` where a test asks for it.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { parseEnv } from 'node:util';
// @ts-expect-error a script without types
import { root } from '../../scripts/workshop.mjs';
import type { CommandIo } from '../../src/commands/command-io.ts';
import { describeError, runCommandLine } from '../../src/commands/command-line.ts';
import { loadSettingsFile } from '../../src/commands/settings-file.ts';
import { readConfig } from '../../src/config.ts';
import { createLogger } from '../../src/operations/observability/logger.ts';
import { createEmptyDatabase, type DialectName, type TestDatabase } from './test-database.ts';

/** The configuration of vitest builds it. */
export const builtProgram: string = join(root, 'dist/main.js');
export const builtUploader: string = join(root, 'dist/uploader/slipway.mjs');

export interface CliResult {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

export interface Installation {
  /** Working folder of every process; the data folder is `data` inside it. */
  folder: string;
  dataFolder: string;
  environment: Record<string, string>;
  run(args: readonly string[], options?: RunOptions): Promise<CliResult>;
  /** Returns one object per line that the command printed; throws if it failed. */
  runJson(args: readonly string[], options?: RunOptions): Promise<Record<string, unknown>[]>;
  /** Starts a server as a process. */
  serve(options?: ServeOptions): Promise<ServerProcess>;
  /** Starts a server in this process: for everything but exit codes, crashes and what Node reads when it starts. */
  serveInProcess(options?: Pick<ServeOptions, 'environment'> & HostedOptions): Promise<RunningServer>;
  remove(): Promise<void>;
}

export interface RunOptions {
  input?: string;
  environment?: Record<string, string>;
  /** Called with what a command writes to standard error while it runs; not for processes. */
  onError?: (text: string) => void;
  /** Starts the compiled program: for exit codes of the process, relative paths and what Node reads when it starts. */
  process?: boolean;
}

export interface ServeOptions {
  args?: readonly string[];
  environment?: Record<string, string>;
  /** Maximum number of open file descriptors. */
  descriptors?: number;
  /** Called with the process before it listens. */
  begun?: (process: ChildProcess) => void;
}

interface HostedOptions {
  lan?: boolean;
  /** Whether the output is a terminal. */
  terminal?: boolean;
}

export interface RunningServer {
  origin: string;
  /** The output so far. */
  output(): string;
  /** Sends a signal and waits for the server to end. */
  stop(signal?: 'SIGTERM' | 'SIGINT'): Promise<CliResult>;
}

export interface ServerProcess extends RunningServer {
  stop(signal?: NodeJS.Signals): Promise<CliResult>;
  process: ChildProcess;
  ended: Promise<CliResult>;
}

/** Creates an empty folder and an empty database, as settings for processes. Starts nothing. */
export async function createInstallation(dialect: DialectName): Promise<Installation> {
  const database = await createEmptyDatabase(dialect);
  return createInstallationOn(database, {}, database.remove);
}

/** The same on an existing database, with the caller's settings. */
export async function createInstallationOn(
  database: Pick<TestDatabase, 'config' | 'url'>,
  settings: Record<string, string> = {},
  removeDatabase: () => Promise<void> = async () => undefined,
): Promise<Installation> {
  const folder = await mkdtemp(join(tmpdir(), 'slipway-cli-'));
  const dataFolder = settings.SLIPWAY_DATA_DIR ?? join(folder, 'data');
  const ends: (() => Promise<unknown>)[] = [];
  const environment: Record<string, string> = {
    PATH: process.env.PATH ?? '',
    HOME: folder,
    SLIPWAY_DATA_DIR: dataFolder,
    // The embedded database uses its default path.
    ...(database.config.kind === 'postgres' ? { SLIPWAY_DATABASE_URL: database.url } : {}),
    SLIPWAY_PORT: '0',
    ...settings,
  };
  const start = (args: readonly string[], more: Record<string, string> = {}, descriptors?: number) => {
    const command = [process.execPath, builtProgram, ...args] as const;
    const limited = ['sh', '-c', `ulimit -n ${descriptors}; exec "$@"`, 'sh', ...command] as const;
    const [program, ...rest] = descriptors === undefined ? command : limited;
    return spawn(program, rest, { cwd: folder, env: { ...environment, ...more } });
  };
  const runProcess = async (args: readonly string[], options: RunOptions) => {
    const child = start(args, options.environment);
    const ended = resultOf(child);
    child.stdin.on('error', () => undefined);
    child.stdin.end(options.input ?? '');
    return ended.result;
  };
  const run = (args: readonly string[], options: RunOptions = {}) =>
    options.process
      ? runProcess(args, options)
      : runInProcess(args, { ...environment, ...options.environment }, options.input, options.onError);
  return {
    folder,
    dataFolder,
    environment,
    run,
    runJson: async (args, options) => {
      const result = await run([...args, '--json'], options);
      if (result.code !== 0)
        throw new Error(`slipway ${args.join(' ')} ended with ${result.code}: ${result.stderr}`);
      return jsonLines(result.stdout);
    },
    serve: async (options = {}) => {
      const child = start(['serve', ...(options.args ?? [])], options.environment, options.descriptors);
      options.begun?.(child);
      const server = await untilListening(child);
      ends.push(() => server.stop('SIGKILL'));
      return server;
    },
    serveInProcess: async (options = {}) => {
      const server = await startInProcess({ ...environment, ...options.environment }, options);
      ends.push(() => server.stop());
      return server;
    },
    remove: async () => {
      for (const end of ends) await end();
      await removeDatabase();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Runs a command in this process with only these settings. */
export async function runInProcess(
  args: readonly string[],
  environment: Record<string, string>,
  input = '',
  onError: (text: string) => void = () => undefined,
): Promise<CliResult> {
  const { io, output } = createIo(environment, { input, onError });
  // As `main.ts` does; here, the working folder is not the one of the command.
  try {
    if (environment.SLIPWAY_ENV_FILE) io.settingsFile = loadSettingsFile(io.host);
  } catch (error) {
    return { code: 1, signal: null, stdout: '', stderr: `${describeError(error).join('\n')}\n` };
  }
  const code = await runCommandLine(args, io);
  return { code, signal: null, ...output };
}

/** Resolves when the server listens. */
async function startInProcess(
  environment: Record<string, string>,
  { lan = false, terminal = false }: HostedOptions,
): Promise<RunningServer> {
  const { io, output } = createIo(environment, { terminal });
  if (environment.SLIPWAY_ENV_FILE) io.settingsFile = loadSettingsFile(io.host);
  const level = readConfig(io.environment).logLevel ?? (terminal ? 'warn' : 'info');
  const logger = createLogger(level, { write: (line) => io.stdout.write(line) });
  const listening = Promise.withResolvers<string>();
  // Loaded here, because the fault scenarios load this module without a bundler.
  const { runServe } = await import('../../src/commands/serve-command.ts');
  const ended = runServe(io, { lan, parts: { logger }, ready: listening.resolve });
  ended.catch(listening.reject);
  return {
    origin: await listening.promise,
    output: () => output.stdout + output.stderr,
    stop: async (signal = 'SIGTERM') => {
      io.host.emit(signal);
      await ended;
      return { code: 0, signal: null, ...output };
    },
  };
}

interface IoOptions {
  input?: string;
  terminal?: boolean;
  onError?: (text: string) => void;
}

/** The process as a command sees it: nothing of the process of the test, except its facts. */
function createIo(settings: Record<string, string>, { input = '', terminal = false, onError }: IoOptions) {
  const environment = { ...settings };
  const output = { stdout: '', stderr: '' };
  const capture = (name: keyof typeof output) =>
    Object.assign(
      new Writable({
        decodeStrings: false,
        write(text, _encoding, done) {
          output[name] += text;
          if (name === 'stderr') onError?.(text);
          done();
        },
      }),
      { isTTY: terminal, columns: 80 },
    );
  const streams = {
    stdin: Readable.from([input]),
    stdout: capture('stdout'),
    stderr: capture('stderr'),
  };
  const loadEnvFile = (path: string) => {
    Object.assign(environment, { ...parseEnv(readFileSync(path, 'utf8')), ...environment });
  };
  const { pid, ppid, platform, version, versions, memoryUsage, cpuUsage } = process;
  const facts = { pid, ppid, platform, version, versions, memoryUsage, cpuUsage };
  // Signals of a test reach only its server, and a limit of a server that has closed does not end the test.
  const host = Object.assign(new EventEmitter(), facts, streams, {
    env: environment,
    loadEnvFile,
    exit: () => undefined,
  });
  const io: CommandIo = { environment, ...streams, host: host as unknown as NodeJS.Process };
  return { io, output };
}

export function jsonLines(text: string): Record<string, unknown>[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

function resultOf(child: ChildProcess): { result: Promise<CliResult>; output(): string } {
  let stdout = '';
  let stderr = '';
  child.stdout?.setEncoding('utf8').on('data', (text) => {
    stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text) => {
    stderr += text;
  });
  const result = once(child, 'close').then(([code, signal]) => ({ code, signal, stdout, stderr }));
  return { result, output: () => stdout + stderr };
}

async function untilListening(child: ChildProcess): Promise<ServerProcess> {
  const { result, output } = resultOf(child);
  const origin = await new Promise<string>((resolve, reject) => {
    child.stdout?.on('data', () => {
      const [, address] = /slipway listens on (https?:[^"\s]+)/.exec(output()) ?? [];
      if (address) resolve(address);
    });
    void result.then((end) => reject(new Error(`the server ended with ${end.code}:\n${output()}`)));
  });
  return {
    origin,
    process: child,
    output,
    ended: result,
    stop: (signal = 'SIGTERM') => {
      child.kill(signal);
      return result;
    },
  };
}
