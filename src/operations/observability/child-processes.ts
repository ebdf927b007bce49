/** What the child processes of this process use, which read packages. Linux only: Node measures its own process alone. */
import { readdir, readFile } from 'node:fs/promises';

export interface ChildProcesses {
  residentBytes: number;
  openFiles: number;
  /** Includes processes that ended. */
  cpuSeconds: number;
}

/** Times in `/proc/…/stat` are in hundredths of a second on every architecture. */
const ticksPerSecond = 100;
const kibibyte = 1024;
const none: ChildProcesses = { residentBytes: 0, openFiles: 0, cpuSeconds: 0 };

/** Nothing where the system does not tell. */
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

/** The children of all threads of this process. */
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

/** Nothing of a process that ended meanwhile: its times are among those of the ended ones. */
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

/** Fields 14 to 17 of `proc_pid_stat(5)`, counted after the name in parentheses, which is the second. */
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
