export const en = {
  errors: {
    taken: 'another trusted publisher already has the name {name}',
    full: 'The limit of {limit, number} trusted publishers is reached. Delete one that is no longer used.',
    app: 'A package name has 1 to 255 letters, digits, dots, - and _.',
    pattern: 'A pattern can have at most {limit, number} characters, all of them visible.',
    issuer:
      'The issuer must be {example}, written exactly as in the tokens, https, with at most {limit, number} characters.',
    issuers: {
      github:
        'https://token.actions.githubusercontent.com, the same with /ENTERPRISE, or https://HOST/_services/token',
      gitlab: 'the URL of the GitLab server',
      circleci: 'https://oidc.circleci.com/org/ORGANIZATION_ID',
      bitbucket: 'https://api.bitbucket.org/2.0/workspaces/WORKSPACE/pipelines-config/identity/oidc',
      buildkite: 'https://agent.buildkite.com',
      bitrise: 'https://token.builds.bitrise.io',
      other: 'the claim iss of its tokens, and not that of a listed CI',
    },
    selfHosted: 'Only publishers of GitHub distinguish self-hosted runners.',
    rules: {
      tooMany: 'A publisher can have at most {limit, number} rules.',
      claim: 'The name of a claim must have 1 to {limit, number} visible characters.',
      checked: 'The claim {claim} is always checked and cannot have a rule.',
      twice: 'The claim {claim} has more than one rule. Use one_of.',
      values: 'The rule of {claim} must have 1 to {limit, number} values.',
      value:
        'A value of {claim} must have 1 to {limit, number} visible characters, without spaces around them.',
      identity: 'Rules must say which repository it is. Add a rule for {claims}.',
      another: 'Another issuer needs a rule for sub, and at least one more.',
      prefix: 'The prefix of {claim} must contain the owner of the repositories and a slash: acme/',
    },
  },
  refusals: {
    claim:
      'Publisher “{name}” wants {claim} “{wanted}”; the token has {isNone, select, yes {none} other {“{found}”}}.',
    event:
      'Publisher “{name}” refuses the event {event}, which runs with the rights of the repository on code of others.',
    runner: 'Publisher “{name}” refuses self-hosted runners.',
    pinned:
      'Publisher “{name}” belongs to the {claim} “{wanted}”; the token has {isNone, select, yes {none} other {“{found}”}}. If the repository was recreated on purpose, reset the pinned ids.',
  },
} as const;
