/**
 * Sends static files before the framework sees the request, whose hooks, cookies and parsers cost twice as much as a file that is
 * the same for everyone. The declared route of the files answers everything unusual.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyBaseLogger } from 'fastify';
import {
  type StaticFile,
  type StaticFiles,
  staticCodings,
  staticPath,
} from '../../web/shell/static-files.ts';
import { requestIdHeader } from '../request-ids.ts';
import type { FollowedRequest } from '../request-log.ts';
import type { Route } from '../routes/route.ts';
import {
  type ContentCoding,
  chooseCoding,
  etagIn,
  isKnownEtag,
  minCompressedBytes,
} from './content-coding.ts';

export const assetPath = '/assets/:name';

/** Returns false for a request that the declared route answers. */
export type SendAsset = (request: IncomingMessage, response: ServerResponse) => boolean;

export function createAssetSender(deps: {
  files: StaticFiles;
  route: Route;
  headers: Readonly<Record<string, string>>;
  requestIdOf(request: IncomingMessage): string;
  log: FastifyBaseLogger;
  /** Follows the request until its response ends: the log line, and the limits of connections and transfers. */
  follow(request: FollowedRequest, response: ServerResponse): void;
}): SendAsset {
  const { files, route, log } = deps;
  const byTarget = new Map([...files].map(([name, file]) => [staticPath(files, name), file]));
  const heads = new Map<string, string[]>();
  const headOf = (file: StaticFile, coding: ContentCoding | null, body: Uint8Array | null) => {
    const key = `${file.etag}${coding}${body === null}`;
    const known = heads.get(key);
    if (known) return known;
    const sent: Record<string, string> = { ...deps.headers, ...assetHeaders(file, coding) };
    if (body !== null) {
      sent['Content-Type'] = file.type;
      sent['Content-Length'] = String(body.byteLength);
      if (coding !== null) sent['Content-Encoding'] = coding;
    }
    const head = Object.entries(sent).flatMap(([name, value]) => [name.toLowerCase(), value]);
    heads.set(key, head);
    return head;
  };
  return (request, response) => {
    const { headers } = request;
    const file = isPlain(request) ? byTarget.get(request.url ?? '') : undefined;
    if (!file) return false;
    const coding = assetCoding(file, headers['accept-encoding']);
    const isKnown = isKnownEtag(headers['if-none-match'], file.etag);
    const body = isKnown ? null : coding === null ? file.bytes : file.compressed(coding);
    if (body instanceof Promise) return false;
    const id = deps.requestIdOf(request);
    deps.follow(
      {
        raw: request,
        id,
        method: 'GET',
        headers,
        declared: route,
        callerKind: 'nobody',
        otherRoute: null,
        continueSent: false,
        get log() {
          return log.child({ request: id });
        },
      },
      response,
    );
    response.writeHead(isKnown ? 304 : 200, [...headOf(file, coding, body), requestIdHeader, id]);
    response.end(body ?? undefined);
    return true;
  };
}

/** A GET that Node cannot have misread, without a body or an expectation. */
function isPlain({ method, headers, rawHeaders }: IncomingMessage): boolean {
  if (method !== 'GET' || headers.expect !== undefined) return false;
  if (headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined) return false;
  return countHosts(rawHeaders) === 1;
}

/** Node keeps the first of several. */
export function countHosts(rawHeaders: readonly string[]): number {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts++;
  }
  return hosts;
}

export function assetCoding(file: StaticFile, acceptEncoding = ''): (typeof staticCodings)[number] | null {
  if (file.bytes.byteLength < minCompressedBytes) return null;
  return chooseCoding(acceptEncoding, staticCodings);
}

/** Changes with the content, which is named by its hash, so that browsers never ask again. */
export function assetHeaders(file: StaticFile, coding: ContentCoding | null): Record<string, string> {
  return {
    ETag: etagIn(coding, file.etag),
    'Cache-Control': 'public, max-age=31536000, immutable',
    Vary: 'Accept-Encoding',
  };
}
