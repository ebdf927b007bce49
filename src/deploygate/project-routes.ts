/** Projects, called organizations in DeployGate’s API, and their people. */
import * as v from 'valibot';
import type { RouteAccess } from '../accounts/authorization/route-access-http.ts';
import type { UserActor } from '../accounts/invitations/invite-user.ts';
import { addEachPerson, findPeopleLimit } from '../accounts/invitations/people-list.ts';
import { appQueries } from '../apps/app-queries.ts';
import { NotFound } from '../core/errors.ts';
import type { Data } from '../db/data.ts';
import { DocumentedError } from '../http/error-body.ts';
import { json } from '../http/routes/answer.ts';
import { defineRoute, type Route } from '../http/routes/route.ts';
import type { OwnerOperations } from '../owners/create-owners.ts';
import {
  maxDescriptionLength,
  maxLoginLength,
  maxNameLength,
  nameKey,
  type Project,
  type Team,
} from '../owners/owner.ts';
import { ownerQueries } from '../owners/owner-queries.ts';
import type { OwnerDeletion } from '../projects/deletion/owner-deletion.ts';
import type { OwnerAccess } from '../projects/owner-access-http.ts';
import { readLogins } from '../projects/people/people-api-routes.ts';
import type { ProjectPeople } from '../projects/people/project-people.ts';
import { projectsPerDay } from '../projects/settings/new-owner-routes.ts';
import type { OwnerChanges } from '../projects/settings/owner-changes.ts';
import { teamsOf } from './app-people-routes.ts';
import { maxListedApps } from './app-routes.ts';
import { change, noProject, outcomeOf, read, refused, saying, teamNamed } from './deploygate-access-http.ts';
import {
  deploygateApp,
  deploygateInvited,
  deploygateMember,
  deploygateProject,
  membersIn,
  noError,
} from './deploygate-json.ts';

export interface ProjectRouteDeps {
  data: Data;
  access: RouteAccess;
  ownerAccess: OwnerAccess;
  owners: OwnerOperations;
  ownerChanges: OwnerChanges;
  ownerDeletion: OwnerDeletion;
  projectPeople: ProjectPeople;
}

const loginField = v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(maxLoginLength));
const nameField = v.pipe(v.string(), v.maxLength(maxNameLength));
const descriptionField = v.pipe(v.string(), v.maxLength(maxDescriptionLength));

