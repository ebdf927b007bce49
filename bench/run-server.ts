/** Starts the built server or another program as a separate process, and reads its resource usage. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
// @ts-expect-error: a script without types
import { serverEnvironment, serverNodeFlags } from '../scripts/workshop.mjs';

export const benchKey = 'slw_key-of-the-benchmark-only';
/** Rate limits count as usual but never refuse. */
const unmetLimits = {
  SLIPWAY_UPLOADS_PER_HOUR_BY_KEY: '1000000000',
  SLIPWAY_UPLOADS_PER_HOUR_BY_OWNER: '1000000000',
  SLIPWAY_REQUESTS_PER_MINUTE: '1000000000',
};
export const entry = fileURLToPath(new URL('../dist/main.js', import.meta.url));

export interface RunningServer {
  origin: string;
  pid: number;
  /** Milliseconds from the start of the process to its first response. */
  readyAfterMs: number;
  stop(): Promise<void>;
}

/** `program`: of another version than the built one. */
export async function startSlipway(
  settings: Record<string, string>,
  program: string = entry,
): Promise<RunningServer> {
  const port = Number(settings.SLIPWAY_PORT);
  const environment = { ...serverEnvironment, ...unmetLimits, SLIPWAY_ADMIN_API_KEY: benchKey, ...settings };
  return startProgram(
    process.execPath,
    [...serverNodeFlags, program, 'serve'],
    environment,
    port,
    '/healthz',
  );
}

export async function startProgram(
  program: string,
  args: readonly string[],
  environment: NodeJS.ProcessEnv,
  port: number,
  path: string,
): Promise<RunningServer> {
  const before = performance.now();
  const child = spawn(program, args, { env: environment, stdio: ['ignore', 'ignore', 'inherit'] });
  // If the run fails, the port must still be free for the next one.
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  child.once('exit', () => process.off('exit', kill));
  const origin = `http://127.0.0.1:${port}`;
  await untilAnswered(`${origin}${path}`, child);
  const pid = child.pid ?? 0;
  return {
    origin,
    pid,
    readyAfterMs: performance.now() - before,
    stop: async () => {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    },
  };
}

async function untilAnswered(address: string, child: ChildProcess): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}`);
    const answered = await fetch(address).then(
      async (response) => {
        await response.arrayBuffer();
        return true;
      },
      () => false,
    );
    if (answered) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

const bytesPerKibibyte = 1024;

/** Current and peak resident memory (Linux only). */
export function memoryOf(pid: number): { nowBytes: number; peakBytes: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const read = (name: string) =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) * bytesPerKibibyte;
  return { nowBytes: read('VmRSS'), peakBytes: read('VmHWM') };
}

/** USER_HZ of Linux on all platforms that Node supports (man 5 proc_pid_stat). */
const ticksPerSecond = 100;

/** User and system time of a process, without its children (Linux only). */
export function cpuSecondsOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The second field is a name in parentheses; utime and stime are the fields 14 and 15.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / ticksPerSecond;
}

/**
 * Memory of a process and its descendants (Linux only): counts shared pages proportionally (Pss of
 * /proc/PID/smaps_rollup, Documentation/filesystems/proc.rst).
 */
export function treeMemoryBytes(pid: number): number {
  const share = /^Pss:\s+(\d+) kB/m.exec(readProcess(pid, 'smaps_rollup'))?.[1] ?? 0;
  const children = childrenOf(pid).map(treeMemoryBytes);
  return children.reduce((sum, bytes) => sum + bytes, Number(share) * bytesPerKibibyte);
}

function childrenOf(pid: number): number[] {
  const isChild = new RegExp(`^PPid:\\s+${pid}$`, 'm');
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((other) => isChild.test(readProcess(other, 'status')));
}

/** Empty when the process has ended. */
function readProcess(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}
