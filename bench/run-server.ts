/** Starts the built server, or any other program, as a process of its own, and reads what the system says of it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const benchKey = 'slw_key-of-the-benchmark-only';
/** Everything is counted as for anybody, and nothing is refused. */
const unmetLimits = {
  SLIPWAY_UPLOADS_PER_HOUR_BY_KEY: '1000000000',
  SLIPWAY_UPLOADS_PER_HOUR_BY_OWNER: '1000000000',
  SLIPWAY_REQUESTS_PER_MINUTE: '1000000000',
};
const entry = fileURLToPath(new URL('../dist/main.js', import.meta.url));

export interface RunningServer {
  origin: string;
  pid: number;
  /** Milliseconds from the start of the process until it answered. */
  readyAfterMs: number;
  stop(): Promise<void>;
}

export async function startSlipway(settings: Record<string, string>): Promise<RunningServer> {
  const port = Number(settings.SLIPWAY_PORT);
  const environment = { ...process.env, ...unmetLimits, SLIPWAY_ADMIN_API_KEY: benchKey, ...settings };
  return startProgram(process.execPath, [entry, 'serve'], environment, port, '/healthz');
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
  // Whatever becomes of the run, the next one must find the port free.
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

/** Resident memory now, and its highest mark (Linux only). */
export function memoryOf(pid: number): { nowBytes: number; peakBytes: number } {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const read = (name: string) =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) * bytesPerKibibyte;
  return { nowBytes: read('VmRSS'), peakBytes: read('VmHWM') };
}

/** Resident memory of the process and of those it started, what they share counted once (Linux only). */
export function memoryWithChildren(pid: number): number {
  const ofChildren = childrenOf(pid).map((child) => {
    const map = readFileSync(`/proc/${child}/smaps_rollup`, 'utf8');
    const own = map.matchAll(/^Private_(?:Clean|Dirty):\s+(\d+) kB/gm);
    return own.reduce((sum, [, kibibytes]) => sum + Number(kibibytes) * bytesPerKibibyte, 0);
  });
  return ofChildren.reduce((sum, bytes) => sum + bytes, memoryOf(pid).nowBytes);
}

function childrenOf(pid: number): string[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8')
      .split(' ')
      .filter((child) => child !== ''),
  );
}
