/** Everything that `simulate` takes from the world around it, so that it can be run without a Mac. */
import type { TextSink } from '../uploader/upload-io.ts';

export interface SimulateIo {
  env: Readonly<Record<string, string | undefined>>;
  stdout: TextSink;
  stderr: TextSink;
  /** As Node calls it; simulators run on `darwin` alone. */
  platform: string;
  /** Where a folder for the download may be made. */
  temporaryFolder: string;
  /** Runs a program to its end, without a shell. Rejects with `ENOENT` when there is none of that name. */
  run(program: string, args: readonly string[]): Promise<ProgramResult>;
  /** Aborted when the person at the keyboard has had enough. */
  interrupted: AbortSignal;
  /** How this program is called, for help texts. */
  command: string;
}

export interface ProgramResult {
  exitCode: number;
  stdout: string;
  stderr: string;
}

/** Why the app did not start, in words for the person who ran the command. */
export class SimulateFault extends Error {
  override name = 'SimulateFault';
  readonly hint: string | null;

  constructor(message: string, options: { hint?: string; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.hint = options.hint ?? null;
  }
}
