/** Access to apps: by person for apps of users, by team in Projects. */
import * as v from 'valibot';
import type { RouteAccess } from '../accounts/authorization/route-access-http.ts';
import { inviteeOf } from '../accounts/invitations/invitation.ts';
import { maxTestersOfApp } from '../accounts/invitations/join-place.ts';
import { addEachPerson, findPeopleLimit, maxPeopleAtOnce } from '../accounts/invitations/people-list.ts';
import type { App } from '../apps/app.ts';
import type { ManagedAppAccess } from '../apps/managed-app-access-http.ts';
import { appPeopleQueries } from '../apps/testers/app-people-queries.ts';
import type { AppTesters } from '../apps/testers/app-testers.ts';
import { Forbidden, NotFound } from '../core/errors.ts';
import type { Data } from '../db/data.ts';
import { json } from '../http/routes/answer.ts';
import { defineRoute, type Route } from '../http/routes/route.ts';
import type { ProjectMember, Team } from '../owners/owner.ts';
import { ownerQueries } from '../owners/owner-queries.ts';
import { readLogins } from '../projects/people/people-api-routes.ts';
import {
  appPath,
  change,
  loginsOf,
  noApp,
  projectAppPath,
  read,
  refused,
  saying,
  teamNamed,
} from './deploygate-access-http.ts';
import { deploygateTeam, deploygateTeams, membersIn, noError, roleOf } from './deploygate-json.ts';

export interface AppPeopleRouteDeps {
  data: Data;
  access: RouteAccess;
  appAccess: ManagedAppAccess;
  appTesters: AppTesters;
}

const usersField = v.pipe(
  v.string(),
  v.transform(loginsOf),
  v.minLength(1, 'must name someone'),
  v.maxLength(maxPeopleAtOnce, `at most ${maxPeopleAtOnce} people at once`),
);
/** 1 to 3. Added people become testers, because in Slipway only Projects have developers. */
const roleField = v.optional(v.pipe(v.string(), v.regex(/^[123]$/, 'must be 1, 2 or 3')));
const testerRole = roleOf('tester');

export const teamsOf = (members: readonly ProjectMember[]) =>
  deploygateTeams.map((team) => deploygateTeam(team, membersIn(team, members).length));

const highestTeam = (joined: readonly Team[]) =>
  deploygateTeams.find((team) => joined.includes(team)) ?? 'tester';

