import type { Data } from '../db/data.ts';
import { ownerPath } from '../owners/owner-paths.ts';
import type { App } from './app.ts';
import type { AppHead } from './app-head.tsx';
import { appPageQueries } from './app-page-queries.ts';
import { appQueries } from './app-queries.ts';
import { buildQueries } from './builds/build-queries.ts';
import { iconAddress } from './builds/build-rows.ts';
import type { FileTokens } from './files/file-token.ts';

export interface AppHeads {
  /** For viewers who manage the app. */
  ofManaged(app: App): Promise<AppHead>;
  /** `others`: apps of the same package name that the viewer can see. */
  of(
    app: App,
    viewer: { manages: boolean; canViewOwner: boolean; others: readonly App[]; secret: string | null },
  ): Promise<AppHead>;
}

/** Loads the bar above the pages of an app in three queries. */
export function createAppHeads({ data, fileTokens }: { data: Data; fileTokens: FileTokens }): AppHeads {
  const of: AppHeads['of'] = async (app, { manages, canViewOwner, others, secret }) => {
    const [latest] = await buildQueries(data).listBuilds(app.id, { limit: 1 });
    return {
      app,
      iconAddress: latest ? iconAddress(fileTokens, app, latest.id) : null,
      otherPlatforms: others.filter(({ id }) => id !== app.id).map(({ platform }) => platform),
      ownerAddress: canViewOwner ? ownerPath(app.owner) : null,
      counts: manages ? await appPageQueries(data).tabCounts(app) : null,
      key: secret,
    };
  };
  return {
    of,
    ofManaged: async (app) => {
      const others = await appQueries(data).findAppsByPackageName(app.owner.id, app.packageName);
      return of(app, { manages: true, canViewOwner: true, others, secret: null });
    },
  };
}
