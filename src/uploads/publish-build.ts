/** Stores uploads. There is no other way to create a build. Either the build is stored durably, or nothing remains. */

import { requireTrusted } from '../accounts/trusted-publishing/trusted-only.ts';
import type { App, Build } from '../apps/app.ts';
import { appQueries } from '../apps/app-queries.ts';
import { type BuildFields, findContradiction, withClaims } from '../apps/build-fields.ts';
import { buildQueries } from '../apps/builds/build-queries.ts';
import { retainAfterUpload } from '../apps/retention/retain-builds.ts';
import { packageKey, simulatorKey } from '../blobs/blob-key.ts';
import type { BlobStore } from '../blobs/blob-store.ts';
import type { SpooledFile } from '../blobs/spool/spool.ts';
import { SpoolFull } from '../blobs/spool/spool-errors.ts';
import type { Limits } from '../config.ts';
import { AppError, CommitUnknown, conflict, Forbidden, NotFound } from '../core/errors.ts';
import { newHexKey, newIdentifier } from '../core/identifier.ts';
import type { Connection, Data } from '../db/data.ts';
import {
  checkFoundPage,
  chooseDistribution,
  type DistributionPlan,
  type FoundPage,
} from '../distributions/choose-distribution.ts';
import type { DistributionPage } from '../distributions/distribution-page.ts';
import { distributionQueries } from '../distributions/distribution-queries.ts';
import { publishUpload } from '../distributions/publish-upload.ts';
import { recordNewPage } from '../distributions/settings/page-settings-change.ts';
import { pageSettingsQueries } from '../distributions/settings/page-settings-queries.ts';
import type { VerifiedAttestation } from '../insight/provenance/attestation.ts';
import { addAttestations } from '../insight/provenance/provenance.ts';
import { provenanceQueries } from '../insight/provenance/provenance-queries.ts';
import type { AttestationVerifier } from '../insight/provenance/verify-attestation.ts';
import { eventQueries } from '../jobs/event-queries.ts';
import type { Job } from '../jobs/outbox.ts';
import { outboxQueries } from '../jobs/outbox-queries.ts';
import { type Actor, actorName, matchesPattern } from '../owners/actor.ts';
import { auditQueries } from '../owners/audit-queries.ts';
import { checkQuota } from '../owners/quota.ts';
import { quotaQueries } from '../owners/quota-queries.ts';
import type { ConversionNeeds } from '../packages/package-info.ts';
import type { RecheckPermission } from './authorize-upload.ts';
import { type FirstResult, idempotencyQueries, type UploadClaim } from './idempotency-queries.ts';
import {
  type ReadRequest,
  type ReadUpload,
  type ReadUploadDeps,
  readPackage,
  readSimulatorZip,
  type SimulatorBuild,
} from './read-upload.ts';
import { checkRemainingQuota } from './remaining-quota.ts';
import { uploadTexts } from './upload-texts.ts';

const t = uploadTexts.form;

export interface PublishRequest extends ReadRequest {
  recheckPermission: RecheckPermission;
  idempotencyKey: UploadClaim | null;
  /** Resolves when the response was sent or the client disconnected. */
  answered: Promise<void>;
  /** The upload in progress that this completes. */
  reservation?: {
    /** How much it counts toward the quota until `end`. */
    bytes: number;
    /** Runs in the transaction that creates the build. Throws if another request has completed or removed the upload. */
    end(tx: Connection, result: FirstResult & { blob: string }): Promise<void>;
  };
}

export interface PublishedBuild {
  app: App;
  build: Build;
  page: DistributionPage | null;
}

export type PublishBuild = (request: PublishRequest) => Promise<PublishedBuild>;

export interface PublishDeps extends ReadUploadDeps {
  attestationVerifier: AttestationVerifier;
  limits: Pick<Limits, 'minimumFreeBytes'>;
  data: Data;
  blobs: BlobStore;
  now: () => number;
  /** Called after the commit, when the outbox contains work. Waits for the response, which would be delayed by commits of the jobs. */
  wakeOutboxAfter: (answered: Promise<void>) => void;
  /** Called after the commit with the size of the stored files. */
  published: (bytes: number) => void;
}

