/** The background half of deleting: rows first, in a transaction that leaves a job for their blobs, then the blobs. */
import { parseBlobKey } from '../../blobs/blob-key.ts';
import type { BlobStore } from '../../blobs/blob-store.ts';
import type { Connection, Data } from '../../db/data.ts';
import { eventQueries } from '../../jobs/event-queries.ts';
import { type Job, type JobHandlers, NotYet } from '../../jobs/outbox.ts';
import { outboxQueries } from '../../jobs/outbox-queries.ts';
import { buildQueries } from '../builds/build-queries.ts';
import { appDeletionQueries } from './app-deletion-queries.ts';
import { buildDeletionQueries } from './build-deletion-queries.ts';

/** So few at once that whoever else writes hardly waits. */
const pagesAtOnce = 50;
const buildsAtOnce = 100;
/** Webhooks that still tell of a deleted App are looked at again after so long. */
const tellingPauseMs = 5000;

type RemovalHandlers = Pick<JobHandlers, 'remove-build' | 'remove-builds' | 'remove-app' | 'remove-blobs'>;

export function createRemovalHandlers(parts: {
  data: Data;
  blobs: BlobStore;
  now: () => number;
}): RemovalHandlers {
  const { data, now } = parts;
  const removeBuilds = (buildIds: readonly string[], deletedAt: number) =>
    data.transaction(async (inside) => {
      const blobs: string[] = [];
      for (const id of buildIds) {
        blobs.push(...((await buildDeletionQueries(inside).removeBuild(id, deletedAt)) ?? []));
      }
      if (blobs.length > 0) await outboxQueries(inside).add({ kind: 'remove-blobs', blobs }, now());
    });
  return {
    'remove-build': ({ buildId, deletedAt }) => removeBuilds([buildId], deletedAt),
    'remove-builds': ({ buildIds, deletedAt }) => removeBuilds(buildIds, deletedAt),
    'remove-app': async (job) => {
      await data.transaction((inside) => removeSome(inside, job, now()));
    },
    'remove-blobs': async (job) => {
      const keys = job.blobs.map(parseBlobKey);
      // A row never names a blob that is not there, even if the row came back from a copy of the database.
      const named = await buildQueries(data).namedBlobs(keys);
      for (const key of keys) if (!named.has(key)) await parts.blobs.remove(key);
    },
  };
}

type RemoveApp = Extract<Job, { kind: 'remove-app' }>;

/** Pages name builds, so they go first; the App's own row goes last, and everything of it that is left with it. */
async function removeSome(data: Connection, job: RemoveApp, now: number): Promise<void> {
  const { appId, telling } = job;
  if (!(await appDeletionQueries(data).removePages(appId, pagesAtOnce))) {
    const blobs = await appDeletionQueries(data).removeBuilds(appId, buildsAtOnce);
    if (blobs.length === 0) {
      const waits =
        telling && now < telling.until && (await eventQueries(data).isPending(appId, telling.newsId));
      if (waits) throw new NotYet(now + tellingPauseMs);
      return appDeletionQueries(data).removeApp(appId);
    }
    await outboxQueries(data).add({ kind: 'remove-blobs', blobs }, now);
  }
  await outboxQueries(data).add(job, now);
}
