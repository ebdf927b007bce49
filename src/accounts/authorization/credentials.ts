/** Reads the API key of a request, in every form that existing uploaders send. */
import { maxKeyLength } from '../keys/api-key.ts';

export type Credentials = { kind: 'none' } | { kind: 'malformed' } | { kind: 'key'; key: string };

/**
 * Returns the key of a request. A header takes precedence over the query. With `legacyKeys` off, only `Authorization:
 * Bearer K` counts; otherwise also `token K` and bare `K`, with schemes in any case, and `tokens`: the values of the parameter or field
 * `token`.
 */
export function readCredentials(
  request: { authorization: string | undefined; tokens: unknown },
  legacyKeys: boolean,
): Credentials {
  const header = request.authorization?.trim();
  if (header) return keyOrMalformed(readHeader(header, legacyKeys));
  // As in forms, an empty token counts as absent, and identical repetitions are allowed.
  const tokens = new Set([request.tokens].flat().filter((token) => token !== undefined && token !== ''));
  const [token] = tokens;
  if (!legacyKeys || token === undefined) return { kind: 'none' };
  return keyOrMalformed(tokens.size === 1 && typeof token === 'string' ? token : null);
}

export function keyOrMalformed(key: string | null): Credentials {
  const trimmed = key?.trim();
  return trimmed && trimmed.length <= maxKeyLength ? { kind: 'key', key: trimmed } : { kind: 'malformed' };
}

function readHeader(header: string, legacyKeys: boolean): string | null {
  const [first = '', second, ...more] = header.split(/[ \t]+/);
  if (more.length > 0) return null;
  if (second === undefined) return legacyKeys && !/^(bearer|token)$/i.test(first) ? first : null;
  const scheme = first.toLowerCase();
  return scheme === 'bearer' || (legacyKeys && scheme === 'token') ? second : null;
}
