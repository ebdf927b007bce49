/** Messages of the page for visitors without access. */
export const en = {
  inactive: {
    title: 'This page is closed',
    line: 'You cannot install anything from it right now. Ask the person who sent you the link.',
  },
  expired: {
    title: 'This page has expired',
    line: 'It was available for a limited time. Ask the person who sent you the link for a new one.',
  },
  network: {
    title: 'Not available on this network',
    line: 'This page is only available on certain networks. Connect to your company’s network or VPN, then reload the page.',
  },
  passcode: {
    title: 'Enter the passcode',
    line: 'Ask the person who sent you the link.',
    label: 'Passcode',
    submit: 'Continue',
    member: 'If you have access to the app, you don’t need a passcode.',
    wrong: 'Wrong passcode.',
  },
  openApp: 'Open the app',
  manage: 'Page settings',
  refused: {
    closed: 'this page is closed',
    network: 'this page is not available on your network',
    passcode: 'this page requires a passcode',
    linkExpired: 'this link has expired: reload the page',
    withdrawn: 'this build has been withdrawn',
    installLimit: 'this page has reached its install limit',
  },
} as const;
