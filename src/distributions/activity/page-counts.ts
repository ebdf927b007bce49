/**
 * Counts views and installs by build, day and system, on pages and by members without a page. A guest is recognized for one day
 * only, by a hash of address and browser with a salt that is deleted after the day. Nothing else is stored about guests. Opens
 * and installs of members are also recorded by name.
 */
import { createHmac, randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { memberActivityRetentionDays } from '../../apps/activity/member-activity.ts';
import { memberActivityQueries } from '../../apps/activity/member-activity-queries.ts';
import type { App } from '../../apps/app.ts';
import { newIdentifier } from '../../core/identifier.ts';
import type { Connection, Data } from '../../db/data.ts';
import type { Device } from '../../devices/device.ts';
import type { RefusalReason } from '../access/page-refusal.ts';
import { refusedVisitQueries } from '../check-install/refused-visit-queries.ts';
import type { DistributionPage } from '../distribution-page.ts';
import { type InstallVisit, installTokenLifetimeMs } from '../install/install-token.ts';
import type { CountedKind, CountedSystem } from './page-count.ts';
import { pageCountQueries } from './page-count-queries.ts';
import { readVisitorSystem, type VisitorSystem } from './visitor-system.ts';

export interface Visited {
  page: DistributionPage;
  buildId: string;
  system: CountedSystem;
  device: VisitorSystem;
  address: string;
  userAgent: string;
  /** ID of the member to record by name. Null for guests. */
  memberId: string | null;
}

/** A member opens or installs a build that no page serves for them. */
export interface DirectVisit {
  appId: string;
  buildId: string;
  platform: CountedSystem;
  device: VisitorSystem;
  memberId: string;
}

/** A visit that the page refused. */
export interface Refused {
  page: Pick<DistributionPage, 'id'>;
  app: Pick<App, 'owner'>;
  reason: RefusalReason;
  /** ID of a member, as in `Visited`. */
  memberId: string | null;
  /** The registered device of the browser. */
  device: Device | null;
}

export interface PageCounts {
  /** Counts a view in the background, without delaying the response. */
  viewed(visited: Visited): void;
  /**
   * Counts an install once per visit, no matter how often its link is requested. Returns false without counting if the install
   * limit is reached.
   */
  started(visited: Visited, visit: InstallVisit): Promise<boolean>;
  /** Counts that a member opened a build without a page, and records it by name, in the background. */
  opened(visit: DirectVisit): void;
  /** Counts and records an install without a page, once per visit. `openedAt`: when the visit began. */
  installed(visit: DirectVisit, openedAt: number): Promise<void>;
  /** Records in the background why a member, or a device registered with the owner, was last refused. Records nothing about others. */
  refused(refused: Refused, client: { method: string; userAgent: string | undefined }): void;
  /** Deletes visitors of earlier days, visits with links that are no longer valid, and names after their retention. */
  deleteExpired(): Promise<void>;
  /** Resolves when all views are stored. */
  settled(): Promise<void>;
}

/** Thrown to roll back the transaction. */
class InstallLimitReached extends Error {}

const dayMs = 24 * 60 * 60_000;
/** The lifetime of a link and of the links in its manifest, plus a day for resumed downloads. */
const visitRetentionMs = 2 * installTokenLifetimeMs + dayMs;
/** Maximum number of views waiting for the database. Further views are dropped, which limits memory. */
const maxWaitingViews = 256;
/** Views that arrive in this time are written in one transaction, which waits for the disk only once. */
const betweenWritesMs = 20;

export function createPageCounts(deps: {
  data: Data;
  now: () => number;
  log: { error(fields: object, message: string): void };
}): PageCounts {
  const { data, now } = deps;
  const writing = new Set<Promise<void>>();
  const waitingViews: WaitingView[] = [];
  let isWritingViews = false;
  /** `visits` differ only in their visitors. */
  const count = async (tx: Connection, kind: CountedKind, visits: VisitGroup, salt: DaySalt) => {
    const { page, buildId, system, device, memberId } = visits[0];
    const { day } = salt;
    const visitors = visits.map((visited) => hashVisitor(visited, salt));
    const isMember = memberId !== null;
    await pageCountQueries(tx).count({ pageId: page.id, buildId, day, system, kind, visitors, isMember });
    if (kind === 'install')
      await pageCountQueries(tx).countSystem({ pageId: page.id, buildId, day, system: device.system });
    for (const { device, memberId: userId } of visits) {
      if (userId === null) return;
      const at = now();
      const id = newIdentifier(at);
      const place = { appId: page.appId, buildId, pageId: page.id };
      await memberActivityQueries(tx).record({ ...device, ...place, id, userId, kind, at });
    }
  };
  const deleteExpired = async () => {
    await pageCountQueries(data).forgetVisitors(dayOf(now()));
    await pageCountQueries(data).deleteExpiredTickets(now() - visitRetentionMs);
    const oldest = now() - memberActivityRetentionDays * dayMs;
    await memberActivityQueries(data).deleteBefore(oldest);
    await refusedVisitQueries(data).deleteBefore(oldest);
  };
  const saltOfToday = createDaySalt(data, deleteExpired);
  const writeViews = async (views: readonly WaitingView[]) => {
    const salt = await saltOfToday(views[0]?.at ?? now());
    const groups = Map.groupBy(views, ({ page, buildId, system, memberId }) =>
      JSON.stringify([page.id, buildId, system, memberId !== null]),
    );
    for (const group of groups.values())
      await logged(
        () => data.transaction((tx) => count(tx, 'view', group as WaitingView[] as [WaitingView], salt)),
        { page: group[0]?.page.id },
      );
  };
  const writeWaitingViews = async () => {
    isWritingViews = true;
    try {
      while (waitingViews.length > 0) {
        const byDay = Map.groupBy(waitingViews.splice(0), ({ at }) => dayOf(at));
        for (const views of byDay.values()) await writeViews(views);
        await pause(betweenWritesMs);
      }
    } finally {
      isWritingViews = false;
    }
  };
  const direct = async (kind: CountedKind, visit: DirectVisit, openedAt?: number) => {
    const { appId, buildId, memberId, device } = visit;
    const { day } = await saltOfToday(now());
    await data.transaction(async (tx) => {
      const at = now();
      const last = (await memberActivityQueries(tx).lastDirect(buildId, memberId))[kind];
      const record = {
        ...device,
        id: newIdentifier(at),
        appId,
        buildId,
        pageId: null,
        userId: memberId,
        kind,
        at,
      };
      if (!(await memberActivityQueries(tx).record(record, openedAt))) return;
      const isFirst = last === null || dayOf(last) < day;
      const counted = { appId, buildId, day, kind, platform: visit.platform, system: device.system, isFirst };
      await pageCountQueries(tx).countDirect(counted);
    });
  };
  const logged = (work: () => Promise<void>, subject: object) =>
    work().catch((error) => deps.log.error({ err: error, ...subject }, 'could not count a view'));
  const inBackground = (work: () => Promise<void>, subject: object) => {
    if (writing.size >= maxWaitingViews) return;
    const written = logged(work, subject).finally(() => writing.delete(written));
    writing.add(written);
  };
  return {
    viewed: (visited) => {
      if (waitingViews.length >= maxWaitingViews) return;
      waitingViews.push({ ...visited, at: now() });
      if (!isWritingViews) inBackground(writeWaitingViews, { page: visited.page.id });
    },
    opened: (visit) => inBackground(() => direct('view', visit), { build: visit.buildId }),
    refused: ({ page, app, reason, memberId, device }, { method, userAgent }) => {
      const deviceId = device?.ownerId === app.owner.id ? device.id : null;
      if (method !== 'GET' || (memberId === null && deviceId === null)) return;
      const { system } = readVisitorSystem({ userAgent });
      const refusal = { pageId: page.id, reason, system, at: now() };
      const whose = { userId: memberId, deviceId };
      inBackground(() => refusedVisitQueries(data).record(whose, refusal), { page: page.id });
    },
    installed: (visit, openedAt) => direct('install', visit, openedAt),
    started: async (visited, visit) => {
      const salt = await saltOfToday(now());
      try {
        await data.transaction(async (tx) => {
          if (!(await pageCountQueries(tx).consumeTicket(visited.page.id, visit.number, now()))) return;
          if (!(await pageCountQueries(tx).takeInstall(visited.page.id))) throw new InstallLimitReached();
          await count(tx, 'install', [visited], salt);
        });
        return true;
      } catch (error) {
        if (error instanceof InstallLimitReached) return false;
        throw error;
      }
    },
    deleteExpired,
    settled: async () => {
      await Promise.all(writing);
    },
  };
}

interface WaitingView extends Visited {
  /** Epoch milliseconds. */
  at: number;
}

type VisitGroup = readonly [Visited, ...Visited[]];

interface DaySalt {
  day: string;
  salt: string;
}

/** Loads the salt once a day, and deletes the data of earlier days when a new day begins. */
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

/** A member counts as one person on all devices. */
function hashVisitor({ memberId, address, userAgent }: Visited, { salt }: DaySalt): string {
  const visitor = memberId === null ? `${address}\0${userAgent}` : `member\0${memberId}`;
  return createHmac('sha256', salt).update(visitor).digest('base64url').slice(0, 22);
}

/** `2026-11-21`, in UTC. */
export function dayOf(epochMilliseconds: number): string {
  return new Date(epochMilliseconds).toISOString().slice(0, 'YYYY-MM-DD'.length);
}
