#!/usr/bin/env -S MALLOC_ARENA_MAX=2 node --max-semi-space-size=2
/** The process: provides arguments, environment and exit codes. Checks the version of Node before it imports other files of Slipway. */
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const minNodeMajor = 24;
/** By then, a starting server has compiled its code. */
const compileCacheDelayMs = 10_000;
/** A version of Node that compiled nothing for this long is probably gone. */
const keptCompileCacheMs = 30 * 24 * 60 * 60_000;

function ignoreBrokenPipe(error: Error & { code?: string }): void {
  if (error.code !== 'EPIPE') throw error;
}

/** Node has a folder for each of its versions, and removes none. A build removes them all. */
async function pruneCompileCache(cache: string): Promise<void> {
  const [{ readdir, rm, stat }, { join }] = await Promise.all([
    import('node:fs/promises'),
    import('node:path'),
  ]);
  for (const name of await readdir(cache)) {
    const folder = join(cache, name);
    if (Date.now() - (await stat(folder)).mtimeMs > keptCompileCacheMs)
      await rm(folder, { recursive: true, force: true });
  }
}

async function main(): Promise<number> {
  const [major = '0'] = process.versions.node.split('.');
  if (Number(major) < minNodeMajor) {
    process.stderr.write(
      `slipway needs Node ${minNodeMajor} or newer; this is ${process.version}. In a clone, npm start brings its own.\n`,
    );
    return 1;
  }
  const args = process.argv.slice(2);
  if (args.length === 1 && args[0] === '--version') {
    // Handled here because scripts ask for it often, and nothing else of Slipway needs to be loaded.
    const { version } = await import('./core/version.ts');
    process.stdout.write(`${version()}\n`);
    return 0;
  }
  // Uses code compiled by an earlier start. If Node may not write to the folder, it only reads existing files.
  const { enableCompileCache, flushCompileCache } = await import('node:module');
  const cache = fileURLToPath(new URL('./compile-cache', import.meta.url));
  enableCompileCache(cache);
  // Commands write the cache when they end; a server may be killed before that.
  setTimeout(() => {
    flushCompileCache();
    void pruneCompileCache(cache).catch(() => undefined);
  }, compileCacheDelayMs).unref();
  // If the reader of the output ends, the work continues and determines the exit code.
  for (const output of [process.stdout, process.stderr]) output.on('error', ignoreBrokenPipe);
  const { loadSettingsFile } = await import('./commands/settings-file.ts');
  const { runCommandLine, describeError } = await import('./commands/command-line.ts');
  const { writeLines } = await import('./commands/terminal-text.ts');
  const { withSourcePositions } = await import('./core/source-positions.ts');
  process.on('uncaughtExceptionMonitor', (error) => {
    if (error.stack) error.stack = withSourcePositions(error.stack);
  });
  let settingsFile: string | null;
  try {
    settingsFile = loadSettingsFile(process);
  } catch (error) {
    writeLines(process.stderr, ...describeError(error));
    return 1;
  }
  return runCommandLine(args, {
    settingsFile,
    environment: process.env,
    // Created on first use, because most commands don't need it.
    get stdin() {
      return process.stdin;
    },
    stdout: process.stdout,
    stderr: process.stderr,
    host: process,
  });
}

process.exitCode = await main();
