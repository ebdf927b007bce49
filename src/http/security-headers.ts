/** Security headers of every response, and the content security policy of pages. */

/** Blocks scripts, loading, posting and framing for everything that is not a page of ours: JSON and files. */
const closedPolicy = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Value of `Content-Security-Policy` for the pages of `web/`. */
export const pagePolicy =
  "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; connect-src 'self'";

/**
 * One year, as ASVS 3.4.1 requires; without includeSubDomains, because other names under the host may belong to
 * others.
 */
const strictTransport = 'max-age=31536000';

/**
 * Headers of every response; a route may override them. `publicUrl`: the configured origin. HSTS is sent only if it
 * is https: not on a guess, and not for a whole `localhost`.
 */
export function defaultHeaders(publicUrl: string | null): Readonly<Record<string, string>> {
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
