/** Temporary files of a test run in memory, where the machine has room for them. */
import { mkdirSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';

const memory = '/dev/shm';
const prefix = 'slipway-tests-';
const neededBytes = 6 * 1024 ** 3;

/** Sets TMPDIR for this process and its children, and removes files that killed runs left behind. */
export function useMemoryForTemporaryFiles(): void {
  if (process.env.TMPDIR || freeBytes() < neededBytes) return;
  for (const name of readdirSync(memory)) {
    if (name.startsWith(prefix) && !isRunning(Number(name.slice(prefix.length)))) remove(name);
  }
  const own = `${prefix}${process.pid}`;
  process.env.TMPDIR = join(memory, own);
  mkdirSync(process.env.TMPDIR);
  process.once('exit', () => remove(own));
}

function freeBytes(): number {
  try {
    const { bavail, bsize } = statfsSync(memory);
    return bavail * bsize;
  } catch {
    return 0;
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

const remove = (name: string) => rmSync(join(memory, name), { recursive: true, force: true });
