import * as v from 'valibot';
import type { FieldErrors } from '../../core/errors.ts';
import { html, redirect } from '../../http/routes/answer.ts';
import { lenient } from '../../http/routes/form.ts';
import { defineRoute, type Route, type RouteContext } from '../../http/routes/route.ts';
import type { Access } from '../../http/routes/route-facts.ts';
import { type Project, teams } from '../../owners/owner.ts';
import { absolute, projectInvitationsPath } from '../../owners/owner-paths.ts';
import { sitePaths } from '../../web/shell/site-paths.ts';
import type { AccountDeps } from '../account-deps-http.ts';
import { accountTexts } from '../account-texts.ts';
import type { Person } from '../authorization/identify-http.ts';
import { invitationPath } from '../profile/account-paths.ts';
import { invitationLimit, maxOpenInvitations } from './invitation.ts';
import { invitationQueries } from './invitation-queries.ts';
import { type InvitationsPageProps, renderInvitationsPage } from './invitations-page.tsx';
import type { Inviting } from './invite.ts';

const t = accountTexts.invitations;
const accountFields = { email: v.optional(v.pipe(v.string(), v.trim()), '') };
const projectFields = { ...accountFields, team: v.picklist(teams, () => t.teamError) };
/** A null `subject` stands for the installation. */
type InvitationsContext = RouteContext<Person, Project | null>;

/** Invitations to a Project, for its owner team, and to the installation, for administrators. */
export function invitationRoutes(deps: AccountDeps): Route[] {
  const { access, invite } = deps;
  const list = {
    method: 'GET',
    query: { done: lenient(v.literal('revoked')) },
    handle: async (context: InvitationsContext & { query: { done?: 'revoked' | undefined } }) =>
      html(await renderList(deps, context, { done: context.query.done ? t.revoked : null })),
  } as const;
  const create = {
    method: 'POST',
    reauthentication: true,
    rateLimit: invitationLimit,
    renderErrors: (
      { submitted, errors }: { submitted: { email: string; team?: string }; errors: FieldErrors },
      context: InvitationsContext,
    ) => renderList(deps, context, { submitted: { team: '', ...submitted }, errors }),
  } as const;
  const revoke = {
    method: 'POST',
    reauthentication: false,
    form: {},
    handle: async ({ caller, subject, params }: InvitationsContext & { params: { invitation: string } }) => {
      await invite.revoke(caller.actor.user, subject, params.invitation);
      return redirect(`${ownerPath(subject)}?done=revoked`);
    },
  } as const;
  const ofProject = { access: access.managedProject, page: '/organizations/:owner/invitations' } as const;
  const installationAccess: Access<unknown, Person, null> = {
    ...access.administrator,
    authorize: async (...context) => {
      await access.administrator.authorize(...context);
      return null;
    },
  };
  const ofInstallation = { access: installationAccess, page: '/administration/invitations' } as const;
  return [
    defineRoute({
      ...list,
      ...ofProject,
      path: '/organizations/:owner/invitations',
      summary: 'List the open invitations to a Project',
    }),
    defineRoute({
      ...create,
      ...ofProject,
      path: '/organizations/:owner/invitations/create',
      summary: 'Invite someone to a Project',
      form: projectFields,
      handle: (context) => {
        const { subject: project, form } = context;
        return createInvitation(deps, context, project && { project, team: form.team });
      },
    }),
    defineRoute({
      ...revoke,
      ...ofProject,
      path: '/organizations/:owner/invitations/:invitation/revoke',
      summary: 'Revoke an invitation to a Project',
    }),
    defineRoute({
      ...list,
      ...ofInstallation,
      path: '/administration/invitations',
      summary: 'List the open invitations to create an account',
    }),
    defineRoute({
      ...create,
      ...ofInstallation,
      path: '/administration/invitations/create',
      summary: 'Invite someone to create an account',
      form: accountFields,
      handle: (context) => createInvitation(deps, context, null),
    }),
    defineRoute({
      ...revoke,
      ...ofInstallation,
      path: '/administration/invitations/:invitation/revoke',
      summary: 'Revoke an invitation to create an account',
    }),
  ];
}

const ownerPath = (project: Project | null) =>
  project ? projectInvitationsPath(project.name) : sitePaths.invitations;

async function createInvitation(
  deps: AccountDeps,
  context: InvitationsContext & { form: { email: string } },
  into: Inviting['into'],
) {
  const { caller, form, client } = context;
  const email = form.email || null;
  const { token } = await deps.invite.invite({ by: caller.actor.user, into, email });
  const link = token && absolute(client.origin, invitationPath(token));
  return html(await renderList(deps, context, { link, done: email === null ? null : t.sent({ email }) }));
}

async function renderList(
  deps: AccountDeps,
  { frame, subject: project }: InvitationsContext,
  shown: Partial<Pick<InvitationsPageProps, 'submitted' | 'errors' | 'link' | 'done'>>,
): Promise<string> {
  return renderInvitationsPage({
    frame,
    project,
    address: ownerPath(project),
    open: await invitationQueries(deps.data).listInvitations(
      project?.id ?? null,
      deps.now(),
      maxOpenInvitations,
    ),
    canSendMail: deps.canSendMail,
    submitted: { email: '', team: 'tester' },
    errors: {},
    link: null,
    done: null,
    ...shown,
  });
}
