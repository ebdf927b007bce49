/** Verifies every stored file at a limited rate, and marks builds with damaged files. */
import { buildQueries } from '../apps/builds/build-queries.ts';
import { parseBlobKey } from '../blobs/blob-key.ts';
import type { BlobStore } from '../blobs/blob-store.ts';
import { createPace, type DamageReason, type Pace, verifyBlob } from '../blobs/verify-blob.ts';
import type { Connection, Data } from '../db/data.ts';
import { installation, type JobHandlers, NotReady } from '../jobs/outbox.ts';
import { outboxQueries } from '../jobs/outbox-queries.ts';
import { backupQueries, fileTables } from './backup/backup-queries.ts';
import { blobsOf } from './backup/referenced-blobs.ts';

const buildsPerBatch = 100;
/** A job stops after this time, well before its lease ends, and leaves the rest to the next one. */
const maxRunMs = 60_000;
/** Maximum time for one file, even at a low rate. */
const longestFileMs = 100_000;
const weekMs = 7 * 24 * 60 * 60_000;

export interface FileCheckDeps {
  data: Data;
  blobs: BlobStore;
  bytesPerSecond: number;
  /** Called for every damaged file, each time it is found. */
  onDamaged(file: { key: string; reason: DamageReason; buildId?: string }): void;
  signal?: AbortSignal;
}

export interface CheckedFiles {
  files: number;
  damaged: number;
}

/** Checks all files. Other processes may do so at the same time. */
export async function checkFiles(deps: FileCheckDeps): Promise<CheckedFiles> {
  const total: CheckedFiles = { files: 0, damaged: 0 };
  const pace = createPace(deps.bytesPerSecond, deps.signal);
  for (let after: string | null = ''; after !== null; ) {
    const step: CheckedStep = await checkSome(deps, after, pace, Number.POSITIVE_INFINITY);
    total.files += step.files;
    total.damaged += step.damaged;
    after = step.next;
  }
  return total;
}

interface CheckedStep extends CheckedFiles {
  /** The build or file to continue after; null when finished. */
  next: string | null;
}

async function checkSome(
  deps: FileCheckDeps,
  after: string,
  pace: Pace,
  until: number,
): Promise<CheckedStep> {
  const start = fileStarts.find((one) => after.startsWith(one));
  if (start !== undefined) return checkSomeFiles(deps, start, after, pace, until);
  const { data, blobs, onDamaged } = deps;
  const step: CheckedStep = { files: 0, damaged: 0, next: null };
  const builds = await backupQueries(data).listStored(after, buildsPerBatch);
  for (const build of builds) {
    const errors: Record<string, DamageReason> = {};
    for (const expected of blobsOf(build)) {
      const maxBytes = (deps.bytesPerSecond * longestFileMs) / 1000;
      const share = Math.min(1, maxBytes / (expected.sizeBytes ?? 1));
      const reason = await verifyBlob(blobs, expected, (bytes) => pace(bytes * share));
      step.files += 1;
      if (reason) errors[expected.key] = reason;
    }
    const isSound = !build.isDamaged && Object.keys(errors).length === 0;
    const marked = !isSound && (await buildQueries(data).setDamage(build, errors));
    for (const [key, reason] of marked ? Object.entries(errors) : []) {
      step.damaged += 1;
      onDamaged({ key, reason, buildId: build.id });
    }
    step.next = build.id;
    if (performance.now() >= until) return step;
  }
  if (builds.length < buildsPerBatch) step.next = fileStarts[0] ?? null;
  return step;
}

/** Each sorts before the keys of its files; no build has such an id. */
const fileStarts = Object.keys(fileTables) as (keyof typeof fileTables)[];

/** Damage of a screenshot or a symbol file is only reported, because feedback and builds are usable without it. */
async function checkSomeFiles(
  deps: FileCheckDeps,
  start: keyof typeof fileTables,
  after: string,
  pace: Pace,
  until: number,
): Promise<CheckedStep> {
  const step: CheckedStep = { files: 0, damaged: 0, next: null };
  const files = await backupQueries(deps.data).listFiles(fileTables[start], after, buildsPerBatch);
  for (const { blob, sizeBytes, sha256 } of files) {
    const key = parseBlobKey(blob);
    const reason = await verifyBlob(deps.blobs, { key, sizeBytes, sha256 }, pace);
    step.files += 1;
    // If it was deleted in the meantime, its blob is removed after the row.
    if (reason && (await buildQueries(deps.data).namedBlobs([key])).size > 0) {
      step.damaged += 1;
      deps.onDamaged({ key, reason });
    }
    step.next = blob;
    if (performance.now() >= until) return step;
  }
  if (files.length < buildsPerBatch) step.next = fileStarts[fileStarts.indexOf(start) + 1] ?? null;
  return step;
}

export interface FileCheckJob {
  /** Plans the next check at the start of a server. */
  resume(): Promise<void>;
  handlers: Pick<JobHandlers, 'check-files'>;
  /** Stops reading. The remaining files are checked later. */
  stop(): void;
}

/** The weekly check, as a chain of jobs, each of which any node can do. If `enabled` is false, ends an existing chain. */
export function createFileCheckJob(
  deps: Omit<FileCheckDeps, 'signal' | 'onDamaged'> & {
    enabled: boolean;
    now: () => number;
    log: { error(fields: object, message: string): void };
  },
): FileCheckJob {
  const { data, now, log } = deps;
  const stop = new AbortController();
  const checked: FileCheckDeps = {
    ...deps,
    signal: stop.signal,
    onDamaged: (file) => log.error({ event: 'file.damaged', ...file }, 'a stored file is damaged'),
  };
  return {
    resume: async () => {
      if (deps.enabled) await planNextCheck(data, now());
    },
    handlers: {
      'check-files': async ({ after }) => {
        if (!deps.enabled) return;
        if (after === '') await planNextCheck(data, now());
        try {
          const pace = createPace(deps.bytesPerSecond, stop.signal);
          const { next } = await checkSome(checked, after, pace, performance.now() + maxRunMs);
          // Adds the next job only once, even if another node has taken over this one.
          if (next !== null)
            await outboxQueries(data).addOnce(
              `check-files-${next}`,
              installation,
              { kind: 'check-files', after: next },
              now(),
              now(),
            );
        } catch (error) {
          if (stop.signal.aborted) throw new NotReady(now());
          throw error;
        }
      },
    },
    stop: () => stop.abort(),
  };
}

/** Adds the job of the next check, a week after the beginning of this week. Repeated calls add only one. */
async function planNextCheck(data: Connection, now: number): Promise<void> {
  const next = (Math.floor(now / weekMs) + 1) * weekMs;
  const id = `check-files-${new Date(next).toISOString().slice(0, 10)}`;
  await outboxQueries(data).addOnce(id, installation, { kind: 'check-files', after: '' }, now, next);
}
