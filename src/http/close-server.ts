import type { Server } from './http-server.ts';

const closeIdleEveryMs = 100;

/** Requests under way when a server stops may end within this long. */
export const stopGraceMs = 60_000;

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
