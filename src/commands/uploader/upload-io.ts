/** The process interface of the uploader, so that it can be tested without a process. */
import type { TextSink } from '../terminal-text.ts';

export interface UploadIo {
  env: Readonly<Record<string, string | undefined>>;
  /** Receives only results: the page's address, or the answer with `--json`. */
  stdout: TextSink;
  /** Receives progress, notes, the QR code and errors. */
  stderr: TextSink;
  /** Whether `stderr` is a terminal that can redraw a line. */
  isTerminal: boolean;
  /** Width of the terminal in cells, read at each redraw because windows can be resized. */
  columns: () => number;
  /** Milliseconds of a monotonic clock. */
  now: () => number;
  pause: (milliseconds: number) => Promise<void>;
  /** Runs `action` at this interval until the returned function is called. */
  repeat: (milliseconds: number, action: () => void) => () => void;
  readStdin: () => Promise<string>;
  /** The name of this program in help texts: `slipway upload` or `node slipway.mjs`. */
  command: string;
  version: string;
}
