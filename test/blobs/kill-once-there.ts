/** Processes that are killed during their work, as in a power failure or by the kernel. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

export const childPath = (script: string) => fileURLToPath(new URL(`./children/${script}`, import.meta.url));

const giveUpMs = 20_000;

/** Runs `children/SCRIPT` and ends it with SIGKILL as soon as `there` is true. Rejects if the script ends before. */
export async function killWhenExists(script: string, args: string[], there: () => boolean): Promise<void> {
  const child = spawn(process.execPath, [childPath(script), ...args], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const exited = once(child, 'exit');
  try {
    for (const until = Date.now() + giveUpMs; !there(); await setTimeout(1)) {
      if (child.exitCode !== null) throw new Error(`${script} ended with ${child.exitCode} by itself`);
      if (Date.now() > until) throw new Error(`${script} never got there`);
    }
  } finally {
    child.kill('SIGKILL');
    await exited;
  }
  if (child.signalCode !== 'SIGKILL') throw new Error(`${script} ended by itself`);
}
