import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import type { ProgramResult, SimulateIo } from './simulate-io.ts';

const maxOutputCharacters = 16 * 1024 * 1024;

/** Builds the process interface of `simulate`. `host` is Node's `process`. */
export function createSimulateIo(host: NodeJS.Process, command: string): SimulateIo {
  const interrupting = new AbortController();
  // The first SIGINT removes the download; the second one ends the process as usual.
  host.once('SIGINT', () => interrupting.abort());
  return {
    env: host.env,
    stdout: host.stdout,
    stderr: host.stderr,
    platform: host.platform,
    temporaryFolder: tmpdir(),
    run: runProgram,
    interrupted: interrupting.signal,
    command,
  };
}

export function runProgram(program: string, args: readonly string[]): Promise<ProgramResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, [...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    const output = { stdout: '', stderr: '' };
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].setEncoding('utf8').on('data', (text: string) => {
        if (output[name].length < maxOutputCharacters) output[name] += text;
      });
    }
    child.once('error', reject);
    child.once('close', (code) => resolve({ exitCode: code ?? 1, ...output }));
  });
}
