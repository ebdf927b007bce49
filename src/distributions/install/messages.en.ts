/** Messages of the distribution page and of the install panel for members. */
export const en = {
  feedback: {
    title: 'Found a problem?',
    line: 'Tell the team what happened, with screenshots if you like.',
    link: 'Send feedback',
  },
  install: 'Install',
  installAnyway: 'Install anyway',
  installInApp: 'Install anyway',
  download: 'Download APK',
  thenLook: {
    android: 'The download has started. When it finishes, open the file from your notifications.',
    ios: 'Confirm the installation in iOS. The app then appears on your Home Screen.',
  },
  cannotInstall: 'This build cannot be installed',
  settings: 'Settings',
  whatsNew: 'What’s new',
  noNote: 'No release note.',
  about: 'About this build',
  listedUnknown: 'Only for {count, plural, one {# registered device} other {# registered devices}}.',
  listedCheck: 'Check your device',
  listedYes: 'Signed for this {noun}',
  listedAgain: 'Check this device again',
  computer: {
    title: 'Scan with your phone’s camera',
    android: 'This page opens on the phone, ready to install.',
    ios: 'This page opens on the iPhone or iPad, ready to install. iOS apps cannot be installed from a computer.',
    tabletQuestion: 'Is this an iPad?',
    tabletInstall: 'Install on this iPad',
  },
  member: {
    signIn: 'You sign in on the phone first.',
  },
  address: 'Link to this page',
  qrLabel: 'QR code of this page for {name}',
  openUntil: 'open until {day}',
  published: 'published <time></time>',
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
      'Open the downloaded file. The first time, Android asks whether this browser may install apps. Allow it, then go back.',
      'Play Protect may warn about an unknown app. Tap “More details”, then “Install anyway”.',
      '“App not installed” usually means that a copy with a different signature is installed. Uninstall that copy first. This deletes its data.',
    ],
    ios: [
      'Nothing happens when you tap Install? Open this page in Safari.',
      'The app appears dimmed on the Home Screen while it downloads.',
    ],
    iosEnterprise:
      'Before you open the app for the first time, go to Settings > General > VPN & Device Management and trust the developer.',
    iosDevices:
      '“Unable to install” usually means that the build is not signed for this device. The developer must add the device and upload a new build.',
    iosDeveloperMode: 'On iOS 16 and later, turn on Settings > Privacy & Security > Developer Mode.',
  },
  verification: {
    title: 'Android blocks this app?',
    where:
      'The app is not registered with Google. Certified Android devices can refuse such apps: since {day} in {countries}; in other countries from a date in {year} that is not known yet. Until then, nothing changes there.',
    versions: 'Google names no version of Android from which on this applies.',
    versionsOf:
      'Google names no version of Android from which on this applies, so it may apply to your Android {version}.',
    ask: 'Ask the person who sent you the link to register the app. Nothing else is necessary then.',
    advancedFlow:
      'Or allow apps of unverified developers in the developer options of Android. This requires a restart and takes one day; then install the app again.',
    adb: 'Or install the APK from a computer with adb, which is not restricted.',
  },
  blockers: {
    closed: 'This page is closed.',
    expired: 'This page has expired.',
    withdrawn: 'This build has been withdrawn.',
    installLimit:
      'This page has reached its install limit. Ask the person who sent you the link for more installs.',
    noHttps: 'iOS requires HTTPS to install apps, but this server uses HTTP.',
    madeForOthers: 'The build is for {made}, which cannot install apps from a web page.',
  },
  advice: {
    elsewhere: {
      ios: {
        title: 'This build is for iPhone and iPad',
        sentences: [
          'You cannot install it on Android. Scan the code with an iPhone or iPad, or send the link there.',
        ],
      },
      android: {
        title: 'This build is for Android',
        sentences: [
          'You cannot install it on iPhone or iPad. Scan the code with an Android phone, or send the link there.',
        ],
      },
    },
    refused: 'This {noun} cannot install it',
    phone: 'phone',
    tooOld: 'The build requires {needed} or newer. This device has {has}.',
    previewOnly: 'The build requires a preview of Android ({codename}). This device has {has}.',
    targetTooOld:
      '{has} rejects apps that target such an old Android version. Ask for a build with a newer target SDK.',
    targetOld: '{refusing} and newer reject it because its target SDK is too old.',
    madeForIpad: 'The build is for iPad only.',
    askToAdd: 'Ask the developer to add this device and upload a new build.',
    safari: 'Safari',
    chrome: 'Chrome',
    openIn: 'Open this page in {browser}',
    inApp: {
      ios: '{app}’s own browser cannot install apps. Choose “Open in {browser}” in its menu, or copy the link.',
      android:
        '{app}’s own browser may lose the download. Choose “Open in {browser}” in its menu, or copy the link.',
    },
    inUnknownApp: {
      ios: 'The browser inside this app cannot install apps. Choose “Open in {browser}” in its menu, or copy the link.',
      android:
        'The browser inside this app may lose the download. Choose “Open in {browser}” in its menu, or copy the link.',
    },
    otherIosBrowser: 'Nothing happens when you tap Install? Open this page in Safari.',
    notFromPlay:
      'Installed from Google Play before? If this build does not install, it has another signature: uninstall that app first.',
    expiresSoon: 'It stops working on {day}, when its signature expires.',
  },
  description: '{version} for {platform}',
  otherDescription: '{version} for {platform}, not the live build',
} as const;
