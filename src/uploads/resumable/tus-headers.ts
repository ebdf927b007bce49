/** Headers of tus 1.0 (https://tus.io/protocols/resumable-upload). Numbers and encodings must be canonical. */
import { AppError, invalid, tooLarge } from '../../core/errors.ts';
import { isTextName, uploadTextSchema } from '../upload-fields.ts';
import { uploadTexts } from '../upload-texts.ts';
import { resumableUploadLimits } from './resumable-upload.ts';

const t = uploadTexts.resumable;

export const tusVersion = '1.0.0';
/** The headers of every answer. */
export const tusHeaders = { 'Tus-Resumable': tusVersion, 'Tus-Version': tusVersion } as const;
export const tusExtensions = 'creation,creation-with-upload,checksum,expiration,termination';
export const tusChecksum = 'sha256';
export const chunkType = 'application/offset+octet-stream';

type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;
const textOf = (headers: Headers, name: string): string | null => {
  const value = headers[name];
  return typeof value === 'string' ? value.trim() : null;
};

export function checkTusVersion(headers: Headers): void {
  if (textOf(headers, 'tus-resumable') === tusVersion) return;
  throw new AppError('precondition_failed', t.version({ version: tusVersion }), {
    code: 'unsupported_tus_version',
  });
}

export const isChunk = (headers: Headers): boolean =>
  textOf(headers, 'content-type')?.toLowerCase() === chunkType;

function readCount(headers: Headers, name: string): number {
  const text = textOf(headers, name.toLowerCase());
  if (text === null) throw invalid(t.missing({ name }));
  if (!/^(0|[1-9]\d{0,15})$/.test(text) || !Number.isSafeInteger(Number(text)))
    throw invalid(t.count({ name }));
  return Number(text);
}

export const readOffset = (headers: Headers): number => readCount(headers, 'Upload-Offset');

export function readLength(headers: Headers): number {
  if (headers['upload-defer-length'] !== undefined) throw invalid(t.deferred);
  // Otherwise, a part of a file would be taken for the file.
  if (headers['upload-concat'] !== undefined) throw invalid(t.concatenated);
  const length = readCount(headers, 'Upload-Length');
  if (length === 0) throw invalid(t.empty);
  return length;
}

/** Returns the announced SHA-256; null if there is none. */
export function readChecksum(headers: Headers): Buffer | null {
  const text = textOf(headers, 'upload-checksum');
  if (text === null) return null;
  const [algorithm = '', value = '', ...rest] = text.split(' ');
  if (algorithm !== tusChecksum) throw invalid(t.algorithm({ supported: tusChecksum }));
  const digest = rest.length === 0 ? decodeBase64(value) : null;
  if (digest?.length !== 32) throw invalid(t.checksumMalformed);
  return digest;
}

const { token: _, ...formFields } = uploadTextSchema;
const knownKeys = ['filename', 'owner', ...Object.keys(formFields)];

/** Returns the fields of the upload. */
export function readMetadata(headers: Headers): Record<string, string> {
  const text = textOf(headers, 'upload-metadata') ?? '';
  if (text.length > resumableUploadLimits.metadataBytes)
    throw tooLarge(t.metadataLong({ limit: resumableUploadLimits.metadataBytes }));
  const fields: Record<string, string> = {};
  for (const pair of text === '' ? [] : text.split(',')) {
    const [key = '', value = '', ...rest] = pair.trim().split(' ');
    const isKnown = key === 'filename' || key === 'owner' || (isTextName(key) && key !== 'token');
    if (!isKnown) throw invalid(t.metadataKey({ key: key.slice(0, 100), known: knownKeys.join(', ') }));
    if (Object.hasOwn(fields, key)) throw invalid(t.metadataTwice({ key }));
    const decoded = rest.length === 0 ? decodeText(value) : null;
    if (decoded === null) throw invalid(t.metadataEncoding({ key }));
    if (decoded.includes('\0')) throw invalid(uploadTexts.form.zero({ name: key }));
    fields[key] = decoded;
  }
  for (const name of ['filename', 'owner'])
    if (!fields[name]) throw invalid(t.metadataMissing({ key: name }));
  return fields;
}

function decodeBase64(text: string): Buffer | null {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : null;
}

function decodeText(text: string): string | null {
  try {
    const bytes = decodeBase64(text);
    return bytes && new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}
