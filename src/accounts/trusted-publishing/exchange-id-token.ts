/** Exchanges an ID token for an API key of 15 minutes. The order of the checks is part of the interface (`docs/trusted-publishing.md`). */
import type { Connection, Data } from '../../db/data.ts';
import type { Attempts } from '../../limits/attempts.ts';
import type { Actor, KeyRestriction } from '../../owners/actor.ts';
import { auditQueries } from '../../owners/audit-queries.ts';
import type { Owner } from '../../owners/owner.ts';
import { ownerQueries } from '../../owners/owner-queries.ts';
import { hashApiKey, hintOf, newApiKey } from '../keys/api-key.ts';
import { scheduleKeyExpiry } from '../keys/issue-key.ts';
import { keyQueries } from '../keys/key-queries.ts';
import {
  cleanLine,
  createClaimReader,
  type Decision,
  evaluateClaims,
  sourceOf,
  specificityOf,
} from './evaluate-claims.ts';
import { checkTimes, type IdToken, idTokenLimits, isSignedBy, readIdToken, tokenIdOf } from './id-token.ts';
import { type IssuerKeys, IssuerUnavailable } from './issuer-keys.ts';
import type { ClaimReader } from './providers.ts';
import { TokenRefused } from './token-refused.ts';
import { isPackageName, type TrustedPublisher } from './trusted-publisher.ts';
import { trustedPublisherQueries } from './trusted-publisher-queries.ts';
import { refusalText, trustedPublishingTexts } from './trusted-publishing-texts.ts';

const t = trustedPublishingTexts.exchange;

export const trustedKeyLifetimeMs = 15 * 60_000;

/** Only tokens that fulfill the publisher count, so that nobody else can use it up. */
const exchangeLimit = { limit: 240, windowMs: 60 * 60_000, refusal: 'idTokens' } as const;

export interface ExchangeRequest {
  idToken: string;
  /** An owner, or `owner/platform/package`; empty if the publishers that match decide. */
  resource: string;
}

/** Returns the key. Throws `TokenRefused`, and `TooManyRequests` if the publisher receives too many keys. */
export type ExchangeIdToken = (request: ExchangeRequest) => Promise<string>;

export interface ExchangeDeps {
  data: Data;
  attempts: Attempts;
  issuerKeys: IssuerKeys;
  /** SLIPWAY_URL. Without it, the name of this server would be what a request says, so that tokens for others could be used here. */
  audience: string | null;
  now: () => number;
  log: { warn(fields: object, message: string): void };
}

export function createExchangeIdToken(deps: ExchangeDeps): ExchangeIdToken {
  const { data, issuerKeys, audience } = deps;
  /** Strangers learn nothing about owners and their issuers. */
  const invalidToken = (cause?: unknown) =>
    new TokenRefused('invalid_token', t.invalid({ audience: audience ?? '' }), cause);
  return async ({ idToken, resource }) => {
    if (audience === null) throw new TokenRefused('invalid_request', t.noAddress);
    const place = readResource(resource);
    const token = readIdToken(idToken);
    const owner = place && (await ownerQueries(data).findOwner(place.owner));
    const ofIssuer = await trustedPublisherQueries(data).listByIssuer(
      token.issuer,
      place && (owner?.id ?? ''),
    );
    if (ofIssuer.length === 0) throw invalidToken();
    const keys = await issuerKeys.find(token.issuer, token).catch((error: unknown) => {
      if (!(error instanceof IssuerUnavailable)) throw error;
      const facts = { event: 'issuer.unavailable', issuer: token.issuer, err: error.cause ?? error };
      deps.log.warn(facts, 'could not load the keys of an issuer');
      throw new TokenRefused('issuer_unavailable', t.unavailable, error);
    });
    if (!(await isSignedBy(token, keys))) throw invalidToken();
    if (!Object.hasOwn(token.claims, 'aud') || audienceOf(token, ofIssuer) !== audience) throw invalidToken();
    const expiresAt = checkTimes(token, deps.now());
    const tokenId = tokenIdOf(token);
    if (await trustedPublisherQueries(data).isTokenUsed(token.issuer, tokenId)) throw used();
    const publishers = ofIssuer.filter(
      ({ app }) => !place?.app || !app || JSON.stringify(app) === JSON.stringify(place.app),
    );
    const claim = createClaimReader(token.claims);
    const publisher = await choose(deps, { publishers, claim, token, place });
    await deps.attempts.count(['trusted publisher', publisher.id], exchangeLimit);
    const key = newApiKey();
    await data.transaction((tx) =>
      issue(tx, { key, publisher, claim, app: place?.app ?? null, tokenId, expiresAt, at: deps.now() }),
    );
    return key;
  };
}

/** Bitbucket writes its only audience as a list. A token for several servers could be used by one of them at the others. */
function audienceOf({ claims: { aud } }: IdToken, publishers: readonly TrustedPublisher[]): unknown {
  const isList = publishers.some(({ provider }) => provider === 'bitbucket') && Array.isArray(aud);
  return isList && aud.length === 1 ? aud[0] : aud;
}

const used = () => new TokenRefused('token_used', t.used);

