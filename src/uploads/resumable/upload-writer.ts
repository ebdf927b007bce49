/** Writes the requests of uploads to sessions, which stay open between the requests that one process receives. */
import type { Readable } from 'node:stream';
import { SpoolFull, SpoolLimitExceeded } from '../../blobs/spool/spool-errors.ts';
import type { Claim } from '../../claims/claim.ts';
import { AppError, tooLarge } from '../../core/errors.ts';
import type { Connection } from '../../db/data.ts';
import type { PackageReader } from '../../packages/package-reader.ts';
import { uploadTexts } from '../upload-texts.ts';
import { type ResumableUpload, resumableUploadLimits, type UploadProgress } from './resumable-upload.ts';
import { resumableUploadQueries } from './resumable-upload-queries.ts';
import type { UploadBytes, UploadSession } from './upload-bytes.ts';

const t = uploadTexts.resumable;

/** A session without a request for this long is closed. The next request begins another. */
const idleSessionMs = 10 * 60_000;

export interface Chunk {
  offset: number;
  /** SHA-256 that the sender announced. */
  checksum: Buffer | null;
  stream: Readable;
  /** 0 if unknown. */
  announcedBytes: number;
  /** Called before the stream is read. */
  accept(): void;
  /** The error if the client disconnects. */
  cut(): AppError;
}

export function createUploadWriter(deps: {
  data: Connection;
  bytes: UploadBytes;
  packages: Pick<PackageReader, 'prepare'>;
}) {
  const { bytes } = deps;
  const queries = resumableUploadQueries(deps.data);
  const sessions = new Map<string, UploadSession & { idle?: NodeJS.Timeout }>();
  const writers = new Map<string, { isStale(): boolean; stop: AbortController; done: Promise<unknown> }>();

  const closeSession = async (id: string, keptBytes?: () => number) => {
    const session = sessions.get(id);
    sessions.delete(id);
    clearTimeout(session?.idle);
    await session?.file.close(keptBytes);
  };

  async function continueSession(upload: ResumableUpload, claim: Claim): Promise<UploadSession> {
    const known = sessions.get(upload.id);
    clearTimeout(known?.idle);
    const continues =
      known?.number === upload.sessions &&
      known.firstByte + known.file.sizeBytes === upload.receivedBytes &&
      !known.file.isBroken;
    if (known && continues) return known;
    await closeSession(upload.id);
    const number = upload.sessions + 1;
    if (!(await queries.beginSession(upload.id, claim, number))) throw busy();
    const session = await bytes.open(upload, number);
    sessions.set(upload.id, session);
    return session;
  }

  async function receive(upload: ResumableUpload, claim: Claim, chunk: Chunk): Promise<ResumableUpload> {
    const { stream, checksum } = chunk;
    const stop = new AbortController();
    const ended = Promise.withResolvers<void>();
    let lastAt = performance.now();
    const isStale = () => stream.destroyed || performance.now() - lastAt > resumableUploadLimits.staleMs;
    writers.set(upload.id, { isStale, stop, done: ended.promise });
    let current = upload;
    let isCertain = true;
    try {
      const session = await continueSession(upload, claim);
      const save = async (progress: UploadProgress) => {
        isCertain = false;
        if (!(await queries.saveProgress(upload.id, claim, progress))) throw busy();
        current = { ...current, ...progress, sessions: session.number };
        isCertain = true;
      };
      const { file } = session;
      const acknowledgedBytes = () => current.receivedBytes - session.firstByte;
      const acknowledge = (fileBytes: number, isEnd: boolean) =>
        bytes.acknowledge(current, session, fileBytes, save, isEnd);
      chunk.accept();
      deps.packages.prepare();
      const received = await file
        .append(stream, {
          maxBytes: upload.sizeBytes - upload.receivedBytes,
          expectedBytes: chunk.announcedBytes,
          signal: stop.signal,
          onBytes: () => {
            lastAt = performance.now();
          },
          ...(checksum ? {} : { onDurable: (fileBytes) => acknowledge(fileBytes, false) }),
        })
        .then(
          (sha256) => ({ sha256, error: null }),
          (error: unknown) => ({ sha256: null, error }),
        );
      const { sha256, error } = received;
      const isWrong = checksum !== null && !sha256?.equals(checksum);
      if (isWrong || file.isBroken) {
        const isKnown = error === null || !file.isBroken || error instanceof SpoolFull;
        // Bytes that nobody acknowledged must not take space. If it is unknown what is acknowledged, all are kept.
        await closeSession(upload.id, isKnown && isCertain ? acknowledgedBytes : undefined);
      } else if (file.sizeBytes > acknowledgedBytes()) await acknowledge(file.sizeBytes, true);
      if (error instanceof SpoolLimitExceeded) throw tooLarge(t.longer({ size: upload.sizeBytes }));
      // Anything else is the body's error: the client disconnected.
      if (error !== null) throw error instanceof AppError || file.isBroken ? error : chunk.cut();
      if (isWrong) throw new AppError('checksum_mismatch', t.checksum);
      return current;
    } finally {
      writers.delete(upload.id);
      ended.resolve();
    }
  }

  /** Ends the request that is being received, and waits until it has. */
  const stop = async (id: string, error: AppError): Promise<void> => {
    const writer = writers.get(id);
    writer?.stop.abort(error);
    await writer?.done;
  };

  return {
    /** Receives a request. Rejects if it ends early, does not fit or has another checksum; see `Chunk`. */
    receive,
    sessionOf: (id: string): UploadSession | null => sessions.get(id) ?? null,
    closeSession,
    /** Closes the session unless another request arrives soon. */
    closeWhenIdle(id: string): void {
      const session = sessions.get(id);
      clearTimeout(session?.idle);
      if (session) session.idle = setTimeout(() => void closeSession(id), idleSessionMs).unref();
    },
    stop,
    /** A sender who continues elsewhere need not wait until the server notices that the old connection is dead. */
    async replaceStale(id: string): Promise<void> {
      if (writers.get(id)?.isStale()) await stop(id, busy());
    },
    async close(): Promise<void> {
      for (const id of sessions.keys()) await closeSession(id);
    },
  };
}

/**
 * Another request or node is writing, or has taken over. Clients of tus wait on 423, but begin the upload again when `HEAD` gets
 * another 4xx.
 */
export const busy = () => new AppError('locked', t.busy, { retryAfterSeconds: 1 });
