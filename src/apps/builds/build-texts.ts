/** Every word about looking after builds and comparing them. Apart from `texts.ts` for its size alone. */
import { plural, pluralForm } from '../../web/components/plural.ts';

const list = (items: readonly string[]) => items.join(', ');

export const buildTexts = {
  manage: 'Manage build',
  details: 'Details',
  publishToPage: 'Publish to page…',
  shareLine: 'Works for people who have access to the app. To share with others, publish the build.',
  protected: 'Protected',
  protect: 'Protect',
  protectHint: 'A protected build cannot be deleted.',
  unprotect: 'Remove protection',
  unprotectHint: 'This build is protected and cannot be deleted.',
  protectedNow: 'Build protected.',
  protectionRemoved: 'Protection removed.',
  restoredOne: 'Build restored.',
  restored: (revisions: readonly string[]) =>
    revisions.length === 1 ? `Build ${list(revisions)} restored.` : `Builds ${list(revisions)} restored.`,

  list: {
    caption: 'Builds, newest first',
    build: 'Build',
    source: 'Source',
    uploaded: 'Uploaded',
    size: 'Size',
    installs: 'Installs',
    liveOn: 'Live on',
    actions: 'Actions',
    noMessage: 'No message',
    morePages: (count: number) => `+${count}`,
    installCount: (count: number) => plural(count, 'install', 'installs'),
    publish: 'Publish…',
    publishOf: (revision: number) => `Publish build #${revision}…`,
    selectAll: 'Select all builds on this page',
    select: (revision: number) => `Select build #${revision}`,
    selection: 'Selected builds',
    selectedOne: '{} selected',
    selectedOther: '{} selected',
    clearSelection: 'Clear selection',
    label: 'Label',
    labelHint: 'Replaces the label of the selected builds.',
    setLabel: 'Set label',
    labelMissing: 'Enter a label.',
    labelTooLong: (limit: string) => `The label can have at most ${limit} characters.`,
    labelsSet: (revisions: readonly string[]) => `Label of ${list(revisions)} saved.`,
    protectedAll: (revisions: readonly string[]) => `Protected ${list(revisions)}.`,
    delete: 'Delete',
    filters: 'Filter builds',
    any: 'Any',
    count: (count: string, total: number) => `${count} ${pluralForm(total, 'build', 'builds')}`,
    filtered: (count: string, total: number) => `${count} matching ${pluralForm(total, 'build', 'builds')}`,
    names: { branch: 'Branch', label: 'Label', uploader: 'Uploader', page: 'Page', signer: 'Signer' },
    keys: ['to move', 'to select', 'to publish'] as const,
  },

  message: {
    edit: 'Edit message',
    add: 'Add message',
    label: 'Message',
    hint: 'Shown with this build, here and in lists. Release notes on distribution pages do not change.',
    save: 'Save',
    saved: 'Message saved.',
    notSaved: 'Not saved',
    tooLong: (limit: string, has: string) => `Message too long: ${has} bytes. The limit is ${limit} bytes.`,
    changedMeanwhile:
      'Someone else changed the message while you were editing. The current version is shown above. Save again to replace it with yours.',
  },

  remove: {
    button: 'Delete build',
    hint: (hours: number) =>
      `You can undo this for ${hours} hours. After that, the file is permanently deleted.`,
    held: (pages: readonly string[]) =>
      pages.length === 1
        ? `The page ${list(pages)} is serving this build. To delete it, publish another build there first.`
        : `The pages ${list(pages)} are serving this build. To delete it, publish another build there first.`,
    settingsOf: (page: string) => `Settings of ${page}`,
  },

  refused: {
    title: 'Nothing was deleted',
    line: (count: number) =>
      count === 1 ? 'This build cannot be deleted yet:' : 'These builds cannot be deleted yet:',
    protected: 'It is protected.',
    page: 'The page',
    serving: 'is serving it.',
    chooseAnother: 'Publish another build',
    chooseAnotherOn: (page: string) => `Publish another build on ${page}`,
    others: (count: number) => (count === 1 ? 'Delete the other build' : `Delete the other ${count} builds`),
    back: 'Back to the app',
  },

  deleted: {
    title: 'Recently deleted',
    now: (revisions: readonly string[]) =>
      revisions.length === 1 ? `Build ${list(revisions)} deleted.` : `Builds ${list(revisions)} deleted.`,
    undo: 'Undo',
    undoOf: (revision: number) => `Undo: restore build #${revision}`,
    undoAll: (count: number) => `Undo: restore ${plural(count, 'build', 'builds')}`,
    by: 'deleted by',
    kept: 'can be restored until',
    more: 'Older deleted builds are not listed.',
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
    lead: 'This cannot be undone. Slipway permanently deletes:',
    builds: (count: string, size: string) => `${count}, ${size} of files`,
    buildCount: (count: number, shown: string) => `${shown} ${pluralForm(count, 'build', 'builds')}`,
    noBuilds: 'no builds',
    protectedBuilds: (count: number) => `including ${plural(count, 'protected build', 'protected builds')}`,
    pages: (count: number) =>
      count === 1
        ? '1 distribution page with its activity. Its link stops working:'
        : `${count} distribution pages with their activity. Their links stop working:`,
    morePages: (count: number) => `and ${count} more`,
    testers: (count: number) => `Access for ${plural(count, 'person', 'people')}`,
    mails: 'Unsent emails about its builds',
    addresses: 'All links to its files and icons',
    stays: 'Not deleted:',
    devices: 'Devices that testers registered. They belong to the owner, not to the app.',
    otherPlatform: 'The app with the same name on the other platform.',
    audit: 'The audit log, which records who deleted the app and when.',
    again: 'If you upload the package again, Slipway creates a new app with revision 1 and a new secret.',
    confirm: (name: string) => `Type ${name} to confirm`,
    notDeleted: 'Nothing was deleted',
    unconfirmed: 'The name does not match.',
    button: 'Delete app permanently',
    keep: 'Cancel',
    done: 'App deleted. Slipway is removing its files.',
  },

  compare: {
    link: (revision: number) => `Compare with #${revision}`,
    since: (revision: number) => `Changes since #${revision}`,
    title: (from: number, to: number) => `Compare #${from} and #${to}`,
    heading: 'Compare builds',
    from: 'From',
    to: 'To',
    submit: 'Compare',
    swap: 'Swap builds',
    changed: 'Changes',
    same: 'Unchanged',
    nothing: 'Slipway found no differences between the packages.',
    identical: 'The files are identical.',
    becomes: 'becomes',
    none: 'none',
    added: 'Added',
    removed: 'Removed',
    more: (count: string) => `and ${count} more`,
    sizeDifference: (bytes: string, percent: string) => `${bytes} (${percent})`,
    bytes: (count: number, shown: string) => `${shown} ${pluralForm(count, 'byte', 'bytes')}`,
    message: 'Message',
    sets: {
      permissions: 'Permissions',
      features: 'Hardware and software features',
      abis: 'Native code',
      devices: 'Devices in the profile',
      deviceFamilies: 'Device families',
      entitlements: 'Entitlements',
      extensions: 'Extensions, App Clips and Watch apps',
      languages: 'Localized names',
      warnings: 'Warnings',
    },
    notes: {
      signerTitle: 'Different signer',
      signerAndroid: (from: number, to: number) =>
        `#${to} and #${from} are signed with different certificates. Android rejects the update. Users with #${from} must uninstall the app first, which deletes its data.`,
      signerLost: (from: number, to: number) => `#${from} is signed, but #${to} is not. Android rejects it.`,
      rotated: 'The certificate was rotated. Android 9 and newer accept the new certificate.',
      teamIos: (from: number, to: number) =>
        `#${to} and #${from} are signed by different teams. iOS rejects the update. Users with #${from} must uninstall the app first, which deletes its data.`,
      worthTitle: 'Notes',
      olderVersion: (from: number, to: number) =>
        `#${to} has a lower version code than #${from}. Android rejects it on devices that have #${from}.`,
      system: (to: number, needed: string) => `#${to} requires ${needed}. Older devices cannot install it.`,
      devicesRemoved: (count: number) =>
        `${plural(count, 'device is', 'devices are')} no longer in the profile and cannot install it.`,
    },
    facts: {
      name: 'Name',
      certificate: 'Certificate',
      entitlement: (name: string, value: string) => `${name}: ${value}`,
      language: (tag: string, name: string) => `${tag}: ${name}`,
    },
  },
};
