/** The requests of an upload. */
import { isRecord, messageOf } from '../json.ts';
import { Refusal } from '../refusal.ts';
import type { UploadTexts } from './upload-texts.ts';
import { readUploadedBuild, type UploadedBuild } from './uploaded-build.ts';

export interface Transfer {
  /** The name of the signed-in person. */
  viewer: string;
  address: string;
  file: File;
  /** The other fields of the form by name. */
  fields: readonly (readonly [string, string])[];
  /** The same for every attempt, so that a retry after a lost response creates no second build. */
  idempotencyKey: string;
}

/**
 * Requests permission from the server, so that it can refuse before any byte of the file is sent. Resolves to the token for the
 * form. Throws `Refusal`.
 */
export async function requestUploadToken(
  { address, file, idempotencyKey }: Transfer,
  texts: UploadTexts,
  signal: AbortSignal,
): Promise<string> {
  const headers = { Accept: 'application/json', 'Idempotency-Key': idempotencyKey };
  const answer = await fetch(`${address}?bytes=${file.size}`, { headers, signal, redirect: 'error' });
  const body: unknown = await answer.json().catch(() => null);
  if (!answer.ok) throw new Refusal(refusalReason(answer.status, body, texts));
  if (!isRecord(body) || typeof body.csrf !== 'string') throw new Error('the server sent no token');
  return body.csrf;
}

/** Resolves to the texts that an unfinished upload was begun with. */
export async function requestFields(
  address: string,
  idempotencyKey: string,
): Promise<Record<string, string>> {
  const headers = { Accept: 'application/json', 'Idempotency-Key': idempotencyKey };
  const body: unknown = await (await fetch(address, { headers, redirect: 'error' })).json();
  const fields = isRecord(body) && isRecord(body.fields) ? Object.entries(body.fields) : [];
  return Object.fromEntries(fields.map(([name, value]) => [name, String(value)]));
}

export interface TransferEvents {
  /** Called with the number of bytes of the file that were sent. */
  progress(sent: number): void;
  /** Called when the server has the whole file. */
  sent(): void;
}

/** Sends the file. Resolves to the build; throws `Refusal`. Uses `XMLHttpRequest`, because `fetch` reports no progress. */
export function sendFile(
  transfer: Transfer,
  csrf: string,
  texts: UploadTexts,
  signal: AbortSignal,
  on: TransferEvents,
): Promise<UploadedBuild> {
  signal.throwIfAborted();
  const { address, file, fields, idempotencyKey } = transfer;
  const body = new FormData();
  // First, because the server accepts nothing before the token.
  body.append('csrf', csrf);
  for (const [name, value] of fields) body.append(name, value);
  body.append('file', file);
  const request = new XMLHttpRequest();
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => request.abort());
    request.upload.addEventListener('progress', ({ loaded }) => on.progress(Math.min(loaded, file.size)));
    request.upload.addEventListener('load', () => on.sent());
    request.addEventListener('load', () => {
      const answer: unknown = request.response;
      const build = request.status === 200 ? readUploadedBuild(answer) : null;
      if (build) resolve(build);
      else reject(new Refusal(refusalReason(request.status, answer, texts), passesByItself(request.status)));
    });
    request.addEventListener('error', () => reject(new Error('the connection broke')));
    request.addEventListener('abort', () => reject(new Refusal(texts.canceled)));
    request.open('POST', address);
    request.responseType = 'json';
    request.setRequestHeader('Accept', 'application/json');
    request.setRequestHeader('Idempotency-Key', idempotencyKey);
    request.send(body);
  });
}

/** Whether retrying may help. A package of another app, or a damaged or too large one, would be refused again. */
export const passesByItself = (status: number) => status >= 500 || [401, 403, 408, 409, 429].includes(status);

/** Returns the server's message if the user can act on it: for a status below 500, and for 507 (no space). */
export function refusalReason(status: number, body: unknown, texts: UploadTexts): string {
  if (status === 401) return texts.signedOut;
  if (status === 404) return texts.noAccess;
  const ownWords = status < 500 || status === 507 ? messageOf(body) : null;
  return ownWords ?? texts.failed;
}

/** Returns 128 random bits in hexadecimal. `crypto.randomUUID` is missing without HTTPS. */
export function createIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
