/** Addresses in the frame of every page, and of standalone pages. */
export const sitePaths = {
  home: '/',
  signIn: '/sign-in',
  signOut: '/sign-out',
  signUp: '/sign-up',
  forgotPassword: '/forgot-password',
  settings: '/settings',
  docs: '/docs',
  search: '/search',
  librarySearch: '/search/libraries',
  upload: '/upload',
  projects: '/projects',
  storeRules: '/store-rules',
  keys: '/settings/keys',
  ownDevices: '/settings/devices',
  administration: '/administration',
  people: '/administration/people',
  owners: '/administration/owners',
  work: '/administration/background-work',
  audit: '/administration/audit',
  mailSettings: '/settings/mail',
  mailAdministration: '/administration/mail',
  sendTestEmail: '/administration/mail/send-test',
  invitations: '/administration/invitations',
  branding: '/administration/branding',
  doctor: '/administration/doctor',
} as const;

/** The entries of the main navigation. */
export type SiteSection = 'apps' | 'projects' | 'administration';

/** `name`: the name of the logo in `Brand`. */
export const brandLogoPath = (name: string) => `/branding/logos/${name}`;

/** Adds the non-empty fields to the address. */
export function withQuery(address: string, fields: Readonly<Record<string, string>>): string {
  const filled = Object.entries(fields).filter(([, value]) => value !== '');
  return filled.length === 0 ? address : `${address}?${new URLSearchParams(filled)}`;
}
