import type { Route } from '../../http/routes/route.ts';
import type { AccountDeps, AccountRouteDeps } from '../account-deps-http.ts';
import { invitedRoutes } from '../invitations/invitation-accept-routes.ts';
import { invitationApiRoutes } from '../invitations/invitation-api-routes.ts';
import { invitationRoutes } from '../invitations/invitation-routes.ts';
import { createInvite } from '../invitations/invite.ts';
import { ownInvitationsRoutes } from '../invitations/own-invitations-routes.ts';
import { passwordResetRoutes } from '../passwords/password-reset-routes.ts';
import { passwordRoutes } from '../passwords/password-routes.ts';
import { createSetPassword } from '../passwords/set-password.ts';
import { sessionRoutes } from '../sessions/session-routes.ts';
import { createRegisterAccount } from './create-account.ts';
import { profileRoutes } from './profile-routes.ts';
import { signUpRoutes } from './sign-up-routes.ts';

/** All routes for a person's own account and for creating accounts. */
export function accountRoutes(given: AccountRouteDeps): Route[] {
  const deps: AccountDeps = {
    ...given,
    setPassword: createSetPassword(given),
    createAccount: createRegisterAccount(given),
    invite: createInvite(given),
  };
  return [
    profileRoutes,
    passwordRoutes,
    passwordResetRoutes,
    sessionRoutes,
    signUpRoutes,
    invitationRoutes,
    invitationApiRoutes,
    invitedRoutes,
    ownInvitationsRoutes,
  ].flatMap((routes) => routes(deps));
}
