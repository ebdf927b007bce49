/** Texts of the browser upload pages. */
export const en = {
  newBuildOf: 'New build of {name}',
  title: 'New build',
  line: 'The app is created from the package.',
  lineOfApp: 'Only packages of {packageName}.',

  file: 'Package',
  kinds: '{kinds}, up to {limit}',
  both: 'IPA or APK',
  android: 'APK',
  ios: 'IPA',
  files: 'Files',
  message: 'Message',
  messageHint: 'What changed in this build.',
  page: 'Distribution page',
  pageHint: 'Slipway publishes the build on this page after the upload.',
  noPage: 'None',
  newPage: 'Or enter a page name',
  newPageAlone: 'Distribution page',
  newPageHint: 'Slipway creates the page if it does not exist. Ignored if you choose a page above.',
  newPageAloneHint:
    'Slipway publishes the build on the page with this name, and creates the page if it does not exist.',
  /** With script, one field instead of two. `{}` is the name that was typed. */
  combobox: {
    create: 'Create “{name}”',
    hint: 'Choose a page or enter the name of a new one. Leave empty to publish on no page.',
  },
  note: 'Release note',
  noteHint: 'Shown to testers on the distribution page. Leave empty to use the message.',
  quiet: 'Do not send emails about this build',
  upload: 'Upload',
  refused: 'Not uploaded',
  elsewhere: 'Upload to another project',

  places: {
    title: 'New build',
    line: 'Where do you want to upload?',
    own: 'Only you and people you give access to can see these apps.',
  },

  drop: { anywhere: 'Drop a package anywhere on this page to upload it.' },

  refusals: {
    quota: 'Storage limit reached. Delete builds, or ask an administrator for more storage.',
    space: 'The server is low on disk space. Contact an administrator.',
    tooLarge: 'File too large. The limit is {limit} (SLIPWAY_MAX_UPLOAD).',
    tooMany: 'Too many uploads in the last hour. {wait}',
    noFile: 'Choose a file first.',
  },

  row: {
    cancel: 'Cancel',
    remove: 'Remove',
    retry: 'Retry',
    copy: 'Copy link',
    copied: 'Copied',
    openBuild: 'View build',
    openPage: 'Open page',
  },

  result: {
    title: 'New build',
    done: 'Build uploaded.',
    viewBuild: 'View build',
    another: 'Upload another build',
    publishedOn: 'Published on',
    pageLine: 'Anyone who can open this page can install the build.',
    notPublished: 'Not published yet',
    buildLine:
      'Members of the app can install the build from this link. Publish it to share it with testers.',
    publish: 'Publish',
  },

  /** Templates that `upload.js` fills in. */
  script: {
    ready: 'Ready. {size}',
    waiting: 'Waiting',
    sending: '{sent} of {size}',
    rate: '{rate}/s',
    left: '{time} left',
    soon: 'almost done',
    reading: 'Reading the package…',
    canceled: 'Canceled. Nothing was stored.',
    broken: 'Connection lost. You can retry without creating a duplicate build.',
    signedOut: 'You are signed out. Sign in in another tab, then retry.',
    failed: 'Something went wrong on the server.',
    tooLarge: 'File too large. The limit is {limit} (SLIPWAY_MAX_UPLOAD).',
    empty: 'The file is empty.',
    folder: 'This is a folder. Drop the package itself.',
    wrongKind: 'Not a package. The file name must end with {kinds}.',
    bundle: 'An app bundle (.aab) cannot be installed. Upload an APK.',
    revision: 'Revision {revision}',
    said: '{name}: {percent} uploaded. {left}',
    saidDone: '{name} uploaded, revision {revision}.',
    saidStopped: '{name}: {why}',
  },
} as const;
