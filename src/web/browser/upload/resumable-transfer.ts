/** Sends a file in parts. After an interruption, even of the browser, it continues where the server stopped receiving. */
import { formatBytes } from '../../../core/byte-size.ts';
import { isRecord } from '../json.ts';
import { Refusal } from '../refusal.ts';
import {
  createIdempotencyKey,
  passesByItself,
  refusalReason,
  type Transfer,
  type TransferEvents,
} from './transfer.ts';
import { findUnfinished, markOf, remember } from './unfinished-uploads.ts';
import { fillIn, type UploadTexts } from './upload-texts.ts';
import { readUploadedBuild, type UploadedBuild } from './uploaded-build.ts';

const mebibyte = 1024 * 1024;
export const resumableAboveBytes = 64 * mebibyte;
const partBytes = 8 * mebibyte;
const maxWaitSeconds = 30;
/** Without progress, while the server answers. */
const maxFailures = 12;
/** A request without progress for this long is given up. Creating the build of a large package takes longer. */
const stalledMs = 60_000;
const buildingMs = 10 * stalledMs;
const cancelMs = 5_000;

export interface ResumableEvents extends TransferEvents {
  /** The upload waits until the server can be reached again. */
  interrupted(reason: string): void;
  /** Sending begins or continues after so many bytes. `notice`: what the user should know. */
  continues(sent: number, notice: string | null): void;
}

interface Answer {
  /** 0 if the connection broke. */
  status: number;
  body: unknown;
  retryAfterSeconds: number;
}

interface Sending {
  transfer: Transfer;
  texts: UploadTexts;
  signal: AbortSignal;
  on: ResumableEvents;
}

/** Resolves to the build; throws `Refusal`. */
export async function sendInParts(sending: Sending): Promise<UploadedBuild> {
  const { transfer, texts, signal, on } = sending;
  const { file } = transfer;
  const known = findUnfinished(transfer);
  const content = await markOf(file).catch(() => {
    throw new Refusal(texts.unreadable, false);
  });
  const hasChanged = known !== undefined && known.content !== content;
  if (hasChanged) void cancel(transfer, known.idempotencyKey);
  if (known && !hasChanged) transfer.idempotencyKey = known.idempotencyKey;
  let sent = known && !hasChanged ? known.sent : 0;
  let notice = hasChanged ? texts.changed : null;
  const keep = (bytes: number) => {
    sent = bytes;
    remember(transfer, { content, idempotencyKey: transfer.idempotencyKey, sent });
  };
  let failures = 0;
  let isFirst = true;
  for (;;) {
    const { csrf, answer: begun } = await begin(sending);
    let answer = begun;
    if (begun.status === 200 && !readUploadedBuild(begun.body)) {
      const { id, offset } = stateOf(begun.body);
      if (offset > 0) notice = fillIn(texts.continued, { sent: formatBytes(offset) });
      else if (sent > 0) notice = texts.restarted;
      else if (!isFirst) notice = null;
      if (offset > sent) failures = 0;
      keep(offset);
      on.continues(offset, notice);
      answer = await sendParts(sending, { id, csrf, offset }, (bytes) => {
        failures = 0;
        keep(bytes);
      });
    }
    isFirst = false;
    const build = answer.status === 200 ? readUploadedBuild(answer.body) : null;
    if (build) {
      remember(transfer, null);
      return build;
    }
    if (signal.aborted) {
      await cancel(transfer, transfer.idempotencyKey);
      remember(transfer, null);
      throw new Refusal(texts.canceled);
    }
    failures += 1;
    const { status } = answer;
    const isAway = status === 0 || status === 502 || status === 503 || status === 504;
    const isOver = answer === begun && !isAway && ![408, 423, 500].includes(status);
    if (isOver || (failures > maxFailures && !isAway && status !== 423)) {
      // Otherwise, the server has kept the upload, or the reason may pass.
      if (isOver && ![401, 404, 429, 507].includes(status)) {
        remember(transfer, null);
        transfer.idempotencyKey = createIdempotencyKey();
      }
      throw new Refusal(refusalReason(status, answer.body, texts), passesByItself(status));
    }
    if (isAway) on.interrupted(status === 0 ? texts.interrupted : texts.unready);
    // The first refusal of a part, for example because of an expired token, is cleared up at once.
    if (isAway || failures > 1 || answer === begun)
      await wait(Math.min(maxWaitSeconds, answer.retryAfterSeconds || 2 ** (failures - 1)), signal);
  }
}

