/** Generates the APK of an uploaded app bundle, and then publishes the build. Idempotent. */
import { type Build, uploadedFile } from '../apps/app.ts';
import { appQueries } from '../apps/app-queries.ts';
import { buildQueries } from '../apps/builds/build-queries.ts';
import type { WithLocalPackage } from '../apps/files/local-package.ts';
import { apkKey } from '../blobs/blob-key.ts';
import type { BlobStore } from '../blobs/blob-store.ts';
import type { Spool } from '../blobs/spool/spool.ts';
import type { Limits } from '../config.ts';
import { formatBytes } from '../core/byte-size.ts';
import { CommitUnknown, TooManyRequests } from '../core/errors.ts';
import { newHexKey } from '../core/identifier.ts';
import type { Connection, Data } from '../db/data.ts';
import { distributionQueries } from '../distributions/distribution-queries.ts';
import { eventQueries } from '../jobs/event-queries.ts';
import { type Job, NotReady } from '../jobs/outbox.ts';
import { outboxQueries } from '../jobs/outbox-queries.ts';
import { remainingStorage } from '../owners/quota.ts';
import { quotaQueries } from '../owners/quota-queries.ts';
import { LostSigningKey, type SigningKeys } from '../owners/signing-keys/signing-keys.ts';
import { recognize, say } from '../packages/messages/package-messages.ts';
import { UnreadablePackage } from '../packages/package-info.ts';
import type { ConversionRequest, ConvertedFile, PackageReader } from '../packages/package-reader.ts';
import { requireSameFacts } from '../packages/read-package.ts';
import { maxApkBytes } from '../packages/zip/write-zip.ts';
import { notifyBundleFailure } from './bundle-failure.ts';
import type { FailedPackages } from './failed-packages.ts';

export interface ConvertBundleDeps {
  data: Data;
  blobs: BlobStore;
  spool: Pick<Spool, 'freeBytes'>;
  limits: Pick<Limits, 'minimumFreeBytes'>;
  packages: PackageReader;
  failedPackages: FailedPackages;
  signingKeys: SigningKeys;
  withLocalPackage: WithLocalPackage;
  now: () => number;
  /** Called after the commit, when the outbox contains work. */
  wakeOutbox: () => void;
}

type ConversionJob = Extract<Job, { kind: 'convert-bundle' }>;

/** Temporary errors of the server are retried for this long; after that, the conversion fails. */
const maxTriedMs = 24 * 60 * 60_000;
/** Progress is stored in steps of this many percent. */
const percentStep = 10;

export function createConvertBundle(deps: ConvertBundleDeps): (job: ConversionJob) => Promise<void> {
  const { data, now } = deps;
  return async (job) => {
    const build = await buildQueries(data).findConvertingBuild(job.buildId);
    if (!build) return;
    try {
      const keys = await keysOf(deps.signingKeys, job);
      if (!keys) return;
      const file = await convert(deps, job, build, keys);
      await store(deps, job, build, file).finally(() => file.dispose());
    } catch (error) {
      const waits = error instanceof TooManyRequests;
      const isOver = now() - build.createdAt > maxTriedMs;
      if (waits && !isOver) throw new NotReady(now() + (error.retryAfterSeconds ?? 0) * 1000);
      if (!(error instanceof UnreadablePackage) && !isOver) throw error;
      const late = say(waits ? 'bundle-after-failures' : 'bundle-not-converted');
      const reason = error instanceof UnreadablePackage ? error.message : late;
      await data.transaction((tx) => fail(tx, job, build, reason, now()));
    }
    deps.wakeOutbox();
  };
}

const keysOf = (signingKeys: SigningKeys, { ownerId, keyNumber }: ConversionJob) =>
  signingKeys.keysUpTo(ownerId, keyNumber).catch((error: unknown) => {
    throw error instanceof LostSigningKey ? new UnreadablePackage(say('bundle-key-lost')) : error;
  });

async function convert(
  deps: ConvertBundleDeps,
  job: ConversionJob,
  build: Build,
  keys: ConversionRequest['keys'],
): Promise<ConvertedFile> {
  const { data, packages, failedPackages, withLocalPackage } = deps;
  const space = await spaceFor(deps, job);
  let stored = Promise.resolve();
  let reported = 0;
  const onProgress = (part: number) => {
    const percent = Math.floor((part * 100) / percentStep) * percentStep;
    if (percent === reported) return;
    reported = percent;
    const settle = () => buildQueries(data).settleApk(build.id, { state: 'converting', percent });
    // If a step could not be stored, the next step or the result replaces it.
    stored = stored.then(settle).then(
      () => undefined,
      () => undefined,
    );
  };
  const { maxApkBytes } = space;
  const request = { keys, contentBytes: job.contentBytes, maxApkBytes, onProgress };
  const file = await failedPackages
    .convert(job.ownerId, () =>
      withLocalPackage(uploadedFile(build), (path) => packages.convertBundle(path, job.ownerId, request)),
    )
    .catch((error: unknown) => {
      throw isOverLimit(error) ? space.exceeded() : error;
    });
  await stored;
  try {
    requireSameFacts(file.info, build.info);
  } catch (error) {
    await file.dispose();
    throw error;
  }
  return file;
}

