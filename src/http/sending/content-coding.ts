/** The content coding of a response (RFC 9110, section 12.5.3), and its ETag. */
import { hash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';

export const contentCodings = ['zstd', 'br', 'gzip'] as const;
export type ContentCoding = (typeof contentCodings)[number];

/** For smaller responses, compression would not save a packet. */
export const minCompressedBytes = 1024;

/**
 * Returns the coding that the client prefers, or the first in `preferred` of equally preferred ones. Null if it accepts none or
 * prefers `identity`.
 */
export function acceptedCoding(
  request: FastifyRequest,
  preferred: readonly ContentCoding[],
): ContentCoding | null {
  return chooseCoding(String(request.headers['accept-encoding'] ?? ''), preferred);
}

export function chooseCoding<Coding extends ContentCoding>(
  header: string,
  preferred: readonly Coding[],
): Coding | null {
  if (header === '') return null;
  const weights = knownWeights(header);
  // A client that accepts any coding can decode gzip.
  const weightOf = (coding: ContentCoding) =>
    weights.get(coding) ?? (coding === 'gzip' ? (weights.get('x-gzip') ?? weights.get('*')) : undefined) ?? 0;
  let best: Coding | null = null;
  let bestWeight = 0;
  for (const coding of preferred) {
    if (weightOf(coding) <= bestWeight) continue;
    best = coding;
    bestWeight = weightOf(coding);
  }
  return bestWeight >= (weights.get('identity') ?? 0) ? best : null;
}

/** Browsers send few different headers, each with every request. */
const maxKnownHeaders = 100;
const known = new Map<string, ReadonlyMap<string, number>>();

function knownWeights(header: string): ReadonlyMap<string, number> {
  const found = known.get(header);
  if (found) return found;
  const weights = readWeights(header);
  if (known.size >= maxKnownHeaders) known.clear();
  if (header.length <= maxKnownHeaders) known.set(header, weights);
  return weights;
}

/** A malformed weight means 0, because the client may not understand the coding. */
function readWeights(header: string): Map<string, number> {
  const weights = new Map<string, number>();
  for (const item of header.split(',')) {
    const [name = '', ...parameters] = item.split(';').map((part) => part.trim().toLowerCase());
    const weight = parameters.find((one) => one.startsWith('q='))?.slice(2) ?? '1';
    weights.set(name, /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(weight) ? Number(weight) : 0);
  }
  return weights;
}

/** Returns the ETag for a text. */
export const etagOf = (text: string): string => `"${hash('sha256', text, 'base64url').slice(0, 22)}"`;

/** Returns the ETag of a representation in a coding: strong ETags must differ if the bytes do (section 8.8.3.3). */
export function etagIn(coding: ContentCoding | null, etag: string): string {
  return coding === null ? etag : etag.replace(/"$/, `-${coding}"`);
}

/** Returns the ETags in all codings, so that a client that gets a different coding than before still has its copy recognized. */
export function etagsOf(etag: string): readonly string[] {
  return [etag, ...contentCodings.map((coding) => etagIn(coding, etag))];
}

/** Whether `If-None-Match` contains the ETag in any coding. The comparison is weak, so ETags may have the weak prefix. */
export function isKnownEtag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  const tags = header.split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return etagsOf(etag).some((one) => tags.includes(one));
}
