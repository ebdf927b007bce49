/** The program: its settings file, its output and the command that its arguments name. */

import { describeError, runCommandLine } from './commands/command-line.ts';
import { loadSettingsFile } from './commands/settings-file.ts';
import { writeLines } from './commands/terminal-text.ts';
import { withSourcePositions } from './core/source-positions.ts';

function ignoreBrokenPipe(error: Error & { code?: string }): void {
  if (error.code !== 'EPIPE') throw error;
}

/** Resolves to the exit code. */
export async function runProgram(host: NodeJS.Process): Promise<number> {
  // If the reader of the output ends, the work continues and determines the exit code.
  for (const output of [host.stdout, host.stderr]) output.on('error', ignoreBrokenPipe);
  host.on('uncaughtExceptionMonitor', (error) => {
    if (error.stack) error.stack = withSourcePositions(error.stack);
  });
  let settingsFile: string | null;
  try {
    settingsFile = loadSettingsFile(host);
  } catch (error) {
    writeLines(host.stderr, ...describeError(error));
    return 1;
  }
  return runCommandLine(host.argv.slice(2), {
    settingsFile,
    environment: host.env,
    // Created on first use, because most commands don't need it.
    get stdin() {
      return host.stdin;
    },
    stdout: host.stdout,
    stderr: host.stderr,
    host,
  });
}
