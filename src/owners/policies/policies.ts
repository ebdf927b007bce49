/**
 * The policies of a Workspace: upper bounds on the settings of its Projects, and rules for everyone who uses it. Stored values, JSON,
 * the form, the audit log and the gate derive from this list; what violates a policy is found in `projects/policies/policy-violation-queries.ts`.
 */
import { invalidField } from '../../core/errors.ts';
import { type InSnakeCase, snakeName } from '../../core/json-shapes.ts';
import { createNetworkList, parseNetwork } from '../../core/networks.ts';
import { canonicalAddress } from '../../limits/client-network.ts';
import type { Actor, Credential } from '../actor.ts';
import { parseDomain, type User } from '../owner.ts';
import { policyTexts } from './policy-texts.ts';

const hourMs = 60 * 60_000;
const dayMs = 24 * hourMs;

/** The least restrictive access that a distribution page may have; the least restrictive choice comes first. */
export const pageAccessFloors = ['unlisted', 'passcode', 'members'] as const;
export type PageAccessFloor = (typeof pageAccessFloors)[number];

export const maxListEntries = 32;

/** A caller with credentials. The caller is a Project if the key belongs to a Project. */
export type CheckedCaller = Actor & { credential: Credential };

interface Definition<Value> {
  initial: Value;
  /** For the API reference. */
  description: string;
  /** Whether the policy refuses the caller. Absent if the policy limits settings: the changes of these settings enforce it. */
  refuses?: (value: Value, caller: CheckedCaller) => boolean;
}

interface Flag extends Definition<boolean> {
  kind: 'flag';
}
interface Amount extends Definition<number | null> {
  kind: 'amount';
  max: number;
}
interface List extends Definition<readonly string[]> {
  kind: 'list';
  /** Returns the canonical entry; null if it is malformed. */
  parse: (text: string) => string | null;
}
interface Choice extends Definition<PageAccessFloor> {
  kind: 'choice';
  choices: readonly PageAccessFloor[];
}

const isOlder = ({ credential: { since, at } }: CheckedCaller, ms: number) => at - since >= ms;

export const policies = {
  secondFactor: {
    kind: 'flag',
    initial: false,
    description: 'Whether people with a password need a second factor.',
    refuses: (required, { credential }) => required && credential.passwordAlone,
  } satisfies Flag as Flag,
  sessionHours: {
    kind: 'amount',
    initial: null,
    max: 8760,
    description: 'Hours after which people must sign in again; null: no limit.',
    refuses: (hours, caller) =>
      hours !== null && caller.credential.kind === 'session' && isOlder(caller, hours * hourMs),
  } satisfies Amount as Amount,
  keyDays: {
    kind: 'amount',
    initial: null,
    max: 3650,
    description: 'Days after which API keys stop working unless they are rotated; null: no limit.',
    refuses: (days, caller) =>
      days !== null && caller.credential.kind === 'key' && isOlder(caller, days * dayMs),
  } satisfies Amount as Amount,
  networks: {
    kind: 'list',
    initial: [],
    description: 'CIDRs from which the Workspace and its distribution pages can be used; empty: all.',
    parse: (text) => (parseNetwork(text.toLowerCase()) ? text.toLowerCase() : null),
    refuses: (networks, { credential }) => !isAllowedAddress(networks, credential.address),
  } satisfies List as List,
  emailDomains: {
    kind: 'list',
    initial: [],
    description: 'Domains that the confirmed email addresses of members must have; empty: all.',
    parse: parseDomain,
    refuses: (domains, caller) => caller.kind === 'user' && !isAllowedPerson(domains, caller.user),
  } satisfies List as List,
  pageAccess: {
    kind: 'choice',
    initial: 'unlisted',
    choices: pageAccessFloors,
    description: 'The least restrictive access that distribution pages may have.',
  } satisfies Choice as Choice,
  retentionDays: {
    kind: 'amount',
    initial: null,
    max: 3650,
    description: 'Days during which no build can be deleted; null: no minimum.',
  } satisfies Amount as Amount,
  trustedPublishersOnly: {
    kind: 'flag',
    initial: false,
    description: 'Whether only trusted publishers may upload builds.',
  } satisfies Flag as Flag,
};

type Policies = typeof policies;
export type PolicyName = keyof Policies;
export const policyNames = Object.keys(policies) as PolicyName[];
export type PolicyValues = { [Name in PolicyName]: Policies[Name]['initial'] };
export type PolicyJson = InSnakeCase<PolicyValues>;
export type PolicyJsonName = keyof PolicyJson;

