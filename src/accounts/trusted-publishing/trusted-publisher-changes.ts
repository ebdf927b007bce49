/**
 * Changes to trusted publishers: each is one transaction with an audit log entry, an event, and, unless it only ends access, an
 * email to the people who manage the owner.
 */

import * as v from 'valibot';
import { conflictingField, NotFound, refuseFields } from '../../core/errors.ts';
import { hiddenCharacterOf, nameField, normalizeName } from '../../core/name-text.ts';
import { isLocal } from '../../core/outbound/outbound-address.ts';
import type { Connection, Data } from '../../db/data.ts';
import { eventQueries } from '../../jobs/event-queries.ts';
import type { Actor } from '../../owners/actor.ts';
import { type AuditEntry, auditQueries } from '../../owners/audit-queries.ts';
import type { TrustedProvider } from '../../owners/build-source.ts';
import type { Owner } from '../../owners/owner.ts';
import { quotaQueries } from '../../owners/quota-queries.ts';
import { notifyKeyOwners } from '../keys/issue-key.ts';
import { identityRulesOf } from './evaluate-claims.ts';
import { providers } from './providers.ts';
import {
  type ClaimRule,
  isPackageName,
  publisherLimits,
  type TrustedPublisher,
} from './trusted-publisher.ts';
import { trustedPublisherJson } from './trusted-publisher-json.ts';
import { type TrustedPublisherSettings, trustedPublisherQueries } from './trusted-publisher-queries.ts';
import { trustedPublishingTexts } from './trusted-publishing-texts.ts';

const t = trustedPublishingTexts.errors;

/** `issuer`: null for that of the provider. `app`: null for every app; `pageNamePattern`: null for every page. */
export interface TrustedPublisherInput {
  name: string;
  app: { platform: 'android' | 'ios'; packageName: string } | null;
  pageNamePattern: string | null;
  provider: TrustedProvider;
  issuer: string | null;
  rules: readonly ClaimRule[];
  allowsSelfHosted: boolean;
}

export type TrustedPublisherEdits = {
  [Field in keyof TrustedPublisherInput]?: TrustedPublisherInput[Field] | undefined;
};

/** Each throws `FormInvalid` with the names of fields in JSON, and `NotFound` for a publisher of another owner. */
export interface TrustedPublisherChanges {
  /** Throws `conflict` at the limit, and for a name that another publisher of the owner has. */
  create(by: Actor, owner: Owner, input: TrustedPublisherInput): Promise<TrustedPublisher>;
  /** Fields that are absent stay as they are. The keys that it has received end. */
  update(by: Actor, owner: Owner, id: string, edits: TrustedPublisherEdits): Promise<TrustedPublisher>;
  /** The keys that it has received end. */
  remove(by: Actor, owner: Owner, id: string): Promise<void>;
  /** The next token decides the ids. */
  resetPins(by: Actor, owner: Owner, id: string): Promise<TrustedPublisher>;
}

/** For all changes of publishers. */
export const trustedPublisherLimit = {
  name: 'trusted publishers',
  limit: 120,
  windowMs: 60 * 60_000,
  per: 'caller',
  refusal: 'trustedPublishers',
} as const;

