/** Receives uploads in several requests, on any node, and makes a build of the last one. */
import type { App } from '../../apps/app.ts';
import { appQueries } from '../../apps/app-queries.ts';
import { buildQueries } from '../../apps/builds/build-queries.ts';
import { packageKey } from '../../blobs/blob-key.ts';
import type { BlobStore } from '../../blobs/blob-store.ts';
import type { Spool, SpooledFile } from '../../blobs/spool/spool.ts';
import type { Claim } from '../../claims/claim.ts';
import type { Claims } from '../../claims/claims.ts';
import { AppError, conflict, NotFound, tooLarge } from '../../core/errors.ts';
import { newIdentifier } from '../../core/identifier.ts';
import type { Data } from '../../db/data.ts';
import { distributionQueries } from '../../distributions/distribution-queries.ts';
import type { Actor } from '../../owners/actor.ts';
import type { Owner } from '../../owners/owner.ts';
import { quotaQueries } from '../../owners/quota-queries.ts';
import type { PackageReader } from '../../packages/package-reader.ts';
import type { UploadCredential } from '../authorize-upload.ts';
import { checkStated, type PublishBuild, type PublishedBuild } from '../publish-build.ts';
import { checkRemainingQuota } from '../remaining-quota.ts';
import { formOfFields } from '../upload-form.ts';
import { uploadTexts } from '../upload-texts.ts';
import { type ResumableUpload, resumableUploadLimits, senderIdOf } from './resumable-upload.ts';
import { resumableUploadQueries } from './resumable-upload-queries.ts';
import { createUploadBytes } from './upload-bytes.ts';
import { busy, type Chunk, createUploadWriter } from './upload-writer.ts';

const t = uploadTexts.resumable;
const { lifetimeMs, perKey, perOwner } = resumableUploadLimits;

const sweepEveryMs = 60_000;
/** Errors that say nothing about the package: the last request may be repeated. */
const temporaryKinds: readonly string[] = [
  'unauthenticated',
  'too_many',
  'no_space',
  'unavailable',
  'locked',
];

export interface ResumableUploadDeps {
  data: Data;
  blobs: BlobStore;
  spool: Spool;
  packages: Pick<PackageReader, 'prepare'>;
  claims: Claims;
  publishBuild: PublishBuild;
  now: () => number;
  log: { error(fields: object, message: string): void };
}

export interface UploadSender {
  actor: Actor;
  credential: UploadCredential;
  owner: Owner;
  /** The only accepted app; null for any. */
  app: Pick<App, 'platform' | 'packageName'> | null;
  /** The origin of this server. */
  origin: string;
  /** Resolves when the response was sent or the client disconnected. */
  answered: Promise<void>;
}

export interface UploadState {
  upload: ResumableUpload;
  /** Null until all bytes have arrived. */
  published: PublishedBuild | null;
}

export type ResumableUploads = ReturnType<typeof createResumableUploads>;

