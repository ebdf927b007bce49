/** What an upload is answered with beyond the build itself, for every way to upload. */
import { sourceJson } from '../apps/app-json.ts';
import { formatNullableTime } from '../core/json-shapes.ts';
import type { Connection } from '../db/data.ts';
import { distributionQueries } from '../distributions/distribution-queries.ts';
import { buildBlockers, pageBlockers } from '../distributions/install/install-blockers.ts';
import type { PublishedBuild } from './publish-build.ts';
import { type BuildResultContext, buildResult, type UploadFindings } from './upload-json.ts';

export async function loadUploadFindings(
  data: Connection,
  { build, page }: PublishedBuild,
  { origin, now }: { origin: string; now: number },
): Promise<UploadFindings> {
  const before = page && (await distributionQueries(data).sizeServedBefore(page.id, build));
  const ofPage = page ? pageBlockers({ page, update: null, build, origin, now }) : [];
  // An app bundle is installed as the APK that is being made of it.
  const blockers = [...buildBlockers(build, now), ...ofPage].filter(({ reason }) => reason !== 'not-ready');
  const expiresAt = build.info.ios?.profile?.expiresAt;
  return {
    size_change: before === null ? null : build.sizeBytes - before,
    install_problems: [...new Set(blockers.map(({ sentence }) => sentence))],
    profile_expires_at: formatNullableTime(expiresAt ? Date.parse(expiresAt) : null),
  };
}

/** Returns the `results` of an upload. */
export async function loadUploadResult(
  data: Connection,
  published: PublishedBuild,
  context: BuildResultContext & { now: number },
) {
  const { app, build, page } = published;
  return {
    ...buildResult(app, build, page, context),
    ...(await loadUploadFindings(data, published, context)),
    ...(build.source ? { source: sourceJson(build.source) } : {}),
  };
}
