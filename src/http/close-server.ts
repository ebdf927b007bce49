import { setTimeout as pause } from 'node:timers/promises';
import { unavailable } from '../core/errors.ts';
import type { Server } from './http-server.ts';

const closeIdleEveryMs = 100;

/** Requests under way when a server stops may end within this long. */
export const stopGraceMs = 60_000;

export interface GracefulStop {
  /** Throws `unavailable` once the stop has begun: requests are still taken, and should go to other nodes. */
  checkGoingOn(): void;
  /** Says so for `drainMs`, in which whoever balances the load finds out, and then closes as `closeServer` does. */
  close(http: Server): Promise<void>;
}

export function createGracefulStop({ drainMs }: { drainMs: number }): GracefulStop {
  let stopping = false;
  return {
    checkGoingOn: () => {
      if (stopping) throw unavailable('this node is stopping');
    },
    close: async (http) => {
      stopping = true;
      if (http.server.listening) await pause(drainMs);
      await closeServer(http);
    },
  };
}

/**
 * Takes no more connections, and resolves when those that are there have ended: by themselves, or cut after `graceMs`, which
 * leaves nothing of their uploads. A connection that was busy is kept alive after its answer, so that it is looked for again.
 */
export async function closeServer(http: Server, graceMs = stopGraceMs): Promise<void> {
  const sweep = setInterval(() => http.server.closeIdleConnections(), closeIdleEveryMs);
  const limit = setTimeout(() => http.server.closeAllConnections(), graceMs);
  try {
    await http.close();
  } finally {
    clearInterval(sweep);
    clearTimeout(limit);
  }
}
