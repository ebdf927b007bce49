/**
 * The bytes of uploads in progress. On disk, each session appends to its own file next to the blobs, where every node finds
 * it. On S3, a session fills a temporary file, sends parts of it, and at the end of a request stores what is too short for a part
 * as a small object.
 */
import { createReadStream } from 'node:fs';
import { access, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { packageKey, uploadTailKey } from '../../blobs/blob-key.ts';
import type { BlobParts, BlobStore } from '../../blobs/blob-store.ts';
import type { GrowingFile } from '../../blobs/spool/growing-file.ts';
import type { Spool, SpooledFile } from '../../blobs/spool/spool.ts';
import { createDurableFolder } from '../../core/durable-folders.ts';
import { AppError, NotFound } from '../../core/errors.ts';
import { newHexKey } from '../../core/identifier.ts';
import { uploadTexts } from '../upload-texts.ts';
import { bytesOf, type Piece, type ResumableUpload, type UploadProgress } from './resumable-upload.ts';

export interface UploadSession {
  number: number;
  file: GrowingFile;
  /** Position of the file in the upload. */
  firstByte: number;
}

/** Stores progress. Rejects if the claim is lost. */
export type SaveProgress = (progress: UploadProgress) => Promise<void>;

export interface UploadBytes {
  /** Begins a session, whose number no other session of the upload has. */
  open(upload: ResumableUpload, number: number): Promise<UploadSession>;
  /**
   * Makes the first `fileBytes` of the session's file durable for all nodes and saves that. `isEnd`: even if they do not fill a
   * part.
   */
  acknowledge(
    upload: ResumableUpload,
    session: UploadSession,
    fileBytes: number,
    save: SaveProgress,
    isEnd: boolean,
  ): Promise<void>;
  /**
   * Returns the complete upload as a file. It is read again only if several sessions have received it, because the state of a
   * digest cannot be stored.
   */
  assemble(upload: ResumableUpload, session: UploadSession | null): Promise<SpooledFile>;
  /** Removes everything stored. `keepsBlob`: except the blob of the build. */
  remove(upload: ResumableUpload, keepsBlob: boolean): Promise<void>;
}

/** A backup contains the rows of unfinished uploads, but not their bytes. */
const bytesLost = () => new NotFound(uploadTexts.resumable.gone);

type PartPiece = Extract<Piece, { kind: 'part' }>;
type TailPiece = Extract<Piece, { kind: 'tail' }>;
const partsOf = ({ pieces }: UploadProgress) => pieces.filter((one): one is PartPiece => one.kind === 'part');
const tailsOf = ({ pieces }: UploadProgress) => pieces.filter((one): one is TailPiece => one.kind === 'tail');

const covers = ({ file, firstByte }: UploadSession, { sizeBytes }: ResumableUpload) =>
  firstByte === 0 && file.sizeBytes === sizeBytes;

export function createUploadBytes(deps: { blobs: BlobStore; spool: Spool }): UploadBytes {
  return deps.blobs.parts ? inParts({ ...deps, parts: deps.blobs.parts }) : inFiles(deps);
}

function inFiles({ blobs, spool }: { blobs: BlobStore; spool: Spool }): UploadBytes {
  const folder = join(blobs.root ?? spool.folder, '.incoming');
  const pathOf = ({ id }: ResumableUpload, session: number) => join(folder, `upload-${id}.${session}`);
  return {
    async open(upload, number) {
      await createDurableFolder(folder);
      const file = await spool.grow(pathOf(upload, number));
      return { number, file, firstByte: upload.receivedBytes };
    },
    async acknowledge(upload, { number, firstByte }, fileBytes, save) {
      const earlier = upload.pieces.filter((one) => one.kind !== 'file' || one.session !== number);
      const pieces = [...earlier, { kind: 'file', session: number, bytes: fileBytes } as const];
      await save({ receivedBytes: firstByte + fileBytes, pieces, unfinishedBlob: null });
    },
    async assemble(upload, session) {
      if (session && covers(session, upload)) return session.file.finish();
      for (const piece of upload.pieces)
        if (piece.kind === 'file')
          await access(pathOf(upload, piece.session)).catch(() => Promise.reject(bytesLost()));
      const read = async function* () {
        for (const piece of upload.pieces)
          if (piece.kind === 'file' && piece.bytes > 0)
            yield* createReadStream(pathOf(upload, piece.session), { end: piece.bytes - 1 });
      };
      return spool.receive(read(), { maxBytes: upload.sizeBytes, expectedBytes: upload.sizeBytes });
    },
    async remove(upload) {
      for (let session = 1; session <= upload.sessions; session++)
        await rm(pathOf(upload, session), { force: true });
    },
  };
}

function inParts(deps: { blobs: BlobStore; spool: Spool; parts: BlobParts }): UploadBytes {
  const { blobs, spool, parts } = deps;
  const removeTails = async (tails: readonly TailPiece[]) => {
    for (const { key } of tails) await blobs.remove(key);
  };
  return {
    async open(upload, number) {
      const file = await spool.grow();
      try {
        for (const { key, bytes } of tailsOf(upload)) {
          const tail = await blobs.open(key);
          if (!tail) throw bytesLost();
          await file.append(tail.stream, { maxBytes: bytes, expectedBytes: bytes });
        }
      } catch (error) {
        await file.close();
        throw error;
      }
      return { number, file, firstByte: bytesOf(partsOf(upload)) };
    },

    async acknowledge(upload, { file, firstByte }, fileBytes, save, isEnd) {
      const key = packageKey(upload.id);
      const partBytes = parts.partBytes(upload.sizeBytes);
      const end = firstByte + fileBytes;
      const stored = partsOf(upload);
      let tails = tailsOf(upload);
      let { unfinishedBlob } = upload;
      const rangeTo = (from: number, to: number) => ({
        path: file.path,
        first: from - firstByte,
        length: to - from,
      });
      /** If the claim is lost, no other process knows what this one has stored last: `undo` removes it. */
      const saveAll = async (undo?: () => Promise<unknown>) => {
        const pieces = [...stored, ...tails];
        const progress = { receivedBytes: bytesOf(pieces), pieces, unfinishedBlob };
        await save(progress).catch(async (error: unknown) => {
          if (error instanceof AppError && error.kind === 'locked') await undo?.();
          throw error;
        });
      };
      for (let from = bytesOf(stored); from < end; from = bytesOf(stored)) {
        const to = Math.min(end, from + partBytes);
        if (to - from < partBytes && end < upload.sizeBytes) break;
        if (unfinishedBlob === null) {
          const id = await parts.begin(key);
          unfinishedBlob = id;
          await saveAll(() => parts.abort({ key, id }));
        }
        // Replaces one that was stored but not saved: some services complete a blob only with all of its parts. The tag reveals
        // a part that a frozen node replaces later.
        const part = stored.length + 1;
        const tag = await parts.put({ key, id: unfinishedBlob }, part, rangeTo(from, to));
        stored.push({ kind: 'part', number: part, tag, bytes: to - from });
        const covered = tails;
        tails = [];
        await saveAll();
        await removeTails(covered);
      }
      const from = bytesOf([...stored, ...tails]);
      if (!isEnd || from >= end) return;
      const tailKey = uploadTailKey(upload.id, newHexKey());
      await parts.putRange(tailKey, rangeTo(from, end));
      tails = [...tails, { kind: 'tail', key: tailKey, bytes: end - from }];
      await saveAll(() => blobs.remove(tailKey));
    },

    async assemble(upload, session) {
      const blob = { key: packageKey(upload.id), id: upload.unfinishedBlob ?? '' };
      const complete = async () => {
        if (!(await parts.complete(blob, partsOf(upload)))) throw bytesLost();
      };
      if (session && covers(session, upload))
        return { ...(await session.file.finish()), stored: { key: blob.key, complete } };
      await complete();
      const whole = await blobs.open(blob.key);
      if (!whole) throw bytesLost();
      const received = await spool.receive(whole.stream, {
        maxBytes: upload.sizeBytes,
        expectedBytes: upload.sizeBytes,
      });
      return { ...received, stored: { key: blob.key, complete: async () => {} } };
    },

    async remove(upload, keepsBlob) {
      const key = packageKey(upload.id);
      await removeTails(tailsOf(upload));
      if (upload.unfinishedBlob === null) return;
      await parts.abort({ key, id: upload.unfinishedBlob });
      if (!keepsBlob) await blobs.remove(key);
    },
  };
}
