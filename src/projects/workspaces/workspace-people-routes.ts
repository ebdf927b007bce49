import * as v from 'valibot';
import { accountTexts } from '../../accounts/account-texts.ts';
import type { Person } from '../../accounts/authorization/identify-http.ts';
import {
  addEachPerson,
  findPeopleLimit,
  onlyLogin,
  peopleListField,
} from '../../accounts/invitations/people-list.ts';
import type { Data } from '../../db/data.ts';
import { html, redirect } from '../../http/routes/answer.ts';
import { doneSentence } from '../../http/routes/form.ts';
import { defineRoute, type RejectedForm, type Route, type RouteContext } from '../../http/routes/route.ts';
import { type Workspace, workspaceRoles } from '../../owners/owner.ts';
import { workspacePeoplePath } from '../../owners/owner-paths.ts';
import { workspaceQueries } from '../../owners/workspace-queries.ts';
import { listByName, type NameListRequest, nameListQuery } from '../lists/list-by-name-http.ts';
import type { OwnerAccess } from '../owner-access-http.ts';
import { memberQueries } from '../people/member-queries.ts';
import { projectTexts } from '../project-texts.ts';
import type { OwnerChanges } from '../settings/owner-changes.ts';
import {
  renderAddedToWorkspace,
  renderWorkspacePeople,
  type WorkspacePeopleProps,
} from './workspace-people-page.tsx';

export interface WorkspacePeopleRouteDeps {
  data: Data;
  ownerAccess: OwnerAccess;
  ownerChanges: OwnerChanges;
}

type PeopleContext = Pick<RouteContext<Person, Workspace>, 'caller' | 'frame' | 'subject'>;

const t = projectTexts.workspacePeople;

const successMessages = () => ({
  added: t.added,
  already: t.already,
  pending: accountTexts.ownInvitations.already,
  changed: t.changed,
  removed: t.removed,
  invited: accountTexts.ownInvitations.invited,
  canceled: accountTexts.ownInvitations.canceled,
});

const role = v.picklist(workspaceRoles, () => t.errors.role);

/** The people of a Workspace, for its owners and administrators. */
export function workspacePeopleRoutes(deps: WorkspacePeopleRouteDeps): Route[] {
  const { ownerAccess } = deps;
  const { workspacePeople } = deps.ownerChanges;
  const page = '/enterprises/:workspace/people';
  const access = ownerAccess.workspaceOwnerOrAdministrator;
  const form = { method: 'POST', page, access, reauthentication: false } as const;
  const change = {
    ...form,
    renderErrors: ({ error }: Pick<RejectedForm, 'error'>, context: PeopleContext) =>
      renderPeople(deps, context, { refused: error.sentence }),
    renderedErrorKinds: ['conflict'],
  } as const;
  const back = ({ name }: Workspace, done: keyof ReturnType<typeof successMessages>) =>
    redirect(`${workspacePeoplePath(name)}?done=${done}`);
  return [
    defineRoute({
      method: 'GET',
      path: page,
      access,
      summary: 'List the people of a Workspace',
      query: {
        ...nameListQuery,
        done: doneSentence(successMessages),
      },
      handle: async (context) => {
        const { done, ...asked } = context.query;
        return html(await renderPeople(deps, context, { done }, asked));
      },
    }),
    defineRoute({
      ...form,
      path: '/enterprises/:workspace/people/add',
      summary: 'Add people to a Workspace',
      reauthentication: true,
      rateLimit: findPeopleLimit,
      form: { login: peopleListField, role },
      handle: async ({ caller, subject: workspace, frame, form }) => {
        const add = (login: string) => workspacePeople.add(caller.actor, workspace, login, form.role);
        const only = onlyLogin(form.login);
        if (only !== null) return back(workspace, await add(only));
        const people = await addEachPerson(form.login, add);
        return html(renderAddedToWorkspace({ frame, workspace, people }));
      },
      renderErrors: ({ submitted, errors }, context) =>
        renderPeople(deps, context, {
          submitted: {
            login: submitted.login.trim(),
            role: workspaceRoles.find((one) => one === submitted.role) ?? 'member',
          },
          errors,
        }),
    }),
    defineRoute({
      ...form,
      path: '/enterprises/:workspace/people/invitations/:invitation/cancel',
      summary: 'Cancel an invitation to a Workspace',
      form: {},
      handle: async ({ caller: { actor }, subject: workspace, params: { invitation } }) => {
        await workspacePeople.cancel(actor.user, workspace, invitation);
        return back(workspace, 'canceled');
      },
    }),
    defineRoute({
      ...change,
      path: '/enterprises/:workspace/people/:person/save',
      summary: 'Change the role of a person in a Workspace',
      reauthentication: true,
      form: { role },
      handle: async ({ caller: { actor }, subject: workspace, params: { person }, form }) => {
        await workspacePeople.change(actor, workspace, { id: person }, form.role);
        // People who are no longer owners may not see the page.
        const isOut = person === actor.user.id && form.role !== 'owner' && !actor.user.administrator;
        return isOut ? redirect('/') : back(workspace, 'changed');
      },
    }),
    defineRoute({
      ...change,
      path: '/enterprises/:workspace/people/:person/remove',
      summary: 'Remove a person from a Workspace',
      form: {},
      handle: async ({ caller: { actor }, subject: workspace, params: { person } }) => {
        const removed = await workspacePeople.remove(actor, workspace, { id: person });
        if (person === actor.user.id && !actor.user.administrator) return redirect('/');
        return removed ? back(workspace, 'removed') : redirect(workspacePeoplePath(workspace.name));
      },
    }),
    defineRoute({
      ...form,
      page: '/enterprises/:workspace',
      path: '/enterprises/:workspace/leave',
      access: ownerAccess.workspaceMember,
      summary: 'Leave a Workspace',
      form: {},
      handle: async ({ caller: { actor }, subject: workspace }) => {
        await workspacePeople.remove(actor, workspace, actor.user);
        return redirect('/?done=workspace-left');
      },
    }),
  ];
}

async function renderPeople(
  { data, ownerChanges }: WorkspacePeopleRouteDeps,
  { caller, subject: workspace, frame }: PeopleContext,
  shown: Partial<Pick<WorkspacePeopleProps, 'done' | 'submitted' | 'errors' | 'refused'>>,
  asked: NameListRequest = {},
): Promise<string> {
  const found = await listByName(
    asked,
    workspacePeoplePath(workspace.name),
    (words, part) => workspaceQueries(data).listPeople(workspace.id, part, words),
    ({ name }) => name,
  );
  return renderWorkspacePeople({
    frame,
    workspace,
    viewerId: caller.actor.user.id,
    found,
    facts: await memberQueries(data).factsOf(found.items.map(({ id }) => id)),
    pending: await ownerChanges.workspacePeople.pending(workspace),
    done: null,
    submitted: { login: '', role: 'member' },
    errors: {},
    refused: null,
    ...shown,
  });
}
