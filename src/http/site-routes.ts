/** What belongs to the site and to no feature: its files, its documentation, whether it is alive. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { NotFound, unavailable } from '../errors.ts';
import { renderApiDocsPage } from '../web/api-docs-page.tsx';
import type { PageFrame } from '../web/page-frame.ts';
import { siteAddresses } from '../web/site-addresses.ts';
import type { StaticFiles } from '../web/static-files.ts';
import { apiDocument } from './api-document.ts';
import { takesGzip } from './gzip.ts';
import type { RouteModule } from './http-server.ts';

export interface SiteRouteParts {
  files: StaticFiles;
  frameOf(request: FastifyRequest): Promise<PageFrame>;
  sendPage(reply: FastifyReply, html: string): FastifyReply | Promise<FastifyReply>;
  /** Throws `unavailable` when the node stops. */
  checkGoingOn(): void;
  /** Rejects when database or blobs do not answer. */
  checkReady(): Promise<void>;
  /** The uploader as one file; null when it has not been built. */
  uploader: Uint8Array | null;
}

const openApiAddress = '/api/openapi.json';

const uncounted = { config: { uncounted: true } };

export function siteRoutes(parts: SiteRouteParts): RouteModule {
  const checkReady = oneAtATime(parts.checkReady);
  return (server) => {
    server.get<{ Params: { name: string } }>('/assets/:name', uncounted, async (request, reply) => {
      const file = parts.files.get(request.params.name);
      if (!file) throw new NotFound();
      reply.header('ETag', file.etag).header('Cache-Control', 'public, max-age=31536000, immutable');
      if (request.headers['if-none-match'] === file.etag) return reply.code(304).send();
      reply.type(file.type).header('Vary', 'Accept-Encoding');
      if (!takesGzip(request)) return reply.send(Buffer.from(file.bytes));
      return reply.header('Content-Encoding', 'gzip').send(Buffer.from(file.gzipped));
    });
    server.get('/favicon.ico', uncounted, async (_request, reply) => {
      const file = parts.files.get('favicon.svg');
      if (!file) throw new NotFound();
      return reply
        .type(file.type)
        .header('Cache-Control', 'public, max-age=86400')
        .send(Buffer.from(file.bytes));
    });
    server.get('/robots.txt', uncounted, async (_request, reply) =>
      reply.type('text/plain; charset=utf-8').send('User-agent: *\nDisallow: /\n'),
    );
    server.get('/cli/slipway.mjs', async (_request, reply) => {
      if (!parts.uploader) throw unavailable('the uploader has not been built: run npm run build');
      return reply.type('text/javascript; charset=utf-8').send(Buffer.from(parts.uploader));
    });
    server.get('/healthz', uncounted, async (_request, reply) =>
      reply.type('text/plain; charset=utf-8').send('ok\n'),
    );
    server.get('/readyz', uncounted, async (_request, reply) => {
      parts.checkGoingOn();
      await checkReady();
      return reply.type('text/plain; charset=utf-8').send('ready\n');
    });
    server.get(openApiAddress, async (_request, reply) =>
      reply.type('application/json; charset=utf-8').send(JSON.stringify(apiDocument(server.declaredRoutes))),
    );
    server.get(siteAddresses.docs, async (request, reply) => {
      const frame = await parts.frameOf(request);
      const document = apiDocument(server.declaredRoutes);
      return parts.sendPage(reply, renderApiDocsPage({ frame, document, documentAddress: openApiAddress }));
    });
  };
}

/** Whoever asks meanwhile gets the same answer: as nobody counts these questions, a flood of them must cost one. */
function oneAtATime(ask: () => Promise<void>): () => Promise<void> {
  let underWay: Promise<void> | null = null;
  return () => {
    underWay ??= ask().finally(() => {
      underWay = null;
    });
    return underWay;
  };
}
