/** Words of single sign-on. Apart from `account-texts.ts` for their size alone. `provider` is what people call it. */
export const singleSignOnTexts = {
  go: (provider: string) => `Continue with ${provider}`,
  or: 'or',

  /** Pages that stand in the way of signing in: a title, what happened, and what to do. */
  faults: {
    unreachable: {
      title: (provider: string) => `${provider} cannot be reached`,
      lines: (provider: string) => [
        `This server got no answer from ${provider}, which it needs to know who you are.`,
        'Try again in a minute. If it lasts, tell an administrator.',
      ],
    },
    cancelled: {
      title: () => 'Nobody was signed in',
      lines: (provider: string) => [`You, or ${provider} for you, said no.`],
    },
    stale: {
      title: () => 'Please begin again',
      lines: () => [
        'This sign-in was begun in another browser, took longer than ten minutes, or is over already.',
      ],
    },
    refused: {
      title: () => 'That did not work',
      lines: (provider: string) => [
        `What ${provider} answered cannot be used to sign you in.`,
        'Try again. If it happens every time, tell an administrator: the log says why.',
      ],
    },
    uninvited: {
      title: () => 'There is no account for you here',
      lines: (provider: string, passwords: boolean) => [
        `${provider} knows you, and this server does not yet. Ask for an invitation.`,
        ...(passwords
          ? [`If you have an account here, sign in to it and link ${provider} in your settings.`]
          : []),
      ],
    },
    domain: {
      title: () => 'There is no account for you here',
      lines: (provider: string) => [
        `Accounts here are for confirmed e-mail addresses of some domains, and the one that ${provider} tells is none of those.`,
      ],
    },
    unconfirmed: {
      title: () => 'An account here has your address',
      lines: (provider: string, passwords: boolean) => [
        'Nobody has confirmed yet that the two are the same person’s, so it was not opened.',
        passwords
          ? `If it is yours, sign in to it and link ${provider} in your settings. If you cannot, ask an administrator.`
          : 'Ask an administrator.',
      ],
    },
    'other-identity': {
      title: () => 'An account here has your address',
      lines: (provider: string) => [
        `It is linked to another account at ${provider}, so it was not opened. Ask an administrator.`,
      ],
    },
    'not-recent': {
      title: () => 'Access not confirmed',
      lines: (provider: string) => [
        `${provider} did not ask you to sign in again. To confirm that it’s you, sign in at ${provider} once more.`,
        'If this keeps happening, tell an administrator: the provider must support max_age and auth_time.',
      ],
    },
    'other-account': {
      title: () => 'Access not confirmed',
      lines: (provider: string) => [
        `You signed in to an account at ${provider} that isn’t linked to your account here. Try again with the one that is.`,
      ],
    },
    taken: {
      title: () => 'It was not linked',
      lines: (provider: string) => [
        `That account at ${provider} belongs to somebody else here, or you have linked another one already.`,
      ],
    },
  },
  again: 'Try again',
  toSignIn: 'Back to signing in',
  toSettings: 'Back to your settings',

  confirm: {
    title: (provider: string) => `Link ${provider}?`,
    line: (label: string, name: string) => `${label} will sign in as ${name} from now on.`,
    button: 'Link it',
  },

  section: {
    title: 'Single sign-on',
    none: (provider: string) => `Link your account at ${provider}, to sign in here with it.`,
    link: (provider: string) => `Link ${provider}`,
    since: 'linked',
    unlink: 'Unlink',
    unlinkOf: (label: string) => `Unlink ${label}`,
    onlyWay: 'It is your only way in. Set a password first to unlink it.',
    always: 'It is the way in to this server.',
    linked: 'Linked. You can sign in with it from now on.',
    unlinked: 'Unlinked. It no longer signs you in.',
    emailHint: 'It cannot be changed here: this server has no passwords of its own.',
  },
  taken: 'that account is linked already',

  passwordsOff: 'this server has no passwords of its own: people sign in by single sign-on',
};
