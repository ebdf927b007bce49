/** Sends probes. Follows no redirects, and connects only to the public address. */
import {
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as plainRequest,
} from 'node:http';
import { request as tlsRequest } from 'node:https';
import type { Socket } from 'node:net';
import { type ProbeKind, type ProbeToken, type ProbeTokens, probeHeader, probePath } from './doctor-probe.ts';
import { forged, type ProbeOutcome, type PublicAddress } from './public-address.ts';

interface Asked {
  origin: URL;
  probes: ProbeTokens;
  now: () => number;
  /** Replaces the default timeout of a probe, which is 15 seconds. */
  timeoutMs?: number;
}

/** Timeout of one probe, from the name lookup to the last byte of the response. */
const probeTimeoutMs = 15_000;
const maxResponseBytes = 256 * 1024;
/** A proxy that refuses the size after sending `100 Continue` needs this much time to do so. */
const rejectionTimeoutMs = 3_000;
/**
 * The body is sent in chunks over six seconds, then the rest. One chunk is not enough, because Go’s proxies forward an early
 * response only after the next one.
 */
const pieceBytes = 64 * 1024;
const pieces = 12;
const chunkIntervalMs = 500;
/** Larger than what a proxy discards before it forwards the response: Go’s server discards up to 256 KiB. */
const restBytes = 2 * 1024 * 1024;

export function createPublicAddress(asked: Asked): PublicAddress {
  return {
    origin: asked.origin,
    reach: () => {
      const headers = {
        'X-Forwarded-For': forged.for,
        'X-Forwarded-Host': forged.host,
        'X-Forwarded-Proto': forged.proto,
      };
      return probe(asked, { kind: 'reach', method: 'GET', headers }, (client) => client.end());
    },
    announceUpload: (sizeBytes) => announceUpload(asked, sizeBytes),
    sendInChunks: () => sendInChunks(asked),
    download: (first, last) => {
      const headers = { Range: `bytes=${first}-${last}`, 'Accept-Encoding': 'gzip, br' };
      return probe(asked, { kind: 'download', method: 'GET', headers }, (client) => client.end());
    },
  };
}

async function announceUpload(
  asked: Asked,
  sizeBytes: number,
): Promise<ProbeOutcome | { kind: 'body-wanted' }> {
  let bodyWanted = false;
  const headers = { 'Content-Length': String(sizeBytes), Expect: '100-continue' };
  const outcome = await probe(asked, { kind: 'head', method: 'POST', headers }, (client) => {
    client.once('continue', () => {
      bodyWanted = true;
      const timeout = setTimeout(() => client.destroy(), rejectionTimeoutMs);
      client.once('response', () => clearTimeout(timeout)).once('close', () => clearTimeout(timeout));
    });
    client.flushHeaders();
  });
  return outcome.kind === 'failed' && bodyWanted ? { kind: 'body-wanted' } : outcome;
}

async function sendInChunks(asked: Asked): Promise<{ outcome: ProbeOutcome; responseDelayed: boolean }> {
  let responseDelayed = false;
  const headers = {
    'Content-Type': 'application/octet-stream',
    'Content-Length': String(pieces * pieceBytes + restBytes),
  };
  const outcome = await probe(asked, { kind: 'body', method: 'POST', headers }, (client) => {
    let sent = 0;
    const sendNext = () => {
      if (sent < pieces) {
        client.write(Buffer.alloc(pieceBytes));
        sent += 1;
        return;
      }
      responseDelayed = true;
      clearInterval(timer);
      client.end(Buffer.alloc(restBytes));
    };
    const timer = setInterval(sendNext, chunkIntervalMs);
    client.once('response', () => clearInterval(timer)).once('close', () => clearInterval(timer));
    sendNext();
  });
  return { outcome, responseDelayed };
}

interface Probe {
  kind: ProbeKind;
  method: 'GET' | 'POST';
  headers: Record<string, string>;
}

/** Another check reports an invalid certificate, which must not hide the other results. */
function open(
  { origin, timeoutMs = probeTimeoutMs }: Asked,
  { kind, method, headers }: Probe,
  token: ProbeToken,
): ClientRequest {
  const options = {
    method,
    agent: false,
    headers: { Accept: 'application/json', Connection: 'keep-alive', ...headers, [probeHeader]: token.text },
    signal: AbortSignal.timeout(timeoutMs),
  };
  const url = new URL(probePath(kind), origin);
  return url.protocol === 'https:'
    ? tlsRequest(url, { ...options, rejectUnauthorized: false })
    : plainRequest(url, options);
}

async function probe(
  asked: Asked,
  probe: Probe,
  send: (client: ClientRequest) => void,
): Promise<ProbeOutcome> {
  const token = asked.probes.issue(probe.kind, asked.now());
  const client = open(asked, probe, token);
  try {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      client.on('error', reject).once('response', resolve);
      send(client);
    });
    const { localPort = 0 } = client.socket as Socket;
    const body = await readAnswer(response);
    const proved = token.isProvedBy(proofIn(response.headers, body));
    const { statusCode: status = 0, headers } = response;
    return { kind: 'answered', status, headers, proved, body, localPort };
  } catch (error) {
    const { code = '', name = '', message = String(error) } = error as NodeJS.ErrnoException;
    return { kind: 'failed', code: name === 'AbortError' ? 'ETIMEDOUT' : code, message };
  } finally {
    client.on('error', () => undefined).destroy();
  }
}

async function readAnswer(response: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes > maxResponseBytes) throw new Error('the answer is too large');
  }
  return Buffer.concat(chunks);
}

/** The proof is in the JSON or, for a download with fixed bytes, in the ETag. */
function proofIn(headers: IncomingHttpHeaders, body: Buffer): unknown {
  if (headers.etag) return headers.etag.replace(/^W\//, '').replaceAll('"', '');
  try {
    const answer: unknown = JSON.parse(body.toString());
    return typeof answer === 'object' && answer !== null && 'proof' in answer ? answer.proof : null;
  } catch {
    return null;
  }
}
