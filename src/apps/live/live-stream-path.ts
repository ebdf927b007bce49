import { withQuery } from '../../web/shell/site-paths.ts';
import type { App } from '../app.ts';
import { livePath } from '../app-paths.ts';

/** Path of the event stream for a page that shows the newest builds or, with `revision`, that build and those before it. */
export const liveStreamPath = (
  app: Pick<App, 'owner' | 'platform' | 'packageName'>,
  appKey: string | null,
  revision: number | null = null,
): string =>
  withQuery(livePath(app), { key: appKey ?? '', revision: revision === null ? '' : String(revision) });
