/** Sends a form over HTTP/1.1 in constant memory, and reads the answer as soon as it arrives. */
import type { ClientRequest, IncomingMessage } from 'node:http';
import http from 'node:http';
import https from 'node:https';
import { formatBytes } from '../../core/byte-size.ts';
import { toConnectionError } from './connection-error.ts';
import { InterruptedError, UploadError } from './upload-error.ts';
import type { UploadForm } from './upload-form.ts';
import { formChunks } from './upload-form.ts';

export interface UploadRequest {
  /** The endpoint, `…/api/users/OWNER/apps`. */
  url: URL;
  /** POST by default. */
  method?: string;
  /** Headers other than Content-Type, Content-Length and Expect. */
  headers: Readonly<Record<string, string>>;
  /** Null for no body. */
  form: UploadForm | null;
  timeouts: UploadTimeouts;
  /** Aborts with `InterruptedError`. */
  signal?: AbortSignal;
}

export interface UploadTimeouts {
  /** Time to establish the connection, including TLS. */
  connectMs: number;
  /** Time to wait for an answer to `Expect: 100-continue` before sending the body anyway (RFC 9110, 10.1.1). */
  continueMs: number;
  /** Maximum time without data in either direction. It also limits how long the server may process the complete body. */
  idleMs: number;
}

export const defaultTimeouts: UploadTimeouts = { connectMs: 30_000, continueMs: 3_000, idleMs: 300_000 };

/** The progress, in bytes of the body. `connecting`: no byte was sent yet. `answering`: the body is complete, and the answer is awaited. */
export interface UploadProgress {
  phase: 'connecting' | 'sending' | 'answering';
  sentBytes: number;
  totalBytes: number;
}

export interface UploadResponse {
  status: number;
  statusText: string;
  location: string | null;
  retryAfter: string | null;
  uploadOffset?: string | null;
  text: string;
}

/** An answer is read only up to this size. */
export const maxResponseBytes = 1024 * 1024;

/**
 * Sends one upload and returns the answer, with any status; does not follow redirects. The body waits for `100 Continue`, so that
 * a refusal arrives before it is sent; a 417 answer repeats the request without `Expect`. Throws `UploadError` if the connection
 * failed or timed out, or a file changed while it was read.
 */
export async function uploadFile(
  request: UploadRequest,
  onProgress: (progress: UploadProgress) => void,
): Promise<UploadResponse> {
  const answer = await exchange(request, (request.form?.contentLength ?? 0) > 0, onProgress);
  return answer.status === 417 ? exchange(request, false, onProgress) : answer;
}

async function exchange(
  request: UploadRequest,
  expectContinue: boolean,
  onProgress: (progress: UploadProgress) => void,
): Promise<UploadResponse> {
  const totalBytes = request.form?.contentLength ?? 0;
  let sentBytes = 0;
  const report = (phase: UploadProgress['phase']) => onProgress({ phase, sentBytes, totalBytes });
  report('connecting');
  const sent = (bytes: number) => {
    sentBytes += bytes;
    report(sentBytes < totalBytes ? 'sending' : 'answering');
  };
  const client = open(request, expectContinue);
  const interrupt = () => client.destroy(new InterruptedError());
  request.signal?.addEventListener('abort', interrupt, { once: true });
  if (request.signal?.aborted) interrupt();
  const answered = new AbortController();
  const answer = readAnswer(client, request.url, answered);
  const goAhead = expectContinue ? continued(client, request.timeouts.continueMs, answered.signal) : null;
  const sending = Promise.resolve(goAhead).then(() => sendForm(client, request.form, answered.signal, sent));
  try {
    await Promise.race([answer, sending]);
    return await answer;
  } catch (error) {
    const progress = sentBytes > 0 ? `${formatBytes(sentBytes)} of ${formatBytes(totalBytes)}` : null;
    throw toConnectionError(error, request.url, progress);
  } finally {
    request.signal?.removeEventListener('abort', interrupt);
    answered.abort();
    client.destroy();
    await sending.catch(() => {});
  }
}

