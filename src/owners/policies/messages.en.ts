/** Texts of the policies of Workspaces. */
export const en = {
  title: 'Policies',
  line: 'Requirements for everyone who uses this Workspace, on the web, through the API and from the command line.',
  labels: {
    secondFactor: 'Require a second factor',
    sessionHours: 'Session length',
    keyDays: 'API key lifetime',
    networks: 'Allowed networks',
    emailDomains: 'Allowed email domains',
    pageAccess: 'Distribution page access',
    retentionDays: 'Minimum retention',
    trustedPublishersOnly: 'Only trusted publishers upload builds',
  },
  hints: {
    secondFactor: 'People who sign in with a password need an authenticator app or a passkey.',
    sessionHours:
      'In hours, from 1 to {limit, number}. After that, people must sign in again. Leave empty for no limit.',
    keyDays:
      'In days, from 1 to {limit, number}. Older keys stop working here until they are rotated. Leave empty for no limit.',
    networks:
      'One CIDR or IP address per line, at most {limit}. Also applies to distribution pages. Leave empty to allow all.',
    emailDomains:
      'One per line, at most {limit}. Applies to invitations and members, whose addresses must be confirmed. Leave empty to allow all.',
    pageAccess: 'Pages that are less restricted change to members only.',
    retentionDays:
      'In days, from 1 to {limit, number}. Neither people nor retention rules can delete newer builds. Leave empty for no minimum.',
    trustedPublishersOnly: 'Builds from API keys and from the browser are refused.',
  },
  groups: {
    people: 'People and sessions',
    access: 'Access',
    builds: 'Builds and pages',
  },
  floors: {
    unlisted: 'Any access',
    passcode: 'No unlisted pages',
    members: 'Members and groups only',
  },
  floorHints: {
    unlisted: 'Pages may be open to anyone with the link.',
    passcode: 'Pages require a passcode, or admit only members or groups.',
    members: 'Pages admit people with access to the app.',
  },
  refusals: {
    secondFactor:
      'this Workspace requires a second factor: set up an authenticator app or a passkey in the security settings of your account',
    sessionHours:
      'this Workspace requires you to sign in every {hours, plural, one {hour} other {# hours}}: sign out, then sign in again',
    keyDays:
      'the secret of this API key is older than {days, plural, one {1 day} other {# days}}, the limit of this Workspace: rotate the key or use a new one',
    networks:
      'this Workspace cannot be used from your network: connect from a network that its owners have allowed',
    emailDomains:
      'this Workspace admits only people with a confirmed email address at {domains}: confirm or change the address of your account, or ask an owner of the Workspace',
    pageAccess: 'the Workspace does not allow this access: choose more restricted access',
    retentionDays:
      'the Workspace keeps every build for at least {days, plural, one {1 day} other {# days}}: delete the build when it is older',
    trustedPublishersOnly:
      'the Workspace accepts builds from trusted publishers only: upload from a CI job that is registered as one',
  },
  advice: 'The owners of the Workspace set its policies. Ask them for details.',
  actions: {
    secondFactor: 'Set up a second factor',
    sessionHours: 'Sign out',
  },
  limits: {
    keyExpiry:
      'API keys of this Workspace must expire within {days, plural, one {1 day} other {# days}}. Choose an earlier expiry.',
    pageAccess: 'A policy of the Workspace does not allow this.',
    email: 'only people with a confirmed email address at {domains} can join this Workspace',
  },
  lockedOut: 'This would lock you out now: {reason}',
  errors: {
    amount: 'Enter a whole number from 1 to {limit, number}, or leave empty.',
    choice: 'Choose an option.',
    entry: '“{entry}” is not valid here.',
    many: 'Too many entries. The limit is {limit, number}.',
  },
  review: 'Review changes',
  reviewTitle: 'Review policies',
  reviewLine: 'Nothing has changed yet. These violate the new policies:',
  noViolations: 'Nothing violates these policies.',
  violations: {
    secondFactor: 'People without a second factor lose access until they set one up.',
    sessionHours: 'These people must sign in again.',
    keyDays: 'These keys stop working here until they are rotated.',
    networks: 'These people and keys were last used from other networks.',
    emailDomains: 'These people lose access, and these invitations can no longer be accepted.',
    pageAccess: 'These pages become members only.',
    retentionDays: 'The retention rules of these apps delete builds that this policy keeps.',
    trustedPublishersOnly: 'The newest build of these apps is not from a trusted publisher.',
  },
  counts: '{count, plural, =0 {No violations} one {# violation} other {# violations}}',
  more: 'The first {limit, number} are listed, and {more, number} more exist.',
  kinds: {
    person: 'Person',
    invitation: 'Invitation',
    key: 'API key',
    page: 'Distribution page',
    app: 'App',
  },
  paging: 'Pages of violations',
  back: 'Edit',
  save: 'Save policies',
  saved: 'Policies saved. They apply now.',
} as const;