const isOverLimit = (error: unknown) =>
  error instanceof UnreadablePackage && recognize(error.message)?.code === 'bundle-over-limit';

interface ApkSpace {
  maxApkBytes: number;
  /** Returns the error for an APK that turns out to be larger. */
  exceeded(): Error;
}

/**
 * Returns the maximum size of the APK, according to the quota and the disk.
 *
 * @throws UnreadablePackage when the quota is exhausted, which only its owner can change
 * @throws Error when the disk is full
 */
async function spaceFor(
  { data, spool, limits }: ConvertBundleDeps,
  { ownerId, apkBytes }: ConversionJob,
): Promise<ApkSpace> {
  const ofQuota = remainingStorage(await quotaQueries(data).quotaUsagesOf(ownerId));
  const ofDisk = (await spool.freeBytes()) - limits.minimumFreeBytes;
  const overQuota = () => overQuotaError(apkBytes, ofQuota);
  const noSpace = () => new Error('the disk has no space for the APK of an app bundle');
  if (ofQuota < apkBytes) throw overQuota();
  if (ofDisk < apkBytes) throw noSpace();
  const maxBytes = Math.floor(Math.min(ofQuota, ofDisk, maxApkBytes));
  return { maxApkBytes: maxBytes, exceeded: ofQuota <= ofDisk ? overQuota : noSpace };
}

const overQuotaError = (apkBytes: number, leftBytes: number) => {
  const [size, left] = [apkBytes, Math.max(0, leftBytes)].map(formatBytes);
  return new UnreadablePackage(say('bundle-over-quota', { size: size ?? '', left: left ?? '' }));
};

async function store(
  { data, blobs, now }: ConvertBundleDeps,
  job: ConversionJob,
  build: Build,
  file: ConvertedFile,
): Promise<void> {
  const blob = apkKey(build.id, newHexKey());
  await blobs.put(blob, file);
  const { sizeBytes, sha256 } = file;
  try {
    const isStored = await data.transaction(async (tx) => {
      await quotaQueries(tx).lockForUpload(job.ownerId);
      if (!(await buildQueries(tx).settleApk(build.id, { state: 'ready', blob, sizeBytes, sha256 })))
        return false;
      const left = remainingStorage(await quotaQueries(tx).quotaUsagesOf(job.ownerId));
      if (left < 0) throw overQuotaError(sizeBytes, left + sizeBytes);
      await publish(tx, job, build, now());
      return true;
    });
    // The build was removed, or another node was faster.
    if (!isStored) await blobs.remove(blob);
  } catch (error) {
    if (!(error instanceof CommitUnknown)) await blobs.remove(blob).catch(() => undefined);
    throw error;
  }
}

/** Does the part of the upload that had to wait until the build can be installed. */
async function publish(tx: Connection, job: ConversionJob, build: Build, now: number): Promise<void> {
  await outboxQueries(tx).add(job.ownerId, { kind: 'verify-signature', buildId: build.id }, now);
  if (!(await buildQueries(tx).findBuild(build.id))) return;
  const isServed = job.pageId !== null && (await serve(tx, job.pageId, build, job.releaseNote, now));
  const pageId = isServed ? job.pageId : null;
  if (pageId !== null) await eventQueries(tx).dispatch(job.ownerId, { type: 'page.published', pageId }, now);
  const announcement = { kind: 'announce-build', buildId: build.id, pageId } as const;
  if (job.announces) await outboxQueries(tx).add(job.ownerId, announcement, now);
}

/** Returns false if the page was deleted, or already serves a newer build. */
async function serve(
  tx: Connection,
  pageId: string,
  build: Build,
  releaseNote: string,
  now: number,
): Promise<boolean> {
  const page = await distributionQueries(tx).findPageById(pageId);
  if (!page || page.appId !== build.appId) return false;
  if (page.buildId === build.id) return true;
  const served = (await buildQueries(tx).servedBuilds([page.buildId])).get(page.buildId)?.revision ?? 0;
  if (served > build.revision) return false;
  return (await distributionQueries(tx).updatePage(pageId, { buildId: build.id, releaseNote, now })) !== null;
}

async function fail(
  tx: Connection,
  job: ConversionJob,
  build: Build,
  reason: string,
  now: number,
): Promise<void> {
  if (!(await buildQueries(tx).settleApk(build.id, { state: 'failed', reason }))) return;
  await eventQueries(tx).dispatch(job.ownerId, { type: 'build.conversion_failed', buildId: build.id }, now);
  const app = await appQueries(tx).findAppById(build.appId);
  if (app) await notifyBundleFailure(tx, { app, build, reason, uploaderId: job.uploaderId, now });
}
