/** Texts of the pages of an app. */
export const appTexts = {
  tabs: {
    builds: 'Builds',
    pages: 'Pages',
    activity: 'Activity',
    testers: 'Testers',
    feedback: 'Feedback',
    webhooks: 'Webhooks',
    settings: 'Settings',
    alsoOn: (platform: string) => `Also on ${platform}`,
  },

  list: {
    app: 'App',
    latest: 'Latest build',
    live: 'Live on',
    updated: 'Updated',
    notLive: 'Not published',
  },

  pages: {
    liveNow: 'Live now',
    all: 'All pages',
    none: 'No open page. Publish a build to a page, and testers can install it from its link.',
    updated: 'updated',
    access: {
      unlisted: 'Anyone with the link',
      passcode: 'Link and passcode',
      members: 'Members',
      groups: 'Groups',
    },
  },

  settings: {
    changeRetention: 'Change retention',
    secret: 'App secret',
    deletion:
      'Deletes the app with its builds, distribution pages, webhooks and counts. This cannot be undone.',
    deleteApp: 'Delete app…',
  },
};
