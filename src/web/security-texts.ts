/** Words of second factors: codes of an app, passkeys, codes on paper, and the letters about them. */
import { plural } from './plural.ts';

export const securityTexts = {
  /** The name under which apps and authenticators show an account. */
  issuer: 'Slipway',

  title: 'Security',
  line: 'Besides your password: something that only you have.',
  requiredTitle: 'A second factor is asked for here',
  requiredLine:
    'This server asks for more than a password. Everything else opens once you have set up an app for codes, or a passkey.',
  goOn: 'Go on',
  sessionsEnd: 'All your other sessions end.',
  refused: 'That did not work',

  confirm: {
    title: 'Confirm access',
    line: 'This action is protected. Confirm that it’s you to continue. We won’t ask again for 10 minutes.',
    submit: 'Confirm',
  },

  proof: {
    labels: {
      password: 'Your password',
      'password-or-code': 'Your password, or a code from the app',
      code: 'A code from the app',
      'single-sign-on': '',
      passkey: '',
    },
    hint: 'So that nobody else changes this.',
    wrong: {
      password: 'This is not your password.',
      'password-or-code': 'This is neither your password nor a present code.',
      code: 'This is not a present code.',
      'single-sign-on': 'Confirm access by signing in at your provider of single sign-on again.',
      passkey: 'Confirm access with a passkey.',
    },
  },

  app: {
    title: 'App for codes',
    line: 'An app on your phone shows a new code of six digits every half minute.',
    states: { on: 'On', off: 'Off' },
    setUp: 'Set up an app',
    switchOff: 'Switch off',
    switchOffLine: 'Codes of the app are no longer asked for, and the entry in it is of no use any more.',
    switchOffButton: 'Switch off the app for codes',
    on: 'The app for codes is set up.',
    off: 'The app for codes is switched off.',
    alreadyOn: 'An app is set up already. Switch it off first.',

    setUpTitle: 'Set up an app for codes',
    setUpLine: 'Any app for one-time passwords will do; many password managers have it built in.',
    scanTitle: 'Scan this with the app',
    qr: 'QR code of the secret for an app for codes',
    byHand: 'Or type this into it',
    secret: 'The secret',
    openHere: 'Is the app on this device? Open it',
    confirmTitle: 'Type the code that it shows',
    code: 'Code',
    codeHint: 'Six digits. It counts from here on.',
    confirm: 'Confirm',
    wrong: 'This is not the code of this moment. Is the clock of your phone right?',
    cancel: 'Not now',
    late: 'the page was open for too long: open it again',
  },

  passkeys: {
    title: 'Passkeys',
    line: 'A passkey signs you in with your finger, face or PIN. It needs no password, and nobody can ask you for it on a false page.',
    none: 'No passkeys yet',
    noneLine: 'One on each of your devices is best.',
    add: 'Add a passkey',
    name: 'Name',
    nameHint: 'What it lies on, for example the laptop.',
    addButton: 'Add a passkey',
    needsScript: 'Adding a passkey takes a browser that knows passkeys, with scripts on.',
    needsHttps: 'Passkeys need https and a host name: they cannot be made at this address.',
    created: 'Added',
    lastUsed: 'Last used',
    neverUsed: 'Never used',
    rename: 'Rename',
    renameOf: (name: string) => `Rename ${name}`,
    renameButton: 'Save the name',
    remove: 'Remove',
    removeOf: (name: string) => `Remove ${name}`,
    removeLine: 'It signs you in no more. Then delete it on the device, too.',
    removeButton: (name: string) => `Remove ${name} now`,
    added: 'The passkey is added.',
    renamed: 'The passkey has a new name.',
    removed: 'The passkey is removed.',
    full: (most: number) => `${most} passkeys are the most. Remove one that you do not use.`,
    nameFault: (most: number) => `A name has 1 to ${most} characters.`,
    known: 'This passkey is known here already.',
    signIn: 'Sign in with a passkey',
    late: 'that took too long: try again',
    refused: 'the passkey could not be checked: try again',
    unknown: 'this passkey is not known here',
    copied: 'this passkey seems to exist twice and is not taken: sign in another way, and remove it',
    tooMany: 'too many tries: try again in a quarter of an hour',
    /** Said by the script. */
    dismissed: 'Nothing was chosen, or it took too long.',
    failed: 'The browser could not use a passkey here.',
    onThisDevice: 'This device has a passkey of yours already.',
  },

  codes: {
    title: 'Recovery codes',
    line: 'For the day on which your phone is gone. Each works once, in place of the second factor.',
    left: (count: number) => `${plural(count, 'code', 'codes')} left`,
    noneLeft: 'None left',
    after: 'They are made with your first app or passkey.',
    make: 'Make new ones',
    makeLine: 'The old ones no longer work.',
    makeButton: 'Make ten new codes',
    made: 'The new codes are made.',
    madeTitle: 'Your recovery codes',
    madeLine:
      'These are shown once. Print them, or keep them in your password manager; Slipway keeps only digests.',
    label: 'Recovery codes',
  },

  step: {
    title: 'One more step',
    line: (name: string) => `The password is right. Prove that you are ${name}.`,
    code: 'Code from your app',
    codeHint: 'Six digits, from the app that you have set up.',
    submit: 'Sign in',
    passkey: 'Use a passkey',
    passkeyLine: 'You have a passkey. Where its button is missing, this browser cannot use it here.',
    recovery: 'Use a recovery code',
    recoveryCode: 'Recovery code',
    recoveryHint: 'Sixteen letters and digits, each code once.',
    recoverySubmit: 'Sign in with the code',
    lost: 'Everything lost? An administrator can switch off your second factor on the machine itself.',
    wrong: 'The code is wrong, or was used before.',
    failed: 'Not signed in.',
    tooMany: 'too many wrong codes: try again later',
    again: 'Try again',
    back: 'Sign in as somebody else',
  },

  letters: {
    reason: (host: string) =>
      `You received this email because it concerns the security of your account on ${host}.`,
    at: (name: string, when: string) => `This was done on ${when} to the account ${name}.`,
    atProject: (name: string, when: string) => `This was done on ${when} to the project ${name}.`,
    otherwise:
      'If it was you, there is nothing to do. If not, set a new password at once, look at your sessions and passkeys, and tell an administrator.',
    otherwiseEmail:
      'If it was you, there is nothing to do. If not, tell an administrator at once: the account is no longer yours alone.',
    newSignIn: 'New sign-in to your account',
    newSignInLine: 'Someone signed in to your account from a new browser.',
    signInFacts: (facts: {
      account: string;
      browser: string | null;
      system: string | null;
      address: string;
      when: string;
    }) => [
      `Account: ${facts.account}`,
      `Browser: ${facts.browser ?? 'Unknown'}`,
      `System: ${facts.system ?? 'Unknown'}`,
      `IP address: ${facts.address}`,
      `Time: ${facts.when}`,
    ],
    otherwiseSignIn:
      'If this was you, you don’t need to do anything. If you don’t recognize this sign-in, change your password now, end that session, and tell an administrator.',
    sessions: 'Review your sessions',
    otherwiseKey:
      'If you don’t recognize this key, revoke it right away, then change your password and end your other sessions.',
    security: 'Look at your security settings',
    reset: 'Set a new password',
    signIn: 'Sign in',
    settings: 'Look at your settings',
    keys: 'Review API keys',
    subject: (name: string) => `Name: ${name}`,
    subjects: {
      'password-changed': 'Your password for Slipway was changed',
      'email-changed': 'Your e-mail address for Slipway was changed',
      'app-on': 'Codes from an app are now asked for',
      'app-off': 'Codes from an app are no longer asked for',
      'passkey-added': 'A passkey was added to your account',
      'passkey-removed': 'A passkey was removed from your account',
      'recovery-codes-made': 'You have new recovery codes',
      'recovery-code-used': 'A recovery code was used to sign in',
      'factors-reset': 'Your second factor was switched off',
      'identity-linked': 'Your account can be opened by single sign-on',
      'identity-unlinked': 'Single sign-on was unlinked from your account',
      'key-created': 'A new API key was created for your account',
      'project-key-created': 'A new API key was created for your project',
      'reset-link-created': 'A password reset link was created for your account',
      'administrator-granted': 'You are now an administrator',
      'administrator-removed': 'You are no longer an administrator',
      'account-enabled': 'Your account was enabled',
    },
    firsts: {
      'password-changed': 'The password of your account was changed, and its other sessions have ended.',
      'email-changed': 'Your account now has another e-mail address; this is the last letter to this one.',
      'app-on': 'From now on, signing in with your password asks for a code from your app.',
      'app-off': 'Signing in with your password no longer asks for a code from your app.',
      'passkey-added': 'A new passkey can sign in to your account.',
      'passkey-removed': 'A passkey can no longer sign in to your account.',
      'recovery-codes-made': 'New recovery codes were made; the old ones no longer work.',
      'recovery-code-used': 'Somebody signed in with your password and one of your recovery codes.',
      'factors-reset':
        'An administrator of the server took away your app for codes, your passkeys and your recovery codes. Your password alone signs you in.',
      'identity-linked':
        'An account at the provider of single sign-on was linked to yours, and signs in to it from now on.',
      'identity-unlinked':
        'The account at your identity provider was unlinked and can no longer sign in to your account.',
      'key-created': 'An API key that acts as you was created.',
      'project-key-created': 'An API key that uploads to a project you own was created.',
      'reset-link-created':
        'An administrator created a link that sets a new password for your account. It expires in one hour.',
      'administrator-granted': 'You can now administer this Slipway server.',
      'administrator-removed': 'You can no longer administer this Slipway server.',
      'account-enabled': 'An administrator enabled your account again.',
    },
  },
};
