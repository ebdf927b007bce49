/** Texts of the single sign-on settings of a Workspace. `provider` is its name. */
export const en = {
  title: 'Single sign-on',
  line: 'Members sign in at your identity provider over SAML 2.0.',
  noAddress:
    'This server needs SLIPWAY_URL before a Workspace can have an identity provider. Ask an administrator.',
  addresses: {
    title: 'For the identity provider',
    line: 'Enter these values at the provider, or import the metadata.',
    metadata: 'Metadata and entity ID',
    acs: 'Assertion consumer service (ACS)',
    logout: 'Single logout',
    signIn: 'Sign-in address for members',
  },
  provider: {
    title: 'Identity provider',
    line: 'It can sign in the accounts that it created, those that the directory of the Workspace manages, and those with a confirmed address in the email domains of the Workspace. Everyone else first signs in here in another way, and links their account once.',
    name: 'Name',
    nameHint: 'Shown on the button “Continue with …”.',
    url: 'Metadata URL',
    urlHint: 'Fetched again every hour. The last valid copy is used while the provider can’t be reached.',
    metadata: 'Metadata (XML)',
    metadataHint: 'Instead of a URL. Paste it again when the provider replaces its certificate.',
    attributes: 'Attributes',
    attributesHint:
      'Only if the provider uses other names, such as email=mail, name=uid, subject=employeeNumber.',
    save: 'Save',
    saved: 'Saved. Sign in once to check that it works.',
    entity: 'Entity ID',
    read: 'Metadata read <time></time>.',
    problem: 'Slipway uses an earlier copy, because the last attempt failed: {problem}',
    remove: 'Remove provider',
    removeLine: 'Nobody can sign in with {provider} anymore. Accounts and their links to it stay.',
    removed: 'Provider removed.',
  },
  requirement: {
    title: 'Require single sign-on',
    line: 'Members can then use this Workspace only in sessions that are signed in with the provider. API keys that people created earlier work until they expire. Administrators of the installation are exempt.',
    on: 'Members have had to sign in with {provider} since <time></time>.',
    off: 'Members can use the Workspace no matter how they signed in.',
    check: 'First sign in with {provider} in this session, to prove that it works.',
    signIn: 'Sign in with {provider}',
    turnOn: 'Require single sign-on',
    turnOnLine:
      'Sessions of members that are not signed in with {provider} can’t use this Workspace from now on.',
    turnOff: 'Stop requiring single sign-on',
    turnOffLine: 'Members can then use the Workspace no matter how they signed in.',
    turnedOn: 'Single sign-on is required.',
    turnedOff: 'Single sign-on is no longer required.',
    factor: 'Set up a second factor, so that you can stop requiring single sign-on if the provider fails.',
    recovery:
      'You are not signed in with {provider}. As an owner with a second factor, you can only stop requiring single sign-on here.',
  },
  errors: {
    oneSource: 'enter either a metadata URL or the metadata',
    metadata: 'the metadata can’t be used: {reason}',
    attributes: 'list pairs such as email=mail, name=uid, subject=employeeNumber',
    required: 'members must sign in with the current provider: stop requiring single sign-on first',
    signInFirst:
      'sign in with {provider} in this session first, or use a key that was created in such a session',
    none: 'the Workspace has no identity provider',
  },
} as const;
