/** The policies of a Workspace in forms and in `/api/v1`. */
import * as v from 'valibot';
import { snakeName, textShape } from '../../core/json-shapes.ts';
import {
  maxListEntries,
  type PolicyJson,
  type PolicyJsonName,
  type PolicyName,
  type PolicyValues,
  policies,
  policyNames,
} from '../../owners/policies/policies.ts';
import { violationKinds } from './policy-violation.ts';

export const policyJsonNames = policyNames.map(snakeName) as PolicyJsonName[];

function schemaOf(name: PolicyName): v.GenericSchema {
  const policy = policies[name];
  switch (policy.kind) {
    case 'flag':
      return v.boolean();
    case 'amount':
      return v.nullable(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(policy.max)));
    case 'list':
      return v.pipe(v.array(v.pipe(v.string(), v.maxLength(255))), v.maxLength(2 * maxListEntries));
    case 'choice':
      return v.picklist(policy.choices);
  }
}

const described = (name: PolicyName) => v.pipe(schemaOf(name), v.description(policies[name].description));
export const collectPolicies = <Value>(of: (name: PolicyName) => Value) =>
  Object.fromEntries(policyNames.map((name) => [snakeName(name), of(name)])) as Record<PolicyJsonName, Value>;

export const policiesShape = v.pipe(
  v.object(
    collectPolicies(described) as unknown as { [Name in PolicyJsonName]: v.GenericSchema<PolicyJson[Name]> },
  ),
  v.title('Policies'),
);

/** Policies that are absent stay as they are. */
export const policyInputs = collectPolicies((name) => v.optional(described(name)));

export const violationShape = v.pipe(
  v.object({
    policy: v.picklist(policyJsonNames),
    kind: v.picklist(violationKinds),
    name: textShape('Of the person, key, page or app; or the address of the invitation.'),
    place: v.nullable(textShape('Where it is, or the address that was used; null without one.')),
  }),
  v.title('PolicyViolation'),
);

/** As text: one entry per line for a list, `on` for a flag. */
export type PolicyFields = { [Name in PolicyJsonName]?: string | undefined };
/** In a query: lists with commas, `true` and `false`. Policies that are absent stay as they are. */
export const policyQuery = collectPolicies((name) =>
  v.optional(v.pipe(v.string(), v.description(policies[name].description))),
);
export const policyForm = collectPolicies(() => v.optional(v.string(), ''));

/** The policies that a query has, by their names in the API, not checked yet. */
export function givenInQuery(query: PolicyFields): Record<string, unknown> {
  const given = Object.entries(givenInForm(query));
  return Object.fromEntries(given.filter(([name]) => query[name as PolicyJsonName] !== undefined));
}

/** Returns the policies by their names in the API, not checked yet. */
export function givenInForm(fields: PolicyFields): Record<string, unknown> {
  return collectPolicies((name) => {
    const text = fields[snakeName(name)] ?? '';
    switch (policies[name].kind) {
      case 'flag':
        return text !== '' && text !== 'false';
      case 'amount':
        return text.trim() === '' ? null : Number(text.trim());
      case 'list':
        return text.split(/[\r\n,]+/);
      case 'choice':
        return text;
    }
  });
}

export function policyFields(values: PolicyValues): Record<PolicyJsonName, string> {
  return collectPolicies((name) => {
    const value: unknown = values[name];
    if (Array.isArray(value)) return value.join('\n');
    return value === true ? 'on' : value === false || value === null ? '' : String(value);
  });
}
