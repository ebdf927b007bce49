import { Forbidden, NotFound } from '../../core/errors.ts';
import type { Data } from '../../db/data.ts';
import { html, redirect } from '../../http/routes/answer.ts';
import { defineRoute, type Route, type RouteContext } from '../../http/routes/route.ts';
import { teams } from '../../owners/owner.ts';
import { projectPath } from '../../owners/owner-paths.ts';
import { ownerQueries } from '../../owners/owner-queries.ts';
import type { AccountDeps } from '../account-deps-http.ts';
import { accountTexts } from '../account-texts.ts';
import type { Caller } from '../authorization/identify-http.ts';
import type { NewAccountFormProps } from '../profile/sign-up-page.tsx';
import { createAccount, newAccountFields } from '../profile/sign-up-routes.ts';
import { choicesOf } from '../single-sign-on/single-sign-on-button.tsx';
import { singleSignOnTexts } from '../single-sign-on/single-sign-on-texts.ts';
import { hashInvitationToken, type Invitation } from './invitation.ts';
import { renderInvitationPage } from './invitation-page.tsx';
import { invitationQueries } from './invitation-queries.ts';
import { joinByInvitation } from './invite.ts';

/** The page behind an invitation link, and joining with it. */
export function invitedRoutes(deps: AccountDeps): Route[] {
  const { access, data, now } = deps;
  /** Null also for a person who was removed from the place of the invitation. */
  const find = async (caller: Caller | null, { token }: { token: string }) => {
    const found = await invitationQueries(data).findInvitation(hashInvitationToken(token), now());
    const user = caller?.actor.kind === 'user' ? caller.actor.user : null;
    return found && user && (await invitationQueries(data).isExcluded(found.id, user.id)) ? null : found;
  };
  const withLink = { roles: ['link holder'], credentials: ['link', 'session'], others: 'missing' } as const;
  const findUsable = async (caller: Caller | null, params: { token: string }) => {
    const invitation = await find(caller, params);
    if (!invitation) throw gone();
    return invitation;
  };
  const form = { method: 'POST', page: '/invitation/:token', reauthentication: false } as const;
  return [
    defineRoute({
      method: 'GET',
      path: '/invitation/:token',
      summary: 'Show an invitation',
      // The page reports expired, used and revoked invitations.
      access: {
        ...withLink,
        identify: access.anyone.identify,
        authorize: async (caller, params) => {
          // API keys can't submit forms.
          if (caller?.sessionToken === null) throw new NotFound();
          return find(caller, params);
        },
      },
      handle: async (context) =>
        html(await render(deps, context, context.params.token, null), {
          status: context.subject ? 200 : 404,
        }),
    }),
    defineRoute({
      ...form,
      path: '/invitation/:token/join',
      summary: 'Join a Project by invitation',
      access: { ...access.signedIn, authorize: findUsable },
      form: {},
      handle: async ({ caller, subject: invitation }) => {
        if (invitation.into === null) return redirect('/');
        const { user } = caller.actor;
        const joined = await data.transaction((tx) => joinByInvitation(tx, invitation, user, now()));
        if (!joined) throw gone();
        return redirect(invitedToPath(invitation));
      },
    }),
    defineRoute({
      ...form,
      path: '/invitation/:token/create-account',
      summary: 'Create an account by invitation',
      access: { ...withLink, identify: access.anyone.identify, authorize: findUsable },
      form: newAccountFields,
      handle: async ({ subject: invitation, form: given, client }) => {
        if (!deps.passwords) throw new Forbidden(singleSignOnTexts.passwordsOff);
        const created = await createAccount(deps, client, given, invitation);
        return deps.startSession(client, { ...created, to: invitedToPath(invitation), way: 'new account' });
      },
      renderErrors: async (refusal, context) => render(deps, context, context.params.token, refusal),
    }),
  ];
}

/** The page to show after accepting: the Project, or the start page, which lists the app. */
export const invitedToPath = ({ into }: Invitation) =>
  into?.kind === 'project' ? projectPath(into.name) : '/';

const gone = () => new NotFound(accountTexts.invitation.goneTitle);

async function render(
  deps: AccountDeps,
  { caller, frame, subject: invitation }: RouteContext<Caller | null, Invitation | null>,
  token: string,
  refused: Pick<NewAccountFormProps, 'submitted' | 'errors'> | null,
): Promise<string> {
  const invitedAt = invitation?.email ?? null;
  const user = caller?.actor.kind === 'user' ? caller.actor.user : null;
  return renderInvitationPage({
    frame,
    token,
    invitation,
    isMember: invitation !== null && user !== null && (await hasAtLeast(deps.data, invitation, user.id)),
    providers: choicesOf(deps.signOns),
    form: deps.passwords
      ? {
          email: invitedAt !== null ? 'invited' : deps.canSendMail ? 'confirmation' : 'plain',
          submitted: { name: '', email: invitedAt ?? '' },
          errors: {},
          ...refused,
        }
      : null,
  });
}

/** Whether the person already has everything that the invitation grants. */
async function hasAtLeast(data: Data, { into, link }: Invitation, userId: string): Promise<boolean> {
  // A link may also add the person to a group.
  if (into?.kind !== 'project' || link?.groupId) return false;
  const joined = await ownerQueries(data).teamsOf(into.id, userId);
  return joined.some((team) => teams.indexOf(team) <= teams.indexOf(into.team));
}
