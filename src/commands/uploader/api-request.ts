/** Calls the APIs of CI services and of the server: small answers, a limit on time and size, and no redirect to another host. */
import { printable, truncate } from '../terminal-text.ts';
import { UploadError } from './upload-error.ts';

export interface ApiAnswer {
  status: number;
  headers: Headers;
  text: string;
  /** Undefined if the body is not JSON. */
  json: unknown;
}

export interface ApiCall {
  method?: string;
  headers?: Readonly<Record<string, string>>;
  body?: string | URLSearchParams;
  timeoutMs?: number;
}

const defaultTimeoutMs = 30_000;
export const maxApiAnswerBytes = 8 * 1024 * 1024;
const maxRedirects = 3;

/**
 * Returns the answer with any status. Follows redirects only within the origin, because the headers contain a token. Throws
 * `UploadError`, without the query of the address, which can contain a secret.
 */
export async function callApi(address: URL, call: ApiCall = {}): Promise<ApiAnswer> {
  const signal = AbortSignal.timeout(call.timeoutMs ?? defaultTimeoutMs);
  let url = address;
  for (let redirects = 0; ; redirects += 1) {
    const response = await fetchFrom(url, call, signal);
    const location = response.headers.get('location');
    if (response.status < 300 || response.status > 399 || location === null)
      return await readAnswer(response, url);
    await response.body?.cancel();
    const target = URL.canParse(location, url) ? new URL(location, url) : null;
    if (target?.origin !== url.origin || redirects === maxRedirects)
      throw new UploadError(
        `${url.origin} redirects to ${truncate(printable(target?.origin ?? location), 200)}, which is not followed.`,
      );
    url = target;
  }
}

async function fetchFrom(url: URL, { method, headers, body }: ApiCall, signal: AbortSignal) {
  try {
    return await fetch(url, {
      redirect: 'manual',
      signal,
      ...(method ? { method } : {}),
      ...(headers ? { headers } : {}),
      ...(body === undefined ? {} : { body }),
    });
  } catch (error) {
    throw unreachable(url, error);
  }
}

function unreachable(url: URL, error: unknown): UploadError {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  const isSlow = error instanceof Error && error.name === 'TimeoutError';
  const reason = isSlow ? 'it did not answer in time' : reasonOf(cause);
  return new UploadError(`${url.origin} cannot be reached: ${reason}.`, { isTransient: true, cause: error });
}

function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  return cause.message || ('code' in cause ? String(cause.code) : cause.name);
}

async function readAnswer(response: Response, url: URL): Promise<ApiAnswer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of response.body ?? []) {
      bytes += chunk.length;
      if (bytes > maxApiAnswerBytes)
        throw new UploadError(`${url.origin} answered with more than ${maxApiAnswerBytes} bytes.`);
      chunks.push(chunk);
    }
  } catch (error) {
    throw error instanceof UploadError ? error : unreachable(url, error);
  }
  const text = Buffer.concat(chunks).toString('utf8');
  return { status: response.status, headers: response.headers, text, json: parseJson(text) };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns a text of a JSON object, or null. */
export function textAt(json: unknown, name: string): string | null {
  const value = typeof json === 'object' && json !== null ? (json as Record<string, unknown>)[name] : null;
  return typeof value === 'string' && value !== '' ? value : null;
}
