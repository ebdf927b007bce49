/** The keys of issuers, by discovery (OpenID Connect Discovery 1.0, section 4). Kept in memory, separately for each issuer. */

export const algorithms = ['RS256', 'ES256'] as const;
export type Algorithm = (typeof algorithms)[number];

/** The public part of a key (RFC 7517). */
export type PublicJwk =
  | { kty: 'RSA'; n: string; e: string }
  | { kty: 'EC'; crv: 'P-256'; x: string; y: string };

interface IssuerKey {
  id: string | null;
  algorithm: Algorithm;
  jwk: PublicJwk;
}

/** Requests a document of JSON. Rejects if there is none within the limits. */
export type FetchDocument = (address: string, signal: AbortSignal) => Promise<unknown>;

/** The issuer does not answer, or not as the standard demands. The message is a word for the log. */
export class IssuerUnavailable extends Error {
  override name = 'IssuerUnavailable';
}

export interface IssuerKeys {
  /** Returns the keys that may have signed such a token. Throws `IssuerUnavailable`. */
  find(issuer: string, wanted: { keyId: string | null; algorithm: Algorithm }): Promise<readonly PublicJwk[]>;
}

export const issuerLimits = {
  timeoutMs: 5_000,
  documentBytes: 256 * 1024,
  keptMs: 60 * 60_000,
  /** The shortest time between two attempts to get the keys of an issuer, whatever their outcome. */
  intervalMs: 60_000,
} as const;
const maxIssuers = 1_000;
const maxKeys = 100;

interface Known {
  keys: readonly IssuerKey[];
  /** When the keys were received; null if they never were. */
  receivedAt: number | null;
  triedAt: number;
  problem: unknown;
}

export function createIssuerKeys(deps: {
  fetchDocument: FetchDocument;
  timeoutMs?: number | undefined;
  now: () => number;
}): IssuerKeys {
  const known = new Map<string, Promise<Known>>();
  const refresh = (issuer: string, before: Known | null): Promise<Known> => {
    const triedAt = deps.now();
    const signal = AbortSignal.timeout(deps.timeoutMs ?? issuerLimits.timeoutMs);
    const next = discover(deps.fetchDocument, issuer, signal).then(
      (keys) => ({ keys, receivedAt: deps.now(), triedAt, problem: null }),
      (problem: unknown) => ({ keys: [], receivedAt: null, ...before, triedAt, problem }),
    );
    known.delete(issuer);
    known.set(issuer, next);
    const [oldest] = known.keys();
    if (known.size > maxIssuers && oldest !== undefined) known.delete(oldest);
    return next;
  };
  const isFresh = ({ receivedAt }: Known) =>
    receivedAt !== null && deps.now() - receivedAt < issuerLimits.keptMs;
  return {
    find: async (issuer, wanted) => {
      const pending = known.get(issuer);
      let state = await (pending ?? refresh(issuer, null));
      const found = isFresh(state) ? matching(state.keys, wanted) : [];
      if (found.length > 0) return found;
      // A key that is not there yet may have been added since.
      if (pending && deps.now() - state.triedAt >= issuerLimits.intervalMs) {
        const current = known.get(issuer);
        state = await (current === pending ? refresh(issuer, state) : (current ?? refresh(issuer, state)));
      }
      if (!isFresh(state)) throw new IssuerUnavailable('unavailable', { cause: state.problem });
      return matching(state.keys, wanted);
    },
  };
}

function matching(
  keys: readonly IssuerKey[],
  { keyId, algorithm }: { keyId: string | null; algorithm: Algorithm },
): readonly PublicJwk[] {
  const usable = keys.filter((key) => key.algorithm === algorithm);
  // A token that names no key needs an issuer with only one.
  if (keyId === null) return usable.length === 1 ? usable.map(({ jwk }) => jwk) : [];
  return usable.filter(({ id }) => id === keyId).map(({ jwk }) => jwk);
}

async function discover(
  fetchDocument: FetchDocument,
  issuer: string,
  signal: AbortSignal,
): Promise<IssuerKey[]> {
  const base = issuer.replace(/\/$/, '');
  const document = await fetchDocument(`${base}/.well-known/openid-configuration`, signal);
  if (fieldOf(document, 'issuer') !== issuer) throw new IssuerUnavailable('other-issuer');
  const address = fieldOf(document, 'jwks_uri');
  if (typeof address !== 'string') throw new IssuerUnavailable('no-jwks-uri');
  const list = fieldOf(await fetchDocument(address, signal), 'keys');
  if (!Array.isArray(list) || list.length > maxKeys) throw new IssuerUnavailable('no-list-of-keys');
  return list.flatMap(readKey);
}

/** Large enough for 8192 bits. */
const maxModulusLength = 1_400;
const isNumber = (value: unknown, limit: number): value is string =>
  typeof value === 'string' && value.length <= limit && /^[\w-]+$/.test(value);

/** Empty for keys that this does not use: for encryption, of other kinds, or symmetric. */
function readKey(key: unknown): IssuerKey[] {
  const read = (name: string) => fieldOf(key, name);
  const algorithm = read('kty') === 'RSA' ? 'RS256' : 'ES256';
  const kid = read('kid');
  const id = typeof kid === 'string' ? kid : null;
  if (![undefined, 'sig'].includes(read('use') as undefined | 'sig')) return [];
  if (![undefined, algorithm].includes(read('alg') as undefined | Algorithm)) return [];
  const [n, e, x, y] = ['n', 'e', 'x', 'y'].map(read);
  if (read('kty') === 'RSA' && isNumber(n, maxModulusLength) && isNumber(e, 8))
    return [{ id, algorithm, jwk: { kty: 'RSA', n, e } }];
  if (read('kty') === 'EC' && read('crv') === 'P-256' && isNumber(x, 50) && isNumber(y, 50))
    return [{ id, algorithm, jwk: { kty: 'EC', crv: 'P-256', x, y } }];
  return [];
}

const fieldOf = (object: unknown, name: string): unknown =>
  typeof object === 'object' && object !== null && Object.hasOwn(object, name)
    ? (object as Readonly<Record<string, unknown>>)[name]
    : undefined;
