/** Workspaces, called enterprises in DeployGate’s API, for their owners and for administrators. */
import * as v from 'valibot';
import type { RouteAccess } from '../accounts/authorization/route-access-http.ts';
import { inviteeOf, type NamedInvitation } from '../accounts/invitations/invitation.ts';
import { namedInvitationQueries } from '../accounts/invitations/named-invitation-queries.ts';
import { addEachPerson, findPeopleLimit } from '../accounts/invitations/people-list.ts';
import { conflict, Forbidden, NotFound } from '../core/errors.ts';
import { formatTime } from '../core/json-shapes.ts';
import type { Data } from '../db/data.ts';
import { TypedError } from '../http/error-body.ts';
import { json } from '../http/routes/answer.ts';
import { defineRoute, type Route } from '../http/routes/route.ts';
import type { OwnerOperations } from '../owners/create-owners.ts';
import {
  emailKey,
  maxDescriptionLength,
  maxLoginLength,
  maxNameLength,
  nameKey,
  type Project,
  type Workspace,
  type WorkspacePerson,
} from '../owners/owner.ts';
import { ownerQueries } from '../owners/owner-queries.ts';
import { workspaceQueries } from '../owners/workspace-queries.ts';
import { projectListQueries } from '../projects/lists/project-list-queries.ts';
import type { OwnerAccess } from '../projects/owner-access-http.ts';
import { readLogins } from '../projects/people/people-api-routes.ts';
import type { ProjectPeople } from '../projects/people/project-people.ts';
import { projectsPerDay } from '../projects/settings/new-owner-routes.ts';
import { noSharedTeams } from './app-people-routes.ts';
import { change, noProject, outcomeOf, read, refused, saying } from './deploygate-access-http.ts';
import { deploygateInvited, deploygateMember, deploygateProject, noError } from './deploygate-json.ts';
import { invitedPeople, type RemoveFromWorkspace } from './workspace-people.ts';

export interface WorkspaceRouteDeps {
  data: Data;
  access: RouteAccess;
  ownerAccess: OwnerAccess;
  owners: OwnerOperations;
  projectPeople: ProjectPeople;
  removeFromWorkspace: RemoveFromWorkspace;
  now: () => number;
}

/** DeployGate’s lists of Workspaces have no pages. */
const maxListed = 1000;
const loginField = v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(maxLoginLength));
const nameField = v.pipe(v.string(), v.maxLength(maxNameLength));

