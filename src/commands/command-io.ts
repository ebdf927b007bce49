import { Option } from 'commander';

/** What the command line sees of its process; `main.ts` hands it in, tests make their own. */
export interface CommandIo {
  environment: Readonly<Record<string, string | undefined>>;
  /** The file that settings were loaded from; null or absent when there is none. */
  settingsFile?: string | null;
  stdin: NodeJS.ReadableStream;
  stdout: NodeJS.WritableStream & { isTTY?: boolean; columns?: number };
  stderr: NodeJS.WritableStream & { isTTY?: boolean; columns?: number };
  /** The process itself, for what waits for signals or redraws a terminal. */
  host: NodeJS.Process;
}

/** One line of a command's outcome: an object with `--json`, else the sentence. */
export function print(io: CommandIo, json: boolean, facts: object, sentence: string): void {
  io.stdout.write(`${json ? JSON.stringify(facts) : sentence}\n`);
}

/** The first line of standard input, without its end: for secrets that must not stand in a process list. */
export async function readFirstLine(input: NodeJS.ReadableStream, maxBytes: number): Promise<string> {
  let text = '';
  for await (const chunk of input) {
    text += String(chunk);
    if (text.includes('\n') || text.length > maxBytes) break;
  }
  return text.split(/\r?\n/, 1)[0] ?? '';
}

export const jsonOption = () => new Option('--json', 'print one JSON object per line');
