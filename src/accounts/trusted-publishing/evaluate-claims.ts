/** Decides whether the claims of a verified token fulfill a publisher. Pure. */
import type { BuildSource, TrustedProvider } from '../../owners/build-source.ts';
import { type ClaimReader, providers } from './providers.ts';
import {
  type ClaimRule,
  type PinnedIds,
  publisherLimits,
  type Refusal,
  type TrustedPublisher,
} from './trusted-publisher.ts';

/** Text, numbers and yes or no, as text. Nothing else can fulfill a rule. */
export function createClaimReader(claims: Readonly<Record<string, unknown>>): ClaimReader {
  return (claim) => {
    const value = Object.hasOwn(claims, claim) ? claims[claim] : undefined;
    if (typeof value === 'string') return value === '' ? null : value;
    return typeof value === 'boolean' || Number.isSafeInteger(value) ? String(value) : null;
  };
}

/** Names of GitHub owners and repositories ignore case. In the reference of a workflow, only its first two parts are such names. */
function fold(provider: TrustedProvider, claim: string, value: string): string {
  const lower = (text: string) => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  if (provider !== 'github') return value;
  if (claim === 'repository' || claim === 'repository_owner') return lower(value);
  if (claim !== 'workflow_ref' && claim !== 'job_workflow_ref') return value;
  return value.replace(/^[^/]*(\/[^/]*)?/, lower);
}

const isFulfilled = (rule: ClaimRule, found: string, folded: (value: string) => string): boolean => {
  if (rule.equals !== undefined) return folded(rule.equals) === folded(found);
  if (rule.one_of !== undefined) return rule.one_of.some((one) => folded(one) === folded(found));
  return folded(found).startsWith(folded(rule.prefix));
};

const wantedBy = (rule: ClaimRule): string => rule.equals ?? rule.one_of?.join(', ') ?? `${rule.prefix}*`;

/** `isIdentified`: the token is from a repository of the publisher, so that it may learn what else the publisher wants. */
export type Decision = { refusal: null; pinned: PinnedIds } | { refusal: Refusal; isIdentified: boolean };

type Judged = Pick<TrustedPublisher, 'provider' | 'rules' | 'pinned' | 'allowsSelfHosted'>;

export function evaluateClaims(publisher: Judged, claim: ClaimReader): Decision {
  const { provider, rules } = publisher;
  const refusalOf = (rule: ClaimRule): Refusal | null => {
    const found = claim(rule.claim);
    const folded = (value: string) => fold(provider, rule.claim, value);
    if (found !== null && isFulfilled(rule, found, folded)) return null;
    return { code: 'claim_differs', claim: rule.claim, wanted: wantedBy(rule), found };
  };
  const identity = identityRulesOf(publisher);
  for (const rule of identity) {
    const refusal = refusalOf(rule);
    if (refusal) return { refusal, isIdentified: false };
  }
  const refused = (refusal: Refusal): Decision => ({ refusal, isIdentified: true });
  for (const rule of rules) {
    const refusal = refusalOf(rule);
    if (refusal) return refused(refusal);
  }
  const special = provider === 'github' ? refusalByGithub(publisher, claim) : null;
  if (special) return refused(special);
  return pin(publisher, identity, claim);
}

/** Events that run with the rights of the repository on code of others. */
const refusedEvents = ['pull_request_target', 'workflow_run'];

function refusalByGithub({ rules, allowsSelfHosted }: Judged, claim: ClaimReader): Refusal | null {
  const event = claim('event_name');
  const names = rules.find((rule) => rule.claim === 'event_name');
  if (event !== null && refusedEvents.includes(event) && (!names || names.prefix !== undefined))
    return { code: 'event_refused', claim: 'event_name', wanted: '', found: event };
  const runner = claim('runner_environment');
  if (!allowsSelfHosted && runner !== 'github-hosted')
    return {
      code: 'self_hosted_runner',
      claim: 'runner_environment',
      wanted: 'github-hosted',
      found: runner,
    };
  return null;
}

/** The rules that say which repository it is. */
export function identityRulesOf({
  provider,
  rules,
}: Pick<TrustedPublisher, 'provider' | 'rules'>): ClaimRule[] {
  const { identity } = providers[provider];
  const group = identity.find((claims) =>
    claims.every((claim) => rules.some((rule) => rule.claim === claim)),
  );
  return rules.filter((rule) => group?.includes(rule.claim));
}

/** Compares the ids with those of the first token, or keeps them. A repository of the same name with other ids is another one. */
function pin(publisher: Judged, identity: readonly ClaimRule[], claim: ClaimReader): Decision {
  const { provider, pinned } = publisher;
  const { ids } = providers[provider];
  const isPrefix = identity.some((rule) => rule.prefix !== undefined);
  const subject = isPrefix
    ? '*'
    : identity.map((rule) => fold(provider, rule.claim, claim(rule.claim) ?? '')).join(' ');
  const known = Object.hasOwn(pinned, subject) ? pinned[subject] : undefined;
  const idOf = (name: string) => claim(name)?.slice(0, publisherLimits.valueLength) ?? null;
  const differs = Object.entries(known ?? {}).find(([name, value]) => idOf(name) !== value);
  if (differs) {
    const [name, wanted] = differs;
    const refusal = { code: 'pinned_id_differs', claim: name, wanted, found: idOf(name) } as const;
    return { refusal, isIdentified: true };
  }
  const names = isPrefix ? ids.owner : [...ids.repository, ...ids.owner];
  const found = names.flatMap((name) => {
    const value = idOf(name);
    return value === null ? [] : [[name, value] as const];
  });
  if (known || found.length === 0) return { refusal: null, pinned };
  return { refusal: null, pinned: { ...pinned, [subject]: Object.fromEntries(found) } };
}

/** More rules are more specific; then a publisher of an app, then of pages, then exact values. */
export function specificityOf({ rules, app, pageNamePattern }: TrustedPublisher): number {
  const exact = rules.filter((rule) => rule.equals !== undefined).length;
  return rules.length * 1000 + (app ? 100 : 0) + (pageNamePattern === null ? 0 : 50) + exact;
}

const maxSourceLength = 255;

/** What the token says about the build, as one line each. */
export function sourceOf(
  { provider, issuer }: Pick<TrustedPublisher, 'provider' | 'issuer'>,
  claim: ClaimReader,
): BuildSource {
  const read = providers[provider].sourceOf((name) => cleanLine(claim(name)), new URL(issuer));
  return {
    provider,
    ...read,
    run_url: read.run_url !== null && URL.canParse(read.run_url) ? read.run_url : null,
  };
}

/** Without control characters, marks that change the direction of text, and what databases cannot store. */
export function cleanLine(text: string | null, limit = maxSourceLength): string | null {
  const line = text
    ?.toWellFormed()
    .replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim();
  return line ? line.slice(0, limit).toWellFormed() : null;
}
