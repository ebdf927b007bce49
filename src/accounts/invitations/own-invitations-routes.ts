import * as v from 'valibot';
import { html, redirect } from '../../http/routes/answer.ts';
import { lenient } from '../../http/routes/form.ts';
import { defineRoute, type Route } from '../../http/routes/route.ts';
import type { AccountDeps } from '../account-deps-http.ts';
import { accountTexts } from '../account-texts.ts';
import { ownInvitationsPath } from '../profile/account-paths.ts';
import { maxOpenInvitations } from './invitation.ts';
import { createPersonalInvitations } from './invite-user.ts';
import { namedInvitationQueries } from './named-invitation-queries.ts';
import { renderOwnInvitations } from './own-invitations-page.tsx';

/** Lists, accepts and declines a user's own invitations. */
export function ownInvitationsRoutes(deps: AccountDeps): Route[] {
  const { data, access, now } = deps;
  const invitations = createPersonalInvitations(deps);
  const page = '/settings/invitations';
  const form = { method: 'POST', access: access.signedIn, page, reauthentication: false, form: {} } as const;
  return [
    defineRoute({
      method: 'GET',
      path: page,
      summary: 'List your open invitations',
      access: access.signedIn,
      query: { done: lenient(v.picklist(['accepted', 'declined'])) },
      handle: async ({ subject: user, frame, query: { done } }) => {
        const open = await namedInvitationQueries(data).listOfUser(user.id, now(), maxOpenInvitations);
        const sentence = done ? accountTexts.ownInvitations[done] : null;
        return html(renderOwnInvitations({ frame, invitations: open, done: sentence }));
      },
    }),
    defineRoute({
      ...form,
      path: `${page}/:invitation/accept`,
      summary: 'Accept an invitation',
      handle: async ({ caller, params }) => {
        await invitations.accept(caller.actor.user, params.invitation);
        return redirect(`${ownInvitationsPath}?done=accepted`);
      },
    }),
    defineRoute({
      ...form,
      path: `${page}/:invitation/decline`,
      summary: 'Decline an invitation',
      handle: async ({ caller, params }) => {
        await invitations.decline(caller.actor.user, params.invitation);
        return redirect(`${ownInvitationsPath}?done=declined`);
      },
    }),
  ];
}