export function deploygateWorkspaceRoutes(deps: WorkspaceRouteDeps): Route[] {
  const { data, access, projectPeople } = deps;
  const path = '/api/enterprises/:workspace';
  const projectUsers = `${path}/organizations/:owner/users` as const;
  const owned = saying(noProject, access.byUserKey(deps.ownerAccess.workspaceOwnerOrAdministrator));
  const peopleOf = (workspace: Workspace) =>
    workspaceQueries(data).listPeople(workspace.id, { limit: maxListed });
  const invitedTo = async (workspace: Workspace, people: readonly WorkspacePerson[]) =>
    invitedPeople(
      await namedInvitationQueries(data).listInWorkspace(workspace.id, deps.now(), maxListed),
      people,
    );
  const findMember = async (workspace: Workspace, login: string): Promise<WorkspacePerson | null> => {
    const known = await ownerQueries(data).findUser(login);
    return known && workspaceQueries(data).findPerson(workspace.id, known.id);
  };
  const show = (person: WorkspacePerson, origin: string) => ({
    ...deploygateMember(person.name, origin),
    full_name: null,
    email: person.email,
    role: person.role === 'owner' ? 'Admin' : 'General',
    created_at: formatTime(person.createdAt),
    last_access_at: null,
  });
  const showInvited = (invitation: NamedInvitation, origin: string) => ({
    ...deploygateInvited(origin)(invitation),
    full_name: null,
    email: invitation.user ? null : invitation.email,
    role: invitation.place.kind === 'workspace' && invitation.place.role === 'owner' ? 'Admin' : 'General',
    created_at: null,
    last_access_at: null,
  });
  const projectIn = async (workspace: Workspace, name: string): Promise<Project> => {
    const project = await ownerQueries(data).findOwner(name);
    if (project?.kind === 'project' && project.workspace?.id === workspace.id) return project;
    throw new NotFound(noProject);
  };
  const sharedTeams = [
    ['POST', `${path}/shared_teams`],
    ['DELETE', `${path}/shared_teams/:team`],
    ['POST', `${path}/shared_teams/:team/users`],
    ['DELETE', `${path}/shared_teams/:team/users/:user`],
  ] as const;
  return [
    defineRoute({
      ...read,
      path: `${path}/users`,
      summary: 'List the people of a Workspace',
      description: 'Its owners, its members, the people of its Projects, and those who were invited.',
      access: owned,
      handle: async ({ subject: workspace, client: { origin } }) => {
        const people = await peopleOf(workspace);
        const invited = await invitedTo(workspace, people);
        return json({
          ...noError,
          users: [
            ...people.map((person) => show(person, origin)),
            ...invited.map((invitation) => showInvited(invitation, origin)),
          ],
        });
      },
    }),
    defineRoute({
      ...read,
      path: `${path}/users/:user`,
      summary: 'Show someone in a Workspace',
      access: owned,
      handle: async ({ subject: workspace, params: { user }, client: { origin } }) => {
        const people = await peopleOf(workspace);
        const known = await ownerQueries(data).findUser(user);
        const person = people.find(({ id }) => id === known?.id);
        if (person) return json({ ...noError, results: show(person, origin) });
        const invitation = (await invitedTo(workspace, people)).find((one) =>
          known ? one.user?.id === known.id : emailKey(inviteeOf(one)) === emailKey(user),
        );
        if (!invitation) throw refused(`${user} is not in ${workspace.name}`);
        return json({ ...noError, results: showInvited(invitation, origin) });
      },
    }),
    defineRoute({
      ...change,
      method: 'POST',
      path: `${path}/users`,
      summary: 'Check that someone is not in a Workspace yet',
      description:
        'Changes nothing: owners add people to the Workspace on its page or with `/api/v1`. Does not tell whether there is such a user.',
      access: owned,
      form: { user: loginField, full_name: v.optional(v.string()), role: v.optional(v.string()) },
      handle: async ({ subject: workspace, form: { user } }) => {
        if (await findMember(workspace, user)) {
          const sentence = `${user} has already joined ${workspace.name}`;
          throw new TypedError('invalid', 'already_joined_member', sentence);
        }
        const results = `${user} is not in ${workspace.name}: add them to one of its Projects`;
        return json({ ...noError, results }, { status: 201 });
      },
    }),
    defineRoute({
      ...change,
      method: 'DELETE',
      path: `${path}/users/:user`,
      summary: 'Remove someone from a Workspace and all of its Projects',
      description: 'Withdraws open invitations, too. Succeeds for people who are not in the Workspace.',
      access: owned,
      form: {},
      handle: async ({ caller, subject: workspace, params: { user } }) => {
        const known = await ownerQueries(data).findUser(user);
        if (known?.id === caller.actor.user.id) throw new Forbidden('you cannot remove yourself');
        const removed = await deps.removeFromWorkspace(caller.actor, workspace, user);
        const did = removed ? 'was removed from' : 'is not in';
        return json({ ...noError, message: `${user} ${did} ${workspace.name}` });
      },
    }),
    defineRoute({
      ...read,
      path: `${path}/organizations`,
      summary: 'List the Projects of a Workspace',
      access: owned,
      handle: async ({ subject: workspace, client: { origin } }) => {
        const scope = { workspaceId: workspace.id };
        const found = await projectListQueries(data).listProjects(scope, [], { limit: maxListed });
        return json({
          ...noError,
          organizations: found.map(({ project }) => deploygateProject(project, origin)),
        });
      },
    }),
    defineRoute({
      ...change,
      method: 'POST',
      path: `${path}/organizations`,
      summary: 'Create a Project in a Workspace',
      access: owned,
      rateLimit: projectsPerDay,
      form: {
        owner_name_or_email: v.optional(loginField),
        name: nameField,
        display_name: v.optional(v.string()),
        description: v.optional(v.pipe(v.string(), v.maxLength(maxDescriptionLength)), ''),
      },
      handle: async ({ caller, subject: workspace, form }) => {
        const login = form.owner_name_or_email ?? caller.actor.user.name;
        const owner =
          nameKey(login) === nameKey(caller.actor.user.name)
            ? caller.actor.user
            : await findMember(workspace, login);
        if (!owner) throw new NotFound(`${login} is not in ${workspace.name}`);
        const { name, description } = form;
        const project = await deps.owners.createProject({
          name,
          description,
          workspaceName: workspace.name,
          ownerName: owner.name,
          by: caller.actor,
        });
        const results = { name: project.name, display_name: project.name, description: project.description };
        return json({ ...noError, results }, { status: 201 });
      },
    }),
    defineRoute({
      ...read,
      path: projectUsers,
      summary: 'List the people of a Project of a Workspace',
      access: owned,
      handle: async ({ subject: workspace, params: { owner }, client: { origin } }) => {
        const project = await projectIn(workspace, owner);
        const members = await ownerQueries(data).listMembers(project.id);
        const users = members.map(({ user }) => deploygateMember(user.name, origin));
        const invited = (await projectPeople.pending(project)).map(deploygateInvited(origin));
        return json({ ...noError, users: [...users, ...invited] });
      },
    }),
    defineRoute({
      ...change,
      method: 'POST',
      path: projectUsers,
      summary: 'Add someone to the tester team of a Project of a Workspace',
      access: owned,
      rateLimit: findPeopleLimit,
      form: { user: loginField },
      handle: async ({ caller, subject: workspace, params: { owner }, form: { user } }) => {
        const project = await projectIn(workspace, owner);
        const add = (login: string) => projectPeople.add(caller.actor, project, login, 'tester');
        const [person] = await addEachPerson(readLogins([user]), add);
        if (person?.outcome === 'already') throw conflict(`${user} is already in ${project.name}`);
        const results = `${user} ${outcomeOf(person, user)} ${project.name}(${workspace.name})`;
        return json({ ...noError, results }, { status: 201 });
      },
    }),
    defineRoute({
      ...change,
      method: 'DELETE',
      path: `${projectUsers}/:user`,
      summary: 'Remove someone from a Project of a Workspace',
      access: owned,
      form: {},
      handle: async ({ caller, subject: workspace, params: { owner, user } }) => {
        const project = await projectIn(workspace, owner);
        if (!(await projectPeople.remove(caller.actor, project, { login: user })))
          throw new Forbidden(`${user} is not in ${project.name}`);
        return json({ ...noError, message: `${user} was removed from ${project.name}(${workspace.name})` });
      },
    }),
    defineRoute({
      ...read,
      path: `${path}/shared_teams`,
      summary: 'List the shared teams of a Workspace',
      description: 'Always none.',
      access: owned,
      handle: async () => json({ ...noError, teams: [] }),
    }),
    defineRoute({
      ...read,
      path: `${path}/shared_teams/:team/users`,
      summary: 'List the people in a shared team',
      description: 'There is none.',
      access: owned,
      handle: async () => {
        throw noSharedTeams(true);
      },
    }),
    ...sharedTeams.map(([method, address]) =>
      defineRoute({
        ...change,
        method,
        path: address,
        summary: 'Change shared teams',
        description: 'Always refused.',
        access: owned,
        form: {},
        handle: async () => {
          throw noSharedTeams(true);
        },
      }),
    ),
  ];
}
