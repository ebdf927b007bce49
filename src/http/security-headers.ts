/** Security headers of every response, and the content security policy of pages. */

/** For responses that are not pages, such as JSON and files: blocks scripts, loading, posting and framing. */
const closedPolicy = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/**
 * Value of `Content-Security-Policy` for the pages of `web/`. `downloadOrigins`: where files are downloaded from, because sign-in can
 * lead to a file, and Chromium applies `form-action` to the redirects that follow a form.
 */
export const pagePolicy = (downloadOrigins: readonly string[]) =>
  `default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self' data:; form-action ${["'self'", ...downloadOrigins].join(' ')}; base-uri 'none'; frame-ancestors 'none'; connect-src 'self'`;

/** One year, as required by ASVS 3.4.1. Without includeSubDomains, because other names under the host may belong to others. */
const strictTransport = 'max-age=31536000';

/**
 * Headers of every response, which a route may override. `publicUrl`: the configured origin. HSTS is only sent if that is https,
 * so it is never based on a guess, and never applies to all of `localhost`.
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
