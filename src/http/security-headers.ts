/** What browsers are told of every answer, and what pages may do. */

/** Nothing runs, loads, posts or frames what is no page of ours: JSON, files, and what only looks like a page. */
const closedPolicy = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Value of `Content-Security-Policy` for the pages of `web/`. */
export const pagePolicy =
  "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; connect-src 'self'";

/** A year, as ASVS 3.4.1 wants; other names under the host are other people's to decide on. */
const strictTransport = 'max-age=31536000';

/**
 * What every answer begins with; a route may say otherwise. `publicUrl`: the origin of the settings. Browsers are told to
 * come by https alone where that is one: not on a guess, and not for the whole of somebody's `localhost`.
 */
export function firstHeaders(publicUrl: string | null): Readonly<Record<string, string>> {
  const { protocol, hostname } =
    publicUrl === null ? { protocol: 'http:', hostname: '' } : new URL(publicUrl);
  const isSecure = protocol === 'https:' && hostname !== 'localhost';
  return {
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Content-Security-Policy': closedPolicy,
    'Cache-Control': 'no-store',
    ...(isSecure ? { 'Strict-Transport-Security': strictTransport } : {}),
  };
}
