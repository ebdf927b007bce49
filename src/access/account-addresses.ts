/** Addresses of the pages about accounts, as paths; those in a letter are absolute. */
import { siteAddresses } from '../web/site-addresses.ts';

const segment = encodeURIComponent;

export const profilePath = siteAddresses.settings;
export const passwordPath = `${siteAddresses.settings}/password`;
export const ownKeysPath = `${siteAddresses.settings}/keys`;
export const sessionsPath = `${siteAddresses.settings}/sessions`;
/** Two-factor and passkeys. */
export const emailChangePath = (token: string) => `${siteAddresses.settings}/email/${segment(token)}`;
export const projectKeysPath = (name: string) => `/organizations/${segment(name)}/keys`;
export const projectInvitationsPath = (name: string) => `/organizations/${segment(name)}/invitations`;
export const invitationPath = (token: string) => `/invitation/${segment(token)}`;
export const passwordResetPath = (token: string) => `/reset-password/${segment(token)}`;

/** Where a newcomer chooses a password, to go on to `to` afterwards. */
export function welcomePath(to: string | null): string {
  return to === null || to === '/' ? '/welcome' : `/welcome?to=${segment(to)}`;
}

export function signInPath(to: string): string {
  return `${siteAddresses.signIn}?to=${segment(to)}`;
}
