#!/usr/bin/env -S MALLOC_ARENA_MAX=2 node --max-semi-space-size=2 --expose-gc
/** The process: argv, environment and exit codes come from here. Checks Node before it imports anything else of Slipway. */
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const minNodeMajor = 24;
/** After what a start compiles. */
const compileCacheDelayMs = 10_000;

function ignoreBrokenPipe(error: Error & { code?: string }): void {
  if (error.code !== 'EPIPE') throw error;
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
    // Scripts ask for it often, and it needs nothing else of Slipway.
    const { version } = await import('./core/version.ts');
    process.stdout.write(`${version()}\n`);
    return 0;
  }
  // Code that an earlier start compiled. Without write access to the folder, Node only reads what is there.
  const { enableCompileCache, flushCompileCache } = await import('node:module');
  enableCompileCache(fileURLToPath(new URL('./compile-cache', import.meta.url)));
  // Commands write the cache when they end; a server that is killed would never do so.
  setTimeout(flushCompileCache, compileCacheDelayMs).unref();
  // When the reader of the output is gone, the work continues and determines the exit code.
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
    // Created on first use, which most commands don't make.
    get stdin() {
      return process.stdin;
    },
    stdout: process.stdout,
    stderr: process.stderr,
    host: process,
  });
}

process.exitCode = await main();
