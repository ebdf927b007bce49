/**
 * A multipart/form-data body (RFC 7578), laid out completely before it is sent, so that its length is known: `--B CRLF headers
 * CRLF CRLF value CRLF` for each part, then `--B-- CRLF`.
 */
import { UploadError } from './upload-error.ts';
import type { UploadSource } from './upload-source.ts';

export interface FormField {
  name: string;
  value: string;
}

export interface FormFile {
  name: string;
  source: UploadSource;
}

export interface UploadForm {
  contentType: string;
  contentLength: number;
  pieces: readonly FormPiece[];
}

/** `from`, `to`: a part of the file. */
type FormPiece = { bytes: Buffer } | { source: UploadSource; from?: number; to?: number };

/** Puts fields first, so that a server can check them before it receives files. `boundary` must be random. */
export function buildForm(
  fields: readonly FormField[],
  files: readonly FormFile[],
  boundary: string,
): UploadForm {
  const pieces: FormPiece[] = [];
  const text = (value: string) => pieces.push({ bytes: Buffer.from(value, 'utf8') });
  for (const { name, value } of fields) {
    text(`--${boundary}\r\nContent-Disposition: form-data; name="${quoted(name)}"\r\n\r\n${value}\r\n`);
  }
  for (const { name, source } of files) {
    const disposition = `form-data; name="${quoted(name)}"; filename="${quoted(source.fileName)}"`;
    text(
      `--${boundary}\r\nContent-Disposition: ${disposition}\r\nContent-Type: ${mediaType(source.fileName)}\r\n\r\n`,
    );
    pieces.push({ source });
    text('\r\n');
  }
  text(`--${boundary}--\r\n`);
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    contentLength: pieces.reduce((sum, piece) => sum + pieceLength(piece), 0),
    pieces,
  };
}

export const chunkBytes = 128 * 1024;

/**
 * Yields the bytes of the form in order. A file chunk is valid until the chunk after the next one is requested, because two
 * buffers alternate. Every file is checked again before the closing delimiter, so that a body with a changed file is never
 * complete. Throws `UploadError` in that case.
 */
export async function* formChunks(form: UploadForm): AsyncGenerator<Buffer, void, undefined> {
  const buffers = [Buffer.allocUnsafe(chunkBytes), Buffer.allocUnsafe(chunkBytes)] as const;
  const last = form.pieces.at(-1);
  for (const piece of form.pieces) {
    if (piece === last)
      await Promise.all(form.pieces.map((each) => 'source' in each && each.source.assertUnchanged()));
    if ('bytes' in piece) yield piece.bytes;
    else yield* sourceChunks(piece.source, piece.from ?? 0, piece.to ?? piece.source.sizeBytes, buffers);
  }
}

async function* sourceChunks(
  source: UploadSource,
  from: number,
  to: number,
  buffers: readonly [Buffer, Buffer],
): AsyncGenerator<Buffer> {
  let turn = 0;
  for (let position = from; position < to; turn += 1) {
    const buffer = buffers[turn % 2 === 0 ? 0 : 1].subarray(0, Math.min(chunkBytes, to - position));
    const bytesRead = await source.read(buffer, position);
    if (bytesRead === 0) throw new UploadError(`${source.path} was truncated during the upload.`);
    yield buffer.subarray(0, bytesRead);
    position += bytesRead;
  }
}

function pieceLength(piece: FormPiece): number {
  if ('bytes' in piece) return piece.bytes.length;
  return (piece.to ?? piece.source.sizeBytes) - (piece.from ?? 0);
}

/** Escapes the three characters listed in HTML's "multipart/form-data encoding algorithm". */
function quoted(name: string): string {
  return name.replaceAll('\r', '%0D').replaceAll('\n', '%0A').replaceAll('"', '%22');
}

function mediaType(fileName: string): string {
  if (/\.apk$/i.test(fileName)) return 'application/vnd.android.package-archive';
  if (/\.zip$/i.test(fileName)) return 'application/zip';
  return 'application/octet-stream';
}
