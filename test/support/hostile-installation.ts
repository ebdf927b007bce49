/** One installation with content for every page, in which every text is hostile. */
import { openDatabase } from '../../src/db/open-database.ts';
import { makeTextsHostile } from './hostile-rows.ts';
import { addPageContent, type PageContent } from './page-content.ts';
import { type RouteCallers, startCallers } from './route-callers.ts';
import { startTestService, type TestService } from './test-service.ts';

export interface HostileInstallation extends TestService {
  kit: RouteCallers;
  content: PageContent;
  clock: { offsetMs: number };
}

export const installationSecret = 'the secret of an installation with hostile texts';

export async function startHostileInstallation(): Promise<HostileInstallation> {
  const clock = { offsetMs: 0 };
  const slipway = await startTestService({
    blobs: 'memory',
    settings: {
      SLIPWAY_SECRET: installationSecret,
      SLIPWAY_SIGN_UP: 'open',
      SLIPWAY_TRUST_PROXY: '127.0.0.1',
    },
    now: () => Date.now() + clock.offsetMs,
  });
  const kit = await startCallers(slipway);
  const database = await openDatabase(slipway.config.database);
  try {
    const content = await addPageContent(slipway, database, kit);
    // Icons that are drawn later change open pages.
    await slipway.service.outbox.idle();
    await makeTextsHostile(database);
    return { ...slipway, kit, content, clock };
  } finally {
    await database.close();
  }
}
