/** The HTTP server with every route, including the routes of the site itself: static files, documentation, health. */
import type { FastifyBaseLogger } from 'fastify';
import type { AccountArea } from '../accounts/area.ts';
import type { Config } from '../config.ts';
import { version } from '../core/version.ts';
import { openApiParts } from '../http/api/open-api.ts';
import { problemTitles } from '../http/api/problem.ts';
import { isApiAddress } from '../http/api-address.ts';
import type { GracefulShutdown } from '../http/close-server.ts';
import { createHttpServer, type Server } from '../http/http-server.ts';
import type { ReadinessDeps } from '../http/readiness.ts';
import type { Route } from '../http/routes/route.ts';
import type { RouteFacts } from '../http/routes/route-facts.ts';
import { defaultHeaders } from '../http/security-headers.ts';
import { siteRoutes } from '../http/site-routes.ts';
import type { RateLimiting } from '../limits/rate-limiting-http.ts';
import { readUploader } from '../uploads/uploader-file.ts';
import type { StaticFiles } from '../web/shell/static-files.ts';
import { doctorQueries } from './doctor/doctor-queries.ts';
import type { Observability } from './observability/observability-http.ts';
import type { Installation } from './open-installation.ts';

export interface Site {
  server: Server;
  /** Every method and path that the server answers. */
  routes: readonly { method: string; address: string }[];
  declared: readonly Route[];
  /** Starts listening, and returns the bound address. */
  listen(): Promise<{ host: string; port: number }>;
}

export async function openSite(
  deps: Pick<Installation, 'data' | 'blobs' | 'refusalOf'> & {
    config: Config;
    log: FastifyBaseLogger;
    observability: Observability;
    limiting: RateLimiting;
    accounts: AccountArea;
    files: StaticFiles;
    stop: GracefulShutdown;
    routes: readonly Route[];
    now: () => number;
  },
): Promise<Site> {
  const { config, accounts, limiting } = deps;
  const { access, frames, identify } = accounts;
  let document: object | null = null;
  const site = await createHttpServer({
    guards: accounts.guards,
    sendPage: frames.send,
    renderErrorPage: accounts.renderErrorPage,
    pagePolicy: frames.policy,
    logger: deps.log,
    trustedProxies: config.trustedProxies,
    language: config.language,
    defaultHeaders: defaultHeaders(config.publicUrl),
    refusedBodyDrainSeconds: config.limits.refusedBodyDrainSeconds,
    admission: limiting.admission,
    files: deps.files,
    connections: limiting.connections,
    transfers: { ...config.limits, ...config.capacity },
    observeRequest: deps.observability.request,
    checkKnown: async (request) => {
      if (isApiAddress(request.url)) await identify.requireActor(request);
    },
    refusalOf: deps.refusalOf,
    routes: [
      deps.routes,
      siteRoutes({
        access,
        files: deps.files,
        uploader: await readUploader(),
        apiDocument: () => {
          document ??= apiDocument(version(), site.declared);
          return document;
        },
        requireNotDraining: deps.stop.requireNotDraining,
        readiness: readinessOf(deps),
      }),
    ],
  });
  const { server, routes, declared } = site;
  return {
    server,
    routes,
    declared,
    listen: async () => {
      await server.listen({ host: config.host, port: config.port });
      const bound = server.server.address();
      const port = bound !== null && typeof bound === 'object' ? bound.port : config.port;
      return { host: config.host, port };
    },
  };
}

/** The checks of `/readyz`: whether the database and the file store answer and, periodically, whether they are writable. */
function readinessOf({
  data,
  blobs,
  now,
}: Pick<Installation, 'data' | 'blobs'> & { now: () => number }): ReadinessDeps {
  return {
    ping: async () => {
      await Promise.all([data.ping(), blobs.ping()]);
    },
    checkWritable: async () => {
      await Promise.all([data.transaction((tx) => doctorQueries(tx).checkWritable(now())), blobs.check()]);
    },
    now,
  };
}

/** The API as an OpenAPI 3.1 document, generated from the declared routes. */
const description = `Slipway accepts app builds (IPA, APK and AAB) from CI servers and scripts and distributes them to testers.
Operations under /api/v1 answer errors as problem details (RFC 9457); those of existing uploaders answer a JSON object with error and message.`;

const keys =
  'Every request carries Authorization: Bearer <API_KEY>. What a key permits depends on its owner, a user or a Project, and on its scopes.';

const tags = [
  ['Keys', 'Who calls, and API keys.'],
  ['Uploads', 'The interface of existing uploaders.'],
  ['Projects', 'Projects and the people in them.'],
  ['People', 'The people of a Project, and invitations.'],
  ['Workspaces', 'Workspaces and their owners.'],
  ['Groups', 'Groups of testers, which pages can be limited to.'],
  ['Apps', 'Apps: what an owner uploaded under one package name on one platform.'],
  ['Builds', 'The builds of an app, by revision.'],
  ['Pages', 'Distribution pages: the link that testers open.'],
  ['Testers', 'Who has access to an app.'],
  ['Devices', 'Registered iPhones and iPads.'],
  ['Retention', 'When builds are deleted.'],
  ['Activity', 'Views and installs.'],
  ['Feedback', 'What testers sent.'],
  ['Webhooks', 'Webhooks and their deliveries.'],
  ['Audit log', 'Who did what.'],
  ['Search', 'Apps, builds, pages, Projects and people.'],
  ['Administration', 'The installation, for the keys of administrators with the scope admin.'],
  ['Update check', 'Apps ask whether there is a newer build.'],
] as const;

export function apiDocument(version: string, routes: readonly RouteFacts[]): object {
  const { paths, schemas } = openApiParts(routes);
  return {
    openapi: '3.1.0',
    info: { title: 'Slipway', version, description, license: { name: 'MIT', identifier: 'MIT' } },
    components: {
      securitySchemes: { apiKey: { type: 'http', scheme: 'bearer', description: keys } },
      schemas,
    },
    security: [{ apiKey: [] }],
    servers: [{ url: '/', description: 'This server' }],
    tags: tags.map(([name, description]) => ({ name, description })),
    paths,
    'x-error-codes': problemTitles,
  };
}
