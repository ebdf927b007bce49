/** Texts for single sign-on. `provider` is its configured name. */
export const en = {
  go: 'Continue with {provider}',
  or: 'or',

  /** On the way to the provider, to sign in or out there. */
  leaving: {
    in: {
      title: 'Sign in',
      line: 'You’ll sign in at {provider} and then return here.',
      go: 'Continue to {provider}',
    },
    out: {
      title: 'You’re signed out',
      line: 'You’ll be signed out of {provider} too.',
      go: 'Continue to {provider}',
    },
  },

  /** Error pages of single sign-on: title, what happened, and what to do. */
  errors: {
    unreachable: {
      title: '{provider} can’t be reached',
      line: 'This server needs {provider} to sign you in but got no response.',
    },
    cancelled: {
      title: 'Sign-in canceled',
      line: 'You canceled the sign-in at {provider}, or {provider} declined it.',
    },
    stale: {
      title: 'Start again',
      line: 'This sign-in was started in another browser, took longer than ten minutes, or is already finished.',
    },
    refused: {
      title: 'Sign-in failed',
      line: 'The response of {provider} can’t be used to sign you in.',
    },
    uninvited: {
      title: 'You don’t have an account here',
      line: '{provider} identified you, but you don’t have an account on this server. Ask for an invitation.',
    },
    domain: {
      title: 'You don’t have an account here',
      line: 'Accounts on this server require a confirmed email address in certain domains. The address from {provider} is not in any of them.',
    },
    unconfirmed: {
      title: 'An account with your email address exists',
      line: 'It’s not confirmed that both addresses belong to the same person, so you were not signed in.',
    },
    'other-identity': {
      title: 'An account with your email address exists',
      line: 'It is linked to another account at {provider}, so you were not signed in. Ask an administrator.',
    },
    unmanaged: {
      title: 'Sign in to your account first',
      line: '{provider} can’t sign you in to your account yet, because the provider’s Workspace doesn’t manage the account.',
    },
    full: {
      title: 'You don’t have an account here',
      line: '{provider} identified you, but the provider’s Workspace has reached its limit of accounts.',
    },
    'not-recent': {
      title: 'Access not confirmed',
      line: '{provider} did not ask you to sign in again. To confirm that it’s you, sign in at {provider} once more.',
    },
    'other-account': {
      title: 'Access not confirmed',
      line: 'You signed in to an account at {provider} that isn’t linked to your account here. Try again with the one that is.',
    },
    taken: {
      title: 'Not linked',
      line: 'That account at {provider} is linked to someone else here, or you have already linked another one.',
    },
  },
  advice: {
    unreachable: 'Try again in a minute. If the problem continues, tell an administrator.',
    refused: 'Try again. If the problem continues, tell an administrator: the server log has the reason.',
    uninvited: 'If you have an account here, sign in to it and link {provider} in your settings.',
    unconfirmed:
      'If it’s your account, sign in to it and link {provider} in your settings. If you can’t, ask an administrator.',
    'not-recent':
      'If this keeps happening, tell an administrator: the provider must ask for it again when this server demands it (max_age and auth_time, or ForceAuthn).',
  },
  /** At the provider of a Workspace. */
  signInFirst:
    'If you have an account here, sign in to it another way first. You then continue with {provider}.',
  anotherWay: 'Sign in another way',
  /** Instead of the advice on a server without passwords. */
  askAdministrator: 'Ask an administrator.',
  again: 'Try again',
  toSignIn: 'Back to sign-in',
  toSettings: 'Back to your settings',

  confirm: {
    title: 'Link {provider}?',
    line: '{label} can then be used to sign in as {name}.',
    button: 'Link',
  },

  section: {
    title: 'Single sign-on',
    none: 'Link your account at {provider} to sign in with it.',
    link: 'Link {provider}',
    facts: '<name>{provider}</name>, linked <time></time>.',
    unlink: 'Unlink',
    unlinkOf: 'Unlink {label}',
    unlinkLine: 'You can no longer sign in with {provider} until you link it again.',
    onlyWay: 'It’s your only way to sign in. Set a password first to unlink it.',
    always: 'This server requires it to sign in.',
    linked: 'Linked. You can now sign in with it.',
    unlinked: 'Unlinked. You can no longer sign in with it.',
    emailHint: 'Can’t be changed here: this server does not use passwords.',
  },
  taken: 'that account is already linked',

  notLinked: 'the identity is not linked',
  nothingToConfirm: 'there is nothing to confirm',
  passwordsOff: 'this server does not use passwords: people sign in by single sign-on',
} as const;
