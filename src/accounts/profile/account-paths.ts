/** Paths of the account pages. Emails use absolute addresses. */
import { sitePaths } from '../../web/shell/site-paths.ts';

const segment = encodeURIComponent;

export const profilePath = sitePaths.settings;
export const passwordPath = `${sitePaths.settings}/password`;
export const ownKeysPath = `${sitePaths.settings}/keys`;
export const sessionsPath = `${sitePaths.settings}/sessions`;
/** The page for second factors. `to`: where to continue after a required setup. */
export const securityPath = (to: string | null) => withTarget(`${sitePaths.settings}/security`, to);
export const securityAppPath = (to: string | null) => withTarget(`${sitePaths.settings}/security/app`, to);
/** Forms of that page. `action` is for example `app/disable`. */
export const securityActionPath = (action: string, to: string | null) =>
  withTarget(`${sitePaths.settings}/security/${action}`, to);
export const confirmPasskeyOptionsPath = '/settings/security/confirm/passkey-options';
export const confirmPasskeyPath = '/settings/security/confirm/passkey';
/** Within the path of the cookies that only sign-in needs. */
export const secondStepPath = (to: string | null) => withTarget('/sign-in/second-factor', to);
export const useCodePath = (to: string | null) => withTarget('/sign-in/second-factor/use-code', to);
export const useRecoveryCodePath = (to: string | null) =>
  withTarget('/sign-in/second-factor/use-recovery-code', to);
export const passkeySignInPath = '/sign-in/passkey';
export const passkeyOptionsPath = '/sign-in/passkey/options';
export const emailChangePath = (token: string) => `${sitePaths.settings}/email/${segment(token)}`;
export const unlinkIdentityPath = `${sitePaths.settings}/single-sign-on/unlink`;
/** Within the path of the cookie that the browser keeps while it is at the provider. */
export const linkIdentityPath = '/sign-in/sso/link';
export const singleSignOnReturnPath = '/sign-in/sso/callback';
export const confirmIdentityPath = '/sign-in/sso/confirm';
export const confirmLinkPath = '/sign-in/sso/confirm/link';
export const confirmAccessPath = '/sign-in/sso/confirm-access';
export const invitationPath = (token: string) => `/invitation/${segment(token)}`;
/** Open invitations of the signed-in person. */
export const ownInvitationsPath = `${sitePaths.settings}/invitations`;
export const passwordResetPath = (token: string) => `/reset-password/${segment(token)}`;

/** The page where a user replaces a temporary password, then continues to `to`. */
export function welcomePath(to: string | null): string {
  return withTarget('/welcome', to);
}

function withTarget(path: string, to: string | null): string {
  return to === null || to === '/' ? path : `${path}?to=${segment(to)}`;
}

/** Starts sign-in at the single sign-on provider, then continues to `to`. */
export function singleSignOnPath(to: string | null): string {
  return to === null || to === '/' ? '/sign-in/sso' : `/sign-in/sso?to=${segment(to)}`;
}

export function signInPath(to: string): string {
  return `${sitePaths.signIn}?to=${segment(to)}`;
}

/** Confirms access by signing in at the provider again, then continues to `to`. */
export function confirmAccessAtProviderPath(to: string): string {
  return `${confirmAccessPath}?to=${segment(to)}`;
}