/** A concurrent upload with the same Idempotency-Key was committed first. Rolls back this one. */
class IdempotencyKeyTaken extends Error {}

export function createPublishBuild(deps: PublishDeps): PublishBuild {
  const { data, now } = deps;
  return async (request) => {
    const { form } = request;
    checkClaims(request);
    const first = await findFirstResult(data, request, now());
    if (first) return first;
    const found = await checkPage(data, request);
    const upload = await readPackage(deps, request);
    try {
      return await publish(deps, request, upload, found);
    } catch (error) {
      if (!(error instanceof IdempotencyKeyTaken)) throw error;
      const result = await findFirstResult(data, request, now());
      if (result) return result;
      throw error;
    } finally {
      if (upload.file !== form.file) await upload.file.dispose();
    }
  };
}

type StatedRequest = Pick<PublishRequest, 'actor' | 'owner' | 'form'>;

/** Throws what is already certain to be refused before the file has arrived. */
export async function checkStated(data: Connection, request: StatedRequest): Promise<void> {
  checkClaims(request);
  await checkPage(data, request);
}

/** Returns the page that the form states by its key, with its App; null if it states none. */
async function checkPage(data: Connection, { actor, owner, form }: StatedRequest): Promise<FoundPage | null> {
  const { distributionKey: key, distributionName } = form;
  const found = key === null ? null : await distributionQueries(data).findPageWithApp(key);
  if (key !== null) checkFoundPage(found, owner.id);
  checkPageName(actor, key === null ? distributionName : (found?.page.name ?? null));
  return found;
}

/** The ID token of a trusted publisher is more credible than what its uploader states. */
function checkClaims({ actor, form }: StatedRequest): void {
  const found = actor.key?.source ? findContradiction(form, actor.key.source) : null;
  if (!found) return;
  const { field } = found;
  throw new AppError('invalid', t.contradiction(found), { code: 'contradicts_source', field });
}

async function publish(
  deps: PublishDeps,
  request: PublishRequest,
  upload: ReadUpload,
  found: FoundPage | null,
): Promise<PublishedBuild> {
  const { data, blobs, now, wakeOutboxAfter, published } = deps;
  const { owner, form } = request;
  const { info, file } = upload;
  const simulator = await readSimulatorZip(deps, request, info);
  const target = { ownerId: owner.id, platform: info.platform, packageName: info.packageName };
  const wanted = { key: form.distributionKey, name: form.distributionName };
  const plan = chooseDistribution(wanted, target, found);
  const attestations = await verifyAttestations(deps, request, upload, simulator);
  const build = newBuild(request, upload, simulator, now());
  if (upload.conversion) await checkApkSpace(deps, request, build, upload.conversion);
  try {
    await storeBlobs(blobs, build, file, simulator.simulatorZip);
    const result = await data.transaction((tx) =>
      writeRows(tx, request, { ...build, conversion: upload.conversion }, plan, {
        attestations,
        commit: upload.commit,
      }),
    );
    wakeOutboxAfter(request.answered);
    published(build.sizeBytes + (build.simulatorBytes ?? 0));
    return result;
  } catch (error) {
    if (!(error instanceof CommitUnknown)) await removeBlobs(blobs, build);
    throw error;
  }
}

/** Throws `invalid` unless every attestation of the upload is about one of its files. */
async function verifyAttestations(
  { attestationVerifier }: PublishDeps,
  { form }: PublishRequest,
  { file }: ReadUpload,
  { simulatorZip }: SimulatorBuild,
): Promise<VerifiedAttestation[]> {
  if (form.attestation === '') return [];
  const files = simulatorZip ? [file.sha256, simulatorZip.sha256] : [file.sha256];
  return attestationVerifier.verify(form.attestation, files);
}

