import type { FastifyReply, FastifyRequest } from 'fastify';
import type { PageFrames } from '../access/page-frames-http.ts';
import { distributionPath, pageSettingsPath, simulatorPath } from '../apps/addresses.ts';
import type { Build } from '../apps/app.ts';
import { simulatorLink } from '../apps/build-lines.ts';
import type { Data } from '../data.ts';
import type { KnownDevice } from '../devices/known-device.ts';
import { NotFound } from '../errors.ts';
import type { RouteModule } from '../http/http-server.ts';
import type { DistributionPage, DistributionUpdate } from './distribution-page.ts';
import { newTicket, type TicketSigner } from './install-ticket.ts';
import type { PageAccess, PageVisit } from './page-access-http.ts';
import { devicePath, ticketedPath } from './page-addresses.ts';
import type { PageCounts } from './page-counts.ts';
import { renderTesterPage } from './tester-page.tsx';
import { readVisitor, type Visitor } from './visitor.ts';

export interface DistributionRouteParts {
  data: Data;
  frames: PageFrames;
  tickets: TicketSigner;
  pageAccess: PageAccess;
  counts: PageCounts;
  /** The device that this browser has registered, if any. */
  readKnownDevice: (request: FastifyRequest) => Promise<KnownDevice | null>;
  now: () => number;
}

interface PageAddress {
  Params: { accessKey: string };
  Querystring: { before?: unknown };
}

interface BuildAddress {
  Params: { accessKey: string; revision: string };
  Querystring: { before?: unknown };
}

/** As many as the database counts; a longer number is no revision. */
export const revisionSegment = ':revision(^\\d{1,15}$)';
const updatesOnPage = 20;
const missing = () => new NotFound();

/** The page that testers open, and the address of its own that each build keeps there. */
export function distributionRoutes(parts: DistributionRouteParts): RouteModule {
  return (server) => {
    server.get<PageAddress>('/distributions/:accessKey', async (request, reply) => {
      const visit = await parts.pageAccess.enter(request, reply, request.params.accessKey);
      if (!visit) return reply;
      const build = await parts.data.builds.findBuild(visit.page.buildId);
      if (!build) throw missing();
      return answerPage(parts, request, reply, visit, build);
    });
    server.get<BuildAddress>(`/distributions/:accessKey/${revisionSegment}`, async (request, reply) => {
      const visit = await parts.pageAccess.enter(request, reply, request.params.accessKey);
      if (!visit) return reply;
      const update = await parts.data.distributions.findUpdate(
        visit.page.id,
        Number(request.params.revision),
      );
      const build = update && (await parts.data.builds.findBuild(update.buildId));
      if (!build) throw missing();
      return answerPage(parts, request, reply, visit, build);
    });
  };
}

async function answerPage(
  parts: DistributionRouteParts,
  request: FastifyRequest<PageAddress | BuildAddress>,
  reply: FastifyReply,
  visit: PageVisit,
  build: Build,
) {
  const { data, frames, counts } = parts;
  const { page, app } = visit;
  const update = await data.distributions.findUpdate(page.id, build.revision);
  if (!update) throw missing();
  const visitor = readVisitor({
    userAgent: request.headers['user-agent'],
    platformVersion: headerOf(request, 'sec-ch-ua-platform-version'),
  });
  const frame = frames.of(request, visit.caller);
  const links = linksOf(parts, page, build, frame.origin);
  const obstacles = obstaclesOf(page, update, build, frame.origin);
  const history = await historyOf(data, page, request.query.before);
  if (visit.member && build.simulatorBlob !== null) {
    reply.header('Link', simulatorLink(simulatorPath(build.id)));
  }
  if (request.method === 'GET') countView(counts, request, page, build, visitor);
  const html = renderTesterPage({
    frame,
    page,
    build,
    update,
    current: page.buildId === build.id,
    iconAddress: links.icon,
    installAddress: obstacles.length > 0 ? null : links.install,
    visitor,
    device: app.platform === 'ios' ? await parts.readKnownDevice(request) : null,
    obstacles,
    ...history,
    registerAddress: build.info.ios?.profile ? devicePath(page.accessKey) : null,
    manageAddress: visit.mayManage ? pageSettingsPath(page.accessKey) : null,
  });
  // Chrome says every Android is 10 until it is asked (User-Agent Client Hints, section 3). It answers from the next
  // visit on; to insist would make it ask twice, and count every first visit twice.
  reply.header('Accept-CH', 'Sec-CH-UA-Platform-Version');
  return frames.send(reply, html);
}

const headerOf = (request: FastifyRequest, name: string) => {
  const value = request.headers[name];
  return typeof value === 'string' ? value : undefined;
};

/** Signed for this visit: whoever holds them was let in, and has an hour. */
function linksOf(parts: DistributionRouteParts, page: DistributionPage, build: Build, origin: string) {
  const ticket = newTicket(parts.now());
  const signed = (purpose: 'file' | 'manifest' | 'icon') =>
    parts.tickets.sign(purpose, page, build.id, ticket);
  const at = (what: 'file' | 'manifest.plist' | 'icon', purpose: 'file' | 'manifest' | 'icon') =>
    ticketedPath(page.accessKey, build.revision, what, signed(purpose));
  const manifest = encodeURIComponent(`${origin}${at('manifest.plist', 'manifest')}`);
  return {
    icon: at('icon', 'icon'),
    install:
      build.info.platform === 'android'
        ? at('file', 'file')
        : `itms-services://?action=download-manifest&url=${manifest}`,
  };
}

/** Of the page and of this server, besides what the package itself has against it. */
function obstaclesOf(page: DistributionPage, update: DistributionUpdate, build: Build, origin: string) {
  const obstacles: string[] = [];
  if (page.buildId !== build.id && update.withdrawn) obstacles.push('This build has been withdrawn.');
  if (page.maxInstalls !== null && page.installs >= page.maxInstalls) {
    obstacles.push('This page has handed out as many installs as it may.');
  }
  if (build.info.platform === 'ios' && !origin.startsWith('https://')) {
    obstacles.push('iOS installs over https only, and this server is reached over http.');
  }
  return obstacles;
}

async function historyOf(data: Data, page: DistributionPage, beforeText: unknown) {
  const before = typeof beforeText === 'string' && /^[0-9a-z]{26}$/.test(beforeText) ? beforeText : null;
  const updates = await data.distributions.listUpdates(page.id, { most: updatesOnPage + 1, before });
  const history = updates.slice(0, updatesOnPage);
  const last = history.at(-1);
  const newest = distributionPath(page.accessKey);
  return {
    history,
    olderAddress: updates.length > updatesOnPage && last ? `${newest}?before=${last.id}` : null,
    newestAddress: before === null ? null : newest,
  };
}

function countView(
  counts: PageCounts,
  request: FastifyRequest,
  page: DistributionPage,
  build: Build,
  visitor: Visitor,
) {
  if (visitor.system === 'bot') return;
  const userAgent = request.headers['user-agent'] ?? '';
  counts.viewed({ page, buildId: build.id, system: visitor.system, address: request.ip, userAgent });
}
