import type { FastifyReply, FastifyRequest } from 'fastify';
import type { App, Build } from '../apps/app.ts';
import type { StoredFiles } from '../apps/stored-files-http.ts';
import type { Data } from '../data.ts';
import { AppError, Forbidden, NotFound } from '../errors.ts';
import type { RouteModule } from '../http/http-server.ts';
import type { OriginOf } from '../http/request-origin.ts';
import type { DistributionPage } from './distribution-page.ts';
import { revisionSegment } from './distribution-routes.ts';
import { renderInstallManifest } from './install-manifest.ts';
import { newTicket, type Ticket, type TicketPurpose, type TicketSigner } from './install-ticket.ts';
import { pageBuildPath, ticketedPath } from './page-addresses.ts';
import type { PageCounts } from './page-counts.ts';
import { judgeOpening } from './page-rules.ts';

export interface InstallRouteParts {
  data: Data;
  storedFiles: StoredFiles;
  tickets: TicketSigner;
  counts: PageCounts;
  originOf: OriginOf;
  now: () => number;
}

interface TicketedAddress {
  Params: { accessKey: string; revision: string };
  Querystring: { ticket?: unknown };
}

type TicketedRequest = FastifyRequest<TicketedAddress>;

interface HandedOut {
  page: DistributionPage;
  app: App;
  build: Build;
  ticket: Ticket;
}

/**
 * What a page's links lead to. They carry a signed ticket instead of a cookie, and the page's rules are judged here
 * once more: a page that has closed since, or has no install left, hands out nothing.
 */
export function installRoutes(parts: InstallRouteParts): RouteModule {
  const path = `/distributions/:accessKey/${revisionSegment}`;
  return (server) => {
    server.get<TicketedAddress>(`${path}/file`, (request, reply) =>
      orBackToPage(request, reply, async () => {
        const handed = await handOut(parts, request, 'file');
        await start(parts, request, handed);
        reply.header('Referrer-Policy', 'no-referrer');
        return parts.storedFiles.sendPackage(request, reply, handed.app, handed.build);
      }),
    );
    server.get<TicketedAddress>(`${path}/manifest.plist`, async (request, reply) => {
      const handed = await handOut(parts, request, 'manifest');
      if (handed.app.platform !== 'ios') throw missing();
      await start(parts, request, handed);
      reply.type('application/xml; charset=utf-8').header('Cache-Control', 'private, no-store');
      return reply.send(manifestOf(parts, request, handed));
    });
    server.get<TicketedAddress>(`${path}/icon`, async (request, reply) => {
      const { app, build } = await handOut(parts, request, 'icon');
      return parts.storedFiles.sendIcon(request, reply, app, build);
    });
  };
}

const missing = () => new NotFound();

/** What the ticket was made for, if the page still hands it out. A wrong ticket and a wrong address look the same. */
async function handOut(
  parts: InstallRouteParts,
  request: TicketedRequest,
  purpose: TicketPurpose,
): Promise<HandedOut> {
  const { data } = parts;
  const now = parts.now();
  const page = await data.distributions.findPage(request.params.accessKey);
  const update = page && (await data.distributions.findUpdate(page.id, Number(request.params.revision)));
  if (!page || !update) throw missing();
  const check = parts.tickets.check(purpose, page, update.buildId, request.query.ticket, now);
  if (check.kind === 'wrong') throw missing();
  if (check.kind === 'late') throw new Forbidden('this link has run out: open the page again');
  const shut = judgeOpening(page, { now, address: request.ip });
  if (shut?.kind === 'closed') throw missing();
  if (shut) throw new Forbidden('the page is not open to this network');
  if (update.withdrawn && page.buildId !== update.buildId)
    throw new Forbidden('this build has been withdrawn');
  const build = await data.builds.findBuild(update.buildId);
  const app = build && (await data.apps.findAppById(build.appId));
  if (!build || !app) throw missing();
  return { page, app, build, ticket: check.ticket };
}

/** The manifest and the file that follows it are one install: they carry the same ticket. */
async function start(parts: InstallRouteParts, request: TicketedRequest, handed: HandedOut): Promise<void> {
  if (request.method !== 'GET') return;
  const { page, app, build, ticket } = handed;
  const visited = {
    page,
    buildId: build.id,
    system: app.platform,
    address: request.ip,
    userAgent: request.headers['user-agent'] ?? '',
  };
  if (!(await parts.counts.started(visited, ticket))) {
    throw new Forbidden('this page has handed out as many installs as it may');
  }
}

function manifestOf(parts: InstallRouteParts, request: TicketedRequest, handed: HandedOut): string {
  const { page, build } = handed;
  const ticket = { ...newTicket(parts.now()), number: handed.ticket.number };
  const origin = parts.originOf(request);
  const addressOf = (what: 'file' | 'icon') =>
    `${origin}${ticketedPath(page.accessKey, build.revision, what, parts.tickets.sign(what, page, build.id, ticket))}`;
  return renderInstallManifest({
    packageAddress: addressOf('file'),
    iconAddress: addressOf('icon'),
    bundleIdentifier: build.info.packageName,
    bundleVersion: build.info.versionName ?? build.info.versionCode,
    title: build.info.name,
  });
}

/** A tester's browser is led to the page, which says what stands in the way and has a fresh link. */
async function orBackToPage(
  request: TicketedRequest,
  reply: FastifyReply,
  work: () => Promise<FastifyReply>,
): Promise<FastifyReply> {
  try {
    return await work();
  } catch (error) {
    const refused = error instanceof AppError && (error.kind === 'forbidden' || error.kind === 'not_found');
    if (!refused || request.method !== 'GET' || !request.headers.accept?.includes('text/html')) throw error;
    const { accessKey, revision } = request.params;
    return reply.redirect(pageBuildPath(accessKey, Number(revision)), 303);
  }
}
