/** What the pages say on which people upload a build from their browser. */

export const uploadTexts = {
  newBuildOf: (name: string) => `New build of ${name}`,
  title: 'New build',
  line: 'The app makes itself from what the package says.',
  lineOfApp: (packageName: string) => `Takes packages of ${packageName} and no others.`,

  file: 'Package',
  kinds: (kinds: string, most: string) => `${kinds}, up to ${most}`,
  both: 'IPA or APK',
  android: 'APK',
  ios: 'IPA',
  files: 'Files',
  message: 'Message',
  messageHint: 'What changed. Stands beside the build.',
  page: 'Distribution page',
  pageHint: 'It hands this build out as soon as it is uploaded.',
  noPage: 'None',
  newPage: 'Or a page by name',
  newPageAlone: 'Distribution page',
  newPageHint: 'Made when the app has none of that name. Left alone when a page is chosen above.',
  newPageAloneHint: 'The app’s page of that name hands this build out; it is made when there is none.',
  note: 'Release note',
  noteHint: 'For testers, on the distribution page. The message when empty.',
  quiet: 'Send no mail about this build',
  upload: 'Upload',
  refused: 'Not uploaded',
  elsewhere: 'Somewhere else',

  places: {
    title: 'New build',
    line: 'Where shall it go?',
    own: 'Only you see its apps, and those to whom you give access.',
  },

  drop: {
    anywhere: 'Drop a package anywhere on this page to upload it.',
  },

  refusals: {
    quota: 'The limit of what may be stored here is reached. Delete builds, or ask for more room.',
    space: 'The server is short of disk space. Tell an administrator.',
    tooLarge: (most: string) => `File too large. The limit is ${most} (SLIPWAY_MAX_UPLOAD).`,
    tooMany: (wait: string) => `There were too many uploads within an hour. ${wait}`,
    noFile: 'Choose a file first.',
  },

  row: {
    cancel: 'Cancel',
    remove: 'Remove',
    retry: 'Try again',
    copy: 'Copy address',
    copied: 'Copied',
    openBuild: 'Open the build',
    openPage: 'Open its page',
  },

  /** Patterns that the script of the page fills in. */
  script: {
    ready: 'Ready. {size}',
    waiting: 'Waits for its turn',
    sending: '{sent} of {size}',
    rate: '{rate}/s',
    left: '{time} left',
    soon: 'a moment left',
    reading: 'Reading the package…',
    cancelled: 'Cancelled. Nothing was stored.',
    broken: 'The connection broke off. Trying again makes no second build.',
    signedOut: 'You are signed out. Sign in in another tab, then try again.',
    failed: 'Something went wrong on the server.',
    tooLarge: 'File too large. The limit is {most} (SLIPWAY_MAX_UPLOAD).',
    empty: 'The file is empty.',
    folder: 'This is a folder. Drop the package itself.',
    wrongKind: 'Not a package: its name must end with {kinds}.',
    bundle: 'An app bundle (.aab) cannot be installed. Build an APK.',
    revision: 'Revision {revision}',
    said: '{name}: {percent} uploaded. {left}',
    saidDone: '{name} is uploaded, revision {revision}.',
    saidStopped: '{name}: {why}',
  },
};
