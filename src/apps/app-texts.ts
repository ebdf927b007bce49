/** Texts of the pages of an app. */
export const appTexts = {
  tabs: {
    builds: 'Builds',
    pages: 'Pages',
    activity: 'Activity',
    testers: 'Testers',
    webhooks: 'Webhooks',
    settings: 'Settings',
    alsoOn: (platform: string) => `Also on ${platform}`,
  },

  settings: {
    changeRetention: 'Change retention',
    secret: 'App secret',
    deletion:
      'Deletes the app with its builds, distribution pages, webhooks and counts. This cannot be undone.',
    deleteApp: 'Delete app…',
  },
};
