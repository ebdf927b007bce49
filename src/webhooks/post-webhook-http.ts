/** Sends one webhook request to a checked IP address, without redirects or proxies, with time limits. */
import type { IncomingMessage } from 'node:http';
import { performance } from 'node:perf_hooks';
import type { Outbound, OutboundTarget } from '../core/outbound/outbound-target.ts';
import { aborted, openOutbound } from '../http/sending/outbound-request.ts';
import {
  type DeliveryError,
  maxAnswerCharacters,
  maxDetailCharacters,
  maxRetryAfterMs,
  type PostOutcome,
  type PostWebhook,
  type WebhookAnswer,
  type WebhookRequest,
} from './webhook.ts';

/** Limit for the entire request, including DNS. */
export const webhookTimeoutMs = 10_000;
/** Maximum number of response bytes read. */
export const maxResponseBytes = 64 * 1024;

export function createPostWebhook(deps: Outbound): PostWebhook {
  return async (request) => {
    const began = performance.now();
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(), deps.timeoutMs ?? webhookTimeoutMs);
    const outcome = await post(deps, request, deadline.signal).catch((error: unknown) => {
      const fault = deadline.signal.aborted ? 'timeout' : toDeliveryError(error);
      return { kind: 'failed', fault, detail: deadline.signal.aborted ? null : detailOf(error) } as const;
    });
    clearTimeout(timer);
    deadline.abort();
    return { ...outcome, durationMs: Math.round(performance.now() - began) };
  };
}

type WithoutDuration<Outcome> = Outcome extends unknown ? Omit<Outcome, 'durationMs'> : never;

async function post(
  deps: Outbound,
  given: WebhookRequest,
  signal: AbortSignal,
): Promise<WithoutDuration<PostOutcome>> {
  const target = await Promise.race([deps.findTarget(given.address), aborted(signal)]);
  if ('fault' in target)
    return { kind: 'failed', ...target, detail: cut(target.detail, maxDetailCharacters) };
  const request = openOutbound(target, { method: 'POST', ...given }, deps.authorities, signal);
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    request.on('error', reject).on('response', resolve).end(given.body);
  });
  const body = await readBody(answer, signal);
  request.destroy();
  return {
    kind: 'answered',
    status: answer.statusCode ?? 0,
    retryAfterMs: retryAfterOf(answer),
    answer: answerOf(answer, target, body),
  };
}

/**
 * Returns the beginning of the response body. Only the status matters, so a body that ends early, is too long or stalls is not an
 * error.
 */
async function readBody(answer: IncomingMessage, signal: AbortSignal): Promise<Buffer> {
  const kept: Buffer[] = [];
  let bytes = 0;
  const read = async () => {
    for await (const chunk of answer) {
      if (bytes < maxAnswerBytes) kept.push(chunk as Buffer);
      bytes += (chunk as Buffer).length;
      if (bytes > maxResponseBytes) return;
    }
  };
  await Promise.race([read(), aborted(signal)]).catch(() => undefined);
  return Buffer.concat(kept).subarray(0, maxAnswerBytes);
}

/** A character takes up to four bytes in UTF-8. */
const maxAnswerBytes = 4 * maxAnswerCharacters;

/** Others may contain cookies and credentials. */
const shownHeaders = [
  ...['cf-ray', 'content-length', 'content-type', 'date', 'retry-after', 'server', 'via'],
  ...['x-amzn-requestid', 'x-request-id'],
] as const;
const maxHeaderCharacters = 200;

function answerOf(
  { headers }: IncomingMessage,
  { url, isPublic }: OutboundTarget,
  body: Buffer,
): WebhookAnswer {
  const found: Record<string, string> = {};
  for (const name of shownHeaders) {
    const value = headers[name];
    if (value !== undefined) found[name] = cut(withoutSecrets(String(value), url), maxHeaderCharacters);
  }
  const type = headers['content-type'] ?? 'text/plain';
  const isText = /^text\/|[/+](json|xml)\b/i.test(type) && headers['content-encoding'] === undefined;
  const text = withoutSecrets(body.toString(), url);
  return {
    headers: found,
    body: isPublic && isText && text !== '' ? cut(text, maxAnswerCharacters) : null,
  };
}

const minSecretLength = 6;

/** Removes the path, query and headers of the request, which may be secret and which receivers repeat in errors. */
function withoutSecrets(text: string, { pathname, search, searchParams }: URL): string {
  const parts = [...pathname.split('/'), ...searchParams.values(), search.slice(1)];
  const secrets = parts
    .flatMap((part) => [part, decoded(part)])
    .filter((part) => part.length >= minSecretLength)
    // Longest first, because one may be the beginning of another.
    .sort((one, other) => other.length - one.length);
  const withoutSecrets = secrets.reduce((left, secret) => left.replaceAll(secret, '…'), text);
  return withoutSecrets.replace(/\bv1,[\w+/=]{20,}/g, 'v1,…');
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Includes the system error of each address that was tried. */
function detailOf(error: unknown): string {
  const all = error instanceof AggregateError ? error.errors : [error];
  const messages = all.map((one) => (one instanceof Error ? one.message : String(one)));
  return cut([...new Set(messages)].join('; '), maxDetailCharacters);
}

function cut(text: string, length: number): string;
function cut(text: string | null, length: number): string | null;
/** Removes characters that databases or pages cannot contain. */
function cut(text: string | null, length: number): string | null {
  const clean = text?.toWellFormed().replace(/[^\P{Cc}\n\t]/gu, '') ?? null;
  return clean !== null && clean.length > length ? `${clean.slice(0, length).toWellFormed()}…` : clean;
}

/** Supports only seconds (RFC 9110, section 10.2.3). */
function retryAfterOf(answer: IncomingMessage): number | null {
  const text = answer.headers['retry-after'];
  return text !== undefined && /^\d{1,9}$/.test(text) ? Math.min(Number(text) * 1000, maxRetryAfterMs) : null;
}

function toDeliveryError(error: unknown): DeliveryError {
  const code = String((error as { code?: unknown } | null)?.code ?? '');
  if (/^(CERT_|DEPTH_|SELF_SIGNED|UNABLE_TO_|ERR_TLS|ERR_SSL|EPROTO|HOSTNAME_)/.test(code))
    return 'untrusted';
  if (/^(ECONNRESET|EPIPE|HPE_)/.test(code)) return 'cut';
  return code === 'ETIMEDOUT' ? 'timeout' : 'unreachable';
}
