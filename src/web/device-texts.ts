/** What is said of registering iPhones and iPads, to testers and to the owner of the list. */

export const deviceTexts = {
  title: (kind: string) => `Register this ${kind}`,
  titleElsewhere: 'Register an iPhone or iPad',
  lead: (owner: string) =>
    `Test builds install only on devices that their developer has listed. Registering tells ${owner} the identifier (UDID), name, model and iOS version of the device, and nothing else.`,
  register: (kind: string) => `Register this ${kind}`,
  onIpad: 'On an iPad? Register it here',
  steps: 'What happens next',
  stepList: [
    'Allow the download. iOS says that a profile was downloaded.',
    'Open Settings, tap “Profile Downloaded” near the top, then Install. iOS calls the profile unsigned; it stays for a moment only.',
    'Safari opens again and says whether the build installs. Nothing stays on the device.',
  ],
  scan: 'Scan with the camera of the iPhone or iPad that you want to register',
  scanTitle: 'Open this page on the device',
  qrLabel: 'QR code of this page',
  safariTitle: 'Open this page in Safari',
  safariLine: 'Other browsers cannot hand the profile to iOS. Copy the address and open it in Safari:',
  addressLabel: 'Address of this page',
  needlessTitle: 'No need to register',
  needless: 'This build is signed for in-house use and installs on any device.',
  insecureTitle: 'Registering may fail here',
  insecure: 'iOS wants https for this, and this server is reached over http.',
  fitsTitle: (kind: string) => `This build installs on this ${kind}`,
  fitsLine: 'The device is in the provisioning profile, and its version of iOS is new enough.',
  fitsAnyLine: 'It is signed for in-house use, and the version of iOS is new enough.',
  awaitsTitle: 'Registered. The next step is the developer’s.',
  awaitsLine: (owner: string) =>
    `${owner} now has to add this device to the provisioning profile and upload a new build. Come back to the page then; you need not register again.`,
  failsTitle: (kind: string) => `This build does not install on this ${kind}`,
  unregistered: (owner: string) => `This device is not registered with ${owner} yet.`,
  notListed: 'The provisioning profile of this build does not include this device.',
  tooOld: (needed: string, has: string) =>
    `It needs iOS ${needed} or newer, and this device runs iOS ${has}.`,
  wrongFamily: (made: string, kind: string) => `It is made for ${made}, and this is an ${kind}.`,
  yours: 'Your device',
  model: 'Model',
  system: 'System',
  udid: 'UDID',
  back: (name: string) => `Go to ${name}`,
  profileName: (app: string) => `Register for ${app}`,
  profileDescription: (owner: string) =>
    `Tells ${owner} the identifier (UDID), name, model and iOS version of this device. Nothing is installed, and nothing stays.`,
};

export const deviceListTexts = {
  title: 'Registered devices',
  link: 'Registered devices',
  lead: 'iPhones and iPads whose holders have registered them on a distribution page. An ad hoc build installs on those that its provisioning profile includes.',
  download: 'Download devices.txt',
  downloadHelp:
    'For Register Multiple Devices on Apple’s developer site, and for register_devices in fastlane. Apple takes 100 devices of each kind a year.',
  empty: 'No device has been registered yet',
  emptyLine:
    'Testers register theirs on the distribution page of an iOS app: at its address with /device behind it.',
  name: 'Name',
  nameOf: (udid: string) => `Name of the device ${udid}`,
  save: 'Save',
  saveOf: (name: string) => `Save the name of ${name}`,
  device: 'Device',
  udid: 'UDID',
  registered: 'Registered',
  by: 'by',
  via: 'on',
  profiles: 'In the profile of',
  noProfiles: 'no app',
  actions: 'Delete',
  remove: 'Delete',
  removeOf: (name: string) => `Delete ${name}`,
  removeHint: 'It stays registered with Apple, and builds go on installing.',
  removeConfirm: 'Delete this device',
  unnamed: 'Unnamed',
  more: 'More devices',
};

/** What the person who registered a device reads of it. */
export const ownDeviceTexts = {
  line: 'iPhones and iPads that you registered while you were signed in here.',
  empty: 'No devices yet',
  emptyLine: 'Open a distribution page of an iOS app on the device, signed in, and register it there.',
  udid: 'UDID',
  with: 'Registered with',
  on: 'on the page',
  rename: 'Rename',
  renameOf: (name: string) => `Rename ${name}`,
  name: 'Name of the device',
  renameLine: 'Everybody with whom it is registered sees the name.',
  save: 'Save',
  remove: 'Remove',
  removeOf: (owner: string) => `Remove from the devices of ${owner}`,
  removeLine: (owner: string) =>
    `${owner} no longer sees the device here. Builds that include it go on installing, and Apple’s list stays as it is. New builds may leave it out.`,
  removeButton: (owner: string) => `Remove from ${owner}`,
  renamed: 'The device has its new name.',
  removed: 'The device is removed.',
  more: 'The newest 200 are shown.',
};
