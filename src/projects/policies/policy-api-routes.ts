/** The policies of Workspaces in `/api/v1`. */
import * as v from 'valibot';
import type { RouteAccess } from '../../accounts/authorization/route-access-http.ts';
import { snakeName } from '../../core/json-shapes.ts';
import type { Data } from '../../db/data.ts';
import { listAnswer, listPage, listQuery, positionNumber } from '../../http/api/pagination.ts';
import { json } from '../../http/routes/answer.ts';
import { defineRoute, type Route } from '../../http/routes/route.ts';
import type { ChangePolicies } from '../../owners/policies/change-policies.ts';
import { policyJson, readPolicies } from '../../owners/policies/policies.ts';
import { policyQueries } from '../../owners/policies/policy-queries.ts';
import type { OwnerAccess } from '../owner-access-http.ts';
import { givenInQuery, policiesShape, policyInputs, policyQuery, violationShape } from './policy-json.ts';
import { reviewPolicies } from './policy-review.ts';

export interface PolicyRouteDeps {
  data: Data;
  access: RouteAccess;
  ownerAccess: OwnerAccess;
  changePolicies: ChangePolicies;
  now: () => number;
}

export function policyApiRoutes({
  data,
  access,
  ownerAccess,
  changePolicies,
  now,
}: PolicyRouteDeps): Route[] {
  const path = '/api/v1/workspaces/:workspace/policies';
  const shared = { tag: 'Workspaces', access: access.byUserKey(ownerAccess.workspacePolicies) } as const;
  return [
    defineRoute({
      ...shared,
      method: 'GET',
      path,
      operationId: 'getWorkspacePolicies',
      summary: 'Show the policies of a Workspace',
      keyScope: 'read',
      answer: policiesShape,
      handle: async ({ subject: { id } }) => json(policyJson(await policyQueries(data).ofWorkspace(id))),
    }),
    defineRoute({
      ...shared,
      method: 'PATCH',
      path,
      operationId: 'updateWorkspacePolicies',
      summary: 'Change policies of a Workspace',
      description:
        'Policies apply at once. The change is refused if a new policy would refuse this request itself, unless an administrator sends it.',
      keyScope: 'manage',
      json: policyInputs,
      answer: policiesShape,
      handle: async ({ caller, subject, json: given }) =>
        json(policyJson(await changePolicies(caller.actor, subject, given))),
    }),
    defineRoute({
      ...shared,
      method: 'GET',
      path: `${path}/violations`,
      operationId: 'listPolicyViolations',
      summary: 'List what violates the current or proposed policies of a Workspace',
      description:
        'A dry run that changes nothing. The query contains the proposed policies; commas separate the entries of a list. Policies that are absent keep their current values. At most 1,000 violations of each policy are listed.',
      keyScope: 'read',
      query: { ...listQuery(v.tuple([positionNumber])), ...policyQuery },
      answer: listAnswer(violationShape),
      handle: async ({ subject, query: { limit, cursor, ...given }, client }) => {
        const values = readPolicies(givenInQuery(given), await policyQueries(data).ofWorkspace(subject.id));
        const { violations } = await reviewPolicies(data, subject, values, now());
        const from = cursor?.[0] ?? 0;
        const found = violations.map((violation, at) => ({ ...violation, at })).slice(from, from + limit + 1);
        return listPage(found, {
          limit,
          client,
          positionOf: ({ at }) => [at + 1],
          show: ({ policy, kind, name, place }) => ({ policy: snakeName(policy), kind, name, place }),
        });
      },
    }),
  ];
}
