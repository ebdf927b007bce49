/**
 * Removes deleted builds and apps in the background: first the rows, in a transaction that creates a job for their blobs, then
 * the blobs.
 */
import { parseBlobKey } from '../../blobs/blob-key.ts';
import type { BlobStore } from '../../blobs/blob-store.ts';
import type { Connection, Data } from '../../db/data.ts';
import { eventQueries } from '../../jobs/event-queries.ts';
import { type Job, type JobHandlers, NotReady } from '../../jobs/outbox.ts';
import { outboxQueries } from '../../jobs/outbox-queries.ts';
import { buildQueries } from '../builds/build-queries.ts';
import { appDeletionQueries } from './app-deletion-queries.ts';
import { buildDeletionQueries } from './build-deletion-queries.ts';

/** Small batches, so that other writers do not wait. */
const pagesPerBatch = 50;
const buildBatchSize = 100;
const feedbackPerBatch = 100;
/** Delay before checking again for webhooks that still report the deleted app. */
const deliveryPollMs = 5000;

type RemovalHandlers = Pick<JobHandlers, 'remove-build' | 'remove-builds' | 'remove-app' | 'remove-blobs'>;

export function createRemovalHandlers(deps: {
  data: Data;
  blobs: BlobStore;
  now: () => number;
}): RemovalHandlers {
  const { data, now } = deps;
  const removeBuilds = (ownerId: string, buildIds: readonly string[], deletedAt: number) =>
    data.transaction(async (tx) => {
      const blobs: string[] = [];
      for (const id of buildIds) {
        blobs.push(...((await buildDeletionQueries(tx).removeBuild(id, deletedAt)) ?? []));
      }
      if (blobs.length > 0) await outboxQueries(tx).add(ownerId, { kind: 'remove-blobs', blobs }, now());
    });
  return {
    'remove-build': ({ buildId, deletedAt }, ownerId) => removeBuilds(ownerId, [buildId], deletedAt),
    'remove-builds': ({ buildIds, deletedAt }, ownerId) => removeBuilds(ownerId, buildIds, deletedAt),
    'remove-app': async (job, ownerId) => {
      await data.transaction((tx) => removeBatch(tx, ownerId, job, now()));
    },
    'remove-blobs': async (job) => {
      const keys = job.blobs.map(parseBlobKey);
      // Keeps blobs that a row references, for example a row restored from a backup.
      const named = await buildQueries(data).namedBlobs(keys);
      for (const key of keys) if (!named.has(key)) await deps.blobs.remove(key);
    },
  };
}

type RemoveApp = Extract<Job, { kind: 'remove-app' }>;

/**
 * Feedback and pages reference builds, so they are removed first. The app row is removed last, together with everything that still
 * references it.
 */
async function removeBatch(data: Connection, ownerId: string, job: RemoveApp, now: number): Promise<void> {
  const { appId, pending } = job;
  const isAwaited = pending !== undefined && now < pending.until;
  // They report builds and pages that are removed below.
  if (isAwaited && (await eventQueries(data).hasEarlier(ownerId, pending.eventId)))
    throw new NotReady(now + deliveryPollMs);
  const screenshots = await appDeletionQueries(data).removeFeedback(appId, feedbackPerBatch);
  if (screenshots !== null) {
    if (screenshots.length > 0)
      await outboxQueries(data).add(ownerId, { kind: 'remove-blobs', blobs: screenshots }, now);
  } else if (!(await appDeletionQueries(data).removePages(appId, pagesPerBatch))) {
    const blobs = await appDeletionQueries(data).removeBuilds(appId, buildBatchSize);
    if (blobs.length === 0) {
      if (isAwaited && (await eventQueries(data).isPending(appId, pending.eventId)))
        throw new NotReady(now + deliveryPollMs);
      return appDeletionQueries(data).removeApp(appId);
    }
    await outboxQueries(data).add(ownerId, { kind: 'remove-blobs', blobs }, now);
  }
  await outboxQueries(data).add(ownerId, job, now);
}