export function deploygateProjectRoutes(deps: ProjectRouteDeps): Route[] {
  const { data, access, ownerAccess, projectPeople } = deps;
  const path = '/api/organizations/:owner';
  const teamUsers = `${path}/teams/:team/users` as const;
  const seen = saying(noProject, access.byKey(ownerAccess.memberOrAdministrator));
  const managed = saying(noProject, access.byUserKey(ownerAccess.ownerOrAdministrator('project')));
  const membersOf = (project: Project) => ownerQueries(data).listMembers(project.id);
  /** Returns a description of the result, such as `ann was invited to crew`. Throws unless the person was added or invited. */
  const addPerson = async (by: UserActor, project: Project, login: string, team: Team): Promise<string> => {
    const add = (one: string) => projectPeople.add(by, project, one, team);
    const [person] = await addEachPerson(readLogins([login]), add);
    return outcomeOf(person, login);
  };
  const notMember = (login: string, { name }: Project) => new NotFound(`${login} is not a member of ${name}`);
  return [
    defineRoute({
      ...change,
      method: 'POST',
      path: '/api/organizations',
      summary: 'Create a Project',
      access: access.userByKey(() => new DocumentedError('invalid', 'requester must be a user')),
      rateLimit: projectsPerDay,
      form: {
        name: v.optional(nameField),
        organization_name: v.optional(nameField),
        description: v.optional(descriptionField, ''),
      },
      handle: async ({ caller, subject: user, form, client }) => {
        if (caller.actor.restriction) throw new NotFound(noProject);
        const name = form.name ?? form.organization_name;
        if (name === undefined) throw refused('name: is required');
        const project = await deps.owners.createProject({
          name,
          description: form.description,
          workspaceName: null,
          ownerName: user.name,
          by: caller.actor,
        });
        return json({ ...noError, organization: deploygateProject(project, client.origin) }, { status: 201 });
      },
    }),
    defineRoute({
      ...read,
      path,
      summary: 'Show a Project with its teams, apps and members',
      access: seen,
      handle: async ({ caller, subject: { owner: project, permissions }, client: { origin } }) => {
        const members = await membersOf(project);
        const { restriction = null } = caller.actor;
        const listings = permissions.views
          ? await appQueries(data).listApps({ ownerIds: [project.id], restriction }, { limit: maxListedApps })
          : [];
        return json({
          ...noError,
          organization: {
            ...deploygateProject(project, origin),
            teams: teamsOf(members),
            applications: listings.map(({ app, latest }) => deploygateApp(app, latest, project, origin)),
            members: members.map(({ user }) => deploygateMember(user.name, origin)),
          },
        });
      },
    }),
    defineRoute({
      ...change,
      method: 'PATCH',
      path,
      summary: 'Change the description of a Project',
      access: managed,
      form: { description: v.optional(descriptionField), display_name: v.optional(v.string()) },
      handle: async ({ caller, subject: { owner }, form, client }) => {
        if (form.description !== undefined)
          await deps.ownerChanges.describe(caller.actor, owner, form.description);
        const changed = await ownerQueries(data).findOwnerById(owner.id);
        if (changed?.kind !== 'project') throw new NotFound(noProject);
        return json({ ...noError, organization: deploygateProject(changed, client.origin) });
      },
    }),
    defineRoute({
      ...change,
      method: 'DELETE',
      path,
      summary: 'Delete a Project',
      access: managed,
      form: {},
      handle: async ({ caller, subject: { owner } }) => {
        await deps.ownerDeletion.deleteOwner(caller.actor, owner, owner.name);
        return json({ ...noError, results: { message: 'the organization was removed successfully' } });
      },
    }),
    defineRoute({
      ...read,
      path: `${path}/members`,
      summary: 'List the people of a Project',
      access: seen,
      handle: async ({ subject: { owner, permissions }, client: { origin } }) => {
        const members = (await membersOf(owner)).map(({ user }) => deploygateMember(user.name, origin));
        const invited = permissions.administers ? await projectPeople.pending(owner) : [];
        return json({ ...noError, members: [...members, ...invited.map(deploygateInvited(origin))] });
      },
    }),
    defineRoute({
      ...change,
      method: 'POST',
      path: `${path}/members`,
      summary: 'Invite someone to the tester team of a Project',
      access: managed,
      rateLimit: findPeopleLimit,
      form: { username: v.optional(loginField), email: v.optional(loginField) },
      handle: async ({ caller, subject: { owner }, form }) => {
        const login = form.username ?? form.email;
        if (login === undefined) throw refused('username: is required');
        const outcome = await addPerson(caller.actor, owner, login, 'tester');
        return json({ ...noError, message: `${login} ${outcome} ${owner.name}` });
      },
    }),
    defineRoute({
      ...change,
      method: 'DELETE',
      path: `${path}/members/:user`,
      summary: 'Remove someone from a Project',
      description: 'Withdraws open invitations, too.',
      access: managed,
      form: {},
      handle: async ({ caller, subject: { owner }, params: { user } }) => {
        if (!(await projectPeople.remove(caller.actor, owner, { login: user }))) throw notMember(user, owner);
        return json({ ...noError, message: `${user} was removed from ${owner.name}` });
      },
    }),
    defineRoute({
      ...read,
      path: teamUsers,
      summary: 'List the people in a team of a Project',
      access: seen,
      handle: async ({ subject: { owner, permissions }, params, client: { origin } }) => {
        const team = teamNamed(params.team, owner);
        const members = membersIn(team, await membersOf(owner));
        const users = members.map(({ user }) => deploygateMember(user.name, origin));
        const invited = permissions.administers ? await projectPeople.pending(owner) : [];
        const invitedHere = invited.filter(({ place }) => place.kind === 'project' && place.team === team);
        return json({ ...noError, users: [...users, ...invitedHere.map(deploygateInvited(origin))] });
      },
    }),
    defineRoute({
      ...change,
      method: 'POST',
      path: teamUsers,
      summary: 'Add someone to a team of a Project',
      access: managed,
      rateLimit: findPeopleLimit,
      form: { user: loginField },
      handle: async ({ caller, subject: { owner }, params, form: { user } }) => {
        const team = teamNamed(params.team, owner);
        const known = await ownerQueries(data).findAddressee(user);
        const member =
          known && (await membersOf(owner)).find((one) => nameKey(one.user.name) === nameKey(known.name));
        if (member) await projectPeople.change(caller.actor, owner, member.user, team);
        const outcome = member ? 'was added to' : await addPerson(caller.actor, owner, user, team);
        const results = `${user} ${outcome.replace('was added', 'has been added')} ${params.team}`;
        return json({ ...noError, results }, { status: 201 });
      },
    }),
    defineRoute({
      ...change,
      method: 'DELETE',
      path: `${teamUsers}/:user`,
      summary: 'Remove someone from a team of a Project',
      description:
        'They stay in the Project as a tester; anyone in the tester team alone leaves the Project. An invitation changes alike.',
      access: managed,
      form: {},
      handle: async ({ caller, subject: { owner }, params }) => {
        const team = teamNamed(params.team, owner);
        if (!(await projectPeople.leaveTeam(caller.actor, owner, { login: params.user }, team)))
          throw new NotFound(`${params.user} is not in ${params.team}`);
        const { team: name, user } = params;
        return json({ ...noError, message: `${user} was removed from ${name}(${owner.name})` });
      },
    }),
  ];
}
