/** The single write path of uploads: either the build is stored durably, or nothing remains. */
import type { App, Build } from '../apps/app.ts';
import { appQueries } from '../apps/app-queries.ts';
import { buildQueries } from '../apps/builds/build-queries.ts';
import { findingText } from '../apps/findings/finding-texts.ts';
import { retainAfterUpload } from '../apps/retention/retain-builds.ts';
import { packageKey, simulatorKey } from '../blobs/blob-key.ts';
import type { BlobStore } from '../blobs/blob-store.ts';
import type { SpooledFile } from '../blobs/spool/spool.ts';
import { CommitUnknown, conflict, Forbidden, invalid, NotFound, unavailable } from '../core/errors.ts';
import { newHexKey, newIdentifier } from '../core/identifier.ts';
import type { Connection, Data } from '../db/data.ts';
import { eventQueries } from '../jobs/event-queries.ts';
import type { EventCause } from '../jobs/events.ts';
import type { Job } from '../jobs/outbox.ts';
import { outboxQueries } from '../jobs/outbox-queries.ts';
import { type Actor, actorName, coversApp } from '../owners/actor.ts';
import { auditQueries } from '../owners/audit-queries.ts';
import type { Owner } from '../owners/owner.ts';
import { checkQuota } from '../owners/quota.ts';
import { quotaQueries } from '../owners/quota-queries.ts';
import type { SigningKeys } from '../owners/signing-keys/signing-keys.ts';
import { signingFactsOf } from '../packages/apk/signing/signing-key.ts';
import { say } from '../packages/messages/package-messages.ts';
import {
  type PackageInfo,
  PackageReaderUnavailable,
  type Platform,
  type ReadPackage,
  UnreadablePackage,
} from '../packages/package-info.ts';
import type { PackageReader } from '../packages/package-reader.ts';
import { checkFoundPage, chooseDistribution, type DistributionPlan } from '../pages/choose-distribution.ts';
import type { DistributionPage } from '../pages/distribution-page.ts';
import { distributionQueries } from '../pages/distribution-queries.ts';
import { publishUpload } from '../pages/publish-upload.ts';
import { pageSettingsQueries } from '../pages/settings/page-settings-queries.ts';
import type { RecheckPermission } from './authorize-upload.ts';
import { idempotencyQueries } from './idempotency-queries.ts';
import type { UploadForm } from './upload-form.ts';
import { uploadTexts } from './upload-texts.ts';

const t = uploadTexts.form;

export interface PublishRequest {
  actor: Actor;
  owner: Owner;
  recheckPermission: RecheckPermission;
  form: UploadForm;
  /** Platform in the path, or null for any. */
  platform: Platform | null;
  /** Package in the path, or null for any. */
  packageName: string | null;
  idempotencyKey: string | null;
  /** Resolves when the response was sent or the client disconnected. */
  answered: Promise<void>;
}

export interface PublishedBuild {
  app: App;
  build: Build;
  page: DistributionPage | null;
}

export type PublishBuild = (request: PublishRequest) => Promise<PublishedBuild>;

export interface PublishDeps {
  data: Data;
  blobs: BlobStore;
  packages: PackageReader;
  signingKeys: SigningKeys;
  now: () => number;
  /**
   * Called after the commit, when the outbox contains work. Waits for the response, which the commits of the jobs would
   * delay.
   */
  wakeOutboxAfter: (answered: Promise<void>) => void;
  /** Called after the commit with the size of the stored files. */
  published: (bytes: number) => void;
}

/** A concurrent upload with the same Idempotency-Key committed first. Rolls back this one. */
class IdempotencyKeyTaken extends Error {}

export function createPublishBuild(deps: PublishDeps): PublishBuild {
  const { data, blobs, now } = deps;
  return async (request) => {
    const { owner, form } = request;
    const first = await findFirstResult(data, request, now());
    if (first) return first;
    const { distributionKey } = form;
    const found =
      distributionKey === null ? null : await distributionQueries(data).findPageWithApp(distributionKey);
    if (distributionKey !== null) checkFoundPage(found, owner.id);
    const { info, keyNumber } = await readPackage(deps, request);
    const simulator = await readSimulatorZip(deps.packages, form, info);
    const target = { ownerId: owner.id, platform: info.platform, packageName: info.packageName };
    // Checked before anything is stored, and again in the transaction.
    if (!coversApp(request.actor, target)) throw new Forbidden(t.permit);
    const plan = chooseDistribution({ key: distributionKey, name: form.distributionName }, target, found);
    const build = newBuild(request, { info, isBundle: keyNumber !== null }, simulator, now());
    try {
      await storeBlobs(blobs, build, form.file, simulator.simulatorZip);
      const published = await data.transaction((tx) => writeRows(tx, request, { ...build, keyNumber }, plan));
      deps.wakeOutboxAfter(request.answered);
      deps.published(build.sizeBytes + (build.simulatorBytes ?? 0));
      return published;
    } catch (error) {
      if (!(error instanceof CommitUnknown)) await removeBlobs(blobs, build);
      if (error instanceof IdempotencyKeyTaken) {
        const result = await findFirstResult(data, request, now());
        if (result) return result;
      }
      throw error;
    }
  };
}

