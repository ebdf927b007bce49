/**
 * Counts views and installs of pages, by build, day and system. A person is known for one day only, by a hash of address
 * and browser under a salt that is thrown away when the day is over; nothing else is kept of anybody.
 */
import { createHmac, randomBytes } from 'node:crypto';
import type { Connection, Data } from '../../db/data.ts';
import type { DistributionPage } from '../distribution-page.ts';
import { type Ticket, ticketLifetimeMs } from '../install/install-ticket.ts';
import type { CountedKind, CountedSystem } from './page-count.ts';
import { pageCountQueries } from './page-count-queries.ts';

export interface Visited {
  page: DistributionPage;
  buildId: string;
  system: CountedSystem;
  address: string;
  userAgent: string;
}

export interface PageCounts {
  /** Counts a view beside the answer, which does not wait for it. */
  viewed(visited: Visited): void;
  /**
   * Counts an install that begins, once a ticket however often its link is asked for. False when the page has no
   * install left: then nothing was counted.
   */
  started(visited: Visited, ticket: Ticket): Promise<boolean>;
  /** Forgets who came on the days before, and tickets that no link can carry any more. */
  forgetOld(): Promise<void>;
  /** Resolves when every view is written. */
  settled(): Promise<void>;
}

/** The page has handed out its last install; what was written with it is rolled back. */
class NoInstallLeft extends Error {}

/** A link's life and that of the links in its manifest, and a day for downloads that are taken up again. */
const rememberTicketMs = 2 * ticketLifetimeMs + 24 * 60 * 60_000;
/** More views than these waiting for the database are not counted: a flood must not fill the memory. */
const maxWaitingViews = 256;

export function createPageCounts(parts: {
  data: Data;
  now: () => number;
  log: { error(fields: object, message: string): void };
}): PageCounts {
  const { data, now } = parts;
  const writing = new Set<Promise<void>>();
  const count = async (inside: Connection, kind: CountedKind, visited: Visited, salt: DaySalt) => {
    const { page, buildId, system } = visited;
    const visitor = hashVisitor(visited, salt);
    await pageCountQueries(inside).count({ pageId: page.id, buildId, day: salt.day, system, kind, visitor });
  };
  const forgetOld = async () => {
    await pageCountQueries(data).forgetVisitors(dayOf(now()));
    await pageCountQueries(data).forgetTickets(now() - rememberTicketMs);
  };
  const saltOfToday = createDaySalt(data, forgetOld);
  const view = async (visited: Visited) => {
    const salt = await saltOfToday(now());
    await data.transaction((inside) => count(inside, 'view', visited, salt));
  };
  return {
    viewed: (visited) => {
      if (writing.size >= maxWaitingViews) return;
      const written = view(visited)
        .catch((error) => parts.log.error({ err: error, page: visited.page.id }, 'a view was not counted'))
        .finally(() => writing.delete(written));
      writing.add(written);
    },
    started: async (visited, ticket) => {
      const salt = await saltOfToday(now());
      try {
        await data.transaction(async (inside) => {
          if (!(await pageCountQueries(inside).useTicket(visited.page.id, ticket.number, now()))) return;
          if (!(await pageCountQueries(inside).takeInstall(visited.page.id))) throw new NoInstallLeft();
          await count(inside, 'install', visited, salt);
        });
        return true;
      } catch (error) {
        if (error instanceof NoInstallLeft) return false;
        throw error;
      }
    },
    forgetOld,
    settled: async () => {
      await Promise.all(writing);
    },
  };
}

interface DaySalt {
  day: string;
  salt: string;
}

/** Today's salt, asked for once a day; with a new day those before it are forgotten. */
function createDaySalt(data: Data, onNewDay: () => Promise<void>): (now: number) => Promise<DaySalt> {
  let known: DaySalt | null = null;
  return async (now) => {
    const day = dayOf(now);
    if (known?.day === day) return known;
    const salt = await pageCountQueries(data).saltOf(day, randomBytes(32).toString('base64url'));
    await onNewDay();
    known = { day, salt };
    return known;
  };
}

function hashVisitor({ address, userAgent }: Visited, { salt }: DaySalt): string {
  return createHmac('sha256', salt).update(`${address}\0${userAgent}`).digest('base64url').slice(0, 22);
}

/** `2026-11-21`, in UTC. */
export function dayOf(epochMilliseconds: number): string {
  return new Date(epochMilliseconds).toISOString().slice(0, 'YYYY-MM-DD'.length);
}