export function createTrustedPublisherChanges({
  data,
  now,
  wakeOutbox,
}: {
  data: Data;
  now: () => number;
  wakeOutbox: () => void;
}): TrustedPublisherChanges {
  const change = async <T>(name: string, work: (tx: Connection, at: number) => Promise<T>): Promise<T> => {
    const at = now();
    const done = await data.refuseDuplicate(
      () => data.transaction((tx) => work(tx, at)),
      () => conflictingField('name', t.taken({ name })),
    );
    wakeOutbox();
    return done;
  };
  const report = async (
    tx: Connection,
    by: Actor,
    owner: Owner,
    action: PublisherAction,
    id: string,
    at: number,
  ): Promise<TrustedPublisher> => {
    const publisher = await requirePublisher(tx, owner, id);
    await record(tx, by, publisher, action, at);
    const about = { at, subject: publisher.name };
    await notifyKeyOwners(tx, owner, ['trusted-publisher', 'project-trusted-publisher'], about);
    return publisher;
  };
  const present = async (tx: Connection, owner: Owner, id: string) => {
    await quotaQueries(tx).lock(owner.id);
    return requirePublisher(tx, owner, id);
  };
  return {
    create: async (by, owner, input) => {
      const settings = { ...check(input), pinned: {} };
      return change(settings.name, async (tx, at) => {
        // Locks the owner, so that concurrent additions stay within the limit.
        if (!(await quotaQueries(tx).lock(owner.id))) throw new NotFound();
        const queries = trustedPublisherQueries(tx);
        if ((await queries.list(owner.id)).length >= publisherLimits.perOwner)
          throw conflictingField('name', t.full({ limit: publisherLimits.perOwner }));
        const creator = by.kind === 'user' ? by.user : null;
        const id = await queries.insert(owner.id, settings, creator, at);
        return report(tx, by, owner, 'trusted-publisher.created', id, at);
      });
    },
    update: (by, owner, id, edits) =>
      change(edits.name ?? '', async (tx, at) => {
        const known = await present(tx, owner, id);
        const provider = edits.provider ?? known.provider;
        const issuer = provider === known.provider ? known.issuer : null;
        const given = Object.entries(edits).filter(([, value]) => value !== undefined);
        const settings = check({ ...known, issuer, ...Object.fromEntries(given) });
        const isSame = JSON.stringify(subjectOf(settings)) === JSON.stringify(subjectOf(known));
        await trustedPublisherQueries(tx).save(id, { ...settings, pinned: isSame ? known.pinned : {} });
        await trustedPublisherQueries(tx).endKeys(id, at);
        return report(tx, by, owner, 'trusted-publisher.changed', id, at);
      }),
    remove: (by, owner, id) =>
      change('', async (tx, at) => {
        await deletePublisher(tx, by, await present(tx, owner, id), at);
      }),
    resetPins: (by, owner, id) =>
      change('', async (tx, at) => {
        const known = await present(tx, owner, id);
        await trustedPublisherQueries(tx).save(id, { ...known, pinned: {} });
        return report(tx, by, owner, 'trusted-publisher.pins-reset', id, at);
      }),
  };
}

type Ender = AuditEntry['actor'];

/** What webhooks receive for an entry of the audit log. */
const eventOf = {
  'trusted-publisher.created': 'trusted_publisher.created',
  'trusted-publisher.changed': 'trusted_publisher.changed',
  'trusted-publisher.pins-reset': 'trusted_publisher.changed',
  'trusted-publisher.deleted': 'trusted_publisher.deleted',
} as const;
type PublisherAction = keyof typeof eventOf;

/** In the audit log, and for webhooks. */
async function record(
  tx: Connection,
  by: Ender,
  publisher: TrustedPublisher,
  action: PublisherAction,
  at: number,
): Promise<void> {
  const { ownerId, name } = publisher;
  await auditQueries(tx).record({
    at,
    actor: by,
    action,
    ownerId,
    subject: name,
  });
  const event = { type: eventOf[action], ownerId, publisher: trustedPublisherJson(publisher) };
  await eventQueries(tx).dispatch(ownerId, event, at);
}

export async function deletePublisher(
  tx: Connection,
  by: Ender,
  publisher: TrustedPublisher,
  at: number,
): Promise<void> {
  await trustedPublisherQueries(tx).endKeys(publisher.id, at);
  await trustedPublisherQueries(tx).delete(publisher.id);
  await record(tx, by, publisher, 'trusted-publisher.deleted', at);
}

/** Deletes every publisher of the Owner; the keys that they have received end. Call it in a transaction. */
export async function deletePublishersOf(
  tx: Connection,
  ownerId: string,
  by: Ender,
  at: number,
): Promise<void> {
  for (const publisher of await trustedPublisherQueries(tx).list(ownerId))
    await deletePublisher(tx, by, publisher, at);
}

/** Throws `NotFound` for an unknown publisher or one of another owner. */
export async function requirePublisher(
  data: Connection,
  owner: Pick<Owner, 'id'>,
  id: string,
): Promise<TrustedPublisher> {
  const found = await trustedPublisherQueries(data).find(owner.id, id);
  if (!found) throw new NotFound();
  return found;
}

/** What the pinned ids belong to. */
const subjectOf = (settings: Pick<TrustedPublisher, 'provider' | 'issuer' | 'rules'>) => [
  settings.provider,
  settings.issuer,
  identityRulesOf(settings),
];

