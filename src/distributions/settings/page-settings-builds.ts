/** Builds offered in a form. */
import type { Build } from '../../apps/app.ts';
import { buildQueries } from '../../apps/builds/build-queries.ts';
import { versionText } from '../../apps/builds/version-text.ts';
import type { Data } from '../../db/data.ts';
import type { BuildChoices } from './page-settings-fields.tsx';

const offeredBuilds = 50;

/** Returns the newest builds and those of `revisions`, newest first. */
export async function loadBuildChoices(
  data: Data,
  appId: string,
  revisions: readonly (number | null)[] = [],
): Promise<BuildChoices> {
  const builds = new Map<number, Build>();
  const newest = await buildQueries(data).listBuilds(appId, { limit: offeredBuilds + 1 });
  for (const build of newest.slice(0, offeredBuilds)) builds.set(build.revision, build);
  for (const revision of revisions) {
    if (revision === null || builds.has(revision)) continue;
    const build = await buildQueries(data).findBuildByRevision(appId, revision);
    if (build) builds.set(revision, build);
  }
  const choices = [...builds.values()]
    .sort((one, other) => other.revision - one.revision)
    .map((build) => ({
      revision: build.revision,
      version: versionText(build.info),
      extra: build.label ?? build.branch ?? '',
    }));
  return { builds: choices, more: newest.length > offeredBuilds };
}