/** Throws `Forbidden` if the key may not choose the page. */
function checkPageName({ restriction }: Actor, name: string | null): void {
  const pattern = restriction?.pageNames;
  if (pattern !== undefined && name !== null && !matchesPattern(pattern, name))
    throw new Forbidden(t.pageName({ pattern }));
}

/** The APK generated from an app bundle must fit into the quota and on the disk, in addition to the bundle. */
async function checkApkSpace(
  { data, spool, limits, now }: PublishDeps,
  { owner, idempotencyKey, reservation }: PublishRequest,
  { sizeBytes }: NewBuild,
  { apkBytes }: ConversionNeeds,
): Promise<void> {
  const expected = { minBytes: sizeBytes + apkBytes - (reservation?.bytes ?? 0), idempotencyKey };
  await checkRemainingQuota(data, owner, expected, now());
  if ((await spool.freeBytes()) - apkBytes < limits.minimumFreeBytes) throw new SpoolFull();
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
    throw conflict(t.keyReused);
  }
  const build = await buildQueries(data).findBuild(first.buildId);
  const app = build && (await appQueries(data).findAppById(build.appId));
  if (!build || !app) return null;
  const { platform, packageName } = app;
  await request.recheckPermission(data, { ownerId: owner.id, platform, packageName });
  const page = first.pageId === null ? null : await distributionQueries(data).findPageById(first.pageId);
  return { app, build, page };
}

function newBuild(
  request: PublishRequest,
  { info, file, conversion, commit }: ReadUpload,
  { simulatorZip, warnings }: SimulatorBuild,
  now: number,
): Omit<Build, 'appId' | 'revision'> {
  const { form } = request;
  const id = newIdentifier(now);
  return {
    id,
    info,
    sizeBytes: file.sizeBytes,
    md5: file.md5,
    sha256: file.sha256,
    packageBlob: file.stored?.key ?? packageKey(id),
    simulatorBlob: simulatorZip && simulatorKey(id),
    simulatorBytes: simulatorZip?.sizeBytes ?? null,
    simulatorSha256: simulatorZip?.sha256 ?? null,
    apk: conversion ? { state: 'converting', percent: 0 } : null,
    icon: info.icon ? { state: 'pending' } : { state: 'none' },
    verification: null,
    message: form.message,
    ...withPackageCommit(withClaims(form, request.actor.key?.source ?? null), commit),
    uploadWarnings: [...form.warnings, ...warnings],
    uploadedBy: actorName(request.actor),
    createdAt: now,
    protected: false,
    damage: null,
    source: request.actor.key?.source ?? null,
  };
}

/** The commit that the package names itself counts if the upload names none. */
const withPackageCommit = (fields: BuildFields, commit: string | null): BuildFields => ({
  ...fields,
  commit: fields.commit ?? commit,
});

type NewBuild = ReturnType<typeof newBuild>;

async function storeBlobs(
  blobs: BlobStore,
  { id }: NewBuild,
  file: SpooledFile,
  simulatorZip: SpooledFile | null,
): Promise<void> {
  await (file.stored?.complete() ?? blobs.put(packageKey(id), file));
  if (simulatorZip) await blobs.put(simulatorKey(id), simulatorZip);
}

/** The sweep removes leftovers. The original error matters more. */
async function removeBlobs(blobs: BlobStore, build: NewBuild): Promise<void> {
  await Promise.allSettled([blobs.remove(packageKey(build.id)), blobs.remove(simulatorKey(build.id))]);
}

