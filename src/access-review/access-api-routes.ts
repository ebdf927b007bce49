/** Access reviews in `/api/v1`. */
import * as v from 'valibot';
import { listAnswer, listPage, listQuery, positionNumber } from '../http/api/pagination.ts';
import { empty, json } from '../http/routes/answer.ts';
import { defineRoute, type Route } from '../http/routes/route.ts';
import { nameKey } from '../owners/owner.ts';
import {
  credentialJson,
  credentialShape,
  personAccessJson,
  personAccessShape,
  personReportJson,
  personReportShape,
} from './access-json.ts';
import { credentialKinds } from './access-review.ts';
import type { AccessReviewRouteDeps } from './access-routes.ts';
import { reviewPlaces } from './review-scopes-http.ts';

export function accessApiRoutes(deps: AccessReviewRouteDeps): Route[] {
  const { reviews, access, ownerAccess } = deps;
  const ofPlace = ({ path, idPart, of, tag, keyScope, byKey }: ReturnType<typeof reviewPlaces>[number]) => {
    const reading = { method: 'GET', tag, keyScope, access: byKey } as const;
    return [
      defineRoute({
        ...reading,
        path: `${path}/people`,
        operationId: `list${idPart}Access`,
        summary: `List the people with access to ${of}`,
        description:
          'In order of their names: what each of them can see and upload to, how they got access, and when they last used it.',
        query: listQuery(v.tuple([v.string()])),
        answer: listAnswer(personAccessShape),
        handle: async ({ subject, query: { limit, cursor }, client }) =>
          listPage(await reviews.listPeople(subject.scope, { after: cursor?.[0], limit: limit + 1 }), {
            limit,
            client,
            show: personAccessJson,
            positionOf: ({ user }) => [nameKey(user.name)],
          }),
      }),
      defineRoute({
        ...reading,
        path: `${path}/people/:person`,
        operationId: `get${idPart}PersonAccess`,
        summary: `Show why a person has access to ${of}`,
        description:
          'Every app and page that the person can open, through which team, group and rule, and what they would leave behind.',
        answer: personReportShape,
        handle: async ({ subject, params }) => {
          const { person, belongings } = await reviews.reportOn(subject.scope, { login: params.person });
          return json(personReportJson(person, belongings));
        },
      }),
      defineRoute({
        ...reading,
        path: `${path}/credentials`,
        operationId: `list${idPart}Credentials`,
        summary: `List the keys, links and invitations that give access to ${of}`,
        description: 'By kind, then the oldest first. Secrets and addresses are not shown.',
        query: listQuery(v.tuple([v.pipe(positionNumber, v.maxValue(credentialKinds.length)), v.string()])),
        answer: listAnswer(credentialShape),
        handle: async ({ subject, query: { limit, cursor }, client }) =>
          listPage(
            await reviews.listCredentials(subject.scope, { after: cursor ?? [0, ''], limit: limit + 1 }),
            {
              limit,
              client,
              show: credentialJson,
              positionOf: ({ kind, id }) => [credentialKinds.indexOf(kind), id] as const,
            },
          ),
      }),
    ];
  };
  return [
    ...reviewPlaces(deps).flatMap(ofPlace),
    defineRoute({
      method: 'POST',
      path: '/api/v1/workspaces/:workspace/access/people/:person/revoke',
      operationId: 'revokeWorkspaceAccess',
      summary: 'Revoke all access of a person to a Workspace',
      description:
        'Removes their memberships and invitations, the keys of Projects that they created, and the trusted publishers that they added. Also ends their sessions. Refused if the person is the last owner of the Workspace or of one of its Projects.',
      tag: 'Workspaces',
      keyScope: 'manage',
      access: access.byUserKey(ownerAccess.workspaceOwnerOrAdministrator),
      json: {},
      handle: async ({ caller, subject, params }) => {
        await reviews.revokeAll(caller.actor, subject, { login: params.person });
        return empty(204);
      },
    }),
  ];
}
