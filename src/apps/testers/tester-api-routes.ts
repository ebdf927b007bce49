/** People with access to an app, in `/api/v1`. */
import * as v from 'valibot';
import type { RouteAccess } from '../../accounts/authorization/route-access-http.ts';
import {
  inviteLinkApiRoutes,
  placeInvitationApiRoutes,
} from '../../accounts/invitations/invitation-api-routes.ts';
import type { InviteLinks } from '../../accounts/invitations/invite-link.ts';
import { addEachPerson, findPeopleLimit } from '../../accounts/invitations/people-list.ts';
import { NotFound } from '../../core/errors.ts';
import { formatNullableTime, timeShape } from '../../core/json-shapes.ts';
import type { Data } from '../../db/data.ts';
import { listAnswer, listPage, listQuery } from '../../http/api/pagination.ts';
import { empty, json } from '../../http/routes/answer.ts';
import { defineRoute, type Route } from '../../http/routes/route.ts';
import { nameKey, teams } from '../../owners/owner.ts';
import { addedPeopleShape } from '../../projects/lists/owner-json.ts';
import { addedPeopleJson, loginsField, readLogins } from '../../projects/people/people-api-routes.ts';
import { appApiPath } from '../app-api-routes.ts';
import type { ManagedAppAccess } from '../managed-app-access-http.ts';
import type { AppPerson } from './app-people.ts';
import { appPeopleQueries } from './app-people-queries.ts';
import type { AppTesters } from './app-testers.ts';
import { inviteLinkPlaceOf } from './invite-link-place.ts';

interface TesterApiRouteDeps {
  data: Data;
  access: RouteAccess;
  managedApp: ManagedAppAccess['managedApp'];
  appTesters: AppTesters;
  inviteLinks: InviteLinks;
}

const testerShape = v.pipe(
  v.object({
    name: v.string(),
    reason: v.pipe(
      v.picklist([...teams, 'shared']),
      v.description('The team of the Project, or `shared` for the app of a user.'),
    ),
    since: v.nullable(timeShape()),
  }),
  v.title('Tester'),
);

const testerJson = ({ user, reason, since }: AppPerson): v.InferOutput<typeof testerShape> => ({
  name: user.name,
  reason: reason === 'self' ? 'owner' : reason,
  since: formatNullableTime(since),
});

export function testerApiRoutes(deps: TesterApiRouteDeps): Route[] {
  const { data, access, appTesters } = deps;
  const path = `${appApiPath}/testers` as const;
  const changing = {
    method: 'POST',
    tag: 'Testers',
    access: access.byUserKey(deps.managedApp),
    keyScope: 'manage',
  } as const;
  return [
    defineRoute({
      method: 'GET',
      path,
      operationId: 'listTesters',
      summary: 'List who has access to an app, and why',
      description: 'By name. The user who owns an app is not listed.',
      tag: 'Testers',
      access: access.byKey(deps.managedApp),
      keyScope: 'read',
      query: listQuery(v.tuple([v.string()])),
      answer: listAnswer(testerShape),
      handle: async ({ subject: app, query: { limit, cursor }, client }) => {
        const page = { limit: limit + 1, after: cursor?.[0] };
        const people =
          app.owner.kind === 'project'
            ? await appPeopleQueries(data).listTeam(app.owner.id, [], page)
            : await appPeopleQueries(data).listShared(app.id, [], page);
        return listPage(people, {
          limit,
          client,
          positionOf: ({ user }) => [nameKey(user.name)],
          show: testerJson,
        });
      },
    }),
    defineRoute({
      ...changing,
      path,
      operationId: 'addTesters',
      summary: 'Give people access to an app of a user',
      description: 'They get it by accepting an invitation. In a Project, the teams decide: see `addPeople`.',
      rateLimit: findPeopleLimit,
      json: { logins: loginsField },
      answer: addedPeopleShape,
      handle: async ({ caller, subject: app, json: { logins } }) => {
        const give = (login: string) => appTesters.give(caller.actor.user, app, login);
        return json(addedPeopleJson(await addEachPerson(readLogins(logins), give)));
      },
    }),
    defineRoute({
      ...changing,
      path: `${path}/:person/remove`,
      operationId: 'removeTester',
      summary: "Remove someone's access to an app of a user",
      description: 'By name or email address. Withdraws their open invitations, too.',
      json: {},
      handle: async ({ caller, subject: app, params }) => {
        if (!(await appTesters.remove(caller.actor.user, app, { login: params.person })))
          throw new NotFound();
        return empty(204);
      },
    }),
    ...placeInvitationApiRoutes({
      access: access.byUserKey(deps.managedApp),
      path: `${appApiPath}/invitations`,
      idPart: 'App',
      of: 'an app of a user',
      invitations: appTesters,
    }),
    ...inviteLinkApiRoutes({
      ...deps,
      access: access.byUserKey(deps.managedApp),
      path: `${appApiPath}/invite-links`,
      idPart: 'App',
      of: 'an app of a user',
      placeOf: inviteLinkPlaceOf,
    }),
  ];
}
