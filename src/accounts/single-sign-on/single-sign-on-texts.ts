/** Texts for single sign-on. `provider` is its configured name. */
export const singleSignOnTexts = {
  go: (provider: string) => `Continue with ${provider}`,
  or: 'or',

  /** Error pages of signing in: a title, what happened, and what to do. */
  errors: {
    unreachable: {
      title: (provider: string) => `${provider} can’t be reached`,
      lines: (provider: string) => [
        `This server needs ${provider} to sign you in but got no response.`,
        'Try again in a minute. If the problem continues, tell an administrator.',
      ],
    },
    cancelled: {
      title: () => 'Sign-in canceled',
      lines: (provider: string) => [`You canceled at ${provider}, or it declined.`],
    },
    stale: {
      title: () => 'Start again',
      lines: () => [
        'This sign-in was started in another browser, took longer than ten minutes, or is already finished.',
      ],
    },
    refused: {
      title: () => 'Sign-in failed',
      lines: (provider: string) => [
        `The response of ${provider} can’t be used to sign you in.`,
        'Try again. If the problem continues, tell an administrator: the server log has the reason.',
      ],
    },
    uninvited: {
      title: () => 'You don’t have an account here',
      lines: (provider: string, passwords: boolean) => [
        `${provider} identified you, but you don’t have an account on this server. Ask for an invitation.`,
        ...(passwords
          ? [`If you have an account here, sign in to it and link ${provider} in your settings.`]
          : []),
      ],
    },
    domain: {
      title: () => 'You don’t have an account here',
      lines: (provider: string) => [
        `Accounts here require a confirmed email address of certain domains. The one from ${provider} is not one of them.`,
      ],
    },
    unconfirmed: {
      title: () => 'An account with your email address exists',
      lines: (provider: string, passwords: boolean) => [
        'It’s not confirmed that both addresses belong to the same person, so you were not signed in.',
        passwords
          ? `If it’s your account, sign in to it and link ${provider} in your settings. If you can’t, ask an administrator.`
          : 'Ask an administrator.',
      ],
    },
    'other-identity': {
      title: () => 'An account with your email address exists',
      lines: (provider: string) => [
        `It is linked to another account at ${provider}, so you were not signed in. Ask an administrator.`,
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
      title: () => 'Not linked',
      lines: (provider: string) => [
        `That account at ${provider} is linked to someone else here, or you have already linked another one.`,
      ],
    },
  },
  again: 'Try again',
  toSignIn: 'Back to sign-in',
  toSettings: 'Back to your settings',

  confirm: {
    title: (provider: string) => `Link ${provider}?`,
    line: (label: string, name: string) => `${label} can then be used to sign in as ${name}.`,
    button: 'Link',
  },

  section: {
    title: 'Single sign-on',
    none: (provider: string) => `Link your account at ${provider} to sign in with it.`,
    link: (provider: string) => `Link ${provider}`,
    since: 'linked',
    unlink: 'Unlink',
    unlinkOf: (label: string) => `Unlink ${label}`,
    onlyWay: 'It’s your only way to sign in. Set a password first to unlink it.',
    always: 'This server requires it to sign in.',
    linked: 'Linked. You can now sign in with it.',
    unlinked: 'Unlinked. You can no longer sign in with it.',
    emailHint: 'Can’t be changed here: this server does not use passwords.',
  },
  taken: 'that account is already linked',

  passwordsOff: 'this server does not use passwords: people sign in by single sign-on',
};
