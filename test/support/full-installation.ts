/** One installation with content for every page, and the same in which every text is hostile. */
import type { Database } from '../../src/db/database.ts';
import { openDatabase } from '../../src/db/open-database.ts';
import { makeTextsHostile } from './hostile-rows.ts';
import { addPageContent, type PageContent } from './page-content.ts';
import { type RouteCallers, startCallers } from './route-callers.ts';
import { startTestService, type TestService, type TestServiceOptions } from './test-service.ts';

export interface FullInstallation extends TestService {
  kit: RouteCallers;
  content: PageContent;
  /** Its time, which advances with every look at it. */
  clock: { offsetMs: number; now(): number };
}

export const installationSecret = 'the secret of an installation with hostile texts';

export const startHostileInstallation = () => startFullInstallation({ change: makeTextsHostile });

interface FullInstallationOptions extends Pick<TestServiceOptions, 'dialect' | 'logger'> {
  /** Changes the rows once everything is there. */
  change?: (database: Database) => Promise<void>;
}

export async function startFullInstallation({
  change,
  ...options
}: FullInstallationOptions = {}): Promise<FullInstallation> {
  // Each row has its own time. Once everything is there, time stands still, so that nothing becomes due.
  const { now: realNow } = Date;
  let last = 0;
  let isComplete = false;
  const nextTime = () => {
    last = Math.max(last + 1, isComplete ? 0 : realNow());
    return last;
  };
  const clock = { offsetMs: 0, now: () => nextTime() + clock.offsetMs };
  Date.now = nextTime;
  try {
    return await start();
  } finally {
    Date.now = realNow;
  }

  async function start(): Promise<FullInstallation> {
    const slipway = await startTestService({
      ...options,
      blobs: 'memory',
      settings: {
        SLIPWAY_SECRET: installationSecret,
        SLIPWAY_SLOW_QUERY_MS: options.logger ? '0' : '500',
        SLIPWAY_SIGN_UP: 'open',
        SLIPWAY_TRUST_PROXY: '127.0.0.1',
      },
      now: clock.now,
    });
    const kit = await startCallers(slipway);
    const database = await openDatabase(slipway.config.database);
    try {
      const content = await addPageContent(slipway, database, kit);
      // Icons that are drawn later change open pages.
      await slipway.service.outbox.idle();
      isComplete = true;
      await change?.(database);
      return { ...slipway, kit, content, clock };
    } finally {
      await database.close();
    }
  }
}
