/** Reads and verifies ID tokens of CIs (OpenID Connect Core 1.0, section 2; JSON Web Signature, RFC 7515). */
import { createHash } from 'node:crypto';
import { type Algorithm, algorithms, type PublicJwk } from './issuer-keys.ts';
import { TokenRefused } from './token-refused.ts';
import { trustedPublishingTexts } from './trusted-publishing-texts.ts';

const t = trustedPublishingTexts.exchange;

export const idTokenLimits = {
  bytes: 16 * 1024,
  /** Tolerated difference between clocks. */
  leewaySeconds: 60,
  lifetimeSeconds: 24 * 60 * 60,
  /** The length of the claim `jti`. */
  idLength: 255,
} as const;

export interface IdToken {
  text: string;
  algorithm: Algorithm;
  /** Null if the header names no key. */
  keyId: string | null;
  /** The claim `iss`; empty if it is not a text that an issuer could be. */
  issuer: string;
  claims: Readonly<Record<string, unknown>>;
}

/** Reads a token without trusting it. The header’s `jku`, `x5u` and `jwk` are ignored. Throws `TokenRefused`. */
export function readIdToken(text: string): IdToken {
  if (Buffer.byteLength(text) > idTokenLimits.bytes)
    throw new TokenRefused('token_too_large', t.tooLarge({ limit: idTokenLimits.bytes }));
  const malformed = () => new TokenRefused('malformed_token', t.malformed);
  const parts = text.split('.');
  const [header, claims] = parts.slice(0, 2).map(readObject);
  if (parts.length !== 3 || !header || !claims) throw malformed();
  const { alg, kid } = valuesOf(header);
  const { iss } = valuesOf(claims);
  const algorithm = algorithms.find((one) => one === alg);
  // Extensions that must be understood (RFC 7515, section 4.1.11); none is.
  if (!algorithm || Object.hasOwn(header, 'crit'))
    throw new TokenRefused('unsupported_algorithm', t.algorithm({ algorithms: algorithms.join(', ') }));
  if (!isBase64url(parts[2] ?? '') || (kid !== undefined && typeof kid !== 'string')) throw malformed();
  return {
    text,
    algorithm,
    keyId: kid ?? null,
    // PostgreSQL refuses to compare text with U+0000, and no issuer contains it.
    issuer: typeof iss === 'string' && !iss.includes('\0') ? iss : '',
    claims,
  };
}

/** Exactly one spelling of each value, so that a token cannot be changed into another one with the same signature. */
const isBase64url = (text: string) =>
  text !== '' && Buffer.from(text, 'base64url').toString('base64url') === text;

/** Null for anything but an object of JSON in UTF-8 without repeated names, which readers understand differently. */
function readObject(part: string): Readonly<Record<string, unknown>> | null {
  if (!isBase64url(part)) return null;
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(
      Buffer.from(part, 'base64url'),
    );
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
    return countNames(text) === Object.keys(value).length ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

/** Counts the names of the outermost object of valid JSON. */
function countNames(json: string): number {
  let depth = 0;
  let names = 0;
  for (const [token] of json.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\]:]/gs)) {
    if (token === '{' || token === '[') depth++;
    else if (token === '}' || token === ']') depth--;
    else if (token === ':' && depth === 1) names++;
  }
  return names;
}

/** Whether one of the keys signed the token. */
export async function isSignedBy({ text, algorithm }: IdToken, keys: readonly PublicJwk[]): Promise<boolean> {
  const { compactVerify, importJWK } = await import('jose');
  for (const key of keys) {
    try {
      await compactVerify(text, await importJWK(key, algorithm), { algorithms: [algorithm] });
      return true;
    } catch {
      // Another key may have the same id.
    }
  }
  return false;
}

/** Returns when the token expires, in whole epoch milliseconds: its claims may have fractions. Throws `TokenRefused`. */
export function checkTimes({ claims }: IdToken, now: number): number {
  const { exp, iat, nbf } = valuesOf(claims);
  const [end, issued, begin = issued] = [exp, iat, nbf];
  if (!isTime(end) || !isTime(issued) || !isTime(begin)) throw new TokenRefused('invalid_claims', t.times);
  const seconds = now / 1000;
  if (end + idTokenLimits.leewaySeconds <= seconds) throw new TokenRefused('token_expired', t.expired);
  if (Math.max(issued, begin) - idTokenLimits.leewaySeconds > seconds)
    throw new TokenRefused('token_not_yet_valid', t.early);
  if (end - issued > idTokenLimits.lifetimeSeconds) throw new TokenRefused('token_lives_too_long', t.life);
  return Math.ceil(end * 1000);
}

const isTime = (value: unknown): value is number =>
  typeof value === 'number' && value >= 0 && value <= Number.MAX_SAFE_INTEGER / 1000;

/** `jti`; of a token without one, the SHA-256 of what is signed, because some signatures can be changed. Throws `TokenRefused`. */
export function tokenIdOf({ text, claims }: IdToken): string {
  const { jti } = valuesOf(claims);
  if (jti === undefined) {
    const signed = text.slice(0, text.lastIndexOf('.'));
    return `sha256:${createHash('sha256').update(signed).digest('hex')}`;
  }
  const isId =
    typeof jti === 'string' &&
    jti !== '' &&
    jti.length <= idTokenLimits.idLength &&
    !/[\p{Cc}\p{Cs}]/u.test(jti);
  if (!isId) throw new TokenRefused('invalid_claims', t.id({ limit: idTokenLimits.idLength }));
  return jti;
}

/** Only its own properties, whatever their names. */
function valuesOf(object: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.assign(Object.create(null), object);
}
