/** Sends one form over HTTP/1.1 with memory that does not grow with the file, and reads the answer whenever it comes. */
import type { ClientRequest, IncomingMessage } from 'node:http';
import http from 'node:http';
import https from 'node:https';
import { formatBytes } from '../../core/byte-size.ts';
import { connectionFault } from './upload-connection-faults.ts';
import { UploadFault } from './upload-fault.ts';
import type { UploadForm } from './upload-form.ts';
import { formChunks } from './upload-form.ts';

export interface UploadRequest {
  /** The endpoint, `…/api/users/OWNER/apps`. */
  url: URL;
  /** Headers beside Content-Type, Content-Length and Expect. */
  headers: Readonly<Record<string, string>>;
  form: UploadForm;
  timeouts: UploadTimeouts;
}

export interface UploadTimeouts {
  /** Until the connection stands, TLS included. */
  connectMs: number;
  /** How long a server may leave `Expect: 100-continue` unanswered before the body is sent all the same (RFC 9110, 10.1.1). */
  continueMs: number;
  /** How long no byte may move in either direction; also the time a server has to work on the finished body. */
  idleMs: number;
}

export const defaultTimeouts: UploadTimeouts = { connectMs: 30_000, continueMs: 3_000, idleMs: 300_000 };

/** `connecting`: no body byte was sent. `sending`. `answering`: all is sent, the server works. Bytes are the body's. */
export interface UploadProgress {
  phase: 'connecting' | 'sending' | 'answering';
  sentBytes: number;
  totalBytes: number;
}

export interface UploadAnswer {
  status: number;
  statusText: string;
  location: string | null;
  retryAfter: string | null;
  text: string;
}

/** More of an answer than this is not read. */
export const maxAnswerBytes = 1024 * 1024;

/**
 * One upload, one answer, whatever its status; redirects are not followed. The body waits for the server's
 * `100 Continue`, so a refusal comes before it is sent; a server that answers 417 to that gets it without asking.
 * Throws `UploadFault`: the connection failed, nothing moved for too long, or a file changed while it was read.
 */
export async function uploadFile(
  request: UploadRequest,
  onProgress: (progress: UploadProgress) => void,
): Promise<UploadAnswer> {
  const answer = await exchange(request, true, onProgress);
  return answer.status === 417 ? exchange(request, false, onProgress) : answer;
}

async function exchange(
  request: UploadRequest,
  expectContinue: boolean,
  onProgress: (progress: UploadProgress) => void,
): Promise<UploadAnswer> {
  const totalBytes = request.form.contentLength;
  let sentBytes = 0;
  const report = (phase: UploadProgress['phase']) => onProgress({ phase, sentBytes, totalBytes });
  report('connecting');
  const sent = (bytes: number) => {
    sentBytes += bytes;
    report(sentBytes < totalBytes ? 'sending' : 'answering');
  };
  const client = open(request, expectContinue);
  const answered = new AbortController();
  const answer = readAnswer(client, request.url, answered);
  const goAhead = expectContinue ? continued(client, request.timeouts.continueMs, answered.signal) : null;
  const sending = Promise.resolve(goAhead).then(() => sendForm(client, request.form, answered.signal, sent));
  try {
    await Promise.race([answer, sending]);
    return await answer;
  } catch (error) {
    const progress = sentBytes > 0 ? `${formatBytes(sentBytes)} of ${formatBytes(totalBytes)}` : null;
    throw connectionFault(error, request.url, progress);
  } finally {
    answered.abort();
    client.destroy();
    await sending.catch(() => {});
  }
}

function open({ url, headers, form, timeouts }: UploadRequest, expectContinue: boolean): ClientRequest {
  const client = (url.protocol === 'https:' ? https : http).request(url, {
    method: 'POST',
    agent: false,
    headers: {
      Accept: 'application/json',
      // Told `close`, servers cut the connection right after an early answer, and the answer can be lost with it.
      Connection: 'keep-alive',
      ...headers,
      'Content-Type': form.contentType,
      'Content-Length': form.contentLength,
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
      new UploadFault(`${url.origin} did not answer within ${seconds(connectMs)}.`, { mayPass: true }),
    );
  }, connectMs);
  client.once('close', () => clearTimeout(connecting));
  client.once('socket', (socket) => {
    socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', () => clearTimeout(connecting));
    socket.setTimeout(idleMs, () => {
      const words = `Nothing moved between here and ${url.origin} for ${seconds(idleMs)}.`;
      client.destroy(new UploadFault(words, { mayPass: true, hint: '--timeout SECONDS allows more.' }));
    });
  });
}

const seconds = (milliseconds: number) => `${milliseconds / 1000} s`;

/** Resolves when the server asks for the body, when it says nothing for `continueMs`, or when there is an answer. */
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

/** Stops without an error when `answered` is aborted or the connection breaks: the answer's promise tells which. */
async function sendForm(
  client: ClientRequest,
  form: UploadForm,
  answered: AbortSignal,
  sent: (bytes: number) => void,
): Promise<void> {
  if (answered.aborted) return;
  let written = Promise.resolve(true);
  for await (const chunk of formChunks(form)) {
    if (!(await written)) return;
    // Lets an answer that is already here be read: writing to a connection that was cut would throw it away.
    await new Promise((resolve) => setImmediate(resolve));
    written = writeChunk(client, chunk, answered, sent);
  }
  if (await written) client.end();
}

/** False when the chunk did not go out. Until it settles the chunk's memory must not be written to. */
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

/** Aborts `answered` as soon as an answer begins, which may be long before the body is through. */
function readAnswer(client: ClientRequest, url: URL, answered: AbortController): Promise<UploadAnswer> {
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

async function collect(response: IncomingMessage, url: URL): Promise<UploadAnswer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > maxAnswerBytes)
      throw new UploadFault(`${url.origin} answered with more than ${maxAnswerBytes} bytes.`);
  }
  return {
    status: response.statusCode ?? 0,
    statusText: response.statusMessage ?? '',
    location: response.headers.location ?? null,
    retryAfter: response.headers['retry-after'] ?? null,
    text: Buffer.concat(chunks).toString('utf8'),
  };
}
