/** Messages of build emails and of the email pages. */
export const en = {
  unavailableTitle: 'Email is not configured',
  unavailableReasons: {
    'no-smtp':
      'No mail server is configured. Set SLIPWAY_SMTP_URL and SLIPWAY_MAIL_FROM to send emails about new builds.',
    'no-url':
      'Links in emails require the public URL of this server. Set SLIPWAY_URL to send emails about new builds.',
  },
  kept: 'Until then, Slipway stores the emails. You can read them on this page.',
  startNotice: '{reason} Until then, Slipway stores the emails. Read them at /administration/mail.',

  message: {
    subject: '{app} {version} for {platform}',
    lead: 'New build for {platform}',
    install: 'Install',
    whatsNew: 'What’s new',
    size: 'Size',
    uploadedBy: 'Uploaded by',
    failedChecks: 'Failed checks',
    checksUnknown: 'not known when this email was sent',
    reasons: {
      chosen: 'You receive this email because you turned on emails about {app}.',
      team: 'You receive this email because {app} belongs to your Project {owner}.',
      owner: 'You receive this email because you own {app}.',
      shared: 'You receive this email because you have access to {app}.',
    },
    unsubscribe: 'Unsubscribe from this app',
    settings: 'Email settings',
  },

  reminder: {
    subject:
      '{count, plural, one {1 app} other {# apps}} of {owner} {count, plural, one {breaks} other {break}} a store rule from {day}',
    subjectOfApp: '{app} breaks a store rule from {day}',
    intro:
      '{days, plural, one {Tomorrow} other {In # days}}, a rule of the stores begins that {count, plural, one {an app} other {# apps}} of {owner} {count, plural, one {breaks} other {break}}.',
    introOfMonth:
      'In {month}, on a day that the store has not named, a rule begins that {count, plural, one {an app} other {# apps}} of {owner} {count, plural, one {breaks} other {break}}.',
    rule: '{destination}: {name}',
    advice: 'What to do: {advice}',
    app: '{app} #{revision} ({platform})',
    more: '{count, plural, one {and # more app} other {and # more apps}}',
    source: 'Source',
    reported: 'Report, not verified with the store',
    open: 'Show the store rules',
    accepted: 'To keep a build as it is, accept the result on its checks page, with a reason.',
    reason: 'You receive this email because you manage apps of {owner}.',
    unsubscribe: 'Unsubscribe from the apps of {owner}',
  },

  unsubscribe: {
    title: 'Unsubscribe?',
    question: 'You receive emails about {app} for {platform}.',
    questionOfOwner: 'You receive emails about the apps of {owner}.',
    confirm: 'Unsubscribe',
    offTitle: 'Unsubscribed',
    off: 'You no longer receive emails about {app} for {platform}.',
    offOfOwner: 'You no longer receive emails about the apps of {owner}.',
    undo: 'Subscribe again',
    onTitle: 'Subscribed',
    on: 'You receive emails about {app} for {platform}.',
    onOfOwner: 'You receive emails about the apps of {owner}.',
    account: 'This applies to the account {name}.',
    settings: 'All email settings',
  },

  settings: {
    title: 'Emails about new builds',
    lead: 'Emails go to {address}.',
    noAddress:
      'Your account has no email address, so Slipway cannot send you emails. Ask an administrator to add one.',
    notSet: 'Your settings apply as soon as an administrator sets up email on this server.',
    groups: {
      ios: { title: 'iOS', line: 'On by default.' },
      android: { title: 'Android', line: 'Off by default.' },
    },
    save: 'Save',
    savedLine: 'Saved. The change applies from the next build.',
    empty: 'No apps yet',
    emptyLine: 'Apps that you have access to appear here.',
    more: 'More apps',
  },

  test: {
    send: 'Send test email',
    to: 'To {address}',
    noAddress: 'To send a test email, add an email address to your account.',
    sent: 'The mail server accepted the test email to {address}. Check that it arrives.',
    failed: 'The test email was not sent',
    uncertain: 'The test email may not have been sent',
    reason: 'You receive this email because you sent a test email from {site} at {host}.',
    subject: 'Test email from {site}',
    canSend: '{site} can send email.',
    spam: 'If this email is in your spam folder, check the SPF, DKIM and DMARC records of the sender’s domain.',
    link: 'Email administration',
  },

  errors: {
    unavailable: 'this server cannot send email',
    noAddress: 'your account has no email address',
    notFailed: 'only failed emails can be retried',
  },
  administration: {
    title: 'Email',
    lead: 'Delivery status of emails about new builds.',
    states: {
      waiting: 'Waiting',
      sending: 'Sending',
      sent: 'Sent',
      dead: 'Failed',
      uncertain: 'Uncertain',
      closed: 'Not sent',
      kept: 'Stored',
    },
    meanings: {
      waiting: 'Will be sent or retried.',
      sending: 'Being sent to the mail server.',
      sent: 'Accepted by the mail server.',
      dead: 'Rejected by the mail server, or failed for 24 hours.',
      uncertain:
        'The mail server received the email but did not confirm it. It may have been delivered, so Slipway does not send it again.',
      closed: 'Expired before it could be sent, or the recipient unsubscribed.',
      kept: 'Stored because no mail server was configured.',
    },
    /** Keyed by the stored text. Other texts come from the mail server. */
    ownErrors: {
      'no-address': 'This is not an email address.',
      'timed-out': 'The mail server timed out.',
      interrupted: 'The server stopped while sending the email.',
      unwanted: 'The email was no longer wanted.',
      old: 'The email was too old to be sent.',
    },
    all: 'All',
    filter: 'Filter by status',
    empty: 'No emails',
    emptyLine: 'Emails appear here when a build of an app with subscribers is uploaded.',
    to: 'To',
    person: 'Person',
    build: 'Build',
    error: 'Reason',
    created: 'Created',
    changed: 'Updated',
    attempts: 'Attempts',
    retry: 'Retry',
    text: 'Text',
    html: 'View as HTML',
    noText: 'The build was deleted, and the text of the email with it.',
    more: 'More emails',
  },
} as const;
