/** Everything the uploader takes from the world around it, so that it can be run without a process. */
export interface UploadIo {
  env: Readonly<Record<string, string | undefined>>;
  /** Carries results only: the page's address, or with `--json` the answer. */
  stdout: TextSink;
  /** Carries everything for people: progress, notes, the QR code, errors. */
  stderr: TextSink;
  /** Whether `stderr` is a terminal that can redraw a line. */
  isTerminal: boolean;
  /** Width of the terminal in cells, asked at each redraw because windows are resized. */
  columns: () => number;
  /** Milliseconds of any steady clock. */
  now: () => number;
  pause: (milliseconds: number) => Promise<void>;
  /** Runs `action` every so many milliseconds until the returned function is called. */
  repeat: (milliseconds: number, action: () => void) => () => void;
  readStdin: () => Promise<string>;
  /** How this program is called, for help texts: `slipway upload` or `node slipway.mjs`. */
  command: string;
  version: string;
}

export interface TextSink {
  write(text: string): unknown;
}
