/** The interface of `simulate` to the process, so that it can be tested without a Mac. */
import type { TextSink } from '../terminal-text.ts';

export interface SimulateIo {
  env: Readonly<Record<string, string | undefined>>;
  stdout: TextSink;
  stderr: TextSink;
  /** The platform as named by Node; simulators run only on `darwin`. */
  platform: string;
  /** The folder in which to create a temporary folder. */
  temporaryFolder: string;
  /** Runs a program without a shell until it exits. Rejects with `ENOENT` if it does not exist. */
  run(program: string, args: readonly string[]): Promise<ProgramResult>;
  /** Aborted when the user presses Ctrl-C. */
  interrupted: AbortSignal;
  /** The name of this program in help texts. */
  command: string;
}

export interface ProgramResult {
  exitCode: number;
  stdout: string;
  stderr: string;
}

/** A user-facing error that prevented the app from starting. */
export class SimulateError extends Error {
  override name = 'SimulateError';
  readonly hint: string | null;

  constructor(message: string, options: { hint?: string; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.hint = options.hint ?? null;
  }
}