async function findFirstResult(
  data: Data,
  request: PublishRequest,
  now: number,
): Promise<PublishedBuild | null> {
  const { idempotencyKey, owner, form } = request;
  if (idempotencyKey === null) return null;
  const first = await idempotencyQueries(data).find(owner.id, idempotencyKey, now);
  if (!first) return null;
  if (first.sha256 !== form.file.sha256) {
    throw conflict(uploadTexts.form.keyReused);
  }
  const build = await buildQueries(data).findBuild(first.buildId);
  const app = build && (await appQueries(data).findAppById(build.appId));
  if (!build || !app) return null;
  const { platform, packageName } = app;
  await request.recheckPermission(data, { ownerId: owner.id, platform, packageName });
  const page = first.pageId === null ? null : await distributionQueries(data).findPageById(first.pageId);
  return { app, build, page };
}

/** `keyNumber`: of the key that signs the APK of an app bundle; null for other packages. */
async function readPackage(
  { packages, signingKeys }: PublishDeps,
  request: PublishRequest,
): Promise<{ info: PackageInfo; keyNumber: number | null }> {
  let info: PackageInfo;
  let isBundle: boolean;
  try {
    ({ info, isBundle } = await packages.read(request.form.file.path));
  } catch (error) {
    throw refusalOf(error, t.unreadable);
  }
  if (request.platform !== null && info.platform !== request.platform) {
    throw invalid(t.otherPlatform({ found: info.platform, expected: request.platform }));
  }
  if (request.packageName !== null && info.packageName !== request.packageName) {
    throw invalid(uploadTexts.form.otherPackage({ found: info.packageName, expected: request.packageName }));
  }
  if (!isBundle) return { info, keyNumber: null };
  const { number, certificates } = await signingKeys.certificatesOf(request.owner);
  return { info: { ...info, ...signingFactsOf(certificates, Number(info.sdkVersion)) }, keyNumber: number };
}

interface SimulatorBuild {
  simulatorZip: SpooledFile | null;
  warnings: string[];
}

/**
 * Returns the simulator build to store, and warnings. Its bundle ID may differ from the IPA, because debug and release
 * builds often use different IDs.
 */
async function readSimulatorZip(
  packages: PackageReader,
  { simulatorZip }: UploadForm,
  info: PackageInfo,
): Promise<SimulatorBuild> {
  if (!simulatorZip) return { simulatorZip, warnings: [] };
  if (info.platform !== 'ios') {
    return { simulatorZip: null, warnings: [say('simulator-zip-ignored')] };
  }
  try {
    const { bundleIdentifier } = await packages.readSimulatorZip(simulatorZip.path);
    if (bundleIdentifier === info.packageName) return { simulatorZip, warnings: [] };
    const names = { found: bundleIdentifier, expected: info.packageName };
    return { simulatorZip, warnings: [say('simulator-zip-of-other-app', names)] };
  } catch (error) {
    throw refusalOf(error, t.simulatorUnreadable);
  }
}

function refusalOf(error: unknown, describe: (values: { reason: string }) => string): unknown {
  if (error instanceof PackageReaderUnavailable)
    return unavailable(uploadTexts.form.readerUnavailable, error);
  return error instanceof UnreadablePackage
    ? invalid(describe({ reason: findingText(error.message) }), error)
    : error;
}

function newBuild(
  request: PublishRequest,
  { info, isBundle }: ReadPackage,
  { simulatorZip, warnings }: SimulatorBuild,
  now: number,
): Omit<Build, 'appId' | 'revision'> {
  const { form } = request;
  const id = newIdentifier(now);
  return {
    id,
    info,
    sizeBytes: form.file.sizeBytes,
    md5: form.file.md5,
    sha256: form.file.sha256,
    packageBlob: packageKey(id),
    simulatorBlob: simulatorZip && simulatorKey(id),
    simulatorBytes: simulatorZip?.sizeBytes ?? null,
    simulatorSha256: simulatorZip?.sha256 ?? null,
    apk: isBundle ? { state: 'converting', percent: 0 } : null,
    icon: info.icon ? { state: 'pending' } : { state: 'none' },
    verification: null,
    message: form.message,
    branch: form.branch,
    commit: form.commit,
    buildUrl: form.buildUrl,
    label: form.label,
    uploadWarnings: [...form.warnings, ...warnings],
    uploadedBy: actorName(request.actor),
    createdAt: now,
    protected: false,
    damage: null,
  };
}

