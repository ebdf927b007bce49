export const en = {
  errors: {
    only: '{place} accepts builds from trusted publishers only',
    onlyDeleted: '{place} accepts builds from trusted publishers only, so only the owner team can delete it',
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
      bitrise:
        'Anyone on Bitrise can build a public repository. Add a rule that names your app there, such as app_slug.',
      prefix: 'The prefix of {claim} must contain the owner of the repositories and a slash: acme/',
    },
  },
  exchange: {
    noAddress: 'this server has no public address: set SLIPWAY_URL, which is the audience of ID tokens',
    missing: 'subject_token is missing',
    type: 'subject_token_type must be {type}',
    requested: 'requested_token_type can only be {type}',
    delegation: 'actor_token is not supported',
    audience: 'the key is for this server: leave audience out, and name the owner or the app in resource',
    scope: 'the only scope is upload',
    resource: 'resource must be an owner, or owner/platform/package with the platform android or ios',
    tooLarge: 'an ID token can have at most {limit, number} bytes',
    malformed: 'subject_token is not a JSON Web Token',
    algorithm: 'the algorithm of an ID token must be one of {algorithms}, without critical extensions',
    invalid:
      'The ID token is not valid here. It must be unchanged, come from an issuer that the owner trusts, and have the audience {audience}.',
    unavailable: 'The keys of the issuer cannot be loaded. Try again in a minute.',
    times: 'the claims exp, iat and nbf must be numbers of seconds',
    id: 'the claim jti must be a text of 1 to {limit, number} characters',
    expired: 'the ID token has expired: request it right before the upload',
    early: 'the ID token is not valid yet: check the clocks of this server and of the CI',
    life: 'the ID token is valid for more than a day',
    used: 'the ID token was used before: request a new one for each exchange',
    none: 'No trusted publisher {isPlace, select, yes {of {place} } other {}}accepts tokens of {repository}.',
    changed: 'the trusted publisher was changed at this moment: request a new ID token',
    ambiguous:
      'more than one trusted publisher accepts the ID token: name the owner or the app in resource, such as acme/ios/com.example.app',
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
