/** The interface of the uploader to the process, so that it can be tested without one. */
import type { TextSink } from '../terminal-text.ts';
import type { RunProgram } from './id-token.ts';

export interface UploadIo {
  env: Readonly<Record<string, string | undefined>>;
  /** For results only: the page's address, or the answer with `--json`. */
  stdout: TextSink;
  /** For progress, notes, the QR code and errors. */
  stderr: TextSink;
  /** Whether `stderr` is a terminal that can redraw a line. */
  isTerminal: boolean;
  /** Width of the terminal in cells, read at each redraw because windows can be resized. */
  columns: () => number;
  /** Returns milliseconds of a monotonic clock. */
  now: () => number;
  pause: (milliseconds: number) => Promise<void>;
  /** Runs `action` at this interval until the returned function is called. */
  repeat: (milliseconds: number, action: () => void) => () => void;
  /** Runs `action` instead of ending when someone ends the program, until the returned function is called. */
  onInterrupt: (action: () => void) => () => void;
  readStdin: () => Promise<string>;
  runProgram: RunProgram;
  /** The name of this program in help texts: `slipway upload` or `node slipway.mjs`. */
  command: string;
  version: string;
}
