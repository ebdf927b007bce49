/** Messages of errors that every feature throws. */
export const en = {
  notFound: 'there is nothing at this address',
  unauthenticated: 'you are not authenticated',
  internal: 'an internal error occurred',
  commitUnknown:
    'the database did not confirm the change, which may have been made. Check before you try again',
  formExpired: 'the form has expired: reload the page',
  confirmIdentity: 'confirm your identity to continue',
  noAnswer: 'no answer within {seconds} s',
  files: {
    large: 'File too large. The limit is {limit} bytes.',
    noSpace: 'not enough disk space',
    noSpaceToReceive: 'not enough disk space to receive the file',
    noSpaceToStore: 'not enough disk space to store the file',
    away: 'the file store is not available. Try again later',
    refused: 'the file store refused the request',
    credentials: 'the file store rejected the credentials of this server',
    bucket: 'the bucket of the file store does not exist',
    region: 'the bucket of the file store is in a different region than configured',
    damaged: 'the file is damaged: {reason}; an administrator of this server can restore it from a backup',
    damage: {
      missing: 'it is missing from the file store',
      'wrong-size': 'its size has changed since it was stored',
      'wrong-bytes': 'its content has changed since it was stored',
      unreadable: 'it cannot be read from the disk',
    },
  },
  /** Reasons why a limit refuses. */
  limits: {
    codes: 'too many wrong codes: try again later',
    devices: 'too many device registrations from your network: try again in an hour',
    emailChanges: 'too many email changes: try again tomorrow',
    eventStreams: 'too many event streams at once. The limit is {limit}',
    eventStreamsOfNode: 'this node has too many event streams',
    failedBundles:
      'application create error: too many app bundles of this owner could not be converted within the last hour',
    failedPackages:
      'application create error: too many of your files could not be read as packages within the last hour',
    feedback: 'too much feedback in a short time. Try again in an hour.',
    invitations: 'too many invitations: try again tomorrow',
    inviteLinks: 'too many invite links: try again tomorrow',
    newAccounts: 'too many new accounts: try again in an hour',
    newKeys: 'too many new keys: try again in an hour',
    newPeople: 'too many people were added: try again in 15 minutes',
    newProjects: 'you have reached the daily limit for new Projects: try again tomorrow',
    openSignIns: 'too many sign-ins are open. Try again in a few minutes',
    passcodes: 'too many wrong passcodes. Try again in 15 minutes.',
    passcodesOnPage:
      'too many wrong passcodes were entered on this page. Try again tomorrow, or ask for a new link.',
    passcodesToday: 'too many wrong passcodes today. Try again tomorrow.',
    passkeys: 'too many attempts: try again in 15 minutes',
    passwordResets: 'too many password reset requests: try again in an hour',
    passwords: 'too many wrong passwords: try again in 15 minutes',
    polling: 'slow down',
    refusedUploads:
      'application create error: too many of your uploads were refused. The limit is {limit} per hour',
    refusedUploadsFromNetwork:
      'application create error: too many uploads from your network were refused. The limit is {limit} per hour',
    replies: 'the limit of {limit} replies per day is reached. Try again tomorrow.',
    requests: 'too many requests',
    requestsAtOnce: 'too many requests at once from your network',
    requestsFromNetwork: 'too many requests from your network',
    requestsWithOneKey: 'too many requests with one key or session',
    searches: 'too many searches. Try again in a few minutes.',
    signIns: 'too many failed sign-ins: try again in 15 minutes',
    signInsFromNetwork: 'too many sign-ins from your network: try again in 15 minutes',
    signingKeys: 'too many changes of signing keys: try again in an hour',
    terminalCodes: 'too many codes were tried. Try again in a few minutes',
    testEmails: 'too many test emails. Try again in an hour.',
    text: 'you have sent too much text today: try again tomorrow',
    uploadsBeforeKey:
      'too many uploads from your network send the file before the API key: send the key in the Authorization header, or try again later',
    uploadsByPerson: 'application create error: too many uploads by you. The limit is {limit} per hour',
    uploadsToOwner: 'application create error: too many uploads to this owner. The limit is {limit} per hour',
    uploadsWithKey: 'application create error: too many uploads with this key. The limit is {limit} per hour',
    webhooks: 'too many changes to webhooks. Try again in a few minutes.',
    wrongKeys: 'you are not authenticated: too many wrong keys came from your network',
  },
  names: {
    invalid: {
      user: 'a user name must have 1 to {limit} of the letters A-Z and a-z, digits, - and _, and start with a letter or digit',
      project:
        'a project name must have 1 to {limit} of the letters A-Z and a-z, digits, - and _, and start with a letter or digit',
      workspace:
        'a workspace name must have 1 to {limit} of the letters A-Z and a-z, digits, - and _, and start with a letter or digit',
    },
    missing: 'Enter a name.',
    long: 'A name can have at most {limit, number} characters.',
    control: 'A name cannot contain control or invisible characters.',
    reserved: 'the name {name} is reserved',
    hidden: '{name} contains the invisible character {character}: remove it',
  },
} as const;
