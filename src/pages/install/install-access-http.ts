/** Access rules of installs: anyone with a ticket that the page signed, as long as the rules of the page allow it. */
import type { FastifyRequest } from 'fastify';
import type { App, Build } from '../../apps/app.ts';
import { appQueries } from '../../apps/app-queries.ts';
import { buildQueries } from '../../apps/builds/build-queries.ts';
import { AppError, Forbidden, NotFound } from '../../core/errors.ts';
import type { Data } from '../../db/data.ts';
import { acceptsPage } from '../../http/routes/client.ts';
import type { Access } from '../../http/routes/route.ts';
import { decideOpening } from '../access/page-rules.ts';
import type { DistributionPage } from '../distribution-page.ts';
import { distributionQueries } from '../distribution-queries.ts';
import { type Ticket, type TicketPurpose, type TicketSigner, ticketedPage } from './install-ticket.ts';

export interface InstallAccessParts {
  data: Data;
  tickets: TicketSigner;
  now: () => number;
}

export interface HandedOut {
  page: DistributionPage;
  app: App;
  build: Build;
  ticket: Ticket;
}

type Ticketed<Subject> = Access<{ accessKey: string; revision: number }, null, Subject>;

/** Returns the build that the ticket is for, if the page still offers it. A wrong ticket and a wrong address get the same answer. */
export function ticketed(parts: InstallAccessParts, purpose: TicketPurpose): Ticketed<HandedOut> {
  const { data } = parts;
  return {
    roles: ['link holder'],
    credentials: ['link'],
    others: 'missing',
    // The installer of iOS sends neither cookie nor key.
    identify: async () => null,
    authorize: async (_caller, { accessKey, revision }, request) => {
      const now = parts.now();
      const page = await distributionQueries(data).findPage(accessKey);
      const update = page && (await distributionQueries(data).findUpdate(page.id, revision));
      const app = page && (await appQueries(data).findAppById(page.appId));
      if (!page || !update || !app) throw new NotFound();
      const given = ticketOf(request);
      const check = parts.tickets.check(purpose, ticketedPage(page, app), update.buildId, given, now);
      if (check.kind === 'wrong') throw new NotFound();
      if (check.kind === 'late') throw new Forbidden('this link has run out: open the page again');
      const shut = decideOpening(page, { now, address: request.ip });
      if (shut?.kind === 'closed') throw new NotFound();
      if (shut) throw new Forbidden('the page is not open to this network');
      if (update.withdrawn && page.buildId !== update.buildId)
        throw new Forbidden('this build has been withdrawn');
      const build = await buildQueries(data).findBuild(update.buildId);
      if (!build) throw new NotFound();
      return { page, app, build, ticket: check.ticket };
    },
  };
}

const ticketOf = ({ query }: FastifyRequest) => (query as Record<string, unknown>).ticket;

/** The same, but the subject is null for a refused browser, which is redirected to the page. */
export function orBackToPage(access: Ticketed<HandedOut>): Ticketed<HandedOut | null> {
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