type NewBuild = ReturnType<typeof newBuild>;

async function storeBlobs(
  blobs: BlobStore,
  { id }: NewBuild,
  file: SpooledFile,
  simulatorZip: SpooledFile | null,
): Promise<void> {
  await blobs.put(packageKey(id), file);
  if (simulatorZip) await blobs.put(simulatorKey(id), simulatorZip);
}

/** Leftovers are removed by the sweep. The original error matters more. */
async function removeBlobs(blobs: BlobStore, build: NewBuild): Promise<void> {
  await Promise.allSettled([blobs.remove(packageKey(build.id)), blobs.remove(simulatorKey(build.id))]);
}

/** SQL only: all other writers may be waiting for this transaction. */
async function writeRows(
  data: Connection,
  request: PublishRequest,
  { keyNumber, ...draft }: NewBuild & { keyNumber: number | null },
  plan: DistributionPlan,
): Promise<PublishedBuild> {
  const { owner, form } = request;
  const { platform, packageName } = draft.info;
  const now = draft.createdAt;
  if (!(await quotaQueries(data).lockForUpload(owner.id)))
    throw new NotFound(uploadTexts.form.ownerUnknown({ owner: owner.name }));
  await request.recheckPermission(data, { ownerId: owner.id, platform, packageName });
  const app = await appQueries(data).takeNextRevision({
    ownerId: owner.id,
    platform,
    packageName,
    secret: newHexKey(),
    now,
  });
  const build: Build = { ...draft, appId: app.id, revision: app.lastRevision };
  await buildQueries(data).insertBuild(build);
  const isNewPage =
    plan.kind === 'by-name' && !(await pageSettingsQueries(data).hasPageNamed(build.appId, plan.name));
  const page = await publishUpload(data, plan, build, form.releaseNote);
  if (request.idempotencyKey !== null) {
    const result = { sha256: build.sha256, buildId: build.id, pageId: page?.id ?? null };
    const taken = await idempotencyQueries(data).take(owner.id, request.idempotencyKey, result, now);
    if (!taken) throw new IdempotencyKeyTaken();
  }
  for (const { quota, usage } of await quotaQueries(data).quotaUsagesOf(owner.id)) checkQuota(quota, usage);
  if (build.icon.state === 'pending')
    await outboxQueries(data).add({ kind: 'draw-icon', buildId: build.id }, now);
  const pageId = page?.id ?? null;
  await outboxQueries(data).addAll(jobsAfterUpload(request, build, keyNumber, pageId), now);
  await retainAfterUpload(data, app.id, now);
  const events: EventCause[] = [{ type: 'build.uploaded', buildId: build.id, pageId }];
  if (pageId !== null && isNewPage) events.push({ type: 'page.created', pageId });
  if (pageId !== null && build.apk === null) events.push({ type: 'page.published', pageId });
  await eventQueries(data).dispatchAll(events, now);
  await auditQueries(data).record({
    at: now,
    actor: request.actor,
    action: 'build.uploaded',
    ownerId: owner.id,
    subject: `${packageName} (${platform}) revision ${build.revision}`,
    details: { build: build.id, page: pageId, disableNotify: form.disableNotify },
  });
  const named = { id: owner.id, kind: owner.kind, name: owner.name };
  const { name: latestName } = build.info;
  return { app: { ...app, owner: named, platform, packageName, latestName }, build, page };
}

/** An app bundle is announced, and its signature verified, when there is an APK. */
function jobsAfterUpload(
  { actor, owner, form }: PublishRequest,
  { id: buildId, info }: Build,
  keyNumber: number | null,
  pageId: string | null,
): Job[] {
  const announces = !form.disableNotify;
  if (keyNumber !== null) {
    const uploaderId = actor.kind === 'user' ? actor.user.id : null;
    const publication = { pageId, releaseNote: form.releaseNote, announces, uploaderId };
    return [{ kind: 'convert-bundle', buildId, ownerId: owner.id, keyNumber, ...publication }];
  }
  const isSigned = info.signature !== null || info.signing.schemes.length > 0;
  return [
    ...(isSigned ? [{ kind: 'verify-signature', buildId } as const] : []),
    ...(announces ? [{ kind: 'announce-build', buildId, pageId } as const] : []),
  ];
}