interface Place {
  owner: string;
  app: TrustedPublisher['app'];
}

/** Throws `TokenRefused`. */
function readResource(text: string): Place | null {
  if (text === '') return null;
  const [owner = '', platform, packageName = '', ...more] = text.split('/');
  if (platform === undefined) return { owner, app: null };
  if ((platform === 'android' || platform === 'ios') && isPackageName(packageName) && more.length === 0)
    return { owner, app: { platform, packageName } };
  throw new TokenRefused('invalid_target', t.resource);
}

/** Returns the most specific publisher whose rules the token fulfills. Throws `TokenRefused`. */
async function choose(
  { data, now }: Pick<ExchangeDeps, 'data' | 'now'>,
  found: { publishers: readonly TrustedPublisher[]; claim: ClaimReader; token: IdToken; place: Place | null },
): Promise<TrustedPublisher> {
  const { claim, place } = found;
  const judged = found.publishers
    .map((publisher) => ({ publisher, decision: evaluateClaims(publisher, claim) }))
    .sort((one, other) => specificityOf(other.publisher) - specificityOf(one.publisher));
  const fulfilled = judged
    .filter(({ decision }) => decision.refusal === null)
    .map(({ publisher }) => publisher);
  const [best] = fulfilled;
  if (best) {
    const placeOf = ({ ownerId, app, pageNamePattern }: TrustedPublisher) =>
      JSON.stringify([ownerId, app, pageNamePattern]);
    const isAmbiguous = fulfilled.some(
      (one) =>
        one.ownerId !== best.ownerId ||
        (specificityOf(one) === specificityOf(best) && placeOf(one) !== placeOf(best)),
    );
    if (isAmbiguous) throw new TokenRefused('ambiguous_publisher', t.ambiguous);
    return best;
  }
  const identified = judged.find(({ decision }) => decision.refusal && decision.isIdentified);
  if (identified?.decision.refusal) {
    const { publisher } = identified;
    const { claim: name, code, wanted, found: value } = identified.decision.refusal;
    const refusal = { code, claim: name, wanted, found: cleanLine(value) };
    await trustedPublisherQueries(data).recordRefusal(publisher.id, refusal, now());
    throw new TokenRefused(code, refusalText(publisher.name, refusal));
  }
  const { repository } = sourceOf(
    found.publishers[0] ?? { provider: 'other', issuer: found.token.issuer },
    claim,
  );
  throw new TokenRefused(
    'no_publisher',
    t.none({ place: place?.owner ?? '', isPlace: place ? 'yes' : 'no', repository: repository ?? '?' }),
  );
}

/** Checks again what may have changed, uses the token up and stores the key. Throws `TokenRefused`. */
async function issue(
  tx: Connection,
  order: {
    key: string;
    publisher: TrustedPublisher;
    claim: ClaimReader;
    app: TrustedPublisher['app'];
    tokenId: string;
    expiresAt: number;
    at: number;
  },
): Promise<void> {
  const { key, claim, at } = order;
  const queries = trustedPublisherQueries(tx);
  const publisher = await queries.lock(order.publisher);
  const owner = publisher && (await ownerQueries(tx).findOwnerById(publisher.ownerId));
  const decision: Decision | null = publisher && evaluateClaims(publisher, claim);
  if (!publisher || !owner || decision?.refusal !== null) throw new TokenRefused('no_publisher', t.changed);
  const usedUntil = order.expiresAt + idTokenLimits.leewaySeconds * 1000;
  if (!(await queries.useToken(publisher.issuer, order.tokenId, usedUntil))) throw used();
  await queries.recordUse(publisher.id, decision.pinned, at);
  const source = sourceOf(publisher, claim);
  const record = await keyQueries(tx).insertKey({
    ownerId: owner.id,
    name: publisher.name,
    keyHash: hashApiKey(key),
    hint: hintOf(key),
    createdAt: at,
    expiresAt: at + trustedKeyLifetimeMs,
    scopes: ['upload'],
    restriction: restrictionOf(publisher, order.app),
    trusted: { publisherId: publisher.id, source },
  });
  await scheduleKeyExpiry(tx, owner.id, record, at);
  await auditQueries(tx).record({
    at,
    actor: actorOf(owner, record),
    action: 'trusted-publisher.used',
    ownerId: owner.id,
    subject: publisher.name,
    details: { repository: source.repository, commit: source.commit, run: source.run_id },
  });
}

const actorOf = (owner: Owner, { id, name }: { id: string; name: string }): Actor =>
  owner.kind === 'user'
    ? { kind: 'user', user: owner, key: { id, name } }
    : { kind: 'project', project: owner, key: { id, name } };

/** Also of the user who owns the publisher: the key does not act in the user's Projects. */
function restrictionOf(
  { ownerId, app, pageNamePattern }: TrustedPublisher,
  wanted: TrustedPublisher['app'],
): KeyRestriction {
  const only = app ?? wanted;
  return {
    owners: only ? [] : [ownerId],
    apps: only ? [{ ownerId, ...only }] : [],
    ...(pageNamePattern === null ? {} : { pageNames: pageNamePattern }),
  };
}