function check(input: TrustedPublisherInput): Omit<TrustedPublisherSettings, 'pinned'> {
  const provider = providers[input.provider];
  const issuer = (input.issuer?.trim() || provider.defaultIssuer) ?? '';
  // The tokens of these CIs never have the slash that addresses are often copied with.
  const exact = input.provider === 'other' ? issuer : issuer.replace(/(?<!\/)\/+$/, '');
  const name = v.safeParse(nameField(publisherLimits.nameLength), input.name);
  const pattern = input.pageNamePattern === null ? null : normalizeName(input.pageNamePattern) || null;
  const faults: Record<string, string | null> = {
    name: name.success ? null : name.issues[0].message,
    app: input.app && !isPackageName(input.app.packageName) ? t.app : null,
    page_name_pattern:
      pattern !== null && !isPattern(pattern)
        ? t.pattern({ limit: publisherLimits.pageNamePatternLength })
        : null,
    issuer:
      isIssuer(exact) && provider.acceptsIssuer(new URL(exact))
        ? null
        : t.issuer({ example: t.issuers[input.provider], limit: publisherLimits.issuerLength }),
    rules: faultOfRules(input),
    allow_self_hosted: input.allowsSelfHosted && input.provider !== 'github' ? t.selfHosted : null,
  };
  refuseFields(
    Object.fromEntries(
      Object.entries(faults).flatMap(([field, fault]) => (fault === null ? [] : [[field, [fault]]])),
    ),
  );
  return {
    name: name.success ? name.output : '',
    app: input.app && { platform: input.app.platform, packageName: input.app.packageName },
    pageNamePattern: pattern,
    provider: input.provider,
    issuer: exact,
    rules: input.rules.map(({ claim, equals, one_of, prefix }): ClaimRule => {
      if (equals !== undefined) return { claim, equals };
      return one_of === undefined ? { claim, prefix: prefix ?? '' } : { claim, one_of };
    }),
    allowsSelfHosted: input.allowsSelfHosted,
  };
}

const isPattern = (text: string) =>
  [...text].length <= publisherLimits.pageNamePatternLength && hiddenCharacterOf(text) === null;

/** The claim `iss` is compared byte for byte, so it must be written as URLs are. http is for tests and networks without certificates. */
function isIssuer(text: string): boolean {
  const url = text.length <= publisherLimits.issuerLength ? URL.parse(text) : null;
  if (!url || (url.href !== text && url.href !== `${text}/`)) return false;
  return (
    (url.protocol === 'https:' || (url.protocol === 'http:' && isLocal(url))) &&
    [url.username, url.password, url.search, url.hash].join('') === ''
  );
}

/** Claims that the exchange checks itself. */
const checkedClaims = ['iss', 'aud', 'exp', 'nbf', 'iat', 'jti'];

function faultOfRules({ provider, rules }: Pick<TrustedPublisherInput, 'provider' | 'rules'>): string | null {
  const { valueLength, claimLength, values: maxValues } = publisherLimits;
  if (rules.length > publisherLimits.rules) return t.rules.tooMany({ limit: publisherLimits.rules });
  for (const [index, rule] of rules.entries()) {
    const { claim } = rule;
    const values = rule.one_of ?? [rule.equals ?? rule.prefix];
    if (!isVisibleText(claim, claimLength)) return t.rules.claim({ limit: claimLength });
    if (checkedClaims.includes(claim)) return t.rules.checked({ claim });
    if (rules.findIndex((one) => one.claim === claim) !== index) return t.rules.twice({ claim });
    if (values.length === 0 || values.length > maxValues) return t.rules.values({ claim, limit: maxValues });
    if (!values.every((value) => isVisibleText(value, valueLength)))
      return t.rules.value({ claim, limit: valueLength });
  }
  const identity = identityRulesOf({ provider, rules });
  const { identity: wanted } = providers[provider];
  if (identity.length === 0)
    return t.rules.identity({ claims: wanted.map((group) => group.join(' + ')).join(', ') });
  if (provider === 'other' && rules.length < 2) return t.rules.another;
  // Anyone can build a public repository in a workspace of their own.
  if (provider === 'bitrise' && rules.length === identity.length) return t.rules.bitrise;
  const open = identity.find(({ prefix }) => prefix !== undefined && !namesOwner(prefix));
  return open ? t.rules.prefix({ claim: open.claim }) : null;
}

/** Anyone can register a repository whose name begins with the same letters, or a URL with the same host. */
const namesOwner = (prefix: string) => /.\/$|.\/./.test(prefix.replace(/^[\w+.-]+:\/(?:\/[^/]*\/?)?/, ''));

const isVisibleText = (text: unknown, limit: number) =>
  typeof text === 'string' &&
  text.trim() === text &&
  text !== '' &&
  text.length <= limit &&
  hiddenCharacterOf(text) === null;
