/** Texts of the pages of an app. */
export const en = {
  tabs: {
    builds: 'Builds',
    pages: 'Pages',
    activity: 'Activity',
    testers: 'Testers',
    feedback: 'Feedback',
    webhooks: 'Webhooks',
    settings: 'Settings',
    alsoOn: 'Also on {platform}',
  },

  setup: {
    title: 'Set up Slipway',
    progress: '{done, number} of {all, number} done',
    states: { done: 'Done', warning: 'Needs attention', open: 'To do' },
    address: 'Public URL and HTTPS',
    mail: 'Email',
    sendTest: 'Send test email',
    testSent: 'The mail server accepted the test email. Check that it arrives.',
    unknown: 'Not checked since the server started.',
    details: 'Show details',
    project: 'First Project',
    projectLine: 'Projects share apps with a team. Apps without a team can stay in your account.',
    projectDone: 'You are a member of a Project.',
    newProject: 'New Project',
    people: 'Invite people',
    peopleLine: 'Testers need only a link. Developers sign in.',
    peopleDone: 'Other people have accounts or invitations.',
    invite: 'Invite people',
    checked: 'Checked <time></time>',
    notChecked: 'Slipway can check the first two for you.',
    check: 'Check now',
    checkAgain: 'Check again',
  },

  firstUpload: {
    title: 'Upload your first build',
    line: 'Slipway reads the name, icon, version and signature of the app from the package.',
    drop: 'Drop an APK, AAB or IPA here',
    choose: 'Choose file',
    ci: 'Or upload from CI',
    allSystems: 'GitHub Actions, GitLab, fastlane and others',
  },

  list: {
    app: 'App',
    latest: 'Latest build',
    live: 'Live on',
    updated: 'Updated',
    notLive: 'Not published',
  },

  pages: {
    all: 'All pages',
    none: 'No open pages. Publish a build to a page so that testers can install it from a link.',
    facts: '{installs, plural, one {# install} other {# installs}}, updated <time></time>',
    check: 'Why can’t someone install?',
    checkOf: 'Why can’t someone install from {page}?',
    access: {
      unlisted: 'Anyone with the link',
      passcode: 'Anyone with the link and the passcode',
      members: 'People with access to the app',
      groups: 'People in chosen groups',
    },
    states: {
      closed: 'Closed',
      expired: 'Expired',
      no_installs_left: 'No installs left',
      not_yet: 'Not ready yet',
      networks: 'Certain networks',
      groups: 'Groups',
      members: 'Members',
      passcode: 'Passcode',
      open: 'Open',
    },
    until: 'Until {day}',
    expiredOn: 'Expired on {day}',
    networks: '{count, plural, one {# network} other {# networks}}',
    limited: '{installs} of {limit} installs',
  },

  errors: {
    gone: 'the app no longer exists',
    alreadyDeleted: 'this app was already deleted',
    linkExpired: 'this link has expired: reload the page that contains it',
  },

  settings: {
    secret: 'App secret',
  },
} as const;
