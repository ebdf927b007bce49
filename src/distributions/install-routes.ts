import type { FastifyRequest } from 'fastify';
import type { App, Build } from '../apps/app.ts';
import type { StoredFiles } from '../apps/stored-files-http.ts';
import type { Data } from '../data.ts';
import { AppError, Forbidden, NotFound } from '../errors.ts';
import { blob, content, redirect } from '../http/routes/answer.ts';
import { acceptsPage, type Client } from '../http/routes/client.ts';
import { type Access, defineRoute, type Route } from '../http/routes/route.ts';
import type { DistributionPage } from './distribution-page.ts';
import { revisionParam } from './distribution-routes.ts';
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
  now: () => number;
}

interface HandedOut {
  page: DistributionPage;
  app: App;
  build: Build;
  ticket: Ticket;
}

type Ticketed<Subject> = Access<{ accessKey: string; revision: number }, null, Subject>;

const noInstallLeft = () => new Forbidden('this page has handed out as many installs as it may');

/**
 * What a page's links lead to. They carry a signed ticket instead of a cookie, and the page's rules are judged here
 * once more: a page that has closed since, or has no install left, hands out nothing.
 */
export function installRoutes(parts: InstallRouteParts): Route[] {
  const { storedFiles } = parts;
  const shared = { method: 'GET', params: { revision: revisionParam } } as const;
  const path = '/distributions/:accessKey/:revision';
  return [
    defineRoute({
      ...shared,
      path: `${path}/file`,
      summary: 'Download a build from a distribution page',
      access: orBackToPage(ticketed(parts, 'file')),
      handle: async ({ subject, params, client }) => {
        // The page says what stands in the way and has a fresh link.
        const back = redirect(pageBuildPath(params.accessKey, params.revision));
        if (!subject) return back;
        if (!(await start(parts, client, subject))) {
          if (client.wantsPage) return back;
          throw noInstallLeft();
        }
        const file = storedFiles.packageOf(subject.app, subject.build);
        return blob(file, { headers: { 'Referrer-Policy': 'no-referrer' } });
      },
    }),
    defineRoute({
      ...shared,
      path: `${path}/manifest.plist`,
      summary: 'Download the install manifest of a build for iOS',
      access: ticketed(parts, 'manifest'),
      handle: async ({ subject, client }) => {
        if (subject.app.platform !== 'ios') throw new NotFound();
        if (!(await start(parts, client, subject))) throw noInstallLeft();
        return content('application/xml; charset=utf-8', manifestOf(parts, client.origin, subject), {
          headers: { 'Cache-Control': 'private, no-store' },
        });
      },
    }),
    defineRoute({
      ...shared,
      path: `${path}/icon`,
      summary: 'Show the icon of a build on a distribution page',
      access: ticketed(parts, 'icon'),
      handle: async ({ subject }) => blob(await storedFiles.iconOf(subject.app, subject.build)),
    }),
  ];
}

/** What the ticket was made for, if the page still hands it out. A wrong ticket and a wrong address look the same. */
function ticketed(parts: InstallRouteParts, purpose: TicketPurpose): Ticketed<HandedOut> {
  const { data } = parts;
  return {
    roles: ['link holder'],
    credentials: ['link'],
    others: 'missing',
    // The installer of iOS sends neither cookie nor key.
    identify: async () => null,
    authorize: async (_caller, { accessKey, revision }, request) => {
      const now = parts.now();
      const page = await data.distributions.findPage(accessKey);
      const update = page && (await data.distributions.findUpdate(page.id, revision));
      if (!page || !update) throw new NotFound();
      const check = parts.tickets.check(purpose, page, update.buildId, ticketOf(request), now);
      if (check.kind === 'wrong') throw new NotFound();
      if (check.kind === 'late') throw new Forbidden('this link has run out: open the page again');
      const shut = judgeOpening(page, { now, address: request.ip });
      if (shut?.kind === 'closed') throw new NotFound();
      if (shut) throw new Forbidden('the page is not open to this network');
      if (update.withdrawn && page.buildId !== update.buildId)
        throw new Forbidden('this build has been withdrawn');
      const build = await data.builds.findBuild(update.buildId);
      const app = build && (await data.apps.findAppById(build.appId));
      if (!build || !app) throw new NotFound();
      return { page, app, build, ticket: check.ticket };
    },
  };
}

const ticketOf = ({ query }: FastifyRequest) => (query as Record<string, unknown>).ticket;

/** The same, but null for a browser that is refused: it is redirected to the page. */
function orBackToPage(access: Ticketed<HandedOut>): Ticketed<HandedOut | null> {
  return {
    ...access,
    authorize: async (caller, params, request) => {
      try {
        return await access.authorize(caller, params, request);
      } catch (error) {
        const isRefusal =
          error instanceof AppError && (error.kind === 'forbidden' || error.kind === 'not_found');
        if (!isRefusal || request.method !== 'GET' || !acceptsPage(request)) throw error;
        return null;
      }
    },
  };
}

/** The manifest and the file that follows it are one install: they carry the same ticket. False: none is left. */
async function start(
  { counts }: InstallRouteParts,
  { method, address, userAgent }: Client,
  { page, app, build, ticket }: HandedOut,
): Promise<boolean> {
  if (method !== 'GET') return true;
  return counts.started({ page, buildId: build.id, system: app.platform, address, userAgent }, ticket);
}

function manifestOf(parts: InstallRouteParts, origin: string, handed: HandedOut): string {
  const { page, build } = handed;
  const ticket = { ...newTicket(parts.now()), number: handed.ticket.number };
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
