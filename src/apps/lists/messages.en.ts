/** Texts of the app list for testers. */
export const en = {
  column: 'On your devices',
  install: 'Install',
  installOf: 'Install {app} {version}',
  update: 'Update',
  updateOf: 'Update {app} to {version}',
  new: 'New',
  installed: 'Installed #{revision}',
  newer: '{count, plural, one {# new build} other {# new builds}}',
} as const;
