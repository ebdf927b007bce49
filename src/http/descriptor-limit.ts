import { readFile } from 'node:fs/promises';

/** Returns how many descriptors this process may have open, sockets included; null where the system does not say (not Linux). */
export async function readDescriptorLimit(): Promise<number | null> {
  const limits = await readFile('/proc/self/limits', 'utf8').catch(() => '');
  const [, soft] = /^Max open files +(\d+)/m.exec(limits) ?? [];
  return soft === undefined ? null : Number(soft);
}
