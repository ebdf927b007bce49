/** What testers read: the distribution page, and what stands before it. */
import { plural } from '../../web/components/plural.ts';

export const testerTexts = {
  install: 'Install',
  installAnyway: 'Install anyway',
  installInApp: 'Try it here',
  download: 'Download APK',
  thenLook: {
    android: 'The download has begun. Open the file from your notifications when it is there.',
    ios: 'iOS asks once more. After that the app loads on your Home Screen.',
  },
  cannotInstall: 'This build cannot be installed',
  cannotInstallAnyMore: 'This page no longer hands it out.',
  settings: 'Settings',
  whatsNew: 'What’s new',
  noNote: 'Nothing was written about this build.',
  about: 'About this build',
  listedUnknown: (count: number) =>
    `Runs on ${plural(count, 'registered device', 'registered devices')} only.`,
  listedCheck: 'Check yours',
  listedYes: (noun: string) => `Signed for this ${noun}`,
  listedAgain: 'Check this device again',
  computer: {
    title: 'Scan with your phone’s camera',
    android: 'This page opens on the phone, ready to install.',
    ios: 'This page opens on the iPhone or iPad, ready to install. iOS apps cannot be installed from a computer.',
    tabletQuestion: 'Is this an iPad?',
    tabletInstall: 'Install on this iPad',
  },
  address: 'Address of this page',
  copyAddress: 'Copy address',
  qrLabel: (name: string) => `QR code of this page for ${name}`,
  openUntil: 'open until',
  published: 'published',
  otherBuild: {
    title: 'Not the live build',
    line: 'This page now serves another build.',
    link: 'Go to the live build',
  },
  history: 'All builds on this page',
  historyMore: 'More builds on this page',
  newest: 'Newest',
  live: 'Live',
  shown: 'Shown here',
  withdrawn: 'Not available',
  help: 'Trouble installing?',
  helpSteps: {
    android: [
      'Open the downloaded file. Android asks once whether this browser may install apps: allow it, then go back.',
      'Play Protect may warn of an app that it does not know. “More details” leads on to “Install anyway”.',
      '“App not installed” mostly means that a copy with another signature is on the phone. Remove that copy first; its data goes with it.',
    ],
    ios: [
      'Nothing happens after the tap? Open this page in Safari.',
      'The app appears on the Home Screen, greyed while it loads.',
    ],
    iosEnterprise:
      'Before the first start, open Settings, General, VPN & Device Management, and trust the developer.',
    iosDevices:
      '“Unable to install” mostly means that the build is not signed for this device. The developer has to add it and to upload a new build.',
    iosDeveloperMode: 'From iOS 16 on, switch on Settings, Privacy & Security, Developer Mode.',
  },
  advice: {
    elsewhere: {
      ios: {
        title: 'This build is for iPhone and iPad',
        sentences: [
          'It does not install on Android. Scan the code with an iPhone or iPad, or send the address there.',
        ],
      },
      android: {
        title: 'This build is for Android',
        sentences: [
          'It does not install on iPhone or iPad. Scan the code with an Android phone, or send the address there.',
        ],
      },
    },
    refused: (noun: string) => `This ${noun} will refuse it`,
    phone: 'phone',
    tooOld: (needed: string, has: string) => `The build needs ${needed} or newer, and this is ${has}.`,
    targetTooOld: (has: string) =>
      `${has} refuses apps made for an Android this old. Ask for a build with a newer target SDK.`,
    targetOld: (refusing: string) => `${refusing} and newer refuse it: its target SDK is too old.`,
    madeForIpad: 'The build is made for iPad alone.',
    madeForOthers: (made: string) =>
      `The build is made for ${made}, which takes no installation from a page.`,
    askToAdd: 'Ask its developer to add this device and to upload a new build.',
    safari: 'Safari',
    chrome: 'Chrome',
    openIn: (browser: string) => `Open this page in ${browser}`,
    inApp: {
      ios: (app: string | null, browser: string) =>
        `${app ? `${app}’s own browser` : 'The browser inside this app'} cannot install. Choose “Open in ${browser}” in its menu, or copy the address.`,
      android: (app: string | null, browser: string) =>
        `${app ? `${app}’s own browser` : 'The browser inside this app'} may lose the download. Choose “Open in ${browser}” in its menu, or copy the address.`,
    },
    otherIosBrowser: 'Nothing happens after the tap? Open this page in Safari.',
    expiresSoon: (day: string) => `It stops working on ${day}, when its signature ends.`,
  },
  description: (version: string, platform: string) => `${version} for ${platform}`,
  otherDescription: (version: string, platform: string) => `${version} for ${platform}, not the live build`,
};

export const gateTexts = {
  inactive: {
    title: 'This page is closed',
    line: 'Nothing can be installed from it at the moment. Ask the person who sent you the address.',
  },
  expired: {
    title: 'This page has expired',
    line: 'It was open for a limited time. Ask the person who sent you the address for a new one.',
  },
  network: {
    title: 'Not on this network',
    line: 'This page opens on certain networks alone. Join your company’s network or VPN, then open it again.',
  },
  passcode: {
    title: 'Enter the passcode',
    line: 'The person who sent you the address knows it.',
    label: 'Passcode',
    submit: 'Open the page',
  },
  manage: 'Settings of this page',
};
