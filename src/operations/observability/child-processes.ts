/** Resource usage of the child processes, which read packages. On Linux only. Node only measures its own process. */
import { readdir, readFile } from 'node:fs/promises';

export interface ChildProcesses {
  residentBytes: number;
  openFiles: number;
  /** Includes processes that have ended. */
  cpuSeconds: number;
}

/** Times in `/proc/…/stat` are in hundredths of a second on every architecture. */
const ticksPerSecond = 100;
const kibibyte = 1024;
const none: ChildProcesses = { residentBytes: 0, openFiles: 0, cpuSeconds: 0 };

/** Returns zeros if the system does not provide them. */
export async function readChildProcesses(): Promise<ChildProcesses> {
  const ended = await timesOf('self');
  if (!ended) return none;
  const running = await Promise.all((await findChildProcesses()).map(readProcess));
  return running.reduce(
    (sum, one) => ({
      residentBytes: sum.residentBytes + one.residentBytes,
      openFiles: sum.openFiles + one.openFiles,
      cpuSeconds: sum.cpuSeconds + one.cpuSeconds,
    }),
    { ...none, cpuSeconds: ended.ofChildren },
  );
}

/** Returns the children of all threads of this process. */
async function findChildProcesses(): Promise<number[]> {
  const threads = await readdir('/proc/self/task').catch(() => []);
  const lists = await Promise.all(
    threads.map((id) => readFile(`/proc/self/task/${id}/children`, 'utf8').catch(() => '')),
  );
  return lists.flatMap((list) =>
    list
      .split(' ')
      .filter((id) => id !== '')
      .map(Number),
  );
}

/** Returns zeros for a process that has ended in the meantime, because its times are included in those of ended processes. */
async function readProcess(id: number): Promise<ChildProcesses> {
  const [times, status, files] = await Promise.all([
    timesOf(String(id)),
    readFile(`/proc/${id}/status`, 'utf8').catch(() => ''),
    readdir(`/proc/${id}/fd`).catch(() => []),
  ]);
  const [, kibibytes = '0'] = /^VmRSS:\s*(\d+) kB$/m.exec(status) ?? [];
  return {
    residentBytes: Number(kibibytes) * kibibyte,
    openFiles: files.length,
    cpuSeconds: times ? times.own + times.ofChildren : 0,
  };
}

/** Fields 14 to 17 of `proc_pid_stat(5)`, counted after the second field, the name in parentheses. */
async function timesOf(process: string): Promise<{ own: number; ofChildren: number } | null> {
  const text = await readFile(`/proc/${process}/stat`, 'utf8').catch(() => null);
  if (text === null) return null;
  const fields = text
    .slice(text.lastIndexOf(')') + 2)
    .split(' ')
    .map(Number);
  const [user = 0, system = 0, childUser = 0, childSystem = 0] = fields.slice(11, 15);
  return { own: (user + system) / ticksPerSecond, ofChildren: (childUser + childSystem) / ticksPerSecond };
}
