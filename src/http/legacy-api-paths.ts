/**
 * Transitional: the paths of routes that are described by a schema of Fastify instead of a declaration. Once List Your Projects is
 * declared, remove this file, its two uses in service.ts, `describe` in http-server.ts, the parameter of `apiDocument`, and the package @fastify/swagger.
 */
import swagger from '@fastify/swagger';
import type { Server } from './http-server.ts';

/** Must come before the routes. */
export async function legacyApiDescription(server: Server): Promise<void> {
  await server.register(swagger, { openapi: { openapi: '3.1.0' }, hideUntagged: true });
}

export function legacyApiPaths(server: Server): object {
  return server.swagger().paths ?? {};
}
