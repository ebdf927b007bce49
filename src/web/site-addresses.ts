/** The addresses that the frame of every page leads to, and those of pages that stand for themselves. */
export const siteAddresses = {
  home: '/',
  signIn: '/sign-in',
  signOut: '/sign-out',
  signUp: '/sign-up',
  forgotPassword: '/forgot-password',
  settings: '/settings',
  docs: '/docs',
  mailSettings: '/settings/mail',
  mailAdministration: '/administration/mail',
  invitations: '/administration/invitations',
  doctor: '/administration/doctor',
} as const;
