#!/usr/bin/env -S MALLOC_ARENA_MAX=2 node --max-semi-space-size=2 --expose-gc
/** The process: argv, environment and exit codes come from here. Checks Node before it imports anything else of Slipway. */
import process from 'node:process';

const minNodeMajor = 24;

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
  // When the reader of the output is gone, the work continues and determines the exit code.
  for (const output of [process.stdout, process.stderr]) output.on('error', ignoreBrokenPipe);
  const { loadSettingsFile } = await import('./commands/settings-file.ts');
  const { runCommandLine, describeError } = await import('./commands/command-line.ts');
  let settingsFile: string | null;
  try {
    settingsFile = loadSettingsFile(process);
  } catch (error) {
    process.stderr.write(`${describeError(error)}\n`);
    return 1;
  }
  return runCommandLine(process.argv.slice(2), {
    settingsFile,
    environment: process.env,
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    host: process,
  });
}

process.exitCode = await main();