export function createResumableUploads(deps: ResumableUploadDeps) {
  const { data, claims, now } = deps;
  const queries = resumableUploadQueries(data);
  const bytes = createUploadBytes(deps);
  const writer = createUploadWriter({ ...deps, bytes });
  const { closeSession, replaceStale } = writer;
  let sweeping = Promise.resolve();
  let sweepTimer: NodeJS.Timeout | undefined;
  let isClosed = false;

  /** Claims the upload for `work`. Throws `conflict` while another request or node has it. */
  async function withClaim<T>(
    id: string,
    work: (upload: ResumableUpload, claim: Claim) => Promise<T>,
  ): Promise<T> {
    const claim = claims.begin();
    try {
      const upload = await queries.claim(id, claim, now());
      if (!upload) {
        await requireAlive(id);
        throw busy();
      }
      return await work(upload, claim);
    } finally {
      await claims.settle(claim, () => queries.release(claim));
      writer.closeWhenIdle(id);
    }
  }

  /** Makes the build of a complete upload, or stores why there is none. */
  async function finish(
    upload: ResumableUpload,
    claim: Claim,
    sender: UploadSender,
  ): Promise<PublishedBuild> {
    const { actor, credential, owner, app, origin, answered } = sender;
    const session = writer.sessionOf(upload.id);
    let file: SpooledFile | null = null;
    try {
      file = await bytes.assemble(upload, session);
      const published = await deps.publishBuild({
        actor,
        owner,
        platform: app?.platform ?? null,
        packageName: app?.packageName ?? null,
        form: await formOfFields(upload.fields, file, origin),
        recheckPermission: credential.recheck(owner),
        idempotencyKey: credential.claim(upload.idempotencyKey, upload.keyId),
        answered,
        reservation: {
          bytes: upload.sizeBytes,
          end: async (tx, result) => {
            const isSaved = await resumableUploadQueries(tx).saveResult(upload.id, claim, 'built', result);
            if (!isSaved) throw busy();
          },
        },
      });
      // An earlier upload with the same Idempotency-Key made this build. Otherwise this changes nothing.
      const { build, page } = published;
      const result = { buildId: build.id, pageId: page?.id ?? null, blob: '' };
      await queries.saveResult(upload.id, claim, 'built', result);
      return published;
    } catch (error) {
      if (error instanceof AppError && !temporaryKinds.includes(error.kind)) {
        const { kind, message, code } = error;
        await queries.saveResult(upload.id, claim, 'refused', { kind, message, code });
      } else await checkStillOpen(upload);
      throw error;
    } finally {
      await closeSession(upload.id);
      await file?.dispose();
      await removeBytes(upload.id);
    }
  }

  /**
   * Removes what an upload that is over has stored. If it fails, the sweep repeats it. `sessions`: how many there may be if one
   * began when the others were already removed.
   */
  async function removeBytes(id: string, sessions = 0): Promise<void> {
    try {
      const upload = await queries.find(id);
      if (!upload || upload.state === 'open') return;
      const { result } = upload;
      const stored = { ...upload, sessions: Math.max(upload.sessions, sessions) };
      await bytes.remove(stored, result !== null && 'blob' in result && result.blob === packageKey(id));
      await queries.markRemoved(id);
    } catch (error) {
      deps.log.error({ err: error }, 'the bytes of an upload could not be removed');
    }
  }

  /**
   * If another request ended the upload while this one was at work, removes what this one has stored since, which nobody else
   * knows of, and throws why it is over.
   */
  async function checkStillOpen({ id, sessions }: ResumableUpload): Promise<void> {
    if ((await queries.find(id))?.state === 'open') return;
    await closeSession(id);
    await removeBytes(id, sessions + 1);
    await requireAlive(id);
  }

  async function loadPublished({ result }: ResumableUpload): Promise<PublishedBuild> {
    const built = result !== null && 'buildId' in result ? result : null;
    const build = built && (await buildQueries(data).findBuild(built.buildId));
    const app = build && (await appQueries(data).findAppById(build.appId));
    if (!build || !app) throw new NotFound(t.buildDeleted);
    const page = built?.pageId ? await distributionQueries(data).findPageById(built.pageId) : null;
    return { app, build, page };
  }

  async function sweep(): Promise<void> {
    if (isClosed) return;
    const time = now();
    await queries.endAbandoned(time);
    for (const { id } of await queries.listLeftovers()) {
      await closeSession(id);
      await removeBytes(id);
    }
    await queries.deleteOld(time);
  }
  const sweepLater = (afterMs: number) => {
    sweepTimer = setTimeout(() => {
      sweeping = sweep()
        .catch((error) => deps.log.error({ err: error }, 'the sweep of unfinished uploads failed'))
        .finally(() => isClosed || sweepLater(sweepEveryMs));
    }, afterMs).unref();
  };

  return {
    /** Begins an upload. One that was begun with the same Idempotency-Key is returned again. */
    async create(
      { actor, credential, owner, origin }: UploadSender,
      wanted: Pick<ResumableUpload, 'fields' | 'sizeBytes' | 'idempotencyKey'>,
    ): Promise<ResumableUpload> {
      const { fields, sizeBytes, idempotencyKey } = wanted;
      const form = await formOfFields(fields, announcedFile(sizeBytes), origin);
      await queries.endAbandoned(now(), owner.id);
      return data.transaction(async (tx) => {
        const time = now();
        const uploads = resumableUploadQueries(tx);
        if (!(await quotaQueries(tx).lockForUpload(owner.id))) throw new NotFound();
        const earlier = idempotencyKey && (await uploads.findByKey(credential.id, idempotencyKey, time));
        if (earlier) {
          const isSame =
            earlier.sizeBytes === sizeBytes && JSON.stringify(earlier.fields) === JSON.stringify(fields);
          if (isSame) return earlier;
          throw new AppError('conflict', uploadTexts.form.keyReused, { code: 'idempotency_conflict' });
        }
        await checkStated(tx, { actor, owner, form });
        const { ofKey, ofOwner } = await uploads.countOpen(owner.id, credential.id);
        if (ofKey >= perKey) throw conflict(t.tooManyOfKey({ limit: perKey }));
        if (ofOwner >= perOwner) throw conflict(t.tooManyOfOwner({ limit: perOwner }));
        const expected = {
          minBytes: sizeBytes,
          idempotencyKey: credential.claim(idempotencyKey, credential.id),
        };
        await checkRemainingQuota(tx, owner, expected, time);
        return uploads.insert({
          ...wanted,
          id: newIdentifier(time),
          ownerId: owner.id,
          senderId: senderIdOf(actor),
          keyId: credential.id,
          createdAt: time,
          expiresAt: time + lifetimeMs,
        });
      });
    },

    /**
     * Finds the upload that the sender began with this key, and replaces its fields unless it is over. Null if it has expired or was
     * terminated.
     */
    async resume(
      { actor, credential, owner, origin }: UploadSender,
      {
        fields,
        sizeBytes,
        idempotencyKey,
      }: Pick<ResumableUpload, 'fields' | 'sizeBytes'> & {
        idempotencyKey: string;
      },
    ): Promise<ResumableUpload | null> {
      const form = await formOfFields(fields, announcedFile(sizeBytes), origin);
      return data.transaction(async (tx) => {
        const uploads = resumableUploadQueries(tx);
        const begun = await uploads.findByKey(credential.id, idempotencyKey, now(), 'with refused');
        if (begun?.ownerId !== owner.id || begun.sizeBytes !== sizeBytes) return null;
        if (begun.state !== 'open') return begun;
        await checkStated(tx, { actor, owner, form });
        await uploads.replaceFields(begun.id, fields);
        return { ...begun, fields };
      });
    },

    /** Finds an upload that is not over by the key it was begun with. */
    findBegun: ({ credential }: Pick<UploadSender, 'credential'>, idempotencyKey: string) =>
      queries.findByKey(credential.id, idempotencyKey, now()),

    /** Throws `NotFound` for an upload of someone else as for none. */
    async find(actor: Actor, id: string): Promise<ResumableUpload> {
      const upload = await queries.find(id);
      if (!upload || upload.senderId !== senderIdOf(actor)) throw new NotFound();
      return upload;
    },

    /** Receives a part of the upload. After the last one, makes the build. */
    async write(given: ResumableUpload, chunk: Chunk, sender: UploadSender): Promise<UploadState> {
      const { id } = given;
      await replaceStale(id);
      const upload = await requireAlive(id);
      if (chunk.offset !== upload.receivedBytes) throw conflict(t.offset({ offset: upload.receivedBytes }));
      if (chunk.announcedBytes > upload.sizeBytes - upload.receivedBytes)
        throw tooLarge(t.longer({ size: upload.sizeBytes }));
      if (upload.state === 'built') return { upload, published: await loadPublished(upload) };
      return withClaim(id, async (claimed, claim) => {
        if (chunk.offset !== claimed.receivedBytes)
          throw conflict(t.offset({ offset: claimed.receivedBytes }));
        const isComplete = claimed.receivedBytes === claimed.sizeBytes;
        const receive = () =>
          writer.receive(claimed, claim, chunk).catch(async (error: unknown) => {
            await checkStillOpen(claimed);
            throw error;
          });
        const current = isComplete ? claimed : await receive();
        if (current.receivedBytes < current.sizeBytes) return { upload: current, published: null };
        return { upload: current, published: await finish(current, claim, sender) };
      });
    },

    /** Returns the state of the upload. Makes the build of a complete one whose last request was interrupted. */
    async read({ id }: ResumableUpload, sender: UploadSender): Promise<UploadState> {
      await replaceStale(id);
      const upload = await requireAlive(id);
      if (upload.state === 'built') return { upload, published: await loadPublished(upload) };
      if (upload.receivedBytes < upload.sizeBytes) return { upload, published: null };
      return withClaim(id, async (claimed, claim) => ({
        upload: claimed,
        published: await finish(claimed, claim, sender),
      }));
    },

    /** Ends the upload and removes what it has stored. Throws `conflict` if it has become a build. */
    async terminate({ id }: ResumableUpload): Promise<void> {
      const { state } = await requireAlive(id);
      if (state === 'built' || !(await queries.end(id))) throw conflict(t.finished);
      await writer.stop(id, new NotFound(t.gone));
      await closeSession(id);
      await removeBytes(id);
    },

    start: () => sweepLater(0),
    sweep,

    async close(): Promise<void> {
      isClosed = true;
      clearTimeout(sweepTimer);
      await sweeping;
      await writer.close();
    },
  };

  async function requireAlive(id: string): Promise<ResumableUpload> {
    const upload = await queries.find(id);
    if (upload?.result && 'kind' in upload.result) {
      const { kind, message, code } = upload.result;
      throw new AppError(kind, message, code ? { code } : {});
    }
    if (!upload || upload.state === 'ended' || upload.expiresAt <= now()) throw new NotFound(t.gone);
    return upload;
  }
}

/** Takes the place of the file while only the fields are checked. */
const announcedFile = (sizeBytes: number): SpooledFile => ({
  path: '',
  sizeBytes,
  md5: '',
  sha256: '',
  synced: true,
  dispose: async () => {},
});
