/** Every word about looking after builds and comparing them. Apart from `texts.ts` for its size alone. */
const plural = (count: number, one: string, many: string) => `${count} ${count === 1 ? one : many}`;
const list = (items: readonly string[]) => items.join(', ');

export const buildTexts = {
  manage: 'Look after this build',
  protected: 'Protected',
  protect: 'Protect',
  protectHint: 'A protected build cannot be deleted.',
  unprotect: 'Stop protecting',
  unprotectHint: 'This build is protected: it cannot be deleted.',
  protectedNow: 'The build is protected.',
  uploaded: 'The build is uploaded.',
  protectionRemoved: 'The build is protected no more.',
  restoredOne: 'The build is back.',
  restored: (revisions: readonly string[]) =>
    revisions.length === 1 ? `Build ${list(revisions)} is back.` : `Builds ${list(revisions)} are back.`,

  message: {
    edit: 'Edit the message',
    add: 'Write a message',
    label: 'Message',
    hint: 'What is said about this build, here and in lists. Release notes of pages stay as they are.',
    save: 'Save',
    saved: 'The message is saved.',
    notSaved: 'Not saved',
    tooLong: (most: string, has: string) => `A message has at most ${most} bytes, and this one has ${has}.`,
    changedMeanwhile:
      'Somebody changed the message while you wrote. Above is what it says now; save again to put yours in its place.',
  },

  remove: {
    button: 'Delete build',
    hint: (hours: number) => `You can undo this for ${hours} hours. Then its file goes for good.`,
    held: (pages: readonly string[]) =>
      pages.length === 1
        ? `The page ${list(pages)} hands this build out now. Choose another build there, then it can be deleted.`
        : `The pages ${list(pages)} hand this build out now. Choose another build there, then it can be deleted.`,
    settingsOf: (page: string) => `Settings of ${page}`,
    choose: (revision: number) => `Choose build #${revision}`,
    chosen: 'Delete chosen builds',
    chosenHint: (hours: number) =>
      `You can undo this for ${hours} hours. Builds that a page hands out or that are protected cannot be chosen.`,
    handedOut: (pages: readonly string[], more: number) =>
      `handed out by ${list(pages)}${more > 0 ? ` and ${more} more` : ''}`,
  },

  refused: {
    title: 'Nothing was deleted',
    line: (count: number) =>
      count === 1 ? 'This build has to stay for now:' : 'These builds have to stay for now:',
    protected: 'It is protected.',
    page: 'The page',
    handsOut: 'hands it out now.',
    chooseAnother: 'Choose another',
    chooseAnotherOn: (page: string) => `Choose another build for ${page}`,
    others: (count: number) => (count === 1 ? 'Delete the other one' : `Delete the other ${count} builds`),
    back: 'Back to the app',
  },

  deleted: {
    title: 'Recently deleted',
    now: (revisions: readonly string[]) =>
      revisions.length === 1
        ? `Build ${list(revisions)} is deleted.`
        : `Builds ${list(revisions)} are deleted.`,
    undo: 'Undo',
    undoOf: (revision: number) => `Undo: bring build #${revision} back`,
    undoAll: (count: number) => `Undo: bring ${plural(count, 'build', 'builds')} back`,
    by: 'deleted by',
    kept: 'kept until',
    more: 'Older ones are not listed.',
  },

  rotateSecret: {
    title: 'Rotate secret',
    line: 'Links to this page with the old secret stop working, and so do the file and icon links of earlier uploads. Members, API keys and distribution pages are not affected. The next upload returns the new secret. Slipway also rotates the secret when someone loses access.',
    button: 'Rotate secret',
    done: 'Secret rotated. Links with the old secret no longer work.',
  },

  removeApp: {
    link: 'Delete this app',
    title: (name: string) => `Delete ${name}`,
    lead: 'This can’t be undone. The following is permanently deleted now:',
    builds: (count: string, size: string) => `${count}, ${size} of files`,
    buildCount: (count: number, shown: string) => `${shown} ${count === 1 ? 'build' : 'builds'}`,
    noBuilds: 'no builds',
    protectedBuilds: (count: number) =>
      `${plural(count, 'of them is protected and goes', 'of them are protected and go')} all the same`,
    pages: (count: number) =>
      count === 1
        ? '1 distribution page, with its counts; its address stops working:'
        : `${count} distribution pages, with their counts; their addresses stop working:`,
    morePages: (count: number) => `and ${count} more`,
    testers: (count: number) => `The access of ${plural(count, 'person', 'people')}`,
    mails: 'Mail about its builds that waits to be sent',
    addresses: 'Every address of its files and icons, wherever it was sent',
    stays: 'What stays:',
    devices: 'The devices that testers have registered: they belong to the owner, not to the app.',
    otherPlatform: 'The app of that name on the other platform.',
    audit: 'The audit log, which says who deleted it and when.',
    again: 'An upload of the package afterwards begins a new app, with revision 1 and another secret.',
    confirm: (name: string) => `Type ${name} to confirm`,
    notDeleted: 'Nothing was deleted',
    unconfirmed: 'That is not its name.',
    button: 'Delete the app for good',
    keep: 'Keep it',
    done: 'The app is deleted. Its files are being removed.',
  },

  compare: {
    link: (revision: number) => `Compare with #${revision}`,
    since: (revision: number) => `Changes since #${revision}`,
    title: (from: number, to: number) => `#${from} and #${to} compared`,
    heading: 'Compare builds',
    from: 'From',
    to: 'To',
    submit: 'Compare',
    swap: 'The other way round',
    changed: 'What changed',
    same: 'The same in both',
    nothing: 'Nothing that is read out of the packages differs.',
    identical: 'Both are the same file, byte for byte.',
    becomes: 'becomes',
    none: 'none',
    added: 'Added',
    removed: 'Removed',
    more: (count: string) => `and ${count} more`,
    sizeDifference: (bytes: string, percent: string) => `${bytes} (${percent})`,
    bytes: (count: number, shown: string) => `${shown} ${count === 1 ? 'byte' : 'bytes'}`,
    message: 'Message',
    sets: {
      permissions: 'Permissions',
      features: 'Hardware and software features',
      abis: 'Native code',
      devices: 'Devices in the profile',
      deviceFamilies: 'Kinds of device',
      entitlements: 'Entitlements',
      extensions: 'Extensions, App Clips and Watch apps',
      languages: 'Names by language',
      warnings: 'Warnings',
    },
    notes: {
      signerTitle: 'Signed by somebody else',
      signerAndroid: (from: number, to: number) =>
        `#${to} carries another certificate than #${from}. Android refuses it as an update: whoever has #${from} must remove the app first, and its data goes with it.`,
      signerLost: (from: number, to: number) => `#${to} is not signed and #${from} is. Android refuses it.`,
      rotated:
        'The certificate was rotated. Android 9 and newer take the new one as the successor of the old.',
      teamIos: (from: number, to: number) =>
        `#${to} is signed by another team than #${from}. iOS refuses it as an update: whoever has #${from} must remove the app first, and its data goes with it.`,
      worthTitle: 'Worth knowing',
      olderVersion: (from: number, to: number) =>
        `#${to} has a lower version code than #${from}. Android refuses it where #${from} is installed.`,
      system: (needed: string) => `It now needs ${needed}: older devices stay behind.`,
      devicesRemoved: (count: number) =>
        `${plural(count, 'device is', 'devices are')} not in the profile any more and cannot install it.`,
    },
    facts: {
      name: 'Name',
      certificate: 'Certificate',
      entitlement: (name: string, value: string) => `${name}: ${value}`,
      language: (tag: string, name: string) => `${tag}: ${name}`,
    },
  },
};
