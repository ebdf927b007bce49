/** Texts for single sign-on by SAML. `provider` is its configured name. */
export const en = {
  /** For a session that must be signed in with the provider of a Workspace. */
  barred: {
    title: 'Sign in with {provider}',
    line: 'The Workspace {workspace} requires its members to sign in with {provider}. You stay signed in here.',
  },

  /** What is wrong with a response, on the page that refuses it. */
  problems: {
    malformed: 'The response is not valid.',
    declined: 'The provider declined the sign-in.',
    wrapped: 'The response contains more than the one signed assertion that it must contain.',
    algorithm:
      'The response is signed with an algorithm that is not accepted. SHA-256 or SHA-512 with RSA is required.',
    signature: 'The assertion is not signed with a key of the provider.',
    provider: 'The response is from another provider.',
    audience: 'The response is for another service.',
    destination: 'The response was meant for another address.',
    expired: 'The response has expired or is not valid yet. Clocks may differ by at most one minute.',
    used: 'The response has already been used.',
    request: 'The response answers another request.',
    subject: 'The response does not contain a permanent identifier of the person.',
    encrypted: 'The assertion can’t be decrypted.',
    cipher:
      'The assertion is encrypted with an algorithm that is not accepted. AES-GCM with RSA-OAEP is required.',
  },
} as const;
