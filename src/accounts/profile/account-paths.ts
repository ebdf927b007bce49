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
/** The paths of sign-in at one provider, all within the path of the cookie that the browser keeps while it is there. */
export interface SignOnPaths {
  base: string;
  signIn: string;
  /** Where the provider sends the browser back to. */
  returns: string;
  link: string;
  confirmIdentity: string;
  confirmLink: string;
  confirmAccess: string;
}
const signOnPaths = (base: string, names: Pick<SignOnPaths, 'signIn' | 'returns'>): SignOnPaths => ({
  base,
  ...names,
  link: `${base}/link`,
  confirmIdentity: `${base}/confirm`,
  confirmLink: `${base}/confirm/link`,
  confirmAccess: `${base}/confirm-access`,
});
/** Those of the installation, or of the Workspace with that name, as it is written in paths. */
export const samlPaths = (workspace: string | null): SignOnPaths => {
  const base = workspace === null ? '/saml' : `/enterprises/${workspace}/saml`;
  return signOnPaths(base, { signIn: `${base}/sign-in`, returns: `${base}/acs` });
};
export const workspaceSamlPaths = (name: string) => samlPaths(segment(name));
export const oidcPaths = signOnPaths('/sign-in/sso', {
  signIn: '/sign-in/sso',
  returns: '/sign-in/sso/callback',
});
export const invitationPath = (token: string) => `/invitation/${segment(token)}`;
/** Open invitations of the signed-in person. */
export const ownInvitationsPath = `${sitePaths.settings}/invitations`;
export const passwordResetPath = (token: string) => `/reset-password/${segment(token)}`;

/** The page where a user replaces a temporary password, then continues to `to`. */
export function welcomePath(to: string | null): string {
  return withTarget('/welcome', to);
}

export function withTarget(path: string, to: string | null): string {
  return to === null || to === '/' ? path : `${path}?to=${segment(to)}`;
}

export function signInPath(to: string): string {
  return `${sitePaths.signIn}?to=${segment(to)}`;
}
