import { setTimeout as pause } from 'node:timers/promises';
import { unavailableForNow } from '../core/errors.ts';
import type { Server } from './http-server.ts';
import { httpTexts } from './http-texts.ts';

const closeIdleEveryMs = 100;

/** How long requests in progress may continue when the server stops. */
export const shutdownGraceMs = 60_000;

export interface GracefulShutdown {
  /** Throws `unavailable` once the shutdown has begun: requests are still accepted, but should be sent to other nodes. */
  requireNotDraining(): void;
  /** Reports the node as not ready for `drainMs`, so that load balancers notice it, and then closes like `closeServer`. */
  close(http: Server): Promise<void>;
}

export function createGracefulShutdown(deps: {
  drainMs: number;
  /** Called first, so that responses that stay open do not delay the shutdown. */
  begin(): void;
}): GracefulShutdown {
  let stopping = false;
  return {
    requireNotDraining: () => {
      if (stopping) throw unavailableForNow(httpTexts.stopping);
    },
    close: async (http) => {
      stopping = true;
      deps.begin();
      if (http.server.listening) await pause(deps.drainMs);
      await closeServer(http);
    },
  };
}

/**
 * Accepts no more connections, and resolves when the existing ones have ended. Those that are still open after `graceMs` are
 * closed, which discards their uploads completely. A busy connection is kept alive after its response, so open connections are
 * checked repeatedly.
 */
export async function closeServer(http: Server, graceMs = shutdownGraceMs): Promise<void> {
  const sweep = setInterval(() => http.server.closeIdleConnections(), closeIdleEveryMs);
  const limit = setTimeout(() => http.server.closeAllConnections(), graceMs);
  try {
    await http.close();
  } finally {
    clearInterval(sweep);
    clearTimeout(limit);
  }
}
