/** Texts of the pages that manage distribution pages. */
import { plural, pluralForm } from '../../web/components/plural.ts';

export const pageSettingsTexts = {
  title: 'Page settings',
  installers: 'Who installed',
  activity: 'Activity',
  /** `all`: how many people have access, on a members-only page. */
  installedBy: (some: number, all: number | null) =>
    all === null
      ? `${plural(some, 'person', 'people')} with access to the app installed a build of this page. Guests are only counted.`
      : `${some} of ${plural(all, 'person', 'people')} installed a build of this page.`,
  titleOf: (name: string) => `Settings of ${name}`,
  open: 'Open page',
  save: 'Save',
  saved: 'Saved.',
  moved: 'Link rotated. The old link no longer works.',
  withdrawnNow: 'Build withdrawn. It is no longer available on this page.',
  offeredNow: 'Build restored to this page.',
  rolledBack: 'Rolled back. The page serves this build with the note that it had.',
  made: 'Page created. Send its link to your testers.',
  published: 'Build published. Testers with the link can install it.',
  publish: {
    title: (version: string) => `Publish ${version}`,
    line: 'Testers who have the link of the page get this build.',
    page: 'Page',
    pageHint: 'Choose a page of this app, or enter a name to create one.',
    createPage: 'Create “{}”',
    serving: (revision: number) => `Serving #${revision}`,
    noteHint:
      'Shown to testers with this build. Supports Markdown. Leave empty to use the message of the build.',
    notify: 'Notify people by email',
    notifyHint: 'Everyone receives at most one email about a build, and people can turn them off.',
    submit: 'Publish',
    cancel: 'Cancel',
  },

  list: {
    line: 'Each page has a link that serves one build at a time.',
    none: 'No pages yet',
    noneLine: 'Create a page, or upload with distribution_name. Testers install builds from its link.',
    page: 'Page',
    serving: 'Serving',
    installs: 'Installs',
    updated: 'Updated',
    actions: 'Share',
    until: (day: string) => `until ${day}`,
    more: 'More pages',
  },

  share: 'Share',
  shareLine: 'Scan the code with a phone, or send the link to your testers.',
  errorsTitle: (count: number) => (count === 1 ? 'There is 1 error' : `There are ${count} errors`),
  nothingSaved: 'Your changes are not saved.',

  isOpen: 'Open',
  closedStates: { closed: 'Closed', expired: 'Expired', 'install-limit': 'No installs left' },
  blockersTitle: 'What prevents installs',
  withdrawnBuilds: (revisions: readonly number[]) =>
    `Withdrawn builds cannot be installed: ${revisions.map((revision) => `#${revision}`).join(', ')}.`,

  groups: { content: 'Content', who: 'Access', until: 'Limits', feedback: 'Feedback' },
  feedback: 'Let testers send feedback',
  feedbackHint:
    'Adds a form to the page: text, up to three screenshots, and the device. You read it under Feedback of the app.',
  name: 'Name',
  nameHint: 'An upload with this distribution_name publishes to this page.',
  build: 'Build',
  buildHint: 'Choose an earlier build to roll back. The next upload to this page replaces it.',
  otherRevision: 'Other revision',
  otherRevisionHint:
    'The list contains the newest builds. Enter the revision number of any other build here, or leave this empty.',
  buildOption: (revision: number, version: string, extra: string) =>
    `#${revision} · ${version}${extra ? ` · ${extra}` : ''}`,
  note: 'Release note',
  noteHint:
    'Shown to testers with this build. Supports Markdown. If you choose another build and leave this unchanged, that build’s own note is shown.',
  active: 'Page is open',
  activeHint: 'When this is off, visitors see that the page is closed and cannot install anything.',
  access: 'Who can open the page',
  accessKinds: {
    unlisted: 'Anyone with the link',
    passcode: 'Anyone with the link and a passcode',
    members: 'Only people with access to the app',
    groups: 'Only people in chosen groups',
  },
  accessHints: {
    unlisted: 'The link can’t be guessed.',
    passcode: 'Visitors enter it once a week in each browser. People with access to the app do not need it.',
    members: 'Visitors must sign in.',
    groups:
      'Visitors must sign in, have access to the app and be in one of the groups below. People who manage the app can always open the page.',
  },
  groupsLabel: 'Groups',
  groupPeople: (count: number) => plural(count, 'person', 'people'),
  noGroups: 'No groups yet.',
  manageGroups: 'Manage groups',
  passcode: 'Passcode',
  passcodeNew: 'New passcode',
  passcodeHint: (minimum: number) => `At least ${minimum} characters. It cannot be shown again.`,
  passcodeKept:
    'A passcode is set. Leave empty to keep it. If you change it, every visitor must enter the new one.',
  networks: 'Networks',
  networksHint: (limit: number) => `One per line, for example 10.0.0.0/8 or 2001:db8::/32. At most ${limit}.`,
  expires: 'Closes on',
  expiresHint: 'Date and time in UTC.',
  expiresLocal: 'Date and time in your time zone, {}.',
  expiry: 'Close the page automatically',
  expiryKinds: { never: 'Never', 7: 'In 7 days', 30: 'In 30 days', date: 'On a date' },
  limitsInstalls: 'Limit the number of installs',
  limitsNetworks: 'Allow only certain networks',
  unsaved: 'Unsaved changes',
  settings: 'Settings',
  danger: 'Link and deletion',
  installs: 'Install limit',
  installsHint: 'The page serves no more installs after that.',
  installsCounted: (count: number, shown: string) =>
    `${shown} ${pluralForm(count, 'install', 'installs')} so far.`,
  recount: 'Reset install count',

  errors: {
    groupNone: 'Choose at least one group.',
    groupMissing: 'One of the groups no longer exists. Choose again.',
    nameMissing: 'Enter a name.',
    nameLong: (limit: number) => `Name too long. The limit is ${limit} characters.`,
    nameControl: 'The name must be one line without control characters.',
    nameTaken: 'This app already has a page with that name.',
    access: 'Choose who can open the page.',
    passcodeMissing: 'Enter a passcode.',
    passcodeLength: (minimum: number, limit: number) =>
      `The passcode must have ${minimum} to ${limit} characters.`,
    passcodeSpace: 'The passcode must not start or end with a space.',
    passcodeControl: 'The passcode must be one line without control characters.',
    expires: 'Enter a date and time, for example 2027-01-31T18:00.',
    expiresPast: 'Enter a time in the future. To close the page now, clear “Page is open”.',
    installs: (limit: string) => `Enter a whole number from 1 to ${limit}, or leave empty.`,
    network: (line: string) => `“${line}” is not a network or an IP address.`,
    networksMore: (count: number) => `And ${plural(count, 'more invalid line', 'more invalid lines')}.`,
    networksMany: (limit: number) => `Too many networks. The limit is ${limit}.`,
    noteLong: (limit: number) => `Release note too long. The limit is ${limit} bytes.`,
    buildMissing: 'That build no longer exists. Choose another.',
    buildMoved: (revision: number) =>
      `Build #${revision} was published on this page in the meantime, with its own release note. Save again to use your note for #${revision}.`,
    confirmation: 'The name does not match.',
  },

  history: 'Publish history',
  historyHint: 'Each build keeps its own link on this page until you withdraw it.',
  historyMore: 'Older builds on this page',
  rollBack: 'Roll back to this build',
  rollBackOf: (revision: number) => `Roll back to this build, #${revision}`,
  rollBackTitle: (page: string, version: string) => `Roll back ${page} to ${version}?`,
  rollBackHint: 'The release note that this build had is restored.',
  rollBackDowngrade:
    'People who have a newer version must uninstall it first: Android refuses a lower version code.',
  rollBackNow: 'Roll back',
  cancel: 'Cancel',
  current: 'Live',
  currentHint: 'To remove this build from the page, publish another one or close the page.',
  withdrawn: 'Withdrawn',
  withdraw: 'Withdraw',
  withdrawOf: (revision: number) => `Withdraw build #${revision}`,
  offer: 'Restore',
  offerOf: (revision: number) => `Restore build #${revision}`,

  address: 'Rotate link or delete',
  newAddress: 'Rotate link',
  newAddressLine:
    'The old link stops working immediately for everyone. Uploads that use the page key need the new key.',
  newAddressButton: 'Rotate link',

  remove: 'Delete page',
  removeLine:
    'Permanently deletes the page link, publish history and activity. The builds stay with the app. An upload with this page name creates a new page with a new link.',
  removeConfirm: (name: string) => `Type “${name}” to confirm`,
  removeButton: 'Delete page',

  newTitle: 'New distribution page',
  newLine: 'Anyone with the link to the page can install the build. You can change access in the next step.',
  newWithoutBuilds: 'A page needs a build. Upload one first.',
  newNameHint: 'For example, the name of a branch or a group of testers.',
  newNoteHint: 'Shown to testers. Leave empty to use the message of the build.',
  create: 'Create page',
};
