import * as v from 'valibot';
import { AppError, FormInvalid, refuseFields } from '../../core/errors.ts';
import { html, redirect } from '../../http/routes/answer.ts';
import { lenient, type Values } from '../../http/routes/form.ts';
import { defineRoute, type Route, type RouteContext } from '../../http/routes/route.ts';
import type { Access } from '../../http/routes/route-facts.ts';
import { type Project, teams } from '../../owners/owner.ts';
import { absolute, projectInvitationsPath } from '../../owners/owner-paths.ts';
import { sitePaths } from '../../web/shell/site-paths.ts';
import type { AccountDeps } from '../account-deps-http.ts';
import { accountTexts } from '../account-texts.ts';
import type { Person } from '../authorization/identify-http.ts';
import { invitationPath } from '../profile/account-paths.ts';
import { emailErrors } from '../profile/email-address.ts';
import { invitationLimit, maxOpenInvitations } from './invitation.ts';
import { invitationQueries } from './invitation-queries.ts';
import { type InvitationsPageProps, renderInvitationsPage } from './invitations-page.tsx';

const t = accountTexts.invitations;
const invitationFields = {
  email: v.optional(v.pipe(v.string(), v.trim()), ''),
  team: v.optional(v.string(), ''),
};
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
    form: invitationFields,
    handle: (context: InvitationsContext & { form: Values<typeof invitationFields> }) =>
      createInvitation(deps, context),
    renderErrors: (
      refusal: Pick<InvitationsPageProps, 'submitted' | 'errors'>,
      context: InvitationsContext,
    ) => renderList(deps, context, { submitted: refusal.submitted, errors: refusal.errors }),
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
  context: InvitationsContext & { form: Values<typeof invitationFields> },
) {
  const { caller, subject: project, form, client } = context;
  const team = teams.find((one) => one === form.team);
  if (project && !team) throw new FormInvalid({ team: [t.teamError] });
  const email = form.email === '' || !deps.canSendMail ? null : form.email;
  refuseFields(emailErrors(email ?? ''));
  const into = project && team ? { project, team } : null;
  const inviting = deps.invite.invite({ by: caller.actor.user, into, email });
  const { token } = await inviting.catch((error: unknown) => {
    if (error instanceof AppError && error.kind === 'conflict')
      throw new FormInvalid({ email: [error.sentence] });
    throw error;
  });
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
