import type { Server } from './http-server.ts';

const closeIdleEveryMs = 100;

/** A connection that was busy when the closing began is kept alive after its answer, so that it is looked for again. */
export async function closeServer(http: Server): Promise<void> {
  const sweep = setInterval(() => http.server.closeIdleConnections(), closeIdleEveryMs);
  try {
    await http.close();
  } finally {
    clearInterval(sweep);
  }
}
