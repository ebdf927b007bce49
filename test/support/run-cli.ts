/**
 * The program as users start it, with a separate environment and folder: commands run in the process of the test,
 * servers, and commands where a test asks for it, are processes of `dist/main.js`.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
// @ts-expect-error a script without types
import { root } from '../../scripts/workshop.mjs';
import { runCommandLine } from '../../src/commands/command-line.ts';
import { createEmptyDatabase, type DialectName, type TestDatabase } from './test-database.ts';

/** The configuration of vitest builds it. */
export const builtProgram: string = join(root, 'dist/main.js');

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
  serve(options?: ServeOptions): Promise<RunningServer>;
  remove(): Promise<void>;
}

export interface RunOptions {
  input?: string;
  environment?: Record<string, string>;
  /** Called with what a command writes to standard error while it runs; not for processes. */
  onError?: (text: string) => void;
  /** Starts the compiled program: for settings files, relative paths, uploads and what Node reads when it starts. */
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

export interface RunningServer {
  origin: string;
  process: ChildProcess;
  /** Time from the start of the process until it listened. */
  startMs: number;
  /** The output so far. */
  output(): string;
  /** Sends a signal and waits for the process to end. */
  stop(signal?: NodeJS.Signals): Promise<CliResult>;
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
  const servers: RunningServer[] = [];
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
      servers.push(server);
      return server;
    },
    remove: async () => {
      for (const server of servers) await server.stop('SIGKILL');
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
  const output = { stdout: '', stderr: '' };
  const capture = (name: keyof typeof output) =>
    new Writable({
      decodeStrings: false,
      write(text, _encoding, done) {
        output[name] += text;
        if (name === 'stderr') onError(text);
        done();
      },
    });
  const code = await runCommandLine(args, {
    environment,
    stdin: Readable.from([input]),
    stdout: capture('stdout'),
    stderr: capture('stderr'),
    host: process,
  });
  return { code, signal: null, ...output };
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

async function untilListening(child: ChildProcess): Promise<RunningServer> {
  const startedAt = performance.now();
  const { result, output } = resultOf(child);
  const origin = await new Promise<string>((resolve, reject) => {
    child.stdout?.on('data', () => {
      const [, address] = /slipway listens on (https?:[^"\s]+)/.exec(output()) ?? [];
      if (address) resolve(address);
    });
    void result.then((end) => reject(new Error(`the server ended with ${end.code}:\n${output()}`)));
  });
  const startMs = performance.now() - startedAt;
  return {
    origin,
    process: child,
    startMs,
    output,
    ended: result,
    stop: (signal = 'SIGTERM') => {
      child.kill(signal);
      return result;
    },
  };
}
