import { Option } from 'commander';
import { writeJson, writeLines } from './terminal-text.ts';

/** The process as the command line sees it, provided by `main.ts` or by tests. */
export interface CommandIo {
  environment: Readonly<Record<string, string | undefined>>;
  /** The file that settings were loaded from; null or absent if there is none. */
  settingsFile?: string | null;
  stdin: NodeJS.ReadableStream;
  stdout: NodeJS.WritableStream & { isTTY?: boolean; columns?: number };
  stderr: NodeJS.WritableStream & { isTTY?: boolean; columns?: number };
  /** The process, to wait for signals and to redraw the terminal. */
  host: NodeJS.Process;
}

/** Prints output: the object with `--json`, otherwise the lines. */
export function print(io: CommandIo, json: boolean, facts: object, ...lines: readonly string[]): void {
  if (json) writeJson(io.stdout, facts);
  else writeLines(io.stdout, ...lines);
}

/** Returns the first line of standard input without its line ending, for secrets that must not appear in a list of processes. */
export async function readFirstLine(input: NodeJS.ReadableStream, maxBytes: number): Promise<string> {
  let text = '';
  for await (const chunk of input) {
    text += String(chunk);
    if (text.includes('\n') || text.length > maxBytes) break;
  }
  return text.split(/\r?\n/, 1)[0] ?? '';
}

export const jsonOption = () => new Option('--json', 'print one JSON object per line');
