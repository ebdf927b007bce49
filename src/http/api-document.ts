/** The interface as an OpenAPI 3.1 document, out of the schemas that check requests and answers. */
import swagger from '@fastify/swagger';
import type { FastifySchema } from 'fastify';
import type { JsonSchema } from '../json-schema.ts';
import type { Server } from './http-server.ts';
import { openApiPaths } from './routes/describe-routes.ts';
import type { Route } from './routes/route.ts';

declare module 'fastify' {
  interface FastifyInstance {
    declaredRoutes: readonly Route[];
  }
  interface FastifyContextConfig {
    /** The parts of a multipart body, which the route checks itself. */
    multipartBody?: JsonSchema;
  }
}

const description = `Slipway takes app builds (IPA and APK) from test servers and scripts and hands them to testers on distribution pages.
Every refusal is JSON on one line with error, message and a second copy of the message for older tools.`;

const keys =
  'Every request carries Authorization: Bearer <API_KEY>: the key of a user, or for uploads the key of a Project.';

/** Must come before the routes that it is to describe. */
export async function describeApi(server: Server, version: string): Promise<void> {
  await server.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'Slipway', version, description, license: { name: 'MIT', identifier: 'MIT' } },
      components: { securitySchemes: { apiKey: { type: 'http', scheme: 'bearer', description: keys } } },
      security: [{ apiKey: [] }],
      tags: [{ name: 'Uploads' }, { name: 'Projects' }],
    },
    hideUntagged: true,
    transform: ({ schema, url, route }) => {
      const form = route.config?.multipartBody;
      if (!form) return { schema, url };
      return { schema: { ...schema, consumes: ['multipart/form-data'], body: form } as FastifySchema, url };
    },
  });
}

export function apiDocument(server: Server): unknown {
  const { paths, ...document } = server.swagger();
  return { ...document, paths: { ...openApiPaths(server.declaredRoutes), ...paths } };
}
