/** Every word of mail and of the pages about it. Apart from `texts.ts` for its size alone. */

/** Why somebody gets a mail. */
export type MailReason = 'chosen' | 'team' | 'owner' | 'shared';

export const mailTexts = {
  unavailableTitle: 'No mail is sent',
  unavailableReasons: {
    'no-smtp':
      'No mail server is set. Set SLIPWAY_SMTP_URL and SLIPWAY_MAIL_FROM to send mail about new builds.',
    'no-url':
      'The links in mail need the public address of this server. Set SLIPWAY_URL to send mail about new builds.',
  },
  kept: 'Until then the mail is kept and can be read on this page.',
  startNotice: (reason: string) => `${reason} Until then it is kept, to be read at /administration/mail.`,

  message: {
    subject: (app: string, version: string, platform: string) => `${app} ${version} for ${platform}`,
    lead: (platform: string) => `A new build for ${platform}`,
    install: 'Install',
    whatsNew: 'What’s new',
    size: 'Size',
    uploadedBy: 'Uploaded by',
    branch: 'Branch',
    commit: 'Commit',
    label: 'Label',
    reasons: {
      chosen: (app: string) => `You get this because you asked for mail about ${app}.`,
      team: (app: string, owner: string) =>
        `You get this because you are in the Project ${owner}, to which ${app} belongs.`,
      owner: (app: string) => `You get this because ${app} is yours.`,
      shared: (app: string) => `You get this because you were given access to ${app}.`,
    } satisfies Record<MailReason, (app: string, owner: string) => string>,
    unsubscribe: 'No more mail about this app',
    settings: 'Mail settings',
  },

  unsubscribe: {
    title: 'No more mail?',
    question: (app: string, platform: string) =>
      `You get a mail for each new build of ${app} for ${platform}.`,
    confirm: 'Stop these mails',
    offTitle: 'No more mail',
    off: (app: string, platform: string) =>
      `New builds of ${app} for ${platform} are not mailed to you any more.`,
    undo: 'Turn them on again',
    onTitle: 'Mail is on',
    on: (app: string, platform: string) => `You get a mail for each new build of ${app} for ${platform}.`,
    account: (name: string) => `This is about the mail of ${name}.`,
    settings: 'All mail settings',
  },

  settings: {
    title: 'Mail about new builds',
    lead: (address: string) => `Mail goes to ${address}.`,
    noAddress:
      'You have no e-mail address on this server, so nothing can be sent. An administrator can add one.',
    notSet: 'This server does not send mail at the moment. What you choose here counts once it does.',
    groups: {
      ios: { title: 'iOS', line: 'On unless you turn it off.' },
      android: { title: 'Android', line: 'Off unless you turn it on.' },
    },
    by: 'by',
    save: 'Save',
    saved: 'Saved',
    savedLine: 'It counts from the next build on.',
    empty: 'No apps yet',
    emptyLine: 'Apps appear here as soon as you can see one.',
    more: 'More apps',
  },

  administration: {
    title: 'Mail',
    lead: 'What became of the mail about new builds.',
    states: {
      waiting: 'Waiting',
      sending: 'Sending',
      sent: 'Sent',
      dead: 'Failed',
      uncertain: 'Uncertain',
      closed: 'Not sent',
      kept: 'Kept',
    },
    meanings: {
      waiting: 'Will be sent, or tried again.',
      sending: 'On its way to the mail server at this moment.',
      sent: 'The mail server has taken it.',
      dead: 'The mail server refused it for good, or was tried for a day.',
      uncertain:
        'The mail server had all of it and did not answer. It may have arrived, so it is not sent again.',
      closed: 'Was too old before it could be tried, or is not wanted any more.',
      kept: 'There was no mail server to send it through.',
    },
    all: 'All',
    filter: 'Mail by state',
    count: (count: string, more: boolean) => `${count}${more ? '+' : ''}`,
    empty: 'No mail',
    emptyLine: 'Mail appears with the next build that somebody is to hear of.',
    to: 'To',
    person: 'Person',
    build: 'Build',
    state: 'State',
    error: 'Reason',
    made: 'Made',
    changed: 'Changed',
    attempts: 'Tries',
    again: 'Try again',
    text: 'Text',
    html: 'See it as HTML',
    list: 'All mail',
    more: 'More mail',
  },
};