export function deploygateAppPeopleRoutes(deps: AppPeopleRouteDeps): Route[] {
  const { data, access, appAccess, appTesters } = deps;
  const members = `${appPath}/members` as const;
  const managed = saying(noApp, access.byKey(appAccess.managedApp));
  const managedByUser = saying(noApp, access.byUserKey(appAccess.managedApp));
  const readable = saying(noApp, access.byKey(appAccess.readableApp));
  const projectOf = async (app: App) => {
    const owner = await ownerQueries(data).findOwnerById(app.owner.id);
    if (owner?.kind !== 'project') throw new NotFound(noApp);
    return owner;
  };
  const teamPaths = {
    teams: `${projectAppPath}/teams`,
    sharedTeams: `${projectAppPath}/shared_teams`,
  } as const;
  return [
    defineRoute({
      ...read,
      path: members,
      summary: 'List who has access to an app',
      access: managed,
      handle: async ({ subject: app }) => {
        if (app.owner.kind === 'project') {
          const people = await ownerQueries(data).listMembers(app.owner.id);
          const users = people.map(({ user, teams: joined }) => ({
            name: user.name,
            role: roleOf(highestTeam(joined)),
          }));
          const usage = { used: people.length, max: Math.max(people.length, maxTestersOfApp) };
          const listedTeams = teamsOf(people).map(({ name, role }) => ({ name, role: roleOf(role) }));
          return json({ ...noError, results: { usage, users, teams: listedTeams } });
        }
        const people = await appPeopleQueries(data).listShared(app.id, [], { limit: maxTestersOfApp });
        const invited = await appTesters.pending(app);
        return json({
          ...noError,
          results: {
            usage: { used: people.length, max: maxTestersOfApp },
            users: [
              ...people.map(({ user }) => ({ name: user.name, role: testerRole })),
              ...invited.map((one) => ({ name: inviteeOf(one), role: testerRole, inviting: true })),
            ],
          },
        });
      },
    }),
    defineRoute({
      ...change,
      method: 'POST',
      path: members,
      summary: 'Give people access to an app of a user',
      access: managedByUser,
      form: { users: usersField, role: roleField },
      rateLimit: {
        ...findPeopleLimit,
        weigh: ({ users }) => (Array.isArray(users) ? users.length : 1),
      },
      handle: async ({ caller, subject: app, form }) => {
        requireUserApp(app);
        const give = (login: string) => appTesters.give(caller.actor.user, app, login);
        const people = await addEachPerson(readLogins(form.users), give);
        const named = (...outcomes: string[]) =>
          people.filter(({ outcome }) => outcomes.includes(outcome)).map(({ text }) => text);
        const added = named('added', 'already');
        const invited = named('invited', 'pending');
        if (added.length + invited.length === 0)
          throw refused(`nobody was added: ${people.map(({ text }) => text).join(', ')}`);
        return json({
          ...noError,
          results: {
            invite: 'member invite success',
            added: added.map((name) => ({ name, role: testerRole })),
            invited: invited.map((email) => ({ email })),
          },
        });
      },
    }),
    defineRoute({
      ...change,
      method: 'DELETE',
      path: members,
      summary: "Remove people's access to an app of a user",
      description: 'Withdraws open invitations, too. Removes all of them or none.',
      access: managedByUser,
      form: { users: usersField },
      handle: async ({ caller, subject: app, form }) => {
        requireUserApp(app);
        await appTesters.removeEach(caller.actor.user, app, form.users);
        return json({ ...noError, results: { invite: 'member remove success' } });
      },
    }),
    defineRoute({
      ...read,
      path: teamPaths.teams,
      summary: 'List the teams with access to an app of a Project',
      description: 'All teams of the Project.',
      access: readable,
      handle: async ({ subject: app }) => {
        const project = await projectOf(app);
        return json({ ...noError, teams: teamsOf(await ownerQueries(data).listMembers(project.id)) });
      },
    }),
    defineRoute({
      ...change,
      method: 'POST',
      path: teamPaths.teams,
      summary: 'Give a team access to an app of a Project',
      description: 'Changes nothing: every team has it.',
      access: managed,
      form: { team: v.string() },
      handle: async ({ subject: app, form }) => {
        const project = await projectOf(app);
        const team = teamNamed(form.team, project);
        const results = `${team} has access to ${app.packageName}`;
        return json({ ...noError, results }, { status: 201 });
      },
    }),
    defineRoute({
      ...change,
      method: 'DELETE',
      path: `${teamPaths.teams}/:team`,
      summary: "Remove a team's access to an app of a Project",
      description: 'Always refused.',
      access: managed,
      form: {},
      handle: async ({ subject: app, params }) => {
        const project = await projectOf(app);
        const team = teamNamed(params.team, project);
        const sentence = `every team of ${project.name} has access to all of its apps`;
        throw team === 'owner' ? new Forbidden(sentence) : refused(sentence);
      },
    }),
    defineRoute({
      ...read,
      path: teamPaths.sharedTeams,
      summary: 'List the shared teams with access to an app of a Project',
      description: 'Always none.',
      access: readable,
      handle: async ({ subject: app }) => {
        await projectOf(app);
        return json({ ...noError, teams: [] });
      },
    }),
    defineRoute({
      ...change,
      method: 'POST',
      path: teamPaths.sharedTeams,
      summary: 'Give a shared team access to an app of a Project',
      description: 'Always refused.',
      access: managed,
      form: {},
      handle: async ({ subject: app }) => {
        throw noSharedTeams((await projectOf(app)).workspace !== null);
      },
    }),
    defineRoute({
      ...change,
      method: 'DELETE',
      path: `${teamPaths.sharedTeams}/:team`,
      summary: "Remove a shared team's access to an app of a Project",
      description: 'Always refused.',
      access: managed,
      form: {},
      handle: async ({ subject: app }) => {
        throw noSharedTeams((await projectOf(app)).workspace !== null);
      },
    }),
  ];
}

export const noSharedTeams = (inWorkspace: boolean) =>
  refused(
    inWorkspace
      ? 'there are no shared teams: add people to the teams of each Project'
      : 'This operation is only for Enterprise Organizations',
  );

/** For an app of a Project, the teams decide. */
function requireUserApp(app: App): void {
  if (app.owner.kind === 'project')
    throw new Forbidden('the teams of the Project decide who has access to its apps');
}
