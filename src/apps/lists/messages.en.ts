/** Texts of the start page for testers. */
export const en = {
  column: 'On your devices',
  install: 'Install',
  installOf: 'Install {app} {version}',
  update: 'Update',
  updateOf: 'Update {app} to {version}',
  new: 'New',
  installed: 'Installed #{revision}',
  newer: '{count, plural, one {# new build} other {# new builds}}',
  nothing: 'Nothing to install yet',
  nothingLine: 'The apps that you test appear here, with a button to install each new build.',
  nothingHow:
    'Are you expecting an app? Accept your invitation, open the link that the team sent you, or ask them to give you access.',
  develop: 'Do you develop an app?',
  developLine: 'Upload it to your own account, or to a Project that you share with your team.',
} as const;