function open(
  { url, method = 'POST', headers, form, timeouts }: UploadRequest,
  expectContinue: boolean,
): ClientRequest {
  const client = (url.protocol === 'https:' ? https : http).request(url, {
    method,
    agent: false,
    headers: {
      Accept: 'application/json',
      // With `close`, servers drop the connection right after an early answer, which can then be lost.
      Connection: 'keep-alive',
      ...headers,
      ...(form ? { 'Content-Type': form.contentType } : {}),
      ...(method === 'HEAD' ? {} : { 'Content-Length': form?.contentLength ?? 0 }),
      ...(expectContinue ? { Expect: '100-continue' } : {}),
    },
  });
  limitTime(client, url, timeouts);
  client.flushHeaders();
  return client;
}

function limitTime(client: ClientRequest, url: URL, { connectMs, idleMs }: UploadTimeouts): void {
  const connecting = setTimeout(() => {
    client.destroy(
      new UploadError(`${url.origin} did not answer within ${seconds(connectMs)}.`, { isTransient: true }),
    );
  }, connectMs);
  client.once('close', () => clearTimeout(connecting));
  client.once('socket', (socket) => {
    socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', () => clearTimeout(connecting));
    socket.setTimeout(idleMs, () => {
      const words = `No data was exchanged with ${url.origin} for ${seconds(idleMs)}.`;
      client.destroy(
        new UploadError(words, { isTransient: true, hint: 'Use --timeout SECONDS to allow more.' }),
      );
    });
  });
}

const seconds = (milliseconds: number) => `${milliseconds / 1000} s`;

/** Resolves when the server requests the body, after `continueMs`, or when an answer arrives. */
function continued(client: ClientRequest, continueMs: number, answered: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, continueMs);
    const done = () => {
      clearTimeout(timer);
      resolve();
    };
    client.once('continue', done);
    answered.addEventListener('abort', done, { once: true });
  });
}

/** Stops without an error if `answered` is aborted or the connection breaks, because the promise of the answer reports the cause. */
async function sendForm(
  client: ClientRequest,
  form: UploadForm | null,
  answered: AbortSignal,
  sent: (bytes: number) => void,
): Promise<void> {
  if (answered.aborted) return;
  let written = Promise.resolve(true);
  for await (const chunk of form ? formChunks(form) : []) {
    if (!(await written)) return;
    // Gives a received answer the time to be read, because writing to a closed connection would discard it.
    await new Promise((resolve) => setImmediate(resolve));
    written = writeChunk(client, chunk, answered, sent);
  }
  if (await written) client.end();
}

/** Resolves to false if the chunk was not sent. Until then, the chunk must not be modified. */
function writeChunk(
  client: ClientRequest,
  chunk: Buffer,
  answered: AbortSignal,
  sent: (bytes: number) => void,
): Promise<boolean> {
  return new Promise((resolve) => {
    const stop = () => resolve(false);
    if (answered.aborted) return stop();
    answered.addEventListener('abort', stop, { once: true });
    client.write(chunk, (error) => {
      answered.removeEventListener('abort', stop);
      if (!error && !answered.aborted) sent(chunk.length);
      resolve(!error);
    });
  });
}

/** Aborts `answered` as soon as an answer begins, which may be long before the body is sent. */
function readAnswer(client: ClientRequest, url: URL, answered: AbortController): Promise<UploadResponse> {
  return new Promise((resolve, reject) => {
    const fail = (error: Error) => {
      answered.abort();
      reject(error);
    };
    client.on('error', fail);
    client.once('response', (response) => {
      answered.abort();
      collect(response, url).then(resolve, reject);
    });
  });
}

async function collect(response: IncomingMessage, url: URL): Promise<UploadResponse> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > maxResponseBytes)
      throw new UploadError(`${url.origin} answered with more than ${maxResponseBytes} bytes.`);
  }
  return {
    status: response.statusCode ?? 0,
    statusText: response.statusMessage ?? '',
    location: response.headers.location ?? null,
    retryAfter: response.headers['retry-after'] ?? null,
    uploadOffset: [response.headers['upload-offset'] ?? []].flat()[0] ?? null,
    text: Buffer.concat(chunks).toString('utf8'),
  };
}
