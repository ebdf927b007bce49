
/** Every word about changing distribution pages and giving access. Apart from `texts.ts` for its size alone. */
const plural = (count: number, one: string, many: string) => `${count} ${count === 1 ? one : many}`;

export const pageSettingsTexts = {
  title: 'Page settings',
  titleOf: (name: string) => `Settings of ${name}`,
  open: 'Open the page',
  save: 'Save',
  saved: 'Saved.',
  moved: 'The page has a new address. The old one leads nowhere.',
  withdrawnNow: 'The build is withdrawn. This page no longer hands it out.',
  offeredNow: 'The build is on offer again.',
  made: 'The page is made. Send its address to your testers.',
  faultsTitle: (count: number) =>
    count === 1 ? 'One thing needs another look' : `${count} things need another look`,
  nothingSaved: 'Nothing has been saved yet.',

  states: { open: 'Open', closed: 'Closed', expired: 'Expired', usedUp: 'No installs left' },

  groups: { content: 'What it hands out', who: 'Who may open it', until: 'Until when' },
  name: 'Name',
  nameHint: 'An upload with this distribution_name updates this page, so CI looks for it by the exact name.',
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
  active: 'The page is open',
  activeHint: 'Switched off, it says that it is closed and hands nothing out.',
  access: 'Access',
  accessKinds: {
    unlisted: 'Anyone with the address',
    passcode: 'Anyone with the address and a passcode',
    members: 'Only people who may see the app',
  },
  accessHints: {
    unlisted: 'Nobody finds it by chance.',
    passcode: 'Asked for once a week in each browser. Those who may see the app need none.',
    members: 'They sign in first.',
  },
  passcode: 'Passcode',
  passcodeNew: 'New passcode',
  passcodeHint: (minimum: number) => `At least ${minimum} characters. It cannot be shown again.`,
  passcodeKept: 'One is set. Leave this empty to keep it; a new one is asked of everybody again.',
  networks: 'Networks',
  networksHint: (most: number) =>
    `One a line, for example 10.0.0.0/8 or 2001:db8::/32; at most ${most}. Empty: from everywhere.`,
  expires: 'Closes on',
  expiresHint: 'Date and time in UTC. Empty: never.',
  installs: 'Number of installs',
  installsHint: 'Empty: any number.',
  installsCounted: (count: number, shown: string) =>
    `${shown} ${count === 1 ? 'install' : 'installs'} counted so far.`,
  recount: 'Count again from zero',

  faults: {
    nameMissing: 'Give the page a name.',
    nameLong: (most: number) => `A name has at most ${most} characters.`,
    nameControl: 'A name is one line without control characters.',
    nameTaken: 'This app has another page of that name.',
    access: 'Choose who may open the page.',
    passcodeUnused:
      'You typed a passcode, but the page would not ask for one. Choose “passcode” or empty the field.',
    passcodeMissing: 'Choose a passcode.',
    passcodeLength: (minimum: number, most: number) => `A passcode has ${minimum} to ${most} characters.`,
    passcodeSpace: 'A passcode neither starts nor ends with a space.',
    passcodeControl: 'A passcode is one line without control characters.',
    expires: 'That is no date and time, for example 2027-01-31T18:00.',
    expiresPast: 'That moment has passed. To close the page now, switch it off.',
    installs: (most: string) => `A whole number from 1 to ${most}, or nothing.`,
    network: (line: string) => `“${line}” is no network and no address.`,
    networksMore: (count: number) => `and ${plural(count, 'more line', 'more lines')} like that.`,
    networksMany: (most: number) => `At most ${most} networks.`,
    noteLong: (most: number) => `A release note has at most ${most} bytes.`,
    buildMissing: 'That build no longer exists. Choose another.',
    buildMoved: (revision: number) =>
      `Meanwhile build #${revision} came onto this page with a note of its own. Yours is still here: save again to put it on #${revision}.`,
    confirmation: 'That is not the name of this page.',
  },

  history: 'Publish history',
  historyHint: 'Each keeps an address of its own on this page until it is withdrawn.',
  historyMore: 'Older builds of this page',
  current: 'Live',
  currentHint: 'To remove this build from the page, publish another one or close the page.',
  withdrawn: 'Withdrawn',
  withdraw: 'Withdraw',
  withdrawOf: (revision: number) => `Withdraw build #${revision}`,
  offer: 'Offer again',
  offerOf: (revision: number) => `Offer build #${revision} again`,

  address: 'Move or delete',
  addressLabel: 'Address of the page',
  newAddress: 'Give it a new address',
  newAddressLine:
    'The old address stops working at once, for everybody who has it. Uploads that name the page by its key need the new key.',
  newAddressButton: 'Make a new address',

  remove: 'Delete this page',
  removeLine:
    'Its address, its history and its counts go for good. The builds stay with the app. An upload with its name makes a new page with another address.',
  removeConfirm: (name: string) => `Type “${name}” to confirm`,
  removeButton: 'Delete the page',

  newTitle: 'New distribution page',
  newLine: 'It hands out a build to whoever you send its address. Its rules come next.',
  newWithoutBuilds: 'A page hands out a build. Upload one first.',
  newNameHint: 'For example the name of a branch or of a group of testers.',
  newNoteHint: 'What testers read beside the button. Empty: the message that came with the build.',
  make: 'Make the page',
};