/** SQL only, because all other writers may be waiting for this transaction. */
async function writeRows(
  data: Connection,
  request: PublishRequest,
  { conversion, ...draft }: NewBuild & Pick<ReadUpload, 'conversion'>,
  plan: DistributionPlan,
  provenance: { attestations: readonly VerifiedAttestation[]; commit: string | null },
): Promise<PublishedBuild> {
  const { owner, form } = request;
  const { platform, packageName } = draft.info;
  const now = draft.createdAt;
  if (!(await quotaQueries(data).lockForUpload(owner.id)))
    throw new NotFound(t.ownerUnknown({ owner: owner.name }));
  await request.recheckPermission(data, { ownerId: owner.id, platform, packageName });
  // Here, so that no transport can forget it, and the package is known.
  await requireTrusted(data, request.actor, owner, { platform, packageName });
  const app = await appQueries(data).takeNextRevision({
    ownerId: owner.id,
    platform,
    packageName,
    secret: newHexKey(),
    now,
  });
  const build: Build = { ...draft, appId: app.id, revision: app.lastRevision };
  await buildQueries(data).insertBuild(build);
  if (provenance.commit !== null)
    await provenanceQueries(data).insertPackageCommit(build.id, provenance.commit);
  const isNewPage =
    plan.kind === 'by-name' && !(await pageSettingsQueries(data).hasPageNamed(build.appId, plan.name));
  const page = await publishUpload(data, plan, build, {
    releaseNote: form.releaseNote,
    ownerId: owner.id,
  });
  const result = { sha256: form.file.sha256, buildId: build.id, pageId: page?.id ?? null };
  await request.reservation?.end(data, { ...result, blob: build.packageBlob });
  if (request.idempotencyKey !== null) {
    const taken = await idempotencyQueries(data).take(owner.id, request.idempotencyKey, result, now);
    if (!taken) throw new IdempotencyKeyTaken();
  }
  const apkBytes = conversion?.apkBytes ?? 0;
  for (const { quota, usage } of await quotaQueries(data).quotaUsagesOf(owner.id))
    checkQuota(quota, { ...usage, bytes: usage.bytes + apkBytes });
  const pageId = page?.id ?? null;
  const icon = build.icon.state === 'pending' ? [{ kind: 'draw-icon', buildId: build.id } as const] : [];
  const analysis = { kind: 'analyze-build', buildId: build.id } as const;
  const jobs = [...icon, analysis, ...jobsAfterUpload(request, build, conversion, pageId)];
  await outboxQueries(data).addAll(owner.id, jobs, now);
  await retainAfterUpload(data, app.id, now);
  const uploaded: App = {
    ...app,
    owner: { id: owner.id, kind: owner.kind, name: owner.name },
    platform,
    packageName,
    latestName: build.info.name,
  };
  await addAttestations(data, { by: request.actor, app: uploaded, build }, provenance.attestations, now);
  const served = pageId !== null && build.apk === null ? [{ type: 'page.published', pageId } as const] : [];
  const added = { type: 'build.uploaded', buildId: build.id, pageId } as const;
  await auditQueries(data).record({
    at: now,
    actor: request.actor,
    action: 'build.uploaded',
    ownerId: owner.id,
    subject: `${packageName} (${platform}) revision ${build.revision}`,
    details: { build: build.id, page: pageId, disableNotify: form.disableNotify },
  });
  if (page && isNewPage) {
    const happened = { revision: build.revision, before: [added], after: served };
    await recordNewPage(data, { by: request.actor, app: uploaded, page }, happened, now);
  } else await eventQueries(data).dispatchAll(owner.id, [added, ...served], now);
  return { app: uploaded, build, page };
}

/** An app bundle is announced, and its signature verified, when its APK exists. */
function jobsAfterUpload(
  { actor, owner, form }: PublishRequest,
  { id: buildId, info }: Build,
  conversion: ReadUpload['conversion'],
  pageId: string | null,
): Job[] {
  const announces = !form.disableNotify;
  if (conversion) {
    const uploaderId = actor.kind === 'user' ? actor.user.id : null;
    const publication = { pageId, releaseNote: form.releaseNote, announces, uploaderId };
    return [{ kind: 'convert-bundle', buildId, ownerId: owner.id, ...conversion, ...publication }];
  }
  const isSigned = info.signature !== null || info.signing.schemes.length > 0;
  return [
    ...(isSigned ? [{ kind: 'verify-signature', buildId } as const] : []),
    ...(announces ? [{ kind: 'announce-build', buildId, pageId } as const] : []),
  ];
}