/** Begins or continues the upload. The fields may have changed since it began. */
async function begin(sending: Sending): Promise<{ csrf: string; answer: Answer }> {
  const { address, file, fields, idempotencyKey } = sending.transfer;
  const permission = await request(sending, 'GET', `${address}?bytes=0`);
  const csrf = isRecord(permission.body) ? String(permission.body.csrf) : '';
  if (permission.status !== 200) return { csrf, answer: permission };
  const upload = { filename: file.name, bytes: String(file.size), idempotency_key: idempotencyKey };
  const form = new URLSearchParams({ ...Object.fromEntries(fields), ...upload, csrf });
  return { csrf, answer: await request(sending, 'POST', `${address}/resumable`, form) };
}

/** Sends the rest. Resolves to the last answer. */
async function sendParts(
  sending: Sending,
  { id, csrf, offset }: { id: string; csrf: string; offset: number },
  received: (bytes: number) => void,
): Promise<Answer> {
  const { file, address } = sending.transfer;
  for (let from = offset; ; ) {
    const part = file.slice(from, from + partBytes);
    const headers = { 'Upload-Offset': String(from), 'Form-Token': csrf };
    const isLast = from + part.size === file.size;
    const progress = (bytes: number) => sending.on.progress(from + bytes);
    const on = { progress, sent: () => isLast && sending.on.sent() };
    const answer = await request(sending, 'POST', `${address}/resumable/${id}`, part, headers, on);
    if (answer.status !== 200 || readUploadedBuild(answer.body)) return answer;
    const state = stateOf(answer.body);
    // A connection may break after the last byte.
    if (state.offset <= from) return { ...answer, status: 0 };
    from = state.offset;
    received(from);
  }
}

function stateOf(body: unknown): { id: string; offset: number } {
  if (!isRecord(body)) throw new Error('the server sent no state');
  return { id: String(body.id), offset: Number(body.offset) };
}

/** Removes what the server has received. If it can't be reached, the upload expires there. */
async function cancel({ address }: Transfer, idempotencyKey: string): Promise<void> {
  try {
    const signal = AbortSignal.timeout(cancelMs);
    const permission = await fetch(`${address}?bytes=0`, { headers: { Accept: 'application/json' }, signal });
    const { csrf } = await permission.json();
    const body = new URLSearchParams({ csrf, idempotency_key: idempotencyKey });
    await fetch(`${address}/resumable/cancel`, { method: 'POST', body, signal, redirect: 'manual' });
  } catch {}
}

/** Uses `XMLHttpRequest`, because `fetch` reports no progress. Never rejects. */
function request(
  { signal }: Pick<Sending, 'signal'>,
  method: string,
  address: string,
  content: Blob | URLSearchParams | null = null,
  headers: Readonly<Record<string, string>> = {},
  on: Pick<TransferEvents, 'progress'> & { sent(): void } = { progress() {}, sent() {} },
): Promise<Answer> {
  const lost: Answer = { status: 0, body: null, retryAfterSeconds: 0 };
  if (signal.aborted) return Promise.resolve(lost);
  const call = new XMLHttpRequest();
  return new Promise((resolve) => {
    const abort = () => call.abort();
    let timer = setTimeout(abort, stalledMs);
    const expectAnswerIn = (ms: number) => {
      clearTimeout(timer);
      timer = setTimeout(abort, ms);
    };
    signal.addEventListener('abort', abort);
    if (content instanceof Blob) {
      call.upload.addEventListener('progress', ({ loaded }) => {
        expectAnswerIn(stalledMs);
        on.progress(loaded);
      });
      call.upload.addEventListener('load', () => {
        expectAnswerIn(buildingMs);
        on.sent();
      });
    }
    call.addEventListener('loadend', () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
      const retryAfterSeconds = Number(call.getResponseHeader('Retry-After')) || 0;
      resolve({ status: call.status, body: call.response, retryAfterSeconds });
    });
    call.open(method, address);
    call.responseType = 'json';
    call.setRequestHeader('Accept', 'application/json');
    if (content instanceof Blob) call.setRequestHeader('Content-Type', 'application/offset+octet-stream');
    for (const [name, value] of Object.entries(headers)) call.setRequestHeader(name, value);
    call.send(content);
  });
}

/** Ends early when the browser is online again, or the upload is canceled. */
const wait = (seconds: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(end, seconds * 1000);
    function end() {
      clearTimeout(timer);
      removeEventListener('online', end);
      signal.removeEventListener('abort', end);
      resolve();
    }
    addEventListener('online', end);
    signal.addEventListener('abort', end);
    if (signal.aborted) end();
  });
