/** Records the processes that this one starts. */
import type { ChildProcess } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';

export async function watchProcesses(
  act: (started: readonly ChildProcess[]) => Promise<void>,
): Promise<ChildProcess[]> {
  const started: ChildProcess[] = [];
  const listen = (message: unknown) => started.push((message as { process: ChildProcess }).process);
  subscribe('child_process', listen);
  try {
    await act(started);
    return started;
  } finally {
    unsubscribe('child_process', listen);
  }
}
