/** An upload that arrives in several requests. */
import { hash } from 'node:crypto';
import type { BlobKey } from '../../blobs/blob-key.ts';
import type { ErrorCode, ErrorKind } from '../../core/errors.ts';
import { type Actor, actorId } from '../../owners/actor.ts';

export const resumableUploadLimits = {
  /** From creation. */
  lifetimeMs: 24 * 60 * 60_000,
  /** Unfinished uploads. */
  perKey: 20,
  perOwner: 100,
  /** The encoded header, which all headers of a request share 16 KiB with. */
  metadataBytes: 12 * 1024,
  /** A writer that has received nothing for this long gives way to another request. */
  staleMs: 5_000,
} as const;

/** Where acknowledged bytes are, in the order of the upload. */
export type Piece =
  /** In the file of a session. */
  | { kind: 'file'; session: number; bytes: number }
  /** A part of the unfinished blob. */
  | { kind: 'part'; number: number; tag: string; bytes: number }
  /** A separate blob: too few bytes for a part. Follows all parts. */
  | { kind: 'tail'; key: BlobKey; bytes: number };

export interface UploadProgress {
  receivedBytes: number;
  pieces: readonly Piece[];
  /** Identifies the unfinished blob, on a store with parts. */
  unfinishedBlob: string | null;
}

export interface ResumableUpload extends UploadProgress {
  id: string;
  ownerId: string;
  /** See `senderIdOf`. */
  senderId: string;
  /** ID of the key that began it, or of the person with a session. */
  keyId: string;
  idempotencyKey: string | null;
  /** The metadata: `filename`, `owner` and fields of the form. */
  fields: Readonly<Record<string, string>>;
  sizeBytes: number;
  /**
   * How often a process has begun to receive bytes. Each session writes to its own file, so one that has lost its claim while
   * it was frozen cannot change what others acknowledge.
   */
  sessions: number;
  /** `ended`: expired, terminated or abandoned. */
  state: 'open' | 'built' | 'refused' | 'ended';
  result: UploadResult | null;
  expiresAt: number;
}

export type UploadResult =
  | { buildId: string; pageId: string | null; blob: string }
  | { kind: ErrorKind; message: string; code: ErrorCode | null };

/**
 * Identifies who may continue an upload: every key of the same User or Project or, because the build states its source, of the same
 * run of a trusted publisher.
 */
export function senderIdOf(actor: Actor): string {
  const source = actor.key?.source;
  return source ? `${actorId(actor)} ${hash('sha256', JSON.stringify(source))}` : actorId(actor);
}

export const bytesOf = (pieces: readonly Piece[]): number =>
  pieces.reduce((sum, { bytes }) => sum + bytes, 0);