export const mapPolicies = (value: (name: PolicyName) => unknown) =>
  Object.fromEntries(policyNames.map((name) => [name, value(name)])) as unknown as PolicyValues;

export const noPolicies = mapPolicies((name) => policies[name].initial);

export const policyJson = (values: PolicyValues) =>
  Object.fromEntries(policyNames.map((name) => [snakeName(name), values[name]])) as unknown as PolicyJson;

/** Policies that are absent keep their value in `before`. Throws `invalid` with the field. */
export function readPolicies(given: Readonly<Record<string, unknown>>, before: PolicyValues): PolicyValues {
  return mapPolicies((name) => {
    const stated = given[snakeName(name)];
    return stated === undefined ? before[name] : readPolicy(name, stated);
  });
}

function readPolicy(name: PolicyName, value: unknown): unknown {
  const policy: Flag | Amount | List | Choice = policies[name];
  const refuse = (sentence: string) => invalidField(snakeName(name), sentence);
  switch (policy.kind) {
    case 'flag':
      return value === true;
    case 'amount':
      if (
        value !== null &&
        !(Number.isInteger(value) && (value as number) >= 1 && (value as number) <= policy.max)
      )
        throw refuse(policyTexts.errors.amount({ limit: policy.max }));
      return value;
    case 'choice':
      if (!policy.choices.some((choice) => choice === value)) throw refuse(policyTexts.errors.choice);
      return value;
    case 'list': {
      const entries = (value as readonly string[]).map((text) => text.trim()).filter((text) => text !== '');
      const parsed = entries.map((text) => {
        const entry = policy.parse(text);
        if (entry === null) throw refuse(policyTexts.errors.entry({ entry: text.slice(0, 60) }));
        return entry;
      });
      const list = [...new Set(parsed)];
      if (list.length > maxListEntries) throw refuse(policyTexts.errors.many({ limit: maxListEntries }));
      return list;
    }
  }
}

/** Serializes the policies for a row; null without any. */
export const writePolicies = (values: PolicyValues): string | null =>
  activePolicies(values).length === 0 ? null : JSON.stringify(policyJson(values));

export const parsePolicies = (stored: string | null): PolicyValues =>
  stored === null ? noPolicies : readPolicies(JSON.parse(stored) as Record<string, unknown>, noPolicies);

/** The policies that differ from `before`. */
export const changedPolicies = (before: PolicyValues, after: PolicyValues) =>
  policyNames.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));

export const activePolicies = (values: PolicyValues) => changedPolicies(noPolicies, values);

/** The first policy that refuses the caller; null if all admit them. */
export const refusingPolicy = (values: PolicyValues, caller: CheckedCaller): PolicyName | null =>
  policyNames.find((name) => {
    const { refuses } = policies[name] as Definition<unknown>;
    return refuses?.(values[name], caller) ?? false;
  }) ?? null;

export function isAllowedAddress(networks: readonly string[], address: string): boolean {
  return networks.length === 0 || createNetworkList(networks)(canonicalAddress(address));
}

/** An address that is not confirmed counts as none: anyone could claim one in an allowed domain. */
export const isAllowedPerson = (
  domains: readonly string[],
  { email, emailConfirmed }: Pick<User, 'email' | 'emailConfirmed'>,
): boolean => isAllowedEmail(domains, emailConfirmed ? email : null);

export function isAllowedEmail(domains: readonly string[], email: string | null): boolean {
  if (domains.length === 0) return true;
  if (email === null) return false;
  return domains.includes(email.slice(email.lastIndexOf('@') + 1).toLowerCase());
}

/** The floor replaces a less restrictive access. A page without a passcode then admits members only. */
export function restrictAccess<Access extends string>(
  access: Access,
  floor: PageAccessFloor,
): Access | 'members' {
  return isBelowFloor(access, floor) ? 'members' : access;
}

/** Whether the secret of an app opens its page, which is then as open as an unlisted distribution page. */
export const admitsSecrets = ({ pageAccess }: Pick<PolicyValues, 'pageAccess'>): boolean =>
  pageAccess === 'unlisted';

export function isBelowFloor(access: string, floor: PageAccessFloor): boolean {
  const rank = (pageAccessFloors as readonly string[]).indexOf(access);
  return rank !== -1 && rank < pageAccessFloors.indexOf(floor);
}
