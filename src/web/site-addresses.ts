/** The addresses that the frame of every page leads to. */
export const siteAddresses = {
  home: '/',
  signIn: '/sign-in',
  signOut: '/sign-out',
  docs: '/docs',
} as const;
