/** The API as an OpenAPI 3.1 document, generated from the declared routes. */
import { openApiPaths } from './routes/describe-routes.ts';
import type { RouteFacts } from './routes/route.ts';

const description = `Slipway takes app builds (IPA and APK) from test servers and scripts and hands them to testers on distribution pages.
Every refusal is JSON on one line with error, message and a second copy of the message for older tools.`;

const keys =
  'Every request carries Authorization: Bearer <API_KEY>: the key of a user, or for uploads the key of a Project.';

export function apiDocument(version: string, routes: readonly RouteFacts[]): object {
  return {
    openapi: '3.1.0',
    info: { title: 'Slipway', version, description, license: { name: 'MIT', identifier: 'MIT' } },
    components: { securitySchemes: { apiKey: { type: 'http', scheme: 'bearer', description: keys } } },
    security: [{ apiKey: [] }],
    tags: [{ name: 'Uploads' }, { name: 'Projects' }],
    paths: openApiPaths(routes),
  };
}
