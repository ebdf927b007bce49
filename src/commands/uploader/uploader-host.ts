import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { UsageError } from './upload-error.ts';
import type { UploadIo } from './upload-io.ts';

/** Longer input is not an API key. */
export const maxStdinBytes = 4096;

const signals = ['SIGINT', 'SIGTERM'] as const;
const programTimeoutMs = 30_000;

/** Builds the process interface of the uploader. `host` is Node's `process`. */
export function createUploadIo(host: NodeJS.Process, command: string, version: string): UploadIo {
  const { env, stdin, stdout, stderr } = host;
  return {
    env,
    stdout,
    stderr,
    isTerminal: stderr.isTTY ?? false,
    columns: () => stderr.columns ?? 80,
    now: () => performance.now(),
    pause: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
    repeat: (milliseconds, action) => {
      const timer = setInterval(action, milliseconds);
      return () => clearInterval(timer);
    },
    onInterrupt: (action) => {
      // The second signal ends the program at once.
      for (const signal of signals) host.once(signal, action);
      return () => {
        for (const signal of signals) host.off(signal, action);
      };
    },
    readStdin: () => readText(stdin),
    runProgram: async (program, args) =>
      (await promisify(execFile)(program, args, { timeout: programTimeoutMs })).stdout,
    command,
    version,
  };
}

async function readText(stdin: AsyncIterable<Buffer | string>): Promise<string> {
  let text = '';
  for await (const chunk of stdin) {
    text += chunk.toString();
    if (text.length > maxStdinBytes) throw new UsageError('Standard input is too long to be an API key.');
  }
  return text;
}
